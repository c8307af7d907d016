import type { Interval } from './statistics.js';
import { mcnemarP } from './paired.js';

/** What an experiment makes of a variant: take it, stay with the baseline, or neither can be said yet. */
export type Decision = 'adopt' | 'keep' | 'undecided';

/** The level of every test, over all variants of an experiment together. */
export const ALPHA = 0.05;

/** What was seen of a variant, task by task. */
export interface Seen {
  /** Variant − baseline, with its 95 % interval, as shares of tasks. */
  difference: { value: number; interval: Interval };
  /** Of McNemar's test, adjusted over all variants. */
  pHolm: number;
}

/**
 * Adopted is what is told apart by test and interval, and better by as much as was said to matter before the campaign began:
 * a small p alone adopts nothing. The baseline is kept where the interval leaves no room for a gain of that size.
 * @param smallestEffect a share of tasks, above 0
 */
export function decide({ difference, pHolm }: Seen, smallestEffect: number): Decision {
  const { value, interval } = difference;
  if (pHolm <= ALPHA && interval.low > 0 && value >= smallestEffect) return 'adopt';
  return interval.high < smallestEffect ? 'keep' : 'undecided';
}

/** Shares of tasks that a variant is taken to gain and to lose. */
export interface ExpectedFlips {
  gained: number;
  lost: number;
}

/**
 * The chance that a variant is adopted: over all numbers of gained and lost tasks (trinomial), those that the exact McNemar
 * test at a level of ALPHA over the number of variants, and the smallest effect, let through. That is Holm's first step: with
 * several variants it is the chance of one that gains where the others do not, and a lower bound where they gain too.
 */
export function chanceToAdopt(
  tasks: number,
  { gained, lost }: ExpectedFlips,
  { smallestEffect, variants }: { smallestEffect: number; variants: number },
): number {
  const rest = Math.max(0, 1 - gained - lost);
  const logFactorials = cumulativeLogs(tasks);
  let chance = 0;
  const [mostLost, mostGained] = [likelyMost(tasks, lost), likelyMost(tasks, gained)];
  for (let losses = 0; losses <= mostLost; losses += 1) {
    const least = leastGains(losses, tasks, { smallestEffect, variants });
    for (let gains = least; gains <= Math.min(mostGained, tasks - losses); gains += 1) {
      const others = tasks - gains - losses;
      const ways = logFactorials[tasks]! - logFactorials[gains]! - logFactorials[losses]! - logFactorials[others]!;
      chance += Math.exp(ways + power(gained, gains) + power(lost, losses) + power(rest, others));
    }
  }
  return Math.min(1, chance);
}

/** Eight standard deviations above what is expected: what lies beyond adds nothing that is printed. */
const likelyMost = (tasks: number, share: number): number =>
  Math.min(tasks, Math.ceil(tasks * share + 8 * Math.sqrt(tasks * share) + 8));

/** How many tasks have to be gained beside so many losses; above `tasks` where no number is enough. */
function leastGains(
  lost: number,
  tasks: number,
  { smallestEffect, variants }: { smallestEffect: number; variants: number },
): number {
  let least = lost + Math.max(1, Math.ceil(smallestEffect * tasks - 1e-9));
  while (least + lost <= tasks && mcnemarP({ gained: least, lost }) > ALPHA / variants) least += 1;
  return least;
}

/** log(share ^ count), 0 for nothing. */
const power = (share: number, count: number): number => (count === 0 ? 0 : count * Math.log(share));

/** log(n!) for n from 0. */
function cumulativeLogs(most: number): number[] {
  const logs = [0];
  for (let n = 1; n <= most; n += 1) logs.push(logs[n - 1]! + Math.log(n));
  return logs;
}

/**
 * The smallest gain that is found with the given chance, to a tenth of a percentage point; null where none is.
 * @param flips the share of tasks that is expected to change both ways whatever the variant is worth
 */
export function detectableEffect(
  tasks: number,
  { flips, chance, ...rule }: { flips: number; chance: number; smallestEffect: number; variants: number },
): number | null {
  const isFound = (effect: number): boolean =>
    chanceToAdopt(tasks, { gained: effect + flips / 2, lost: flips / 2 }, rule) >= chance;
  let [low, high] = [0, Math.round((1 - flips) * 1000)];
  if (!isFound(high / 1000)) return null;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (isFound(middle / 1000)) high = middle;
    else low = middle;
  }
  return high / 1000;
}
