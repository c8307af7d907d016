import { parsedJson } from '../../../src/domain/text/parsed-json.js';
import type { StageContext } from '../../../src/suite/stage.js';
import { loadPrompt } from '../../../src/suite-kit/load-prompt.js';
import { shortText } from '../../../src/suite-kit/short-text.js';
import { entryPath, type CandidateEntry } from '../candidate/candidate-index.js';
import type { RepocraftTask } from '../dataset/repocraft-task.js';
import { askJudge, type NoAnswer } from '../judge-model/ask-judge.js';
import type { RerankSettings } from '../settings.js';
import type { Found } from './closest-entries.js';

/** What a model made of the order of a search. */
export interface Reranked {
  /** All that was found: first what the model named, in its order, then the others in that of the search. */
  found: Found[];
  /** Why the order is the search's own; null where the model gave one. */
  why: NoAnswer | null;
}

/** Characters of a signature and of a first sentence that the model is shown: a candidate writes them. */
const SHOWN = 200;

/** A line of JSON with five numbers. */
const ANSWER_TOKENS = 100;

/**
 * Has a model order what the search found. It sees the description, and of each entry what a reader of an index sees; no code and no
 * test. Where it gives no order that can be read, that of the search stays: nobody is blamed, and the vote decides as ever.
 */
export async function rerank(
  context: Pick<StageContext, 'ask' | 'suiteFolder'>,
  { task, found, settings }: { task: Pick<RepocraftTask, 'description'>; found: Found[]; settings: RerankSettings },
): Promise<Reranked> {
  const offered = found.map(({ entry }, at) => `${at + 1}. ${offer(entry)}`).join('\n');
  const prompt = await loadPrompt(context.suiteFolder, 'rerank.v1', { description: task.description, offered });
  const { messages, id } = prompt;
  const { model, max_output_tokens: maxOutputTokens = ANSWER_TOKENS } = settings;
  const { read, why } = await askJudge(
    { ask: (question) => context.ask(question) },
    {
      question: { purpose: 'rerank', model, ordinal: 1, prompt: id, messages, maxOutputTokens },
      read: (text) => readOrder(text, found.length),
    },
  );
  if (read === null) return { found, why };
  const named = read.flatMap((number) => found[number - 1] ?? []);
  return { found: [...named, ...found.filter((one) => !named.includes(one))], why: null };
}

/** Numbers from 1 to `count`, each once; null where there is no list of them, or lists that differ. */
export function readOrder(text: string, count: number): number[] | null {
  const orders = [...text.matchAll(/\{[^{}]*\}/g)].flatMap(([object]) => {
    const order = (parsedJson(object) as { order?: unknown } | null | undefined)?.order;
    return Array.isArray(order) ? [order as unknown[]] : [];
  });
  if (new Set(orders.map((order) => JSON.stringify(order))).size !== 1) return null;
  const numbers = (orders[0] ?? []).filter(
    (number): number is number => Number.isInteger(number) && Number(number) >= 1 && Number(number) <= count,
  );
  return numbers.length === 0 ? null : [...new Set(numbers)];
}

function offer(entry: CandidateEntry): string {
  const [sentence = ''] = entry.doc.split(/(?<=\.)\s/, 1);
  const parts = [`${entry.kind} ${entryPath(entry)}`, entry.signature, JSON.stringify(sentence)];
  return parts.map((part) => shortText(part.replace(/\s+/g, ' '), SHOWN)).join(' | ');
}
