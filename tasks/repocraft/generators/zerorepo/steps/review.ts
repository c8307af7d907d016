import type { StageContext } from '../../../../../src/suite/stage.js';
import { optionsOf } from '../settings.js';
import { askModel } from './asking/ask.js';
import type { Material } from './asking/document.js';

/** What each reviewer looks at first: that is what they differ by. */
const FOCUS = {
  'review-layout': [
    'what belongs together: data and subject of each file',
    'the next developer: would every leaf be looked for in the file it is in?',
    'size and order: files that hold too much or too little, and what is written first',
  ],
  'review-interfaces': [
    'the tester: what could be tested from each docstring, and what is left open?',
    'the caller: names, parameters and results, with those of `available` beside them',
    'the leaves: does each interface provide what its leaf says, and no more?',
  ],
} as const;

/** Ordinals of the reviewers' questions: after those of the design itself. */
const FIRST_ORDINAL = 50;

/**
 * Has up to `reviewers` models look at a design that holds by rule, each with another focus; half of them decide.
 * @returns what those who reject it want changed; empty where it is accepted
 */
export async function objections(
  context: StageContext,
  prompt: keyof typeof FOCUS,
  material: Material,
): Promise<string[]> {
  const { reviewers } = optionsOf(context.system);
  const most = Math.min(reviewers, FOCUS[prompt].length);
  const enough = Math.floor(most / 2) + 1;
  const against: string[] = [];
  for (let place = 0, inFavour = 0; place < most; place += 1) {
    const input = { focus: FOCUS[prompt][place], ...material };
    const { answer } = await askModel(context, { prompt, input, ordinal: FIRST_ORDINAL + place });
    // Who says nothing that can be used does not object.
    if (answer === null || answer.accept) inFavour += 1;
    else against.push(`a reviewer: ${answer.reason}`);
    if (against.length >= enough) return against;
    if (inFavour >= enough) break;
  }
  return [];
}
