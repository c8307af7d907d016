import { isAlive, signalProcess, type ProcessIdentity } from './process-identity.js';
import { STOP_SIGNALS } from './service.js';
import { SERVICE_NAMES, writeStackState, type ServiceName, type StackState } from '../stack-state.js';
import { waitUntil } from '../wait-until.js';

// Even when an earlier member used up the whole time, each gets this long before it is killed.
const LEAST_GRACE_MS = 2_000;
// A killed process is gone as soon as the kernel has freed its memory.
const KILL_TIMEOUT_MS = 5_000;

/**
 * Ends the living members of a stack, the worker first and Postgres last, asking first and killing after `graceMs`
 * (for all together), and writes that they are stopped. Only for a caller who knows that no supervisor is at work.
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
    if (service.process && isAlive(service.process)) {
      options.onProgress?.(name, 'stopping');
      const graceMs = Math.max(LEAST_GRACE_MS, deadline - Date.now());
      const wasGraceful = await endProcess(service.process, { signal: STOP_SIGNALS[name], graceMs });
      options.onProgress?.(name, wasGraceful ? 'stopped' : 'killed: it did not end in time');
      stopped.push(name);
    }
    delete service.process;
    if (service.mode === 'embedded') Object.assign(service, { status: 'stopped', detail: '' });
    writeStackState(stateDir, state);
  }
  return stopped;
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
