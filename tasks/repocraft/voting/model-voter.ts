import type { StageContext } from '../../../src/ports/suite.js';
import { loadPrompt } from '../prompts/load-prompt.js';
import { readVoteAnswer } from './vote-answer.js';
import type { Ballot, Voter } from './voter.js';

/** A verdict and one sentence need no more. */
const MAX_OUTPUT_TOKENS = 300;

/** Asks the judge's models, which the seats take in turn. An answer that cannot be read is asked again once; then the voter abstains. */
export function createModelVoter(context: StageContext, models: readonly [string, ...string[]]): Voter {
  return async (ballot, { voter, round }) => {
    const model = models[(voter - 1) % models.length] ?? models[0];
    const name = context.campaign.spec.models[model]?.name ?? model;
    const prompt = await loadPrompt(context.suiteFolder, 'vote.v1', blanks(ballot));
    const again = await loadPrompt(context.suiteFolder, 'vote-again.v1', {});
    const ordinal = (round - 1) * 100 + voter * 2;
    const asked = { purpose: 'vote', model, prompt: prompt.id, maxOutputTokens: MAX_OUTPUT_TOKENS };
    const first = await context.ask({ ...asked, ordinal, messages: prompt.messages });
    let answer = readVoteAnswer(first.text);
    if (answer === null) {
      const messages = [...prompt.messages, { role: 'assistant' as const, content: first.text }, ...again.messages];
      answer = readVoteAnswer((await context.ask({ ...asked, ordinal: ordinal + 1, messages })).text);
    }
    return answer === null
      ? { answer: 'abstain', reason: 'two answers that could not be read', model: name }
      : { ...answer, model: name };
  };
}

const blanks = ({ task, entry, source }: Ballot): Record<string, string> => ({
  description: task.description,
  kind: entry.kind,
  path: `${entry.module}.${entry.qualname}`,
  file: entry.file,
  signature: entry.signature,
  doc: entry.doc || '(none)',
  source,
});
