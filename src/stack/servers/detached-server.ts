import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lastLines, openLog } from '../supervisor/child-log.js';
import { choosePort, isPortOpen } from './ports.js';
import { identifyProcess, isAlive, type ProcessIdentity } from '../supervisor/process-identity.js';
import { endProcess } from '../supervisor/stop-services.js';
import { waitUntil } from '../wait-until.js';

const START_TIMEOUT_MS = 20_000;

/** What `<state>/NAME.json` says of a command that serves on after the one that started it. */
interface DetachedServer {
  process: ProcessIdentity;
  port: number;
  /** What it serves; whoever wants something else needs another one. */
  of: string;
}

/** The server of this name that a command of this state folder has started and that lives; undefined where there is none. */
export function detachedServer(stateDir: string, name: string): DetachedServer | undefined {
  try {
    const server = JSON.parse(readFileSync(stateFile(stateDir, name), 'utf8')) as DetachedServer;
    return isAlive(server.process) ? server : undefined;
  } catch {
    return undefined; // none was started, or its file was cut short: nothing in it is not found again
  }
}

/**
 * Starts a command that serves on a loopback port, detached, so that it goes on when this one is gone. `durabench down`
 * ends it.
 * @param args of the command, for a port
 * @returns its port, or the last lines of its log where it did not start
 */
export async function startDetachedServer(parts: {
  stateDir: string;
  packageRoot: string;
  name: string;
  /** Ports that are tried first. */
  preferred: readonly number[];
  of: string;
  args: (port: number) => string[];
  variables?: Record<string, string>;
}): Promise<{ port: number } | { said: string[]; logFile: string }> {
  const { stateDir, packageRoot, name, preferred, of, args, variables } = parts;
  const port = await choosePort({ preferred, seed: `${name} ${stateDir}` });
  const logFile = join(stateDir, 'logs', `${name}.log`);
  const log = openLog(logFile);
  const child = spawn(process.execPath, [join(packageRoot, 'bin', 'durabench.js'), ...args(port)], {
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
    ...(variables && { env: variables }),
  });
  child.on('error', () => undefined); // no pid below says the same
  log.close();
  child.unref();
  const identity = child.pid === undefined ? undefined : identifyProcess(child.pid);
  if (identity !== undefined) {
    const server: DetachedServer = { process: identity, port, of };
    writeFileSync(stateFile(stateDir, name), `${JSON.stringify(server, null, 2)}\n`);
    const answer = await waitUntil(async () => !isAlive(identity) || (await isPortOpen(port)), {
      timeoutMs: START_TIMEOUT_MS,
      intervalMs: 50,
    });
    if (answer === true && isAlive(identity)) return { port };
    await stopDetachedServer(stateDir, name);
  }
  return { said: lastLines(logFile, 3), logFile };
}

/** Names of those whose name begins so, whether they live or not. */
export function detachedServers(stateDir: string, beginning: string): string[] {
  try {
    return readdirSync(stateDir)
      .filter((file) => file.startsWith(beginning) && file.endsWith('.json'))
      .map((file) => file.slice(0, -'.json'.length));
  } catch {
    return []; // nothing was started in this folder yet
  }
}

/** @returns whether one was running */
export async function stopDetachedServer(stateDir: string, name: string): Promise<boolean> {
  const server = detachedServer(stateDir, name);
  rmSync(stateFile(stateDir, name), { force: true });
  if (server === undefined) return false;
  await endProcess(server.process, { signal: 'SIGTERM', graceMs: 3_000 });
  return true;
}

const stateFile = (stateDir: string, name: string): string => join(stateDir, `${name}.json`);
