import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import type { SandboxLimits } from '../../../contract/sandbox-limits.js';
import type { WorkspaceEnd } from '../../../contract/sandbox-result.js';
import { DomainFailure } from '../../../domain/failure/domain-failure.js';
import { lossOf } from '../../../domain/limits/workspace-limits.js';
import type { Blobs } from '../../../ports/blobs.js';
import type { SandboxRun } from '../../../ports/sandbox.js';
import { execState, openExec, waitForEnd } from '../engine/exec-stream.js';
import { COMMAND_USER, WORKSPACE_IN_MEMORY_BYTES } from '../sandbox/container-options.js';
import { NOTHING_HELD, readWorkspace, type HeldWorkspace } from './read-workspace.js';
import { restoreWorkspace } from './restore-workspace.js';

/** The workspace of one run in its container. */
export interface WorkspaceRun {
  /** After the run's command. `killed`: null where it ended by itself. `held`: null where the container is of no more use. */
  end: (killed: 'killed' | 'bytes' | null) => Promise<{ end: WorkspaceEnd; held: HeldWorkspace | null }>;
  /** Ends what watches it. */
  stop: () => void;
}

interface WorkspaceParts {
  request: SandboxRun & { workspace: NonNullable<SandboxRun['workspace']> };
  /** What is in the container already. */
  held: HeldWorkspace | undefined;
  limits: SandboxLimits;
  blobs: Blobs;
  /** Called where it becomes too large for its disk. */
  onTooLarge: () => void;
}

/** Has `/work` as the run begins with it. Fails as `restoreWorkspace` does. */
export async function beginWorkspace(container: Docker.Container, parts: WorkspaceParts): Promise<WorkspaceRun> {
  const { request, limits, blobs } = parts;
  const { from } = request.workspace;
  const isOnDisk = limits.workspaceBytes > WORKSPACE_IN_MEMORY_BYTES;
  if (isOnDisk && parts.held === undefined) await inContainer(container, ['chmod', '1777', '/work'], '0:0');
  const before =
    parts.held ?? (from === null ? NOTHING_HELD : await restoreWorkspace(container, { ref: from, limits, blobs }));
  await makeWay(container, Object.keys(request.files ?? {}), before);
  const watch = isOnDisk ? watchSize(container, limits.workspaceBytes, parts.onTooLarge) : () => undefined;
  return {
    stop: watch,
    async end(killed) {
      watch();
      if (killed !== null) return { end: { ref: from, undone: lossOf(killed, limits), stored: [] }, held: null };
      return readWorkspace(container, { before, limits, blobs });
    },
  };
}

/** Files of a run come before what an agent left in their place, or locked. */
async function makeWay(container: Docker.Container, files: readonly string[], { seen }: HeldWorkspace): Promise<void> {
  const [inTheWay, locked] = [new Set<string>(), new Set<string>()];
  for (const path of files) {
    const names = path.split('/');
    for (let depth = 1; depth <= names.length; depth += 1) {
      const part = names.slice(0, depth).join('/');
      const found = seen.get(part);
      if (found === undefined) break;
      if (found.kind !== 'folder' || depth === names.length) inTheWay.add(part);
      else if ((found.mode & 0o700) !== 0o700) locked.add(part);
      if (found.kind !== 'folder') break;
    }
  }
  if (inTheWay.size + locked.size === 0) return;
  const script =
    'cd /work; count=$1; shift; while [ "$count" -gt 0 ]; do chmod u+rwx "./$1"; shift; count=$((count - 1)); done; for each; do rm -rf "./$each"; done';
  await inContainer(container, ['sh', '-c', script, 'way', String(locked.size), ...locked, ...inTheWay], COMMAND_USER);
}

async function inContainer(container: Docker.Container, command: readonly string[], user: string): Promise<void> {
  let words = '';
  const take = (chunk: Buffer): void => void (words = (words + chunk.toString('utf8')).slice(-500));
  const opened = await openExec(container, { command, env: {}, user }, { stdout: take, stderr: take });
  opened.input.end();
  await waitForEnd(opened);
  if ((await execState(opened.exec)).exitCode !== 0)
    throw new DomainFailure('sandbox.lost', `a workspace could not be made ready: ${words}`);
}

/** The engine measures all its volumes for it: seconds, on an engine with many. */
const WATCH_PAUSE_MS = 3_000;

/** From outside, where nothing in the container can lie about it. */
function watchSize(container: Docker.Container, most: number, onTooLarge: () => void): () => void {
  const control = new AbortController();
  const { signal } = control;
  const watch = async (): Promise<void> => {
    const { Mounts: mounts } = await container.inspect();
    const name = mounts.find(({ Destination: path }) => path === '/work')?.Name;
    while (!signal.aborted) {
      const bytes = await volumeBytes(container, name).catch(() => null);
      if (bytes !== null && bytes > most && !signal.aborted) return onTooLarge();
      await sleep(WATCH_PAUSE_MS, undefined, { signal, ref: false });
    }
  };
  void watch().catch(() => undefined);
  return () => control.abort();
}

interface DiskUse {
  Volumes: { Name: string; UsageData?: { Size: number } | null }[] | null;
}

/** What is used of the client below dockerode, whose types lack it. */
interface Dialer {
  dial(call: object, callback: (error: Error | null, result: unknown) => void): void;
}

async function volumeBytes(container: Docker.Container, name: string | undefined): Promise<number | null> {
  const modem = container.modem as Dialer;
  const call = { path: '/system/df?type=volume', method: 'GET', statusCodes: { 200: true, 500: 'server error' } };
  const used = await new Promise<DiskUse>((resolve, reject) => {
    modem.dial(call, (error, result) => (error === null ? resolve(result as DiskUse) : reject(error)));
  });
  return used.Volumes?.find((volume) => volume.Name === name)?.UsageData?.Size ?? null;
}
