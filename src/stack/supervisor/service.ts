import type { Environment } from '../../config/env.js';
import type { Problem } from '../../contract/problem.js';
import type { ProcessIdentity } from './process-identity.js';
import type { ServiceName, ServiceState, StackAddresses, StackPaths } from '../stack-state.js';

/** One member of the stack, as the supervisor sees it: what to start, and how to tell that it serves. */
export interface Service {
  name: ServiceName;
  mode: ServiceState['mode'];
  /** Members that have to serve first. */
  after: readonly ServiceName[];
  /** Starts the process or finds it running; resolves once it exists. Absent when external. */
  start?: (report: (detail: string) => void, stopping: AbortSignal) => Promise<ProcessIdentity>;
  /** Whether it serves now. May tell why not through `report`; throws a UserError for what waiting will not fix. */
  isReady: (process: ProcessIdentity | undefined, report: (detail: string) => void) => Promise<boolean>;
  /** After its death: what it said the user has to fix, if it ended for that. Starting it again will not help. */
  lastProblem?: () => Problem | undefined;
  /** Where it serves, for people; never with a password. */
  describe: () => string;
  /** Digests of what the process is told at its start, or where it is no secret the value itself, by name. */
  settings: () => Readonly<Record<string, string>>;
  /** The names among them that matter: when one of these changes, the process must be started again. */
  decisive: readonly string[];
}

/** How each member is asked to end: Postgres ends sessions at once on SIGINT, and waits for them on SIGTERM. */
export const STOP_SIGNALS: Readonly<Record<ServiceName, NodeJS.Signals>> = {
  postgres: 'SIGINT',
  temporal: 'SIGTERM',
  worker: 'SIGTERM',
};

/** What the services are built from. */
export interface StackParts {
  environment: Environment;
  paths: StackPaths;
  /** Shared with the supervisor: a service writes where it listens, others read it. */
  addresses: StackAddresses;
  /** Of the digests of settings (`StackState`). */
  salt: string;
  /** Program and arguments of the worker; `undefined` for a stack without one. */
  workerCommand: readonly string[] | undefined;
  /** Variables the worker must have as this environment has them. */
  needs: readonly string[];
}
