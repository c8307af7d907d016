import { readFileSync } from 'node:fs';

/** Names the file that {@link slowness} reads; the process that measures keeps it fresh. */
export const YARDSTICK_VARIABLE = 'DURABENCH_TEST_YARDSTICK';
/** A reading is kept so long, since waits ask many times a second. */
const FRESH_MS = 1_000;

let last = { at: -Infinity, slowness: 1 };

/** How many times slower than an idle machine this one is now: 1 to 20, as the run's yardstick process measured it. 1 outside of a run of tests. */
export function slowness(): number {
  const file = process.env[YARDSTICK_VARIABLE];
  const at = performance.now();
  if (file !== undefined && at - last.at > FRESH_MS) last = { at, slowness: Number(readFileSync(file, 'utf8')) };
  return last.slowness;
}

/** A limit, given as what it is on an idle machine, as it is on this one now; in whole units of what is given. */
export const scaled = (idle: number): number => Math.ceil(idle * slowness());
