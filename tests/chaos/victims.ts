import { readdirSync, readFileSync } from 'node:fs';
import type { ChildProcess } from 'node:child_process';
import { lifeOf } from '../../src/adapters/docker/engine/instance.js';
import {
  identifyProcess,
  isAlive,
  signalProcess,
  type ProcessIdentity,
} from '../../src/stack/supervisor/process-identity.js';
import type { ServiceName } from '../../src/stack/stack-state.js';
import { waitUntil } from '../fixtures/wait-until.js';
import type { ChaosStack } from './chaos-stack.js';
import type { LoadName } from './loads.js';

/** What a crash can reach. */
export interface Scene {
  stack: ChaosStack;
  /** The `durabench run` that launched the campaign and watches it. */
  cli: ChildProcess;
  random: () => number;
}

/** Something that is killed with SIGKILL in the middle of a campaign. */
export interface Victim {
  name: VictimName;
  load: LoadName;
  /** Whether the launching command dies: then `status --watch` has to come back to the campaign. */
  killsCli?: boolean;
  /** Kept down for so long; otherwise it comes back as soon as its supervisor lets it. */
  downMs?: number;
  /** The processes to kill, found just before. */
  processes: (scene: Scene) => Promise<ProcessIdentity[]>;
  /** Seconds until a step that began after the crash (after its restart, for a server) is recorded: what we aim at. */
  progressWithinSeconds: number;
  /**
   * What an automatic test lets pass on an idle machine (on another it is scaled): never less than the aim, and more than
   * twice the longest of 103 kills at a load average of up to 25, once Docker's pauses had been repaired.
   */
  failsAfterSeconds: number;
  /** What has to serve again before those seconds begin. */
  until?: ServiceName;
  /** Only this step counts as progress. */
  step?: string;
  /** Workers die: what they had in flight may be asked again, and nothing else may. */
  killsWorkers?: boolean;
  /** Other workers live on: only steps of trials that a dead one had count as progress. */
  leavesWorkers?: boolean;
  /** The daemon dies with its containers: runs in them are lost and tried again. */
  killsDocker?: boolean;
}

/** One of {@link VICTIMS}. */
export type VictimName = 'cli' | 'worker' | 'workers' | 'temporal-1s' | 'temporal-60s' | 'postgres' | 'docker' | 'all';

/** Everything that is killed. */
export const VICTIMS: readonly Victim[] = [
  {
    name: 'cli',
    load: 'echo',
    killsCli: true,
    processes: async () => [],
    progressWithinSeconds: 30,
    failsAfterSeconds: 30,
  },
  {
    ...{ name: 'worker', load: 'repocraft', killsWorkers: true, leavesWorkers: true },
    ...{ processes: oneWorker, progressWithinSeconds: 15, failsAfterSeconds: 30 },
  },
  {
    name: 'workers',
    load: 'echo',
    killsWorkers: true,
    processes: workers,
    progressWithinSeconds: 15,
    failsAfterSeconds: 30,
  },
  {
    name: 'temporal-1s',
    load: 'echo',
    processes: temporal,
    until: 'temporal',
    progressWithinSeconds: 5,
    failsAfterSeconds: 15,
  },
  {
    ...{ name: 'temporal-60s', load: 'echo', processes: temporal, downMs: 60_000 },
    ...{ until: 'temporal', progressWithinSeconds: 5, failsAfterSeconds: 15 },
  },
  { name: 'postgres', load: 'echo', processes: postgres, progressWithinSeconds: 30, failsAfterSeconds: 30 },
  {
    name: 'docker',
    load: 'repocraft',
    killsDocker: true,
    processes: docker,
    step: 'run',
    progressWithinSeconds: 30,
    failsAfterSeconds: 45,
  },
  // Under containers, also for those above that are killed under echo to keep CI short.
  {
    ...{ name: 'all', load: 'repocraft', killsCli: true, killsWorkers: true, killsDocker: true },
    processes: async (scene) =>
      (await Promise.all([workers, temporal, postgres, docker].map((find) => find(scene)))).flat(),
    progressWithinSeconds: 30,
    failsAfterSeconds: 45,
  },
];

/** Kills them all, and comes back when they are gone. */
export async function killAll(scene: Scene, victim: Victim, found: readonly ProcessIdentity[]): Promise<void> {
  if (victim.killsCli) scene.cli.kill('SIGKILL');
  for (const process of found) signalProcess(process, 'SIGKILL');
  const areGone = await waitUntil(() => !found.some(isAlive), { intervalMs: 5 });
  if (!areGone) throw new Error(`${victim.name} did not die`);
}

async function workers({ stack }: Scene): Promise<ProcessIdentity[]> {
  const alive = (await stack.record.liveWorkers()).filter(({ instance }) => lifeOf(instance) === 'alive');
  return alive.flatMap(({ pid }) => identifyProcess(pid) ?? []);
}

async function oneWorker(scene: Scene): Promise<ProcessIdentity[]> {
  const all = await workers(scene);
  return all.slice(Math.floor(scene.random() * all.length)).slice(0, 1);
}

async function temporal({ stack }: Scene): Promise<ProcessIdentity[]> {
  return [stack.state().services.temporal.process ?? []].flat();
}

/** The postmaster and every backend: as if the power had gone. */
async function postgres({ stack }: Scene): Promise<ProcessIdentity[]> {
  const { process } = stack.state().services.postgres;
  return process === undefined ? [] : [process, ...childrenOf(process.pid)];
}

async function docker({ stack }: Scene): Promise<ProcessIdentity[]> {
  const pid = stack.daemon?.pid();
  return pid === undefined ? [] : [identifyProcess(pid) ?? [], childrenOf(pid)].flat();
}

function childrenOf(parent: number): ProcessIdentity[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && parentOf(name) === parent)
    .flatMap((name) => identifyProcess(Number(name)) ?? []);
}

function parentOf(pid: string): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined; // ended while the list was read
  }
}
