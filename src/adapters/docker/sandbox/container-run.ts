import type { RunEvidence, RunKill } from '../../../contract/run-evidence.js';
import type { SandboxLimits } from '../../../contract/sandbox-limits.js';
import type { CapturedOutput, SandboxResult, TakenFiles } from '../../../contract/sandbox-result.js';
import { endOf, KILLED, statusOf, type RunEnd } from '../../../domain/failure/run-ends.js';
import { RunLost } from '../../../domain/failure/run-lost.js';
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
  { limits, packageRoot }: { limits: SandboxLimits; packageRoot: string },
): Promise<{ result: SandboxResult; healthy: boolean }> {
  const { container } = pooled;
  const killer = createContainerKiller(container);
  const onAbort = (): void => killer.kill('abort');
  request.signal.addEventListener('abort', onAbort, { once: true });
  const filesTar = await packTar(request.files ?? {});
  const clock = startRunClock(pooled, limits, killer.kill);
  let doors: OpenDoors | null = null;
  const finishing: Promise<void>[] = [];
  const onFinish = (): void => void finishing.push(endProcesses(container, userOf(pooled).user));
  try {
    if (pooled.hasEngine) await readyEngine(container);
    if (request.doors !== undefined) doors = await openDoors(container, { doors: request.doors, packageRoot });
    const ended = await runCommand(pooled, request, {
      command: request.command,
      filesTar,
      stdin: Buffer.from((request.stdin ?? '') as Uint8Array),
      cpuSeconds: limits.cpuSeconds,
      outputBytes: limits.outputBytes,
      ...userOf(pooled),
      onReady: (cpuSecondsBefore) => {
        clock.onReady(cpuSecondsBefore);
        if (request.finish?.aborted) onFinish();
        request.finish?.addEventListener('abort', onFinish, { once: true });
      },
    })
      .catch((error: unknown): ExecEnd => {
        // Of an engine that says nothing nobody knows whether it has killed.
        if (killer.killedFor() === null || isSilence(error)) throw error;
        return { ready: clock.isReady(), ...UNTOLD };
      })
      // The limit is the command's: what is asked of the container afterwards must find it there.
      .finally(() => {
        clock.end();
        request.finish?.removeEventListener('abort', onFinish);
      });
    await doors?.close();
    doors = null;
    // It ends whatever its user runs, what brings files back among it.
    await Promise.all(finishing);
    request.signal.throwIfAborted();
    const evidence = await gather(pooled, { ended, killer, clock, limits });
    const end = endOf(evidence);
    const asks = end.kind === 'exited' ? request.take : undefined;
    const taken = asks === undefined ? null : await takeFiles(container, { paths: asks, ...userOf(pooled) });
    const result = resultOf(end, { ended, evidence, pooled, taken });
    if (end.kind === 'lost') throw new RunLost(messageOf(end.message, ended), result);
    const healthy = evidence.killed === null && end.kind === 'exited' && !ended.spent;
    return { healthy: healthy && (!pooled.hasEngine || (await sweepEngine(container))), result };
  } finally {
    // Also of what never was ready: its timer would keep a command of the user's from ending.
    clock.end();
    await doors?.close().catch(() => undefined);
    request.signal.removeEventListener('abort', onAbort);
  }
}

/** In the shell that sends it, a signal to all comes to everybody but the shell. */
const END_ALL = 'kill -TERM -1; sleep 5; kill -KILL -1';

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
}

function resultOf(end: RunEnd, { ended, evidence, pooled, taken }: ResultParts): SandboxResult {
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
    workspace: null,
    evidence,
  };
}

/** What makes a run ready (wipes, puts files into `/work`, loads) says on its error output why it could not. */
function messageOf(message: string, { ready, stderr }: ExecEnd): string {
  return ready ? message : `${message}: ${stderr.bytes.toString('utf8').slice(0, 500)}`;
}
