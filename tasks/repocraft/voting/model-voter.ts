import type { StageContext } from '../../../src/suite/stage.js';
import { askJudge } from '../judge-model/ask-judge.js';
import { loadPrompt } from '../../../src/suite-kit/load-prompt.js';
import { readVoteAnswer } from './vote-answer.js';
import type { Ballot, Voter } from './voter.js';

/** Asks the judge's models, which the seats take in turn. An answer that cannot be read is asked again once; then the voter abstains. */
export function createModelVoter(
  context: StageContext,
  { models, maxOutputTokens }: { models: readonly [string, ...string[]]; maxOutputTokens: number },
): Voter {
  return async (ballot, { voter, round }) => {
    const model = models[(voter - 1) % models.length] ?? models[0];
    const name = context.campaign.spec.models[model]?.name ?? model;
    const prompt = await loadPrompt(context.suiteFolder, 'vote.v1', blanks(ballot));
    const again = await loadPrompt(context.suiteFolder, 'vote-again.v1', {});
    const ordinal = (round - 1) * 100 + voter * 2;
    const question = { purpose: 'vote', model, prompt: prompt.id, maxOutputTokens, ordinal, messages: prompt.messages };
    const judged = await askJudge(context, { question, read: readVoteAnswer, again: again.messages });
    return judged.read === null
      ? { answer: 'abstain', reason: `no answer: ${judged.why}`, model: name }
      : { ...judged.read, model: name };
  };
}

const blanks = ({ task, entry, source }: Ballot): Record<string, string> => ({
  description: task.description,
  kind: entry.kind,
  path: `${entry.module}.${entry.qualname}`,
  file: shownPath(entry.file),
  signature: entry.signature,
  // In quotes and within a fence of its own length: neither ends where it says that it ends.
  doc: entry.doc === '' ? '(none)' : JSON.stringify(entry.doc),
  fence: '`'.repeat(1 + Math.max(2, ...[...source.matchAll(/`+/g)].map(([run]) => run.length))),
  source,
});

/** A folder may be called anything, lines of instructions included. */
const shownPath = (path: string): string => (/^[\p{L}\p{N}_./+@~ -]+$/u.test(path) ? path : JSON.stringify(path));
