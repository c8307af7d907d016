import type { LoosenedLimits, SandboxLimits } from '../contract/sandbox-limits.js';

const MIB = 1024 ** 2;

/** How each limit is said, in the units people use. */
const WORDS: { [Name in keyof SandboxLimits]: (value: number) => [what: string, amount: string] } = {
  memoryBytes: (bytes) => ['memory, swap included', `${bytes / MIB} MiB`],
  cpus: (count) => ['processors', String(count)],
  pids: (count) => ['processes and threads', String(count)],
  cpuSeconds: (seconds) => ['processor time of a command', `${seconds} s`],
  wallSeconds: (seconds) => ['time of a command', `${seconds} s`],
  tmpfsBytes: (bytes) => ['/work and /tmp, each', `${bytes / MIB} MiB`],
  fileSizeBytes: (bytes) => ['one file', `${bytes / MIB} MiB`],
  outputBytes: (bytes) => ['captured output, each stream', `${bytes / MIB} MiB`],
  openFiles: (count) => ['open files', String(count)],
  workspaceBytes: (bytes) => ['a workspace', `${bytes / MIB} MiB`],
  workspaceFiles: (count) => ['names in a workspace', String(count)],
  workspaceDepth: (count) => ['folders in folders of a workspace', String(count)],
};

/** One row a limit: what, and how much. */
export function sandboxLimitRows(limits: Readonly<Partial<SandboxLimits>>): [what: string, amount: string][] {
  const names = Object.keys(WORDS) as (keyof SandboxLimits)[];
  return names.flatMap((name) => {
    const value = limits[name];
    return value === undefined ? [] : [WORDS[name](value)];
  });
}

/** One row for each entry of a suite's manifest: what for, and its limits in a sentence. */
export function loosenedRows(loosened: LoosenedLimits): [purpose: string, limits: string][] {
  const sentence = (limits: Readonly<Partial<SandboxLimits>>): string =>
    sandboxLimitRows(limits)
      .map(([what, amount]) => `${what}: ${amount}`)
      .join('; ');
  return Object.entries(loosened).map(([purpose, limits]) => [purpose, sentence(limits)]);
}
