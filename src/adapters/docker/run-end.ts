import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import { DomainFailure } from '../../domain/domain-failure.js';
import type { SandboxResult } from '../../ports/sandbox.js';
import type { ExecEnd } from './exec-stream.js';

/** A signal is reported as 128 + its number: SIGKILL and SIGXCPU. */
const KILLED = 137;
const CPU_LIMIT_REACHED = 152;
/** Where the kernel counts what it did for want of memory (cgroup v1, v2). */
const COUNTERS = ['/sys/fs/cgroup/memory/memory.oom_control', '/sys/fs/cgroup/memory.events'];
const KILLS = /^oom_kill (\d+)$/m;
/** A moment's work, on a busy machine; a container or an engine that hangs never does it. */
const COUNTERS_MS = 30_000;
/** How long, and how often at least, a container that does not answer is asked again: on a busy machine asking takes its time. */
const ANSWER_MS = 2_000;
const ASKED_AT_LEAST = 5;

/**
 * Which limit ended the command, if one did; `wallLimit`: its container was killed for that. A container that ended without our
 * doing is `sandbox.lost`.
 */
export async function judgeEnd(
  container: Docker.Container,
  ended: ExecEnd | null,
  wallLimit: boolean,
): Promise<Pick<SandboxResult, 'timeLimit' | 'outOfMemory'>> {
  // Before the wall limit: a command may end by itself while this process is too busy to hear of it in time.
  if (ended?.exitCode === CPU_LIMIT_REACHED) return { timeLimit: 'cpu', outOfMemory: false };
  if (ended !== null && ended.exitCode !== null && ended.exitCode !== KILLED)
    return { timeLimit: null, outOfMemory: false };
  if (wallLimit) return { timeLimit: 'wall', outOfMemory: false };
  const { State: state } = await container.inspect();
  if (state.OOMKilled) return { timeLimit: null, outOfMemory: true };
  if (!state.Running) throw new DomainFailure('sandbox.lost', 'the container ended while a command ran in it');
  return { timeLimit: null, outOfMemory: await countsOutOfMemory(container) };
}

/**
 * Whether the kernel has killed for memory in this container; engines tell it of a running container only as an event. A container
 * that does not answer is asked again for a moment: its memory may still be full of what the command left, so that who asks is killed
 * as well, and one that has just ended is reported as running for an instant. One that stays, full of the command's own processes
 * perhaps, was not lost: that is the command's doing.
 */
async function countsOutOfMemory(container: Docker.Container): Promise<boolean> {
  const patience = performance.now() + ANSWER_MS;
  for (let asked = 1; ; asked += 1) {
    const counters = await readMemoryCounters(container).catch(() => '');
    const kills = KILLS.exec(counters);
    if (kills !== null) return Number(kills[1]) > 0;
    const { State: state } = await container.inspect();
    if (!state.Running) throw new DomainFailure('sandbox.lost', 'the container ended while a command ran in it');
    if (performance.now() > patience && asked >= ASKED_AT_LEAST) return false;
    await sleep(100);
  }
}

async function readMemoryCounters(container: Docker.Container): Promise<string> {
  const exec = await container.exec({ Cmd: ['cat', ...COUNTERS], AttachStdout: true });
  const stream = await exec.start({ hijack: true });
  const timer = setTimeout(() => stream.destroy(), COUNTERS_MS);
  let text = '';
  try {
    for await (const chunk of stream) text += String(chunk);
    return text;
  } finally {
    clearTimeout(timer);
  }
}
