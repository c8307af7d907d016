import { DomainFailure } from '../../../../../../src/domain/failure/domain-failure.js';
import type { FailureType } from '../../../../../../src/contract/failure.js';
import type { ModelAnswer, ModelMessage } from '../../../../../../src/ports/model.js';
import type { StageContext } from '../../../../../../src/suite/stage.js';
import { said as saidBefore } from '../../../../judge-model/ask-judge.js';
import { loadPrompt } from '../../../../../../src/suite-kit/load-prompt.js';
import { PROMPTS, type AnswerOf, type PromptName } from './answers.js';
import { materialText, type Material } from './document.js';
import { CHANGE, readAnswer, UNREADABLE, type AnswerForm } from './read-answer.js';

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
  /** What it is about: one section of the prompt a key. */
  input: Material;
  /** Ids of the units it is about, where its answer is code. */
  units?: readonly string[];
  /** Tells equal questions of a step apart. */
  ordinal?: number;
  /** What is wrong with an answer that has the right form, each as a sentence. */
  problems?(answer: AnswerOf<Name>): string[];
  /** Objections of reviewers to an answer without problems; asked for once a question. */
  review?(answer: AnswerOf<Name>): Promise<string[]>;
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
  const { purpose, form } = PROMPTS[prompt];
  const filled = await loadPrompt(context.suiteFolder, `${prompt}.v3`, { input: materialText(input) }, FOLDER);
  const messages = [...filled.messages];
  const task = titleOf(filled.messages);
  let last: Asked<Name> = { answer: null, problems: [] };
  let good: Asked<Name> | undefined;
  let isReviewed = question.review === undefined;
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    const asked = { purpose, ordinal: ordinal * TRIES + attempt, prompt: filled.id };
    const json = form === 'json';
    const reply = await unlessRefused(() => context.ask({ ...asked, messages: [...messages], json }));
    if (reply instanceof DomainFailure) {
      const { type, message } = reply;
      const label = { name: `refused-${prompt}-${asked.ordinal}.json`, mediaType: 'application/json' };
      await context.attach(JSON.stringify({ type, message }, null, 1), label);
      return good ?? { answer: last.answer, problems: [...last.problems, `the model refused (${type})`] };
    }
    const read = parsedAnswer(question, reply.text, reply.finishReason);
    let { problems } = read;
    if (read.problems.length === 0 && read.answer !== null) {
      good = { answer: read.answer, problems: [] };
      if (isReviewed) return good;
      isReviewed = true;
      problems = (await question.review?.(read.answer)) ?? [];
      if (problems.length === 0) return good;
    }
    last = { answer: read.answer ?? last.answer, problems };
    messages.push(...(await correction(context, { task, form, said: reply.text, problems, attempt })));
  }
  // What reviewers would have otherwise still holds.
  return good ?? last;
}

/** What a prompt asks for, in the words of its heading. */
const titleOf = (messages: readonly ModelMessage[]): string =>
  /^# Task: (.+)$/m.exec(messages.at(-1)?.content ?? '')?.[1] ?? '';

async function unlessRefused(ask: () => Promise<ModelAnswer>): Promise<ModelAnswer | DomainFailure> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof DomainFailure && REFUSALS.includes(error.type)) return error;
    throw error;
  }
}

function parsedAnswer<Name extends PromptName>(
  question: ZeroRepoQuestion<Name>,
  text: string,
  finishReason: string,
): Asked<Name> {
  const { answer: schema, form } = PROMPTS[question.prompt];
  const cut = finishReason === 'length' ? ['the answer ended at the output limit: be shorter'] : [];
  const value = readAnswer(form, text, question.units ?? []);
  if (value === undefined) return { answer: null, problems: [...cut, UNREADABLE[form]] };
  const parsed = schema.safeParse(value);
  if (!parsed.success) {
    const issues = parsed.error.issues.slice(0, 10);
    return {
      answer: null,
      problems: issues.map(({ path, message }) => `${path.join('.') || 'the object'}: ${message}${given(value, path)}`),
    };
  }
  const answer = parsed.data as AnswerOf<Name>;
  return { answer, problems: (question.problems?.(answer) ?? []).slice(0, 20) };
}

/** What stands at a place of an answer, quoted. */
function given(value: unknown, path: readonly PropertyKey[]): string {
  const at = path.reduce<unknown>(
    (one, part) => (one as Record<PropertyKey, unknown> | null | undefined)?.[part],
    value,
  );
  return at === undefined ? '' : `; you gave ${JSON.stringify(at).slice(0, 120)}`;
}

async function correction(
  context: StageContext,
  about: { task: string; form: AnswerForm; said: string; problems: string[]; attempt: number },
): Promise<ModelMessage[]> {
  const { task, form, said, problems, attempt } = about;
  const values = {
    task,
    try: String(attempt),
    problems: problems.map((problem) => `- ${problem.slice(0, 500)}`).join('\n'),
    change: CHANGE[form],
  };
  const correction = await loadPrompt(context.suiteFolder, 'correct.v3', values, FOLDER);
  return [saidBefore(said.slice(0, SHOWN)), ...correction.messages];
}
