import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { childVariables } from '../../config/env.js';
import type { Context } from '../context.js';

/** How a program ended. */
interface CommandEnd {
  /** Null where it could not be started, or was killed. */
  code: number | null;
  /** The last lines it wrote. */
  tail: string;
}

/** A program that runs on by itself. */
export interface Detached {
  pid: number;
  hasEnded(): boolean;
}

/** The machine as an installation sees it. */
export interface Host {
  /** `ID` and `ID_LIKE` of /etc/os-release: `debian`, `ubuntu`; empty where there is none. */
  distribution(): Promise<string[]>;
  isRoot: boolean;
  has(program: string): boolean;
  /** systemd runs: services are started by it. */
  hasServiceManager: boolean;
  run(command: readonly string[]): Promise<CommandEnd>;
  /** Starts a program that outlives this one. Its output goes to the file. */
  startDetached(command: readonly string[], logFile: string): Detached;
}

/** Where dockerd is, and what packages call when they are installed; not on the PATH of a root that `su` made. */
const SYSTEM_FOLDERS = ['/usr/local/sbin', '/usr/sbin', '/sbin'];
const TAIL_LINES = 5;
const LAST_OUTPUT_MS = 200;

/** This machine. What is run has the variables of the command, for proxies and mirrors. */
export function thisHost(context: Context): Host {
  const { variables, variable } = context.environment();
  const named = (variable('PATH') ?? '').split(delimiter).filter((folder) => folder !== '');
  const folders = [...new Set([...named, ...SYSTEM_FOLDERS])];
  const env = childVariables(variables, { DEBIAN_FRONTEND: 'noninteractive', PATH: folders.join(delimiter) });
  return {
    distribution: async () => distributionIn(await readFile('/etc/os-release', 'utf8').catch(() => '')),
    isRoot: process.getuid?.() === 0,
    has: (program) => folders.some((folder) => existsSync(join(folder, program))),
    hasServiceManager: existsSync('/run/systemd/system'),
    run: ([program = '', ...args]) =>
      new Promise((resolve) => {
        const child = spawn(program, args, { env, stdio: ['inherit', 'pipe', 'pipe'] });
        const tail: string[] = [];
        const onLine = (line: string): void => {
          context.notify({ type: 'detail', message: `  ${line}` });
          tail.push(line);
          if (tail.length > TAIL_LINES) tail.shift();
        };
        for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on('line', onLine);
        child.once('error', (error) => resolve({ code: null, tail: error.message }));
        // Not 'close': a service that a package starts keeps the pipes open. What was written last has a moment to arrive.
        child.once('exit', (code) => {
          setTimeout(() => {
            child.stdout.destroy();
            child.stderr.destroy();
            resolve({ code, tail: tail.join('\n') });
          }, LAST_OUTPUT_MS);
        });
      }),
    startDetached: ([program = '', ...args], logFile) => {
      const log = openSync(logFile, 'a');
      const child = spawn(program, args, { env, detached: true, stdio: ['ignore', log, log] });
      closeSync(log);
      let ended = child.pid === undefined;
      child.once('exit', () => (ended = true)).once('error', () => (ended = true));
      child.unref();
      return { pid: child.pid ?? 0, hasEnded: () => ended };
    },
  };
}

/** `ID=ubuntu` and `ID_LIKE="debian"` → ubuntu, debian. */
export function distributionIn(osRelease: string): string[] {
  const named = [...osRelease.matchAll(/^(?:ID|ID_LIKE)=(.*)$/gm)].map(([, value = '']) => value.replace(/["']/g, ''));
  return named.flatMap((value) => value.split(' ')).filter((word) => word !== '');
}
