import { UserError } from '../../domain/failure/user-error.js';
import { checkedSet, chosenTasks, type GoldenCheck, type GoldenSet } from '../../report/results/golden.js';
import type { Connection } from '../connection.js';
import { readGolden, writeGolden } from './golden-file.js';
import { gradedSystem } from './graded-side.js';

/**
 * Writes a golden set: tasks that a system passed, in every repeat, in a campaign that has ended.
 * @param wanted `CAMPAIGN`, or `CAMPAIGN/SYSTEM`
 * @param count of tasks at most
 * @param out absolute path of the file
 * @throws UserError for a campaign that has not ended, or with several systems of which none is named, and where nothing passed
 */
export async function makeGolden(
  connection: Connection,
  { wanted, count, out }: { wanted: string; count: number; out: string },
): Promise<GoldenSet> {
  const { campaign, system, outcomes } = await gradedSystem(connection, wanted);
  const tasks = chosenTasks(outcomes, count);
  if (tasks.length === 0)
    throw new UserError('usage', {
      message: `${system} passed no task of ${campaign.id} in every repeat`,
      expected: 'a campaign with a system that is known to pass, such as one with the reference solutions',
      fix: `durabench show ${campaign.id}`,
    });
  const { suite, dataset, lock } = campaign;
  const set: GoldenSet = { version: 1, suite, dataset, system, lock, tasks, quarantined: [] };
  await writeGolden(out, set);
  return set;
}

/**
 * Compares a campaign that has ended with a golden set. Tasks that flipped leave the set: with both trials they go to
 * `quarantined` of the file, which is written again.
 * @param wanted `CAMPAIGN`, or `CAMPAIGN/SYSTEM`; of several systems the one that the set names
 * @param file the set: absolute path, and `name` as the user named it
 * @param onChecked is told the check before the file is written: a full disk takes the file, not the result
 * @throws UserError for a file that is no golden set or cannot be written, and for a campaign that has not ended
 */
export async function checkGolden(
  connection: Connection,
  {
    file,
    name,
    wanted,
    onChecked,
  }: { file: string; name: string; wanted: string; onChecked?: (check: GoldenCheck) => void },
): Promise<GoldenCheck> {
  const set = await readGolden(file, name);
  const { campaign, system, outcomes } = await gradedSystem(connection, wanted, set.system);
  const { id, suite, lock } = campaign;
  const { check, left } = checkedSet(set, { campaign: id, suite, lock, system, outcomes });
  onChecked?.(check);
  if (left !== set) await writeGolden(file, left, '--set');
  return check;
}
