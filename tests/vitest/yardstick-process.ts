/**
 * Measures again and again how slow the machine is, writes it to FILE and ends with its standard input.
 *
 *   node --import tsx yardstick-process.ts FILE
 *
 * Three things that a starved machine is slow at, each over what it takes on the idle 2-core machine that the tests' limits
 * were set on: computing, starting processes, writing to disk. The slowest counts, and the last minute's slowest
 * measurement, since load comes in waves.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, openSync, renameSync, writeFileSync, writeSync } from 'node:fs';

const EVERY_MS = 10_000;
const KEPT = 6;
const [LEAST, MOST] = [1, 20];
const [, , file = ''] = process.argv;
const bytes = Buffer.alloc(16 << 20, 'durabench');

const MEASURES: { idleMs: number; work: () => void }[] = [
  { idleMs: 30, work: () => times(2, () => createHash('sha256').update(bytes).digest()) },
  { idleMs: 45, work: () => times(10, () => spawnSync('true')) },
  { idleMs: 25, work: writeThrough },
];

function writeThrough(): void {
  const scratch = openSync(`${file}.scratch`, 'w');
  times(5, () => {
    writeSync(scratch, bytes, 0, 1 << 16);
    fsyncSync(scratch);
  });
  closeSync(scratch);
}

function times(count: number, work: () => unknown): void {
  for (let n = 0; n < count; n += 1) work();
}

function slownessNow(): number {
  const factors = MEASURES.map(({ idleMs, work }) => {
    const since = performance.now();
    work();
    return (performance.now() - since) / idleMs;
  });
  return Math.min(MOST, Math.max(LEAST, ...factors));
}

const kept: number[] = [];
function measure(): void {
  kept.push(slownessNow());
  if (kept.length > KEPT) kept.shift();
  // Readers never see half a number.
  writeFileSync(`${file}.new`, Math.max(...kept).toFixed(2));
  renameSync(`${file}.new`, file);
}

measure();
process.stdout.write('measured\n');
setInterval(measure, EVERY_MS);
process.stdin.on('end', () => process.exit()).resume();
