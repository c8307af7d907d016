import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { childVariables, type Environment, type Variables } from '../../config/env.js';
import type { Problem } from '../../contract/problem.js';
import { openLog } from './child-log.js';
import { codeDigest } from '../code-digest.js';
import { identifyProcess, isAlive } from './process-identity.js';
import type { Service, StackParts } from './service.js';
import { temporalServer } from '../services.js';
import { digest, settingChanges, workerSettings, type SettingChange } from './worker-settings.js';
import { readStackState, type StackAddresses, type StackPaths } from '../stack-state.js';

/** The exit status of a worker that was told something it cannot work with; its ready file says what. */
const NOT_READY = 5;

/** The worker as a member of the stack: told where the servers are, and up when it has written its ready file. */
export function workerService({ environment, paths, addresses, salt, workerCommand, needs }: StackParts): Service {
  const logFile = paths.logFile('worker');
  const variables = (): Variables => workerVariables(environment, paths, addresses);
  const inherited = variableDigests(environment.variables, salt);
  const settings = workerSettings(environment, salt);
  // Of the moment this supervisor begins: a build under its feet must not end a worker in the middle of it.
  const code = codeDigest(workerCommand ?? []);
  let exitStatus: number | null = null;
  return {
    name: 'worker',
    mode: workerCommand ? 'embedded' : 'off',
    after: ['postgres', 'temporal'],
    start: async () => {
      rmSync(paths.readyFile, { force: true });
      exitStatus = null;
      const [program = process.execPath, ...argv] = workerCommand ?? [];
      const log = openLog(logFile);
      const env = childVariables(environment.variables, variables());
      const child = spawn(program, argv, { detached: true, stdio: ['ignore', log.fd, log.fd], env });
      child.once('exit', (status) => (exitStatus = status));
      child.on('error', () => undefined); // no pid below says the same
      log.close();
      child.unref();
      const identity = child.pid === undefined ? undefined : identifyProcess(child.pid);
      if (!identity) throw new Error(`the worker (${program}) ended at once; see ${logFile}`);
      return identity;
    },
    isReady: async (process) => process !== undefined && readyPid(paths.readyFile) === process.pid,
    lastProblem: () => (exitStatus === NOT_READY ? toldProblems(paths.readyFile)[0] : undefined),
    describe: () => 'polling',
    settings: () => ({ ...inherited, ...settings, servers: digest(JSON.stringify(variables()), salt), code }),
    decisive: ['servers', 'code', ...Object.keys(settings), ...needs],
  };
}

/** Why the worker that runs would be started again by a command with this environment. */
export interface WorkerChanges {
  /** Its code is not what is built now. */
  isCodeOld: boolean;
  /** Keys it does not have, or has with another value: exported after `up`. */
  keys: string[];
  settings: SettingChange[];
}

/** @returns null when no worker of this stack runs */
export function workerChanges(
  environment: Environment,
  parts: { workerCommand: readonly string[]; needs: readonly string[] },
): WorkerChanges | null {
  const state = readStackState(environment.stateDir);
  const worker = state?.services.worker;
  if (worker?.mode !== 'embedded' || !worker.process || !isAlive(worker.process)) return null;
  const [before, salt] = [worker.settings ?? {}, state?.salt ?? ''];
  const now = variableDigests(environment.variables, salt);
  return {
    isCodeOld: before.code !== codeDigest(parts.workerCommand),
    keys: parts.needs.filter((name) => before[name] !== now[name]),
    settings: settingChanges(before, workerSettings(environment, salt)),
  };
}

function variableDigests(variables: Variables, salt: string): Record<string, string> {
  const entries = Object.entries(variables).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return Object.fromEntries(entries.map(([name, value]) => [name, digest(value, salt)]));
}

/** What a worker is told: the embedded servers, and where to say that it is ready. */
function workerVariables(environment: Environment, paths: StackPaths, addresses: StackAddresses): Variables {
  const own = { DURABENCH_HOME: paths.stateDir, DURABENCH_READY_FILE: paths.readyFile };
  const database = { DATABASE_URL: environment.databaseUrl ?? addresses.databaseUrl };
  if (environment.temporal) return { ...own, ...database };
  const { address, namespace, uiUrl } = temporalServer(environment, addresses)!;
  // A key or certificate meant for another server would switch TLS on towards this one.
  const cleared = { TEMPORAL_API_KEY: undefined, TEMPORAL_TLS: undefined, TEMPORAL_PROFILE: undefined };
  const temporal = { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace, DURABENCH_TEMPORAL_UI: uiUrl };
  return { ...own, ...database, ...cleared, ...temporal };
}

function readyPid(readyFile: string): number | undefined {
  try {
    return (JSON.parse(readFileSync(readyFile, 'utf8')) as { pid?: number }).pid;
  } catch {
    return undefined; // not written yet, or half written: asked again
  }
}

/** What a worker that could not begin wrote where it says that it is ready. */
export function toldProblems(readyFile: string): Problem[] {
  try {
    return (JSON.parse(readFileSync(readyFile, 'utf8')) as { problems?: Problem[] }).problems ?? [];
  } catch {
    return []; // it ended before it could write
  }
}
