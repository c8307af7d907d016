import type { Interval } from '../../domain/statistics/statistics.js';
import { grouped } from '../../domain/text/amount-text.js';

export { dollars, grouped } from '../../domain/text/amount-text.js';

/** What stands where a number does not apply. */
export const ABSENT = '–';

/** `96.7 %`, or a dash. */
export function percent(rate: number | null): string {
  return rate === null ? ABSENT : `${(rate * 100).toFixed(1)} %`;
}

/** `[83.3, 99.4]` in percent, or nothing. */
export function percentRange(interval: Interval | null): string {
  return interval === null ? '' : `[${(interval.low * 100).toFixed(1)}, ${(interval.high * 100).toFixed(1)}]`;
}

const BAR_WIDTH = 20;

/** `[#####...............]`: a quarter of the work is done. */
export function progressBar(done: number, of: number): string {
  const full = of === 0 ? 0 : Math.round((done / of) * BAR_WIDTH);
  return `[${'#'.repeat(full)}${'.'.repeat(BAR_WIDTH - full)}]`;
}

/** `42 s`, `3 min 5 s`, `2 h 10 min`. */
export function duration(seconds: number | null): string {
  if (seconds === null) return ABSENT;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

const MINUTE = 60;
const HOUR = 3_600;

/** Of a range whose ends lie further apart than this, the lower one says nothing. */
const WIDEST = 20;

export const isWide = ({ low, high }: Interval): boolean => low * WIDEST < high;

/** A time that is not known exactly: `20 to 50 s`, `3 to 8 min`, `1.5 to 4.0 h`; `at most 4.0 h` of one that is wide. */
export function durationRange({ low, high }: Interval): string {
  const unit = unitOf(high);
  const [from, to] = [inUnit(low, unit), inUnit(high, unit)];
  if (from === to) return `${to} ${unit}`;
  if (isWide({ low, high })) return `at most ${to} ${unit}`;
  // Nothing in minutes can still be seconds.
  if (Number(from) === 0 && unitOf(low) !== unit) return `${inUnit(low, unitOf(low))} ${unitOf(low)} to ${to} ${unit}`;
  return `${from} to ${to} ${unit}`;
}

const SIZES = { s: 1, min: MINUTE, h: HOUR };

const unitOf = (seconds: number): keyof typeof SIZES =>
  seconds < 1.5 * MINUTE ? 's' : seconds < 1.5 * HOUR ? 'min' : 'h';

const inUnit = (seconds: number, unit: keyof typeof SIZES): string =>
  (seconds / SIZES[unit]).toFixed(unit === 'h' ? 1 : 0);

/** `1 batch`, `12,345 batches`. */
export function counted(count: number, one: string, several = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : several}`;
}
