/**
 * The environment, read once and typed. The only file of the repository that reads `process.env` (a lint rule), so
 * this page is the complete list of what can be set from outside.
 */
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { loadClientConfigProfile, toClientOptions, type ClientConnectConfig } from '@temporalio/envconfig';
import type { Problem } from '../contract/problem.js';
import { plainVariables } from '../domain/program-variables.js';
import { MINIMUM_FREE_BYTES } from '../domain/limits/sandbox-limits.js';
import { systemWords } from '../domain/failure/system-words.js';
import { UserError } from '../domain/failure/user-error.js';

/** A bag of variables, as `process.env` is. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** A Temporal server somebody else runs, as Temporal's standard environment or configuration file describes it. */
export interface TemporalEnvironment {
  /** host:port */
  address: string;
  /** Namespace to work in; `undefined` when the user named none (Durabench then uses and registers its own). */
  namespace: string | undefined;
  /** Address, TLS, API key and metadata, ready for `Connection.connect` and `NativeConnection.connect`. */
  connectionOptions: ClientConnectConfig['connectionOptions'];
}

/** Log levels pino knows. */
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
/** One of {@link LOG_LEVELS}. */
type LogLevel = (typeof LOG_LEVELS)[number];

/** Everything Durabench takes from the environment. Paths are absolute. */
export interface Environment {
  /** The folder that relative paths start at. */
  cwd: string;
  /** The folder a project is: nearest parent with `.durabench`, else with `.git` or `package.json`, else the cwd. */
  projectRoot: string;
  /** DURABENCH_HOME, else `<projectRoot>/.durabench`: Postgres data, Temporal database, logs, blobs, reports. */
  stateDir: string;
  /** DURABENCH_CACHE, else `$XDG_CACHE_HOME/durabench`, else `~/.cache/durabench`: downloads that projects share. */
  cacheDir: string;
  /** DURABENCH_BLOBS, else `<stateDir>/blobs`. */
  blobsDir: string;
  /** DATABASE_URL: a Postgres database to use instead of the embedded one. Carries a password: never print it. */
  databaseUrl: string | undefined;
  /** Set when TEMPORAL_ADDRESS or a Temporal profile names a server; then no dev server is started. */
  temporal: TemporalEnvironment | undefined;
  /** DURABENCH_TEMPORAL_UI: base address of the Web UI of an external server, without trailing slash. */
  temporalUi: string | undefined;
  /**
   * DURABENCH_TEMPORAL_PORT and DURABENCH_UI_PORT, default 7233 and 8233: what the built-in server listens on in a new
   * project, unless somebody else does; later it keeps what it had.
   */
  temporalPorts: { port: number; uiPort: number };
  /** DURABENCH_MIN_FREE_GIB, default 2: with less free disk no sandbox run is admitted. */
  minimumFreeBytes: number;
  /** DURABENCH_CANCEL_SECONDS, default 27: how long `cancel` takes at most; what is left then ends without it. */
  cancelSeconds: number;
  /** DURABENCH_READY_FILE: where the worker writes `{pid, startedAt, instance}` once it polls. Set by the supervisor. */
  readyFile: string | undefined;
  /** DURABENCH_LOG_LEVEL, default `info`. */
  logLevel: LogLevel;
  /** NO_COLOR is set (any value but the empty one, https://no-color.org). */
  noColor: boolean;
  /** DOCKER_HOST, for messages; the Docker client reads its own variables. */
  dockerHost: string | undefined;
  /** Any variable by name: the keys that campaign files name (`api_key_env`). `undefined` when absent or empty. */
  variable: (name: string) => string | undefined;
  /** Everything, for child processes to inherit. Holds secrets: never print or log it. */
  variables: Variables;
}

/** Where a worker says that it is ready, or why it cannot begin; known even where the rest of the environment is wrong. */
export const readyFileNamed = (variables: Variables = process.env): string | undefined =>
  variables.DURABENCH_READY_FILE?.trim() || undefined;

