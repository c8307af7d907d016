import type { RunEvidence, RunKill } from '../../../contract/run-evidence.js';
import type { SandboxLimits } from '../../../contract/sandbox-limits.js';
import type { CapturedOutput, SandboxResult, TakenFiles, WorkspaceEnd } from '../../../contract/sandbox-result.js';
import { DomainFailure } from '../../../domain/failure/domain-failure.js';
import { endOf, KILLED, statusOf, type RunEnd } from '../../../domain/failure/run-ends.js';
import { RunLost } from '../../../domain/failure/run-lost.js';
import type { Blobs } from '../../../ports/blobs.js';
import type { SandboxRun } from '../../../ports/sandbox.js';
import { isSilence } from '../engine/call-limits.js';
import type Docker from 'dockerode';
import { openDoors, type OpenDoors } from '../doors/open-doors.js';
import { COMMAND_USER } from './container-options.js';
import { createContainerKiller, type ContainerKiller } from './container-killer.js';
import type { PooledContainer } from './container-pool.js';
import { execCommand, type CommandRequest } from '../engine/exec-command.js';
import { openExec, waitForEnd, type ExecEnd } from '../engine/exec-stream.js';
import { startForkServer } from './fork-server.js';
import { askAboutEnd } from './run-end.js';
import { startRunClock, type RunClock } from './run-clock.js';
import { packTar } from '../engine/tar-archive.js';
import { ENGINE_USER, readyEngine, sweepEngine } from '../nested/nested-engine.js';
import type { HeldWorkspace } from '../workspaces/read-workspace.js';
import { beginWorkspace, type WorkspaceRun } from '../workspaces/workspace-run.js';
import { takeFiles } from './take-files.js';

const NOTHING: CapturedOutput = { bytes: Buffer.alloc(0), truncated: false, totalBytes: 0 };
/** Of a connection that broke when the container was killed. */
const UNTOLD = { served: null, exec: null, stdout: NOTHING, stderr: NOTHING, spent: true };

/**
 * One command in a container that is ready for it, with the wall limit enforced from outside by killing the container.
 * @throws RunLost where nobody can tell how it ended
 */
export async function runInContainer(
  pooled: PooledContainer,
  request: SandboxRun,
  { limits, packageRoot, blobs }: { limits: SandboxLimits; packageRoot: string; blobs: Blobs | undefined },
): Promise<{ result: SandboxResult; healthy: boolean; held?: HeldWorkspace }> {
  const { container } = pooled;
  const killer = createContainerKiller(container);
  const onAbort = (): void => killer.kill('abort');
  request.signal.addEventListener('abort', onAbort, { once: true });
  const filesTar = await packTar(request.files ?? {});
  let clock: RunClock | null = null;
  let [doors, workspace]: [OpenDoors | null, WorkspaceRun | null] = [null, null];
  const finishing: Promise<void>[] = [];
  const onFinish = (): void => void finishing.push(endProcesses(container, userOf(pooled).user));
  try {
    workspace = await openWorkspace(pooled, request, { limits, blobs, onTooLarge: () => killer.kill('size') });
    const running = startRunClock(pooled, limits, killer.kill);
    clock = running;
    if (pooled.hasEngine) await readyEngine(container);
    if (request.doors !== undefined) doors = await openDoors(container, { doors: request.doors, packageRoot });
    const ended = await runCommand(pooled, request, {
      command: request.command,
      filesTar,
      stdin: Buffer.from((request.stdin ?? '') as Uint8Array),
      cpuSeconds: limits.cpuSeconds,
      outputBytes: limits.outputBytes,
      keepsWork: workspace !== null,
      ...userOf(pooled),
      onReady: (cpuSecondsBefore) => {
        running.onReady(cpuSecondsBefore);
        request.onStart?.();
        if (request.finish?.aborted) onFinish();
        request.finish?.addEventListener('abort', onFinish, { once: true });
      },
    })
      .catch((error: unknown): ExecEnd => {
        // Of an engine that says nothing nobody knows whether it has killed.
        if (killer.killedFor() === null || isSilence(error)) throw error;
        return { ready: running.isReady(), ...UNTOLD };
      })
      // The limit is the command's: what is asked of the container afterwards must find it there.
      .finally(() => {
        running.end();
        request.finish?.removeEventListener('abort', onFinish);
      });
    await doors?.close();
    doors = null;
    // It ends whatever its user runs, what brings files back among it.
    await Promise.all(finishing);
    request.signal.throwIfAborted();
    const evidence = await gather(pooled, { ended, killer, clock: running, limits });
    const end = endOf(evidence);
    const isKilled = evidence.killed !== null || end.kind !== 'exited';
    const kept =
      end.kind === 'lost'
        ? undefined
        : await workspace?.end(evidence.killed === 'size' ? 'bytes' : isKilled ? 'killed' : null);
    const asks = end.kind === 'exited' && !(isKilled && workspace !== null) ? request.take : undefined;
    const taken = asks === undefined ? null : await takeFiles(container, { paths: asks, ...userOf(pooled) });
    const result = resultOf(end, { ended, evidence, pooled, taken, workspace: kept?.end ?? null });
    if (end.kind === 'lost') throw new RunLost(messageOf(end.message, ended), result);
    // What reads a workspace has ended all that a command left, whatever held its output.
    if (kept !== undefined) return { result, healthy: kept.held !== null, ...(kept.held && { held: kept.held }) };
    const healthy = !isKilled && !ended.spent;
    return { healthy: healthy && (!pooled.hasEngine || (await sweepEngine(container))), result };
  } finally {
    // Also of what never was ready: its timer would keep a command of the user's from ending.
    clock?.end();
    workspace?.stop();
    await doors?.close().catch(() => undefined);
    request.signal.removeEventListener('abort', onAbort);
  }
}

