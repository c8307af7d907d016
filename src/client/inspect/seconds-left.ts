import type { Interval } from '../../domain/statistics/statistics.js';
import type { Connection } from '../connection.js';
import { wallTime } from '../plans/wall-time.js';

/** In how many seconds a campaign that runs will have ended, nineteen times in twenty; null where too little like its rest was ever run. */
export async function secondsLeft(
  { records, suiteNamed }: Pick<Connection, 'records' | 'suiteNamed'>,
  id: string,
): Promise<Interval | null> {
  const batches = await records.workLeft(id);
  if (batches.length === 0) return null;
  const { spec, suite } = await records.campaignOutline(id);
  const { stages } = (await suiteNamed(suite)).manifest;
  return wallTime(spec, await records.likeTimes(spec, stages), { batches, rest: id });
}
