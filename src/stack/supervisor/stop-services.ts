import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive, signalProcess, type ProcessIdentity } from './process-identity.js';
import { STOP_SIGNALS } from './service.js';
import { SERVICE_NAMES, writeStackState, type ServiceName, type StackState } from '../stack-state.js';
import { waitUntil } from '../wait-until.js';

// Even when an earlier member used up the whole time, each gets this long before it is killed.
const LEAST_GRACE_MS = 2_000;
// A killed process is gone as soon as the kernel has freed its memory.
const KILL_TIMEOUT_MS = 5_000;
// What the engine was still making when whoever had asked for it was killed is there after this.
const MADE_MS = 300;
// Who ends a stack does not wait for an engine that hangs.
const IMPATIENT = { callMs: 5_000, busyMs: 30_000, statsMs: 2_000 };

/**
 * Ends the living members of a stack, the worker first and Postgres last, asking first and killing after `graceMs`
 * (for all together), and writes that they are stopped. What a worker that did not end by itself left in Docker goes too. Only for a
 * caller who knows that no supervisor is at work.
 * @returns the members that were alive
 */
export async function stopServices(
  stateDir: string,
  state: StackState,
  options: { graceMs: number; onProgress?: (service: ServiceName, event: string) => void },
): Promise<ServiceName[]> {
  const deadline = Date.now() + options.graceMs;
  const stopped: ServiceName[] = [];
  for (const name of [...SERVICE_NAMES].reverse()) {
    const service = state.services[name];
    let wasGraceful = false;
    if (service.process && isAlive(service.process)) {
      options.onProgress?.(name, 'stopping');
      const graceMs = Math.max(LEAST_GRACE_MS, deadline - Date.now());
      wasGraceful = await endProcess(service.process, { signal: STOP_SIGNALS[name], graceMs });
      options.onProgress?.(name, wasGraceful ? 'stopped' : 'killed: it did not end in time');
      stopped.push(name);
    }
    if (name === 'worker' && service.process && !wasGraceful) await removeSandboxesOf(service.process);
    delete service.process;
    if (service.mode === 'embedded') Object.assign(service, { status: 'stopped', detail: '' });
    writeStackState(stateDir, state);
  }
  return stopped;
}

/**
 * Removes containers and networks of a worker that could not do so itself: it was killed, or had died. No worker may come after it for
 * days. Does nothing where Docker does not answer; the next worker does it then.
 */
async function removeSandboxesOf({ pid }: ProcessIdentity): Promise<void> {
  const [{ removeThoseOf }, { connectDocker }] = await Promise.all([
    import('../../adapters/docker/sandbox/leftovers.js'),
    import('../../adapters/docker/engine/connect-docker.js'),
  ]);
  const docker = connectDocker({ limits: IMPATIENT });
  try {
    await removeThoseOf(docker, pid);
    await sleep(MADE_MS);
    await removeThoseOf(docker, pid);
  } catch {
    // No engine, no sandbox.
  }
}

/** Asks a process to end, and kills it when it does not in time. @returns whether it ended by itself */
export async function endProcess(
  identity: ProcessIdentity,
  options: { signal: NodeJS.Signals; graceMs: number },
): Promise<boolean> {
  const isGone = (): boolean => !isAlive(identity);
  signalProcess(identity, options.signal);
  if (await waitUntil(isGone, { timeoutMs: options.graceMs, intervalMs: 25 })) return true;
  signalProcess(identity, 'SIGKILL');
  await waitUntil(isGone, { timeoutMs: KILL_TIMEOUT_MS, intervalMs: 25 });
  return false;
}
