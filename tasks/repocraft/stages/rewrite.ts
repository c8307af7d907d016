import { DomainFailure } from '../../../src/domain/failure/domain-failure.js';
import type { StageContext, StageFunction } from '../../../src/suite/stage.js';
import type { ModelMessage } from '../../../src/ports/model.js';
import { readTarFile } from '../../../src/suite-kit/tar-entries.js';
import type { RepocraftTask } from '../dataset/repocraft-task.js';
import { loadPrompt } from '../../../src/suite-kit/load-prompt.js';
import type { RewriteResult, TestFailure } from '../results.js';
import { adaptSettings } from '../settings.js';
import { DIFF_TYPE, keepTest } from '../adaptation/adapted-test.js';
import {
  entryPath,
  preparedOf,
  readIndex,
  type CandidateEntry,
  type CandidateIndex,
} from '../candidate/candidate-index.js';
import { GUARD_FILES, guardRequest, type GuardAnswer } from '../adaptation/guard-request.js';
import { lineDiff } from '../../../src/suite-kit/line-diff.js';
import { loadTask } from './load-task.js';
import { offeredText, usedText } from '../adaptation/api-text.js';
import { referenceIndex } from '../candidate/reference-candidate.js';
import { runPythonTool } from '../candidate/python-tool.js';
import { readRewriteAnswer, type RewriteAnswer } from '../adaptation/rewrite-answer.js';
import { askJudge, said as saidBefore, type NoAnswer } from '../judge-model/ask-judge.js';
import { shortText } from '../../../src/suite-kit/short-text.js';
import { excerpt } from '../candidate/source-excerpt.js';
import { failureText } from '../adaptation/failure-text.js';

/** What the plan asks: the accepted entry, what mechanical adaptation came to, and the answer before with what was wrong. */
type RewriteInput = { entry: number; first: TestFailure; again: { answer: string; trouble: TestFailure } | null };

/** Everything one call is about. */
interface Rewriting {
  task: RepocraftTask;
  reference: CandidateIndex;
  candidate: CandidateIndex;
  entry: CandidateEntry;
}

/** A whole test file with some room. */
const MAX_OUTPUT_TOKENS = 8_000;
const MAX_MESSAGE_BYTES = 600;

/** Asks the adapter once; its rewrite is kept to be run only where the guard accepts it. */
export const rewriteTest: StageFunction = async (context) => {
  const settings = adaptSettings(context.campaign.spec);
  if (settings === null) throw new DomainFailure('harness.bug', 'a rewrite without a model for it');
  const input = context.input as unknown as RewriteInput;
  const about = await rewriting(context, input.entry);
  const { prompt, messages } = await questionOf(context, about, input);
  const maxOutputTokens = settings.max_output_tokens ?? MAX_OUTPUT_TOKENS;
  const question = { purpose: 'adapt', model: settings.model, ordinal: 0, prompt, messages, maxOutputTokens };
  const { read: said, text, ...ended } = await askJudge(context, { question, read: readable });
  const label = { name: 'answer.txt', mediaType: 'text/plain; charset=utf-8' };
  const { sha256: answer } = await context.attach(text, label);
  const result: RewriteResult = { ...(await judged(context, about, said ?? unreadable(text, ended))), answer };
  return { result };
};

/** What can be read of an answer; null where nothing can. */
function readable(text: string): RewriteAnswer | null {
  const said = readRewriteAnswer(text);
  return said.kind === 'unreadable' ? null : said;
}

/** Why nothing could be read, in the words the model is told. */
function unreadable(text: string, { why }: { why: NoAnswer | null }): RewriteAnswer {
  const said = readRewriteAnswer(text);
  if (said.kind === 'unreadable' && why !== 'cut at its output cap') return said;
  return { kind: 'unreadable', why: `the answer was ${why ?? 'not clear'}` };
}

async function rewriting(context: StageContext, row: number): Promise<Rewriting> {
  const task = await loadTask(context);
  const candidate = await readIndex(context, preparedOf(context.prepared).index);
  const entry = candidate.entries[row];
  if (entry === undefined) throw new DomainFailure('harness.bug', `no entry ${row}`);
  return { task, candidate, entry, reference: await referenceIndex(context, task.project) };
}

async function questionOf(
  context: StageContext,
  about: Rewriting,
  { first, again }: RewriteInput,
): Promise<{ prompt: string; messages: ModelMessage[] }> {
  const { task, reference, candidate, entry } = about;
  const tar = await context.blobs.get(context.candidate?.sha256 ?? '');
  const prompt = await loadPrompt(context.suiteFolder, 'adapt.v1', {
    ...{ description: task.description, reference: reference.packages.join(', '), test: task.test_code },
    ...{ used: usedText(task, reference), offered: offeredText(task, candidate, entry) },
    ...{ kind: entry.kind, path: entryPath(entry), signature: entry.signature, doc: entry.doc || '(none)' },
    source: excerpt((await readTarFile(tar, entry.file)) ?? '', entry.lines),
    trouble: await failureText(context.blobs, first),
  });
  if (again === null) return { prompt: prompt.id, messages: prompt.messages };
  const said = (await context.blobs.get(again.answer)).toString('utf8');
  const trouble = await failureText(context.blobs, again.trouble);
  const next = await loadPrompt(context.suiteFolder, 'adapt-again.v1', { trouble });
  const messages = [...prompt.messages, saidBefore(said), ...next.messages];
  return { prompt: `${prompt.id}+${next.id}`, messages };
}

/** What the answer amounts to. The rewrite is evidence whether it is accepted or not. */
async function judged(
  context: StageContext,
  about: Rewriting,
  said: RewriteAnswer,
): Promise<Omit<RewriteResult, 'answer'>> {
  if (said.kind === 'unreadable') return refused('rewrite.unreadable', said.why);
  if (said.kind === 'cannot') return refused('rewrite.cannot', said.reason);
  const { task } = about;
  const request = guardRequest(about, said.code);
  const answer = await runPythonTool<GuardAnswer>(context, { tool: 'guard.py', with: GUARD_FILES, request });
  const name = 'accepted' in answer ? 'adaptation.diff' : 'refused.diff';
  await context.attach(lineDiff(task.test_code, said.code), { name, mediaType: DIFF_TYPE });
  if (!('accepted' in answer)) return refused(answer.code, answer.message);
  return { ...(await keepTest(context, task, said.code)), rewritten: true };
}

const refused = (code: string, message: string): Omit<RewriteResult, 'answer'> => ({
  ...{ adapted: null, refused: code, message: shortText(message, MAX_MESSAGE_BYTES), renamed: 0 },
});
