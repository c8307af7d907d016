import { spawn, type ChildProcess } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { childVariables, type Environment } from '../config/env.js';
import { makeStateFolder } from '../config/state-folder.js';
import { openLog } from './supervisor/child-log.js';
import type { ProcessIdentity } from './supervisor/process-identity.js';
import { ALREADY_SUPERVISED, LET_GO_SIGNAL, runSupervisor } from './supervisor/run-supervisor.js';
import { resolveServices, type Services } from './services.js';
import { absentServer, checkSameServers, checkSlots, failedToStart, otherServer } from './start-problems.js';
import { readStackState, SERVICE_NAMES, stackPaths, type ServiceName, type StackState } from './stack-state.js';
import { endProcess, stopServices } from './supervisor/stop-services.js';
import { lockHolder } from './supervisor/supervisor-lock.js';
import { waitUntil } from './wait-until.js';
import { workerChanges, type WorkerChanges } from './supervisor/worker-service.js';
import { changeText } from './supervisor/worker-settings.js';
import { UserError } from '../domain/failure/user-error.js';

// 120 s is what a worker may need to store the answer of a model call already sent; `down --grace` asks for more
// than this default, which is what a person at a terminal waits for.
const DEFAULT_GRACE_MS = 15_000;
// The CLI's download and pip have limits of their own (5 minutes); everything else takes seconds.
const DEFAULT_START_TIMEOUT_MS = 600_000;
// Deaths in a row after which a first start is given up (1 + 2 s of back-off).
const START_FAILURES = 3;
const POLL_MS = 50;
// A supervisor that is to go leaves at once; one stuck in a download, after a second.
const LET_GO_MS = 5_000;

/** Something that happened while the stack is started or stopped. `text` is ready to print after the service's name. */
export interface StackProgress {
  service: ServiceName;
  text: string;
}

/** How to start a stack. */
export interface StackOptions {
  environment: Environment;
  /** Program and arguments of the worker; default this version's worker; `null` for a stack without one. */
  workerCommand?: readonly string[] | null;
  /**
   * Variables a campaign needs (model keys). A stack that is up with other values for them, with a worker of older code
   * or of other settings, gets a new supervisor, and its worker is started again with today's environment; servers and
   * campaigns are not disturbed.
   */
  needs?: readonly string[];
  /** Give up after this long; default 10 minutes (a first start may have to download the Temporal CLI). */
  timeoutMs?: number;
}

/** A stack that is up. */
export interface StartedStack {
  /** It was up before we were asked. */
  wasUp: boolean;
  services: Services;
  state: StackState;
}

/**
 * Starts the stack detached and waits until all of it serves; attaches when this project's stack is already up, and
 * adopts the servers a killed supervisor left behind. A start that fails leaves nothing running.
 * @throws UserError naming what failed, with the end of its log
 */
export async function startStack(
  options: StackOptions,
  onProgress: (progress: StackProgress) => void = () => undefined,
): Promise<StartedStack> {
  const { environment } = options;
  if (options.workerCommand !== null) checkSlots(environment);
  const paths = stackPaths(environment.stateDir);
  const supervisor = lockHolder(paths.lockFile);
  const wasUp = supervisor !== undefined;
  if (wasUp) checkSameServers(environment);
  const reasons = whyWorkerOutdated(options);
  const isOutdated = reasons.length > 0;
  if (supervisor && isOutdated) onProgress({ service: 'worker', text: `restarting: ${reasons.join('; ')}` });
  if (supervisor && isOutdated) await endProcess(supervisor, { signal: LET_GO_SIGNAL, graceMs: LET_GO_MS });
  const child = wasUp && !isOutdated ? undefined : spawnSupervisor(options);
  try {
    const state = await untilUp({ ...options, child, onProgress });
    return { wasUp, services: resolveServices(environment), state };
  } catch (error) {
    if (!wasUp) await stopStack({ stateDir: environment.stateDir });
    throw error;
  }
}

/**
 * Why a start would replace the worker that runs: older code, keys it lacks, settings that are other ones here. Empty where
 * none runs, and where the environment names other servers than this stack's: that worker is not asked.
 */
export function whyWorkerOutdated(options: StackOptions): string[] {
  const { environment, needs = [] } = options;
  const workerCommand = workerCommandOf(options);
  if (workerCommand === undefined || otherServer(environment) !== undefined) return [];
  const changes = workerChanges(environment, { workerCommand, needs });
  return changes === null ? [] : reasonsOf(changes);
}

function reasonsOf({ isCodeOld, keys, settings }: WorkerChanges): string[] {
  // What an older version wrote down of settings says nothing.
  const named = isCodeOld ? settings.filter(({ values }) => values !== null) : settings;
  const unnamed = keys.map((name) => `${name} is new or another one`);
  return [...(isCodeOld ? ['its code is not the built one'] : []), ...unnamed, ...named.map(changeText)];
}

/** Supervises in this very process until SIGTERM or SIGINT, for containers. @returns the exit status to end with */
export async function superviseInForeground(
  options: StackOptions,
  log: (entry: { service?: string; event: string; detail?: string }) => void,
): Promise<number> {
  const { environment } = options;
  makeStateFolder(environment.stateDir);
  const workerCommand = workerCommandOf(options);
  const needs = options.needs ?? [];
  return runSupervisor({ environment, log, needs, graceMs: DEFAULT_GRACE_MS, ...(workerCommand && { workerCommand }) });
}

