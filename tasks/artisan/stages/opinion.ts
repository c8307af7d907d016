import { DomainFailure } from '../../../src/domain/failure/domain-failure.js';
import type { StageContext, StageFunction } from '../../../src/suite/stage.js';
import { readJson } from '../../../src/suite-kit/answer-json.js';
import { loadPrompt } from '../../../src/suite-kit/load-prompt.js';
import { shortText } from '../../../src/suite-kit/short-text.js';
import type { Label } from '../calibration/families.js';
import { fileList, indented, maskedTable } from '../generators/task-text.js';
import type { Opined, Opinion } from '../results.js';
import { opinionModel } from '../settings.js';
import { loadTask } from './load-task.js';

/** A class and a sentence need no more tokens; what a model thinks comes on top. */
const ANSWER_TOKENS = 300;
/** Of a script, in characters: its beginning. */
const MOST_SHOWN = 20_000;
const METHODS: readonly Label[] = ['full', 'last-mile', 'copied'];

/**
 * Asks a model (`judge.opinion`) how a script comes to its table, by its text alone. It decides nothing: a report shows it beside the
 * verdict. An answer that cannot be read is no opinion, and no error.
 */
export const opinion: StageFunction = async (context) => {
  const { script: sha256 } = context.input as { script: string };
  const model = opinionModel(context.campaign.spec);
  if (model === null) throw new DomainFailure('harness.bug', 'an opinion was planned without a model');
  const [task, bytes] = await Promise.all([loadTask(context), context.blobs.get(sha256)]);
  const text = bytes.toString('utf8');
  const script = indented(text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}\n[…]` : text);
  const { title, caption } = task;
  const blanks = { title, caption, table: maskedTable(task), files: fileList(task), script };
  const { id, messages } = await loadPrompt(context.suiteFolder, 'opinion.v1', blanks);
  const said = await answerOf(context, { model, prompt: id, messages });
  const { sha256: evidence } = await context.attach(JSON.stringify(said), {
    name: 'opinion.json',
    mediaType: 'application/json',
  });
  const result: Opined = { evidence, method: said.method };
  return { result };
};

async function answerOf(
  context: StageContext,
  { model, ...question }: { model: string } & Pick<Parameters<StageContext['ask']>[0], 'prompt' | 'messages'>,
): Promise<Opinion> {
  const asked = { purpose: 'opinion', ordinal: 1, model, maxOutputTokens: ANSWER_TOKENS, ...question };
  const name = context.campaign.spec.models[model]?.name ?? model;
  try {
    return { model: name, ...readOpinion((await context.ask(asked)).text) };
  } catch (error) {
    // The provider's word on this very prompt.
    if (error instanceof DomainFailure && ['model.content-policy', 'model.context-length'].includes(error.type))
      return { model: name, method: null, reason: 'refused by the provider' };
    throw error;
  }
}

/** What a model said; without a method where it named none of the three. */
export function readOpinion(text: string): Omit<Opinion, 'model'> {
  const said = readJson(text) as { method?: unknown; reason?: unknown } | undefined;
  const method = METHODS.find((each) => each === said?.method) ?? null;
  const reason = typeof said?.reason === 'string' ? said.reason : text;
  return { method, reason: shortText(reason.replaceAll('\0', '\ufffd').replace(/\s+/g, ' ').trim(), 400) };
}
