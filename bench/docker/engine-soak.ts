/**
 * Whether a Docker engine stays alive while containers with fork servers come and go six at a time, with runs under way beside
 * them: once such an engine hung. On a daemon of its own.
 *
 *   npx tsx bench/docker/engine-soak.ts [--containers 2000] [--together 6] [--hang-seconds 120]
 *
 * Needs root, dockerd, unshare and the image repocraft-requests (`durabench images build repocraft-requests`). Two crews take
 * turns by themselves: each starts its containers, runs commands in all of them at once and lets go of them at once, by closing
 * its sandbox, by cancelling its runs (killed and removed in the middle of a command), or by running into the wall limit.
 * SIGTERM ends it early, with its table. Where the engine does not answer for so long, its stacks are written down and the exit code is 1.
 */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type Docker from 'dockerode';
import { connectDocker } from '../../src/adapters/docker/engine/connect-docker.js';
import { createDockerSandbox } from '../../src/adapters/docker/sandbox/docker-sandbox.js';
import { currentInstance } from '../../src/adapters/docker/engine/instance.js';
import type { Sandbox, SandboxRun } from '../../src/ports/sandbox.js';
import { startDockerDaemon } from '../../tests/fixtures/chaos/docker-daemon.js';
import { ensureImages } from '../../tests/fixtures/docker/ensure-images.js';

const IMAGE = 'repocraft-requests';
const CREWS = 2;
const LOOK_MS = 1_000;
/** How a crew lets go of its containers. */
const ENDS = ['closed', 'cancelled', 'timed out'] as const;
type End = (typeof ENDS)[number];

/** What is used of the connection below dockerode, which has no types for it. */
interface Modem {
  dial(call: { method: string; path: string }, callback: (error: Error | null, result: unknown) => void): void;
}

const { values } = parseArgs({
  options: {
    containers: { type: 'string', default: '2000' },
    together: { type: 'string', default: '6' },
    'hang-seconds': { type: 'string', default: '120' },
  },
});
const wanted = Number(values.containers);
const together = Number(values.together);
const hangMs = Number(values['hang-seconds']) * 1000;

const packageRoot = join(import.meta.dirname, '..', '..');
const server = ['python3', '-c', await readFile(join(import.meta.dirname, 'serving.py'), 'utf8')];
const stateFolder = await mkdtemp(join(tmpdir(), 'durabench-soak-'));
const daemon = await startDockerDaemon();
const socketPath = daemon.host.replace('unix://', '');
const docker = connectDocker({ socketPath });
const calls = countCalls(docker);
/** Runs that ended as no run should, by what they said. */
const troubles = new Map<string, number>();
const roundsOf = new Map<End, number[]>(ENDS.map((end) => [end, []]));
let longestSilenceMs = 0;
let hung = false;
let isOver = false;
let isStopped = false;
process.once('SIGTERM', () => (isStopped = true));
try {
  await daemon.copyImage((await ensureImages(join(stateFolder, 'cache'), IMAGE))[0] ?? '');
  const startedAt = performance.now();
  const watch = watchEngine();
  await Promise.all([
    watch,
    Promise.all(Array.from({ length: CREWS }, (_, crew) => work(crew))).finally(() => (isOver = true)),
  ]);
  const minutes = (performance.now() - startedAt) / 60_000;
  const left = hung ? [] : await docker.listContainers({ all: true });
  print(minutes, left.length);
  if (hung || left.length > 0) process.exitCode = 1;
} finally {
  await daemon.close();
  await rm(stateFolder, { recursive: true, force: true });
}

/** Until as many containers as are wanted have been made by all crews. */
async function work(crew: number): Promise<void> {
  for (let round = crew; !hung && !isStopped && calls.count('POST /containers/create') < wanted; round += 1) {
    const end = ENDS[round % ENDS.length] ?? 'closed';
    const seconds = await oneRound(end, `${crew}-${round}`);
    roundsOf.get(end)?.push(seconds);
    const made = calls.count('POST /containers/create');
    console.error(`${made} containers, load ${loadavg()[0]?.toFixed(0)}: ${end} in ${seconds.toFixed(1)} s`);
  }
}

/** @returns seconds from the moment the crew lets go of its containers until all are removed */
async function oneRound(end: End, name: string): Promise<number> {
  const sandbox = createDockerSandbox({
    ...{ instance: currentInstance(), stateFolder, packageRoot, docker },
    slots: together,
  });
  const everybody = (act: (index: number) => Promise<unknown>): Promise<unknown> =>
    Promise.all(Array.from({ length: together }, (_, index) => act(index)));
  // The second run is served by the server that the first has started.
  for (let served = 0; served < 2; served += 1) await everybody((index) => run(sandbox, `${name}-${index}`, ['true']));
  if (end === 'timed out')
    await everybody((index) => run(sandbox, `${name}-${index}`, ['sleep', '60'], { wallSeconds: 1 }));
  if (end === 'cancelled') {
    const cancel = new AbortController();
    const cut = everybody((index) => run(sandbox, `${name}-${index}`, ['sleep', '60'], {}, cancel.signal));
    await sleep(1_000);
    cancel.abort(new Error('cancelled'));
    await cut;
  }
  const from = performance.now();
  await sandbox.close();
  return (performance.now() - from) / 1000;
}