/** How this program was called, for commands that are printed: `npx durabench` works where `durabench` is not on the PATH. */
export const calledBy = (variables: Variables = process.env): 'npx' | 'path' =>
  variables.npm_command === 'exec' && /^'?durabench\b/.test(variables.npm_lifecycle_script ?? '') ? 'npx' : 'path';

/**
 * Reads and checks the environment.
 * @throws UserError listing all problems
 */
export function readEnvironment(given: Variables = process.env, cwd: string = process.cwd()): Environment {
  const problems: Problem[] = [];
  const projectRoot = findProjectRoot(cwd);
  const variables = { ...given, ...readDotEnv(projectRoot, given, problems) };
  // A campaign file names its key variables: one called `constructor` is not set because every object has one.
  const variable = (name: string): string | undefined =>
    (Object.hasOwn(variables, name) && variables[name]?.trim()) || undefined;
  const path = (name: string, fallback: string): string => resolve(cwd, variable(name) ?? fallback);
  const stateDir = path('DURABENCH_HOME', join(projectRoot, '.durabench'));
  const home = variable('HOME') ?? homedir();
  const environment: Environment = {
    cwd,
    projectRoot,
    stateDir,
    cacheDir: path('DURABENCH_CACHE', join(variable('XDG_CACHE_HOME') ?? join(home, '.cache'), 'durabench')),
    blobsDir: path('DURABENCH_BLOBS', join(stateDir, 'blobs')),
    databaseUrl: readUrl('DATABASE_URL', ['postgres:', 'postgresql:'], variable, problems),
    temporal: readTemporal(variables, problems),
    temporalUi: readUrl('DURABENCH_TEMPORAL_UI', ['http:', 'https:'], variable, problems)?.replace(/\/+$/, ''),
    temporalPorts: {
      port: readPort('DURABENCH_TEMPORAL_PORT', 7233, variable, problems),
      uiPort: readPort('DURABENCH_UI_PORT', 8233, variable, problems),
    },
    minimumFreeBytes: readMinimumFree(variable, problems),
    cancelSeconds: readCancelSeconds(variable, problems),
    readyFile: variable('DURABENCH_READY_FILE'),
    logLevel: readLogLevel(variable, problems),
    noColor: variable('NO_COLOR') !== undefined,
    dockerHost: variable('DOCKER_HOST'),
    variable,
    variables,
  };
  if (problems.length > 0) throw new UserError('usage', problems);
  return environment;
}

/** Other programs and libraries read these of their own process: from a file they would reach some of them and not others. */
const NOT_FROM_FILES = /^(DOCKER_.*|NODE_.*|LD_.*|DYLD_.*|npm_.*|.*_proxy|PATH|HOME|SHELL|USER|TMPDIR)$/i;

/** What `.env` of the project sets and the environment does not; empty words in the environment are none. */
function readDotEnv(projectRoot: string, given: Variables, problems: Problem[]): Variables {
  const file = join(projectRoot, '.env');
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'EISDIR')
      problems.push({
        message: `${file} cannot be read: ${systemWords(error)}.`,
        fix: `chmod u+r ${file}, or remove it`,
      });
    return {};
  }
  const entries = Object.entries(parseEnv(text)).filter(([name]) => !NOT_FROM_FILES.test(name));
  return Object.fromEntries(entries.filter(([name]) => !given[name]?.trim()));
}

