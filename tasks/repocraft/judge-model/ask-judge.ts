import { isCut } from '../../../src/domain/failure/answer-end.js';
import { DomainFailure } from '../../../src/domain/failure/domain-failure.js';
import type { FailureType } from '../../../src/contract/failure.js';
import type { ModelAnswer, ModelMessage, Question } from '../../../src/ports/model.js';

/** Why a model of the judge gave no answer: nothing a candidate could help. */
export type NoAnswer = 'silent' | 'cut at its output cap' | 'not clear' | 'refused by the provider';

/** What a model of the judge is asked, and how its answer is read. */
export interface JudgeQuestion<Read> {
  question: Question;
  /** Null where it says nothing that can be read, or two things at once. */
  read: (text: string) => Read | null;
  /** What is said to it after an answer that cannot be read; absent: it is not asked again here. */
  again?: readonly ModelMessage[];
}

/** What came of it; `text` is what was said last. */
export type Judged<Read> = { read: Read; text: string; why: null } | { read: null; text: string; why: NoAnswer };

/** Who asks, and how many answers to one question may be asked for: one in each run of a trial, earlier ones included. */
interface Asking {
  ask: (question: Question) => Promise<ModelAnswer>;
  samples?: number;
}

/** The provider's word on this very prompt: a voter or an author that may not answer has not answered. */
const REFUSALS: readonly FailureType[] = ['model.content-policy', 'model.context-length'];

/**
 * Asks a model of the judge. The first answer that can be read stands; in a later run of the same trial one that could not be
 * read is asked for anew, and no other. That an answer cut by its cap is asked for once more with a larger one is the
 * ledger's doing (`Question.maxOutputTokens`).
 */
export async function askJudge<Read>({ ask, samples = 1 }: Asking, asked: JudgeQuestion<Read>): Promise<Judged<Read>> {
  let last = await sampled(ask, asked, 1);
  for (let sample = 2; sample <= samples && last.read === null; sample += 1) last = await sampled(ask, asked, sample);
  return last;
}

async function sampled<Read>(
  ask: Asking['ask'],
  { question, read, again }: JudgeQuestion<Read>,
  sample: number,
): Promise<Judged<Read>> {
  const own = sample === 1 ? question : { ...question, sample };
  const first = await readFrom(ask, own, read);
  if (again === undefined || (first.why !== 'silent' && first.why !== 'not clear')) return first;
  const messages = [...question.messages, said(first.text), ...again];
  return readFrom(ask, { ...own, ordinal: question.ordinal + 1, messages }, read);
}

/** What a model said, as part of a conversation; some endpoints refuse a message without content. */
export const said = (text: string): ModelMessage => ({
  role: 'assistant',
  content: text.trim() === '' ? '(no answer)' : text,
});

async function readFrom<Read>(
  ask: Asking['ask'],
  question: Question,
  read: (text: string) => Read | null,
): Promise<Judged<Read>> {
  try {
    const answer = await ask(question);
    const { text } = answer;
    if (isCut(answer, Infinity)) return { read: null, text, why: 'cut at its output cap' };
    if (answer.finishReason === 'content_filter' || isRefusal(answer))
      return { read: null, text, why: 'refused by the provider' };
    const found = read(text);
    if (found !== null) return { read: found, text, why: null };
    return { read: null, text, why: text.trim() === '' ? 'silent' : 'not clear' };
  } catch (error) {
    if (error instanceof DomainFailure && REFUSALS.includes(error.type))
      return { read: null, text: '', why: 'refused by the provider' };
    throw error;
  }
}

/** Where the message has a refusal in the place of a content, its "No" is no answer. */
const isRefusal = ({ raw }: ModelAnswer): boolean =>
  typeof raw?.refusal === 'string' && raw.refusal !== '' && (raw.content ?? '') === '';