/**
 * Ends the stack of a state folder: supervisor, worker, Temporal, Postgres. Asks first; kills what has not ended
 * after `graceMs` (all together; default 15 s). Works too when the supervisor was killed.
 * @returns the members that were running
 */
export async function stopStack(
  options: { stateDir: string; graceMs?: number },
  onProgress: (progress: StackProgress) => void = () => undefined,
): Promise<ServiceName[]> {
  const { stateDir, graceMs = DEFAULT_GRACE_MS } = options;
  const supervisor = lockHolder(stackPaths(stateDir).lockFile);
  if (supervisor) await endProcess(supervisor, { signal: LET_GO_SIGNAL, graceMs: LET_GO_MS });
  const state = readStackState(stateDir);
  if (!state) return [];
  return stopServices(stateDir, state, { graceMs, onProgress: (service, text) => onProgress({ service, text }) });
}

function spawnSupervisor(options: StackOptions): ChildProcess {
  const { environment } = options;
  const isSource = import.meta.url.endsWith('.ts'); // under vitest or tsx, not built
  const entry = fileURLToPath(new URL(`./supervisor/supervisor-main.${isSource ? 'ts' : 'js'}`, import.meta.url));
  const loader = isSource ? ['--import', createRequire(import.meta.url).resolve('tsx')] : [];
  const workerCommand = workerCommandOf(options);
  const needs = options.needs ?? [];
  const given = JSON.stringify({ graceMs: DEFAULT_GRACE_MS, needs, ...(workerCommand && { workerCommand }) });
  makeStateFolder(environment.stateDir);
  const log = openLog(stackPaths(environment.stateDir).logFile('supervisor'));
  const child = spawn(process.execPath, [...loader, entry, given], {
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
    cwd: environment.cwd,
    env: childVariables(environment.variables, { DURABENCH_HOME: environment.stateDir }),
  });
  log.close();
  child.unref();
  return child;
}

function workerCommandOf({ workerCommand }: StackOptions): readonly string[] | undefined {
  if (workerCommand === null) return undefined;
  const built = import.meta.url.endsWith('.ts') ? '../../dist/src/worker/main.js' : '../worker/main.js';
  return workerCommand ?? [process.execPath, fileURLToPath(new URL(built, import.meta.url))];
}

async function untilUp(
  wait: StackOptions & { child: ChildProcess | undefined; onProgress: (progress: StackProgress) => void },
): Promise<StackState> {
  const { stateDir } = wait.environment;
  const said = new Map<ServiceName, string>();
  const state = await waitUntil(
    () => {
      const current = currentState(stateDir);
      if (!current) {
        checkSupervisor(wait.child, stateDir);
        return false;
      }
      for (const name of SERVICE_NAMES) {
        const text = progressText(current, name);
        if (text !== '' && said.get(name) !== text) wait.onProgress({ service: name, text });
        said.set(name, text);
        checkService(current, name, stateDir);
      }
      return SERVICE_NAMES.every((name) => isSettled(current, name)) && current;
    },
    { timeoutMs: wait.timeoutMs ?? DEFAULT_START_TIMEOUT_MS, intervalMs: POLL_MS },
  );
  if (state) return state;
  const last = readStackState(stateDir);
  const late = SERVICE_NAMES.filter((name) => !isSettled(last, name));
  const absent = late.find((name) => last?.services[name].mode === 'external');
  if (absent) throw absentServer(absent, last!.services[absent].detail);
  throw failedToStart(late[0] ?? 'worker', stateDir, 'is not ready in time');
}

/** The state as the living supervisor wrote it; what an earlier one wrote says nothing about now. */
function currentState(stateDir: string): StackState | undefined {
  const holder: ProcessIdentity | undefined = lockHolder(stackPaths(stateDir).lockFile);
  const state = readStackState(stateDir);
  return holder && state?.supervisor.startToken === holder.startToken ? state : undefined;
}

function isSettled(state: StackState | undefined, name: ServiceName): boolean {
  const service = state?.services[name];
  return service?.mode === 'off' || service?.status === 'up';
}

function progressText(state: StackState, name: ServiceName): string {
  const { mode, status, detail } = state.services[name];
  if (mode === 'off' || status === 'stopped') return '';
  return status === 'up' ? `up ${detail}` : detail || status;
}

function checkService(state: StackState, name: ServiceName, stateDir: string): void {
  const { problem, failures } = state.services[name];
  if (problem) throw new UserError('environment', problem);
  if (failures >= START_FAILURES) throw failedToStart(name, stateDir, `ended ${failures} times in a row`);
}

function checkSupervisor(child: ChildProcess | undefined, stateDir: string): void {
  if (child?.exitCode === null || child === undefined) return;
  if (child.exitCode === ALREADY_SUPERVISED) return; // another `up` was faster: its stack is ours too
  throw failedToStart('supervisor', stateDir, `ended with status ${child.exitCode}`);
}
