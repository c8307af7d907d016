import type { CampaignSpec } from '../../contract/campaign.js';
import { wallForecast } from '../../domain/forecast/wall-forecast.js';
import type { Interval } from '../../domain/statistics/statistics.js';
import type { BatchLeft, LikeTimes } from '../../ports/record-sums.js';

/**
 * How long batches will take, in seconds, nineteen times in twenty; null where too little like them was ever run here.
 * @param work `rest`: the campaign of which they are what is left; else all of one, from its opening on
 */
export function wallTime(
  { concurrency }: Pick<CampaignSpec, 'concurrency'>,
  { systems, edges, workers }: LikeTimes,
  { batches, rest }: { batches: readonly BatchLeft[]; rest?: string },
): Interval | null {
  const slotsOf = (role: 'model' | 'sandbox'): number => {
    const own = workers.filter(({ roles }) => roles.includes(role));
    const most = own.map(({ slots }) => Math.min(concurrency[role], slots[role].most));
    return most.length === 0 ? concurrency[role] : most.reduce((sum, count) => sum + count, 0);
  };
  return wallForecast({
    batches: batches.map(({ systemId, ...batch }) => ({ ...batch, system: systemId })),
    ...{ concurrency, slots: { model: slotsOf('model'), sandbox: slotsOf('sandbox') } },
    known: new Map(systems.map(({ systemId, ...times }) => [systemId, times])),
    edges: edges.map(({ before, after }) => (rest === undefined ? before + after : after)),
    ...(rest !== undefined && { rest }),
  });
}
