import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Problem } from '../contract/problem.js';
import type { ProcessIdentity } from './supervisor/process-identity.js';

/** The three processes of a stack, in the order they are started; stopped in the opposite one. */
export const SERVICE_NAMES = ['postgres', 'temporal', 'worker'] as const;
/** One of {@link SERVICE_NAMES}. */
export type ServiceName = (typeof SERVICE_NAMES)[number];

/** What is known of one process of the stack. Times are ISO, UTC. */
export interface ServiceState {
  /** `embedded`: started and supervised here; `external`: somebody else's, named in the environment; `off`: not wanted. */
  mode: 'embedded' | 'external' | 'off';
  status: 'stopped' | 'starting' | 'up' | 'restarting';
  /** What is going on, in words for a progress line; '' when there is nothing to say. */
  detail: string;
  /** The living or last process; absent when external, off or stopped. */
  process?: ProcessIdentity;
  startedAt?: string;
  /** When it last began to serve. */
  readyAt?: string;
  /** How often it was started again since `up`. */
  restarts: number;
  /** Deaths in a row without 60 s of health in between. */
  failures: number;
  /**
   * What it was told when it was started: salted digests of addresses and of variables by name, and the values of
   * Durabench's own settings (`worker-settings.ts`). No secrets.
   */
  settings?: Readonly<Record<string, string>>;
  /** What the user has to fix before it can start. */
  problem?: Problem;
}

/** Where the embedded servers listen; kept over restarts so that links and settings stay valid. */
export interface StackAddresses {
  /** Carries the password: the file is readable by its owner only, and `status` redacts it. */
  databaseUrl?: string;
  temporalPort?: number;
  temporalUiPort?: number;
}

/** `<state>/stack.json`, written by the supervisor only. */
export interface StackState {
  format: 1;
  supervisor: ProcessIdentity;
  startedAt: string;
  services: Record<ServiceName, ServiceState>;
  addresses: StackAddresses;
  /**
   * Goes into every digest of `settings`, and nowhere else; kept over restarts. The digest of a short password would be
   * found in a table of all short ones, and equal keys of two projects would show.
   */
  salt: string;
}

/** Every file of a stack, by its state folder. */
export interface StackPaths {
  stateDir: string;
  stateFile: string;
  lockFile: string;
  readyFile: string;
  postgresDir: string;
  temporalDir: string;
  toolsDir: string;
  logFile: (of: ServiceName | 'supervisor') => string;
}

/** Where a stack with this state folder keeps what. */
export function stackPaths(stateDir: string): StackPaths {
  return {
    stateDir,
    stateFile: join(stateDir, 'stack.json'),
    lockFile: join(stateDir, 'supervisor.lock'),
    readyFile: join(stateDir, 'worker.ready.json'),
    postgresDir: join(stateDir, 'postgres'),
    temporalDir: join(stateDir, 'temporal'),
    toolsDir: join(stateDir, 'tools'),
    logFile: (of) => join(stateDir, 'logs', `${of}.log`),
  };
}

/** The last written state; `undefined` when there was never a stack here, or the file is not one of ours. */
export function readStackState(stateDir: string): StackState | undefined {
  const { stateFile } = stackPaths(stateDir);
  if (!existsSync(stateFile)) return undefined;
  try {
    const state = JSON.parse(readFileSync(stateFile, 'utf8')) as StackState;
    return state.format === 1 ? state : undefined;
  } catch {
    return undefined; // cut short by a full disk: it holds nothing that is not found again
  }
}

/** Replaces the state in one step, so that a reader never sees half of it. */
export function writeStackState(stateDir: string, state: StackState): void {
  mkdirSync(stateDir, { recursive: true });
  const { stateFile } = stackPaths(stateDir);
  writeFileSync(`${stateFile}.new`, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${stateFile}.new`, stateFile);
}
