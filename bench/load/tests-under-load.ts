/**
 * Runs the tests on a busy machine: beside processes that burn its processors and its disk.
 *
 *   npx tsx bench/load/tests-under-load.ts [--cpu-hogs 4] [--disk-hogs 1] [--minutes 240] [FILE…]
 *
 * Build first. Each hog has a session of its own, so that the kernel gives it as much as the whole run of tests gets
 * (sched_autogroup). They end with the run, with `--minutes`, by Ctrl-C, and by themselves when this process is gone.
 * FILEs are filters of Vitest; without any every test runs. Prints the failures, the load over the run and the closing
 * line of the tests; exits as Vitest does.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { untilInterrupted } from '../until-interrupted.js';

const { values, positionals: files } = parseArgs({
  allowPositionals: true,
  options: {
    'cpu-hogs': { type: 'string', default: '4' },
    'disk-hogs': { type: 'string', default: '1' },
    minutes: { type: 'string', default: '240' },
  },
});

/** Ends when the pipe on its standard input does, that is with this process however it goes. */
const ENDS_WITH_US = `process.stdin.on('end', () => process.exit()).resume();`;
const BURN = `${ENDS_WITH_US} (function burn() { const until = Date.now() + 200; while (Date.now() < until); setImmediate(burn); })();`;
const WRITE = `${ENDS_WITH_US}
  const { closeSync, fsyncSync, openSync, writeSync } = require('node:fs');
  const bytes = Buffer.alloc(1 << 20, 'durabench');
  (function write() {
    const file = openSync(process.argv[1], 'w');
    for (let n = 0; n < 64; n += 1) writeSync(file, bytes);
    fsyncSync(file);
    closeSync(file);
    setImmediate(write);
  })();`;

function hog(program: string, ...parameters: string[]): ChildProcess {
  return spawn(process.execPath, ['-e', program, ...parameters], {
    detached: true,
    stdio: ['pipe', 'ignore', 'inherit'],
  });
}

const times = (count: string): number[] => [...Array(Number(count)).keys()];
const folder = mkdtempSync(join(tmpdir(), 'durabench-hog-'));
const hogs = [
  ...times(values['cpu-hogs']).map(() => hog(BURN)),
  ...times(values['disk-hogs']).map((n) => hog(WRITE, join(folder, String(n)))),
];
const loads: number[] = [];
const watch = setInterval(() => loads.push(loadavg()[0] ?? 0), 5_000);
const tests = spawn('npx', ['vitest', 'run', ...files], { detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
let said = '';
tests.stdout.on('data', (bytes: Buffer) => {
  said += bytes.toString();
  process.stdout.write(bytes);
});
const patience = setTimeout(() => endGroup(tests), Number(values.minutes) * 60_000);
try {
  const [code] = (await untilInterrupted(once(tests, 'close'))) as [number | null];
  process.exitCode = code ?? 1;
} catch (error) {
  console.error(String(error));
  process.exitCode = 130;
} finally {
  clearTimeout(patience);
  clearInterval(watch);
  if (tests.exitCode === null && tests.signalCode === null) endGroup(tests);
  for (const one of hogs) one.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}
for (const line of new Set(said.match(/^.*(?:FAIL|Unhandled).*$/gm))) console.log(line);
const [middle = 0, most = 0] = [loads.toSorted((a, b) => a - b)[loads.length >> 1], Math.max(0, ...loads)];
console.log(`load: median ${middle.toFixed(1)}, most ${most.toFixed(1)}`);
console.log(said.match(/^tests: .*$/gm)?.at(-1) ?? 'tests: did not come to their end');

/** Vitest and the processes that run files; it ends what it started. */
function endGroup({ pid = 0 }: ChildProcess): void {
  process.kill(-pid, 'SIGTERM');
}