/** @throws DomainFailure `harness.bug` for what no run may ask for */
async function openWorkspace(
  { container, workspace: held }: PooledContainer,
  request: SandboxRun,
  parts: { limits: SandboxLimits; blobs: Blobs | undefined; onTooLarge: () => void },
): Promise<WorkspaceRun | null> {
  const { workspace, engine, forkServer } = request;
  if (workspace === undefined) return null;
  if (engine !== undefined || forkServer !== undefined || parts.blobs === undefined)
    throw new DomainFailure('harness.bug', 'a workspace wants blobs, no engine and no fork server');
  const { limits, blobs, onTooLarge } = parts;
  return beginWorkspace(container, { request: { ...request, workspace }, held, limits, blobs, onTooLarge });
}

/** In the shell that sends it, a signal to all comes to everybody but the shell. */
const END_ALL = "trap 'kill -KILL -1' EXIT; kill -TERM -1; sleep 5";

/** All that the command's user runs; where it cannot be told, the wall limit ends it. */
async function endProcesses(container: Docker.Container, user: string = COMMAND_USER): Promise<void> {
  const take = { stdout: () => undefined, stderr: () => undefined };
  await openExec(container, { command: ['sh', '-c', END_ALL], env: {}, user }, take)
    .then(waitForEnd)
    .catch(() => undefined);
}

/** By the container's fork server where the request has one, which its first run starts. */
async function runCommand(pooled: PooledContainer, run: SandboxRun, command: CommandRequest): Promise<ExecEnd> {
  const env = run.env ?? {};
  if (run.forkServer === undefined) return execCommand(pooled.container, env, command);
  pooled.forkServer ??= await startForkServer(pooled.container, env, run.forkServer);
  return pooled.forkServer.run(command);
}

/** The container is asked where the command's own status says nothing, and nothing else was done to it. */
async function gather(
  { container }: PooledContainer,
  run: { ended: ExecEnd; killer: ContainerKiller; clock: RunClock; limits: SandboxLimits },
): Promise<RunEvidence> {
  const { ready, served, exec } = run.ended;
  const killed = run.killer.killedFor() as RunKill | null;
  const status = statusOf({ served, exec });
  const isUnclear = killed === null && ready && (status === null || status === KILLED);
  const asked = isUnclear ? await askAboutEnd(container) : { container: null, memory: null };
  const clocks = run.clock.read(await run.killer.cpuSeconds());
  return { ready, served, killed, exec, ...asked, limits: run.limits, clocks };
}

/** Nothing where it is the user of every command. */
function userOf({ hasEngine }: PooledContainer): { user?: string } {
  return hasEngine ? { user: ENGINE_USER } : {};
}

interface ResultParts {
  ended: ExecEnd;
  evidence: RunEvidence;
  pooled: PooledContainer;
  taken: TakenFiles | null;
  workspace: WorkspaceEnd | null;
}

function resultOf(end: RunEnd, { ended, evidence, pooled, taken, workspace }: ResultParts): SandboxResult {
  const timeLimit = end.kind === 'cpu' || end.kind === 'wall' ? end.kind : null;
  return {
    exitCode: end.kind === 'exited' ? end.status : null,
    timedOut: timeLimit !== null,
    timeLimit,
    outOfMemory: end.kind === 'memory',
    stdout: ended.stdout,
    stderr: ended.stderr,
    wallSeconds: evidence.clocks.wall,
    cpuSeconds: evidence.clocks.cpu,
    container: pooled.runs === 0 ? 'fresh' : 'pooled',
    imageId: pooled.imageId,
    taken,
    workspace,
    evidence,
  };
}

/** What makes a run ready (wipes, puts files into `/work`, loads) says on its error output why it could not. */
function messageOf(message: string, { ready, stderr }: ExecEnd): string {
  return ready ? message : `${message}: ${stderr.bytes.toString('utf8').slice(0, 500)}`;
}