function run(
  sandbox: Sandbox,
  poolKey: string,
  command: string[],
  limits: SandboxRun['limits'] = {},
  signal = new AbortController().signal,
): Promise<unknown> {
  const owner = { campaignId: 'soak', ownerId: 'soak' };
  return sandbox
    .run({ image: IMAGE, command, forkServer: server, mounts: [], poolKey, limits, owner, signal })
    .catch((error: unknown) => {
      if (signal.aborted) return;
      const said = String(error)
        .replaceAll(/[0-9a-f-]{32,}/g, 'ID')
        .slice(0, 200);
      troubles.set(said, (troubles.get(said) ?? 0) + 1);
      console.error(said);
    });
}

/** Asks on a connection of its own, without the limits of calls that a worker has. */
async function watchEngine(): Promise<void> {
  const own = daemon.docker;
  while (!isOver) {
    const from = performance.now();
    const answered = own.listContainers({ all: true }).then(() => own.info());
    const isHung = await Promise.race([answered.then(() => false), sleep(hangMs).then(() => true)]);
    longestSilenceMs = Math.max(longestSilenceMs, performance.now() - from);
    if (isHung) {
      hung = true;
      await writeStacks();
      return;
    }
    await sleep(LOOK_MS);
  }
}

/** dockerd writes the stacks of all its goroutines below its exec root at SIGUSR1. */
async function writeStacks(): Promise<void> {
  process.kill(daemon.pid(), 'SIGUSR1');
  await sleep(5_000);
  const folder = join(socketPath, '..', 'exec');
  for (const name of (await readdir(folder, { recursive: true })).filter((path) => path.includes('goroutine-stacks')))
    console.error(await readFile(join(folder, name), 'utf8'));
}

interface Calls {
  count(call: string): number;
  rows(): {
    call: string;
    count: number;
    unanswered: number;
    failed: number;
    medianSeconds: number;
    longestSeconds: number;
  }[];
}

/** Counts and times calls by what they are about, and tells those that got no answer in the time a worker gives them. */
function countCalls(client: Docker): Calls {
  const modem = client.modem as Modem;
  const dial = modem.dial.bind(modem);
  const seen = new Map<string, { ms: number[]; unanswered: number; failed: number }>();
  modem.dial = (call, callback) => {
    const name = `${call.method} ${call.path.replace(/\?.*/, '').replace(/\/(durabench-)?[0-9a-f-]{32,}/, '/ID')}`;
    const row = seen.get(name) ?? { ms: [], unanswered: 0, failed: 0 };
    seen.set(name, row);
    const from = performance.now();
    dial(call, (error, result) => {
      row.ms.push(performance.now() - from);
      if ((error as { code?: string } | null)?.code === 'ETIMEDOUT') row.unanswered += 1;
      else if (error !== null && error !== undefined) row.failed += 1;
      callback(error, result);
    });
  };
  return {
    count: (call) => seen.get(call)?.ms.length ?? 0,
    rows: () =>
      [...seen].map(([call, { ms, unanswered, failed }]) => ({
        ...{ call, count: ms.length, unanswered, failed },
        ...{ medianSeconds: median(ms) / 1000, longestSeconds: Math.max(...ms) / 1000 },
      })),
  };
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? NaN;
}

function print(minutes: number, left: number): void {
  console.log(
    `${cpus().length} cores, load ${loadavg()
      .map((load) => load.toFixed(0))
      .join(' ')} at the end, ${minutes.toFixed(0)} min`,
  );
  console.log(
    `engine ${hung ? 'HUNG' : 'never hung'}; longest look ${(longestSilenceMs / 1000).toFixed(1)} s; containers left ${left}\n`,
  );
  for (const [said, times] of troubles) console.log(`${times} runs: ${said}`);
  console.log('| letting go of six | rounds | median s | longest s |\n|---|---|---|---|');
  for (const [end, seconds] of roundsOf)
    console.log(`| ${end} | ${seconds.length} | ${median(seconds).toFixed(1)} | ${Math.max(...seconds).toFixed(1)} |`);
  console.log('\n| call | count | failed | without answer in 30 s | median s | longest s |\n|---|---|---|---|---|---|');
  for (const { call, count, failed, unanswered, medianSeconds, longestSeconds } of calls.rows())
    console.log(
      `| ${call} | ${count} | ${failed} | ${unanswered} | ${medianSeconds.toFixed(2)} | ${longestSeconds.toFixed(1)} |`,
    );
}
