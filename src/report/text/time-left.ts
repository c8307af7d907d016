import { remainingSeconds } from '../../domain/statistics/remaining-time.js';
import type { Interval } from '../../domain/statistics/statistics.js';
import { durationRange, isWide, progressBar } from './number-text.js';

/** What has ended since watching began. */
interface Pace {
  ended: number;
  seconds: number;
}

/**
 * Behind a line that says what has ended of a part of the work: `; [####................] 5 of 28, about 3 to 8 min left`; nothing
 * of one alone. A part begins where none of it has ended.
 */
export function createPlaceClock(): (part: { ended: number; of: number }) => string {
  let begunAt = Date.now();
  return ({ ended, of }) => {
    if (ended === 0) begunAt = Date.now();
    if (of === 1) return '';
    const guess = ended === of ? null : timeLeft({ ended, seconds: (Date.now() - begunAt) / 1000 }, of - ended);
    return `; ${progressBar(ended, of)} ${ended} of ${of}${guess === null ? '' : `, ${guess}`}`;
  };
}

/** The same by the pace so far, nine times in ten if it stays; null where too few have ended. */
export function timeLeft(pace: Pace, left: number): string | null {
  const range = remainingSeconds({ ...pace, left });
  return range && leftFrom(range);
}

/** `about 3 to 8 min left` or `at most 8 min left`, counted from a moment in ms. */
export function leftFrom({ low, high }: Interval, at = Date.now()): string {
  const passed = (Date.now() - at) / 1000;
  const range = { low: Math.max(0, low - passed), high: Math.max(0, high - passed) };
  return `${isWide(range) ? '' : 'about '}${durationRange(range)} left`;
}
