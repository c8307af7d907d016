import { readFile } from 'node:fs/promises';
import { Tokenizer } from '@huggingface/tokenizers';

/** Longest input the model was trained to read, in tokens with [CLS] and [SEP] (sentence-transformers' own setting). */
const MAX_TOKENS = 256;
const CLS = 101;
const SEP = 102;

/** Turns a text into the model's token ids: [CLS], at most 254 word pieces, [SEP]. */
export interface WordPieces {
  encode(text: string): number[];
}

/**
 * The tokenizer of all-MiniLM-L6-v2, which is BERT's uncased one, from its vocabulary (one piece a line).
 * The vocabulary stands beside this file so that no second model package (83 MB) has to be fetched for it.
 */
export async function loadWordPieces(vocabularyPath: string): Promise<WordPieces> {
  const pieces = (await readFile(vocabularyPath, 'utf8')).trimEnd().split('\n');
  const tokenizer = new TypedTokenizer(tokenizerJson(pieces), TOKENIZER_CONFIG);
  return {
    encode(text) {
      const body = tokenizer.encode(text, { add_special_tokens: false }).ids;
      return [CLS, ...body.slice(0, MAX_TOKENS - 2), SEP];
    },
  };
}

/** The part we use; the package's own declarations name modules that are not in it. */
const TypedTokenizer = Tokenizer as unknown as new (
  tokenizer: object,
  config: object,
) => { encode(text: string, options: { add_special_tokens: boolean }): { ids: number[] } };

const TOKENIZER_CONFIG = { tokenizer_class: 'BertTokenizer', do_lower_case: true, model_max_length: 512 };

function tokenizerJson(pieces: string[]): object {
  const vocab = Object.fromEntries(pieces.map((piece, id) => [piece, id]));
  const special = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]'];
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: special.map((content) => ({
      id: vocab[content],
      content,
      special: true,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
    })),
    normalizer: {
      type: 'BertNormalizer',
      clean_text: true,
      handle_chinese_chars: true,
      strip_accents: null,
      lowercase: true,
    },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: null,
    decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
    model: {
      type: 'WordPiece',
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
      vocab,
    },
  };
}