/** Inherited variables with some set or (by `undefined`) removed: what a child process is started with. */
export function childVariables(inherited: Variables, changes: Variables): Record<string, string> {
  const merged = Object.entries({ ...inherited, ...changes });
  return Object.fromEntries(merged.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/** What a server of the stack is started with: of the environment only what any program needs, so no provider key. */
export function serverVariables(inherited: Variables = process.env): Record<string, string> {
  return plainVariables((name) => inherited[name]);
}

function findProjectRoot(cwd: string): string {
  const parents = [cwd];
  while (dirname(parents.at(-1)!) !== parents.at(-1)) parents.push(dirname(parents.at(-1)!));
  const withAny = (names: string[]): string | undefined =>
    parents.find((folder) => names.some((name) => existsSync(join(folder, name))));
  return withAny(['.durabench']) ?? withAny(['.git', 'package.json']) ?? cwd;
}

function readTemporal(variables: Variables, problems: Problem[]): TemporalEnvironment | undefined {
  const given = childVariables(variables, {});
  try {
    const profile = loadClientConfigProfile({ overrideEnvVars: given });
    if (!profile.address) return undefined;
    if (!/^[^\s/]+:\d{1,5}$/.test(profile.address)) {
      problems.push({
        message: `TEMPORAL_ADDRESS (or the address of the Temporal profile) is "${profile.address}".`,
        expected: 'host:port, without http:// and without a path',
        fix: 'Set it like TEMPORAL_ADDRESS=127.0.0.1:7233, or unset it to use the built-in server.',
      });
      return undefined;
    }
    const { connectionOptions } = toClientOptions(profile);
    return { address: profile.address, namespace: profile.namespace, connectionOptions };
  } catch (error) {
    problems.push({
      message: `The Temporal settings could not be read: ${error instanceof Error ? error.message : String(error)}`,
      expected: 'the TEMPORAL_* variables and temporal.toml as Temporal documents them (environment configuration)',
      fix: 'Correct or unset TEMPORAL_CONFIG_FILE, TEMPORAL_PROFILE and TEMPORAL_TLS*; without them the built-in server is used.',
    });
    return undefined;
  }
}

function readUrl(
  name: string,
  protocols: readonly string[],
  variable: Environment['variable'],
  problems: Problem[],
): string | undefined {
  const text = variable(name);
  if (text === undefined || (URL.canParse(text) && protocols.includes(new URL(text).protocol))) return text;
  problems.push({
    // The value is not quoted: a mistyped DATABASE_URL still holds its password.
    message: `${name} is not an address Durabench can use.`,
    expected: `a URL that begins with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
    fix: `Correct ${name}, or unset it to use the built-in server.`,
  });
  return undefined;
}

function readPort(name: string, usual: number, variable: Environment['variable'], problems: Problem[]): number {
  const text = variable(name) ?? String(usual);
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port >= 1 && port <= 65_535) return port;
  problems.push({
    message: `${name} is "${text}".`,
    expected: 'a port, 1 to 65535',
    fix: `Correct it, or unset it for ${usual}.`,
  });
  return usual;
}

function readCancelSeconds(variable: (name: string) => string | undefined, problems: Problem[]): number {
  const text = variable('DURABENCH_CANCEL_SECONDS');
  if (text === undefined) return 27;
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  problems.push({
    message: `DURABENCH_CANCEL_SECONDS is "${text}".`,
    expected: 'a whole number of seconds from 1 to 9999',
    fix: 'DURABENCH_CANCEL_SECONDS=27',
  });
  return 27;
}

function readMinimumFree(variable: Environment['variable'], problems: Problem[]): number {
  const text = variable('DURABENCH_MIN_FREE_GIB');
  if (text === undefined) return MINIMUM_FREE_BYTES;
  if (/^\d{1,7}(\.\d{1,3})?$/.test(text)) return Number(text) * 1024 ** 3;
  problems.push({
    message: `DURABENCH_MIN_FREE_GIB is "${text}".`,
    expected: 'a number of GiB, as 2 or 0.5',
    fix: 'Correct it, or unset it for 2.',
  });
  return MINIMUM_FREE_BYTES;
}

function readLogLevel(variable: Environment['variable'], problems: Problem[]): LogLevel {
  const text = variable('DURABENCH_LOG_LEVEL') ?? 'info';
  const level = LOG_LEVELS.find((known) => known === text.toLowerCase());
  if (level !== undefined) return level;
  problems.push({
    message: `DURABENCH_LOG_LEVEL is "${text}".`,
    expected: `${LOG_LEVELS.join(', ')}`,
    fix: 'Set one of them, or unset it for info.',
  });
  return 'info';
}
