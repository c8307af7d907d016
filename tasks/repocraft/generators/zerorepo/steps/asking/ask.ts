import { DomainFailure } from '../../../../../../src/domain/failure/domain-failure.js';
import type { FailureType } from '../../../../../../src/contract/failure.js';
import type { ModelAnswer, ModelMessage } from '../../../../../../src/ports/model.js';
import type { StageContext } from '../../../../../../src/suite/stage.js';
import { said as saidBefore } from '../../../../judge-model/ask-judge.js';
import { loadPrompt } from '../../../../../../src/suite-kit/load-prompt.js';
import { PROMPTS, type AnswerOf, type PromptName } from './answers.js';
import { readJson } from '../../../../../../src/suite-kit/answer-json.js';

/** Where the prompt files are, in the suite's folder. */
const FOLDER = 'generators/zerorepo/prompts';
/** Tries of one question before it is repaired by rule or given up. */
const TRIES = 3;
/** What of a useless answer is shown to the model again. */
const SHOWN = 20_000;

/**
 * Refusals that are the model's own: it will not answer this, or cannot read so much. Every other failure (key, address,
 * request) would be the same for the next question, and ends the generation until it is repaired.
 */
const REFUSALS: readonly FailureType[] = ['model.content-policy', 'model.context-length'];

/** One question of the generator. */
export interface ZeroRepoQuestion<Name extends PromptName> {
  prompt: Name;
  input: object;
  /** Tells equal questions of a step apart. */
  ordinal?: number;
  /** What is wrong with an answer that has the right form, each as a sentence. */
  problems?(answer: AnswerOf<Name>): string[];
}

/** What came of a question: an answer that holds, or the last one that had the right form, with its problems. */
export type Asked<Name extends PromptName> =
  { answer: AnswerOf<Name>; problems: [] } | { answer: AnswerOf<Name> | null; problems: string[] };

/**
 * Asks, tells the model exactly what is wrong, and asks again, three times at most. A refusal ends the question, not the
 * generation: it is kept as evidence, and what was asked for is missing.
 */
export async function askModel<Name extends PromptName>(
  context: StageContext,
  question: ZeroRepoQuestion<Name>,
): Promise<Asked<Name>> {
  const { prompt, input, ordinal = 0 } = question;
  const values = { input: JSON.stringify(input, null, 1) };
  const filled = await loadPrompt(context.suiteFolder, `${prompt}.v1`, values, FOLDER);
  const messages = [...filled.messages];
  let last: Asked<Name> = { answer: null, problems: [] };
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    const asked = { purpose: PROMPTS[prompt].purpose, ordinal: ordinal * TRIES + attempt, prompt: filled.id };
    const reply = await unlessRefused(() => context.ask({ ...asked, messages: [...messages], json: true }));
    if (reply instanceof DomainFailure) {
      const { type, message } = reply;
      const label = { name: `refused-${prompt}-${asked.ordinal}.json`, mediaType: 'application/json' };
      await context.attach(JSON.stringify({ type, message }, null, 1), label);
      return { answer: last.answer, problems: [...last.problems, `the model refused (${type})`] };
    }
    const read = readAnswer(question, reply.text, reply.finishReason);
    if (read.problems.length === 0 && read.answer !== null) return { answer: read.answer, problems: [] };
    last = { answer: read.answer ?? last.answer, problems: read.problems };
    messages.push(...(await correction(context, prompt, { said: reply.text, problems: read.problems, attempt })));
  }
  return last;
}

async function unlessRefused(ask: () => Promise<ModelAnswer>): Promise<ModelAnswer | DomainFailure> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof DomainFailure && REFUSALS.includes(error.type)) return error;
    throw error;
  }
}

function readAnswer<Name extends PromptName>(
  question: ZeroRepoQuestion<Name>,
  text: string,
  finishReason: string,
): Asked<Name> {
  const cut = finishReason === 'length' ? ['the answer ended at the output limit: be shorter'] : [];
  const value = readJson(text);
  if (value === undefined) return { answer: null, problems: [...cut, 'it holds no JSON object'] };
  const parsed = PROMPTS[question.prompt].answer.safeParse(value);
  if (!parsed.success) {
    const issues = parsed.error.issues.slice(0, 10);
    return {
      answer: null,
      problems: issues.map(({ path, message }) => `${path.join('.') || 'the object'}: ${message}`),
    };
  }
  const answer = parsed.data as AnswerOf<Name>;
  return { answer, problems: (question.problems?.(answer) ?? []).slice(0, 20) };
}

async function correction(
  context: StageContext,
  of: PromptName,
  about: { said: string; problems: string[]; attempt: number },
): Promise<ModelMessage[]> {
  const { said, problems, attempt } = about;
  const values = {
    of,
    try: String(attempt + 1),
    problems: problems.map((problem) => `- ${problem.slice(0, 500)}`).join('\n'),
  };
  const correction = await loadPrompt(context.suiteFolder, 'correct.v1', values, FOLDER);
  return [saidBefore(said.slice(0, SHOWN)), ...correction.messages];
}
