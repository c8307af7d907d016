import { readFileSync } from 'node:fs';
import type { WorkerLimits } from '../contract/worker-limits.js';
import { isAlive } from './supervisor/process-identity.js';
import { readStackState, SERVICE_NAMES, stackPaths, type ServiceName, type ServiceState } from './stack-state.js';
import { lockHolder } from './supervisor/supervisor-lock.js';

/** One member of the stack as it is now. */
interface ServiceStatus {
  name: ServiceName;
  mode: ServiceState['mode'];
  /** As the supervisor last wrote it, corrected by whether the process lives. */
  status: ServiceState['status'];
  detail: string;
  pid: number | null;
  restarts: number;
  startedAt: string | null;
}

/** The stack as it is now; holds no password. */
export interface StackStatus {
  stateDir: string;
  /** A supervisor is at work. */
  isUp: boolean;
  supervisorPid: number | null;
  services: ServiceStatus[];
  /** Base address of the dev server's Web UI; null when it does not run. */
  temporalUi: string | null;
  /** What its worker can run at once; null while none polls. */
  workerLimits: WorkerLimits | null;
}

/** Looks at a stack without changing anything; asks the operating system, not the servers. */
export function stackStatus(stateDir: string): StackStatus {
  const state = readStackState(stateDir);
  const supervisor = lockHolder(stackPaths(stateDir).lockFile);
  const services = SERVICE_NAMES.map((name) => serviceStatus(name, state?.services[name], supervisor !== undefined));
  const isServing = services.some(({ name, mode, pid }) => name === 'temporal' && mode === 'embedded' && pid !== null);
  const uiPort = isServing ? state?.addresses.temporalUiPort : undefined;
  return {
    stateDir,
    isUp: supervisor !== undefined,
    supervisorPid: supervisor?.pid ?? null,
    services,
    temporalUi: uiPort === undefined ? null : `http://127.0.0.1:${uiPort}`,
    workerLimits: limitsOf(stateDir, services.find(({ name }) => name === 'worker')?.pid ?? null),
  };
}

function serviceStatus(name: ServiceName, state: ServiceState | undefined, isSupervised: boolean): ServiceStatus {
  if (!state) return { name, mode: 'off', status: 'stopped', detail: '', pid: null, restarts: 0, startedAt: null };
  const { mode, detail, restarts, startedAt = null } = state;
  const pid = state.process && isAlive(state.process) ? state.process.pid : null;
  const isGone = mode === 'embedded' && pid === null && state.status === 'up';
  const gone = isSupervised ? ('restarting' as const) : ('stopped' as const);
  const status = isGone ? gone : state.status;
  const unsupervised = !isSupervised && pid !== null ? ' (runs without a supervisor: durabench up adopts it)' : '';
  return { name, mode, status, detail: `${detail}${unsupervised}`, pid, restarts, startedAt };
}

function limitsOf(stateDir: string, pid: number | null): WorkerLimits | null {
  try {
    const ready = JSON.parse(readFileSync(stackPaths(stateDir).readyFile, 'utf8')) as ReadyFile;
    return ready.pid === pid ? (ready.limits ?? null) : null;
  } catch {
    return null; // not written yet
  }
}

interface ReadyFile {
  pid: number;
  limits?: WorkerLimits;
}
