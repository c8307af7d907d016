import { DomainFailure } from '../../../../src/domain/failure/domain-failure.js';
import type { FailureType } from '../../../../src/contract/failure.js';
import type { ModelMessage } from '../../../../src/ports/model.js';
import type { DatasetTools } from '../../../../src/suite/dataset.js';
import { recallJson, rememberJson } from '../../../../src/suite-kit/json-blobs.js';
import { said } from '../../judge-model/ask-judge.js';
import { loadPrompt } from '../../../../src/suite-kit/load-prompt.js';
import { descriptionProblem } from './description-problem.js';
import { readDescription } from './read-description.js';
import type { RepocraftTask } from '../repocraft-task.js';
import { taskHash } from '../task-blobs.js';

/** What a task is described with in the end. */
export interface Description {
  text: string;
  /** Why it is the one made by rule; null where the model wrote it. */
  byRule: string | null;
  /** Name, version and hash of the prompt. */
  prompt: string;
}

/** What a description is written with. */
export type DescribingTools = Pick<DatasetTools, 'blobs' | 'suiteFolder'> & Pick<Required<DatasetTools>, 'asking'>;

/** Two thousand characters as JSON. */
const MAX_OUTPUT_TOKENS = 900;
/** The provider's word on this very prompt: asking again would not change it. */
const REFUSALS: readonly FailureType[] = ['model.content-policy', 'model.context-length'];
const UNREADABLE = 'it is not one JSON object with one text "description"';

/**
 * Has a task described by the model: asked again once where the answer cannot be read or used, then the text made by rule
 * stays. What came of it is kept by task, prompt and model, so that no task is described, or paid for, twice.
 */
export async function describeTask(
  task: RepocraftTask,
  givingAway: readonly string[],
  tools: DescribingTools,
): Promise<Description> {
  const { blobs, asking, suiteFolder } = tools;
  const blanks = { description: task.description, test: task.test_code, telling: givingAway.join(', ') };
  const prompt = await loadPrompt(suiteFolder, 'describe.v2', blanks);
  const key = `repocraft/description/${taskHash(task)}/${prompt.id}/${asking.model}`;
  const known = await recallJson<Description>(blobs, key);
  if (known !== null) return known;
  const request = { task, givingAway, prompt: prompt.id, messages: prompt.messages };
  let made = await written(request, tools);
  // What nobody could read is asked for anew by a build that is begun again, and by no other.
  for (let sample = 2; sample <= (asking.samples ?? 1) && made.byRule === UNREADABLE; sample += 1)
    made = await written({ ...request, sample }, tools);
  if (made.byRule !== UNREADABLE) await rememberJson(blobs, { key, name: `${task.id}-description.json` }, made);
  return made;
}

interface Request {
  task: RepocraftTask;
  givingAway: readonly string[];
  prompt: string;
  messages: ModelMessage[];
  sample?: number;
}

async function written(request: Request, tools: DescribingTools): Promise<Description> {
  const { task, prompt } = request;
  const byRule = (why: string): Description => ({ text: task.description, byRule: why, prompt });
  const byModel = (text: string): Description => ({ text, byRule: null, prompt });
  try {
    const first = await answered(request, 0, tools);
    if ('text' in first) return byModel(first.text);
    const again = await loadPrompt(tools.suiteFolder, 'describe-again.v1', { problem: first.problem });
    const messages = [...request.messages, said(first.answer), ...again.messages];
    const second = await answered({ ...request, messages }, 1, tools);
    return 'text' in second ? byModel(second.text) : byRule(second.problem);
  } catch (error) {
    if (error instanceof DomainFailure && REFUSALS.includes(error.type)) return byRule(error.type);
    throw error;
  }
}

async function answered(
  { task, givingAway, prompt, messages, sample = 1 }: Request,
  ordinal: number,
  { asking }: DescribingTools,
): Promise<{ text: string } | { answer: string; problem: string }> {
  const question = { purpose: 'describe', ordinal, prompt, messages, maxOutputTokens: MAX_OUTPUT_TOKENS };
  const { text: answer } = await asking.ask(task.id, sample === 1 ? question : { ...question, sample });
  const text = readDescription(answer);
  const problem = text === null ? UNREADABLE : descriptionProblem(text, task, givingAway);
  return text === null || problem !== undefined ? { answer, problem: problem ?? UNREADABLE } : { text };
}
