import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import type { RunEvidence } from '../../../contract/run-evidence.js';
import { askContainer } from '../engine/ask-container.js';

/** Where the kernel counts what it did for want of memory, and tells the most that was used and the limit (cgroup v1), or all in one (v2). */
const COUNTERS = [
  ...['memory/memory.oom_control', 'memory/memory.max_usage_in_bytes', 'memory/memory.limit_in_bytes', 'memory.events'],
].map((path) => `/sys/fs/cgroup/${path}`);
const KILLS = /^oom_kill (\d+)$/m;
const USE_AND_LIMIT = /^(\d+)\n(\d+)$/m;
const LIMIT_HITS = /^max (\d+)$/m;
/** What was refused is not counted as used. */
const NEARLY = 0.95;
/** A moment's work, on a busy machine; a container or an engine that hangs never does it. */
const COUNTERS_MS = 30_000;
/** How long, and how often at least, a container that does not answer is asked again: on a busy machine asking takes its time. */
const ANSWER_MS = 2_000;
const ASKED_AT_LEAST = 5;

/** What the container says of a command whose own status says nothing. */
export async function askAboutEnd(
  container: Docker.Container,
): Promise<Required<Pick<RunEvidence, 'container' | 'memory'>>> {
  const { State: state } = await container.inspect();
  const found = { running: state.Running, outOfMemory: state.OOMKilled };
  if (!found.running || found.outOfMemory) return { container: found, memory: null };
  return memoryCounters(container);
}

/**
 * What the kernel has counted in this container; engines tell it of a running container only as an event. A container
 * that does not answer is asked again for a moment: its memory may still be full of what the command left, so that who asks is killed
 * as well, and one that has just ended is reported as running for an instant. One that stays, full of the command's own processes
 * perhaps, was not lost: that is the command's doing.
 */
async function memoryCounters(container: Docker.Container): Promise<Pick<RunEvidence, 'container' | 'memory'>> {
  const patience = performance.now() + ANSWER_MS;
  for (let asked = 1; ; asked += 1) {
    const memory = parseCounters(await askContainer(container, ['cat', ...COUNTERS], COUNTERS_MS).catch(() => ''));
    const { State: state } = await container.inspect();
    const found = { running: state.Running, outOfMemory: state.OOMKilled };
    if (memory !== null || !found.running) return { container: found, memory };
    if (performance.now() > patience && asked >= ASKED_AT_LEAST) return { container: found, memory };
    await sleep(100);
  }
}

function parseCounters(text: string): RunEvidence['memory'] {
  const kills = KILLS.exec(text);
  return kills === null ? null : { kills: Number(kills[1]), limitReached: limitReached(text) };
}

function limitReached(text: string): boolean | null {
  const [, most, limit] = USE_AND_LIMIT.exec(text) ?? [];
  if (most !== undefined) return Number(most) >= NEARLY * Number(limit);
  const hits = LIMIT_HITS.exec(text);
  return hits === null ? null : Number(hits[1]) > 0;
}
