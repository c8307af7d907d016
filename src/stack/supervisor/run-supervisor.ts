import { randomBytes } from 'node:crypto';
import type { Environment } from '../../config/env.js';
import { stackServices } from './stack-services.js';
import { readStackState, stackPaths, type StackAddresses } from '../stack-state.js';
import { stopServices } from './stop-services.js';
import { releaseLock, takeLock } from './supervisor-lock.js';
import { Supervisor, type SupervisorLog } from './supervisor.js';

/** The exit status of a supervisor that found another one at work. */
export const ALREADY_SUPERVISED = 3;
/** Tells a supervisor to go and leave its children as they are; `down` then ends them itself, with its own patience. */
export const LET_GO_SIGNAL = 'SIGUSR2';

/** How a supervisor is run. */
export interface SupervisorOptions {
  environment: Environment;
  /** Program and arguments of the worker; absent for a stack without one. */
  workerCommand?: readonly string[];
  /** Variables the worker must have as this environment has them; an adopted one that has not is started again. */
  needs: readonly string[];
  /** How long children may take to end after SIGTERM or SIGINT, all together. */
  graceMs: number;
  log: SupervisorLog;
}

/**
 * Supervises the stack of the environment's state folder until SIGTERM or SIGINT (ends the children) or SIGUSR2
 * (leaves them). @returns the exit status of the process
 */
export async function runSupervisor(options: SupervisorOptions): Promise<number> {
  const { environment, log } = options;
  const paths = stackPaths(environment.stateDir);
  const holder = await takeLock(paths.lockFile);
  if (holder) {
    log({ event: 'already supervised', detail: `pid ${holder.pid}` });
    return ALREADY_SUPERVISED;
  }
  const previous = readStackState(environment.stateDir);
  const addresses: StackAddresses = { ...previous?.addresses };
  const salt = previous?.salt ?? randomBytes(16).toString('hex');
  const { workerCommand, needs } = options;
  const services = stackServices({ environment, paths, addresses, salt, workerCommand, needs });
  const supervisor = new Supervisor({ services, paths, log, previous, addresses, salt });
  const signal = await untilSignal((stopping) => supervisor.run(stopping));
  log({ event: 'ending', detail: signal });
  if (signal !== LET_GO_SIGNAL) {
    await stopServices(environment.stateDir, readStackState(environment.stateDir)!, {
      graceMs: options.graceMs,
      onProgress: (service, event) => log({ service, event }),
    });
  }
  releaseLock(paths.lockFile);
  return 0;
}

/** Runs the work until a signal arrives, and gives it a moment to notice. */
async function untilSignal(work: (stopping: AbortSignal) => Promise<void>): Promise<NodeJS.Signals> {
  const stop = new AbortController();
  const ignored = (): void => undefined;
  process.on('SIGHUP', ignored); // the terminal that `up` was typed in was closed
  const received = new Promise<NodeJS.Signals>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT', LET_GO_SIGNAL] as const) process.once(signal, () => resolve(signal));
  });
  const done = work(stop.signal);
  const signal = await Promise.race([received, done.then(() => received)]);
  stop.abort();
  // Work stuck in a download is left behind: it starts nothing once the download is done, the process being gone.
  await Promise.race([done, new Promise((resolve) => setTimeout(resolve, 1_000))]);
  process.off('SIGHUP', ignored);
  return signal;
}
