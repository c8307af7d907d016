import { sha256Hex } from '../../../src/domain/text/content-hash.js';
import type { StageContext } from '../../../src/suite/stage.js';
import type { TextTree } from '../dataset/read-task.js';
import type { GhaTask } from '../dataset/task-schema.js';
import { optionsOf } from '../settings.js';

/**
 * The oracle for a share of tasks, a mutant for the others; which ones follows from the campaign's seed, so that a higher
 * skill has the tasks of a lower one right too.
 */
export function knownTree({ id, oracle, mutants }: GhaTask, { campaign, repeat, system }: StageContext): TextTree {
  const draw = (what: string): number =>
    parseInt(sha256Hex(`${campaign.spec.seed} ${repeat} ${id} ${what}`).slice(0, 8), 16) / 2 ** 32;
  if (draw('skill') < optionsOf(system).skill) return oracle;
  return mutants[Math.floor(draw('mutant') * mutants.length)]?.tree ?? {};
}
