import { sha256Hex } from '../../../src/domain/text/content-hash.js';
import type { StageContext } from '../../../src/suite/stage.js';
import type { EchoTask } from '../dataset/echo-task.js';

/** A quarter says nothing, a quarter adds a word, a quarter changes the line, a quarter is right; decided by seed and task. */
export function noiseAnswer({ id, expected }: EchoTask, { campaign, repeat }: StageContext): string {
  const die = parseInt(sha256Hex(`${campaign.spec.seed} ${repeat} ${id}`).slice(0, 8), 16) % 4;
  return (
    ['I would rather not.', `Answer: ${expected} indeed`, `Answer: ${flipped(expected)}`, `Answer: ${expected}`][die] ??
    ''
  );
}

/** The same letters in another order: only a comparison in full tells it from the right line. */
function flipped(text: string): string {
  return [...text].reverse().join('');
}
