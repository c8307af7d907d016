import { explanationsOf } from '../../src/domain/failure/explanations-of.js';

const NEXT = '`durabench show TRIAL` shows the prompt and the answer.';

/** Why a trial of echo failed: the reasons of `stages/score.ts`. */
export const echoExplanations = explanationsOf('reason', {
  'not-localized': ['No line of the answer was found.', 'An empty answer.', NEXT],
  'vote-rejected': ['The judges rejected the answer.', 'An answer that does not repeat the prompt.', NEXT],
  'not-equal': ['The answer differs from the expected line.', 'A model that adds or changes words.', NEXT],
});
