/** Nobody writes words this long; merging them takes time that grows with the square of their length. */
const LONGEST_WORD = /\S{1000}/g;

/** Source code says things like `<|endoftext|>` too: as text, never as a command. */
const AS_TEXT = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() };

/** Counts tokens of a text in o200k_base. Words above 1,000 characters are counted in pieces, which may add a token each. */
export type CountCodeTokens = (text: string) => number;

/** Reads the vocabulary, 60 MB in memory and a quarter of a second: nothing for commands that only know this suite. */
export async function createCodeTokenCounter(): Promise<CountCodeTokens> {
  const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base');
  return (text) => countTokens(text.replace(LONGEST_WORD, '$&\n'), AS_TEXT);
}
