import type { SandboxLimits } from '../../contract/sandbox-limits.js';
import { DomainFailure } from '../../domain/domain-failure.js';
import type { CapturedOutput, SandboxResult, SandboxRun } from '../../ports/sandbox.js';
import { isSilence } from './call-limits.js';
import { createContainerKiller } from './container-killer.js';
import type { PooledContainer } from './container-pool.js';
import { execCommand, type CommandRequest } from './exec-command.js';
import type { ExecEnd } from './exec-stream.js';
import { startForkServer } from './fork-server.js';
import { judgeEnd } from './run-end.js';
import { packTar } from './tar-archive.js';
import { startWallLimit } from './wall-limit.js';

const NOTHING: CapturedOutput = { bytes: Buffer.alloc(0), truncated: false, totalBytes: 0 };

/** One command in a container that is ready for it, with the wall limit enforced from outside by killing the container. */
export async function runInContainer(
  pooled: PooledContainer,
  request: SandboxRun,
  limits: SandboxLimits,
): Promise<{ result: SandboxResult; healthy: boolean }> {
  const { container } = pooled;
  const killer = createContainerKiller(container);
  const onAbort = (): void => killer.kill('abort');
  request.signal.addEventListener('abort', onAbort, { once: true });
  const filesTar = await packTar(request.files ?? {});
  let cpuBefore: number | null = null;
  const startedAt = performance.now();
  const endWallLimit = startWallLimit(limits.wallSeconds, (reason) => killer.kill(reason));
  try {
    const ended = await runCommand(pooled, request, {
      command: request.command,
      filesTar,
      stdin: Buffer.from((request.stdin ?? '') as Uint8Array),
      cpuSeconds: limits.cpuSeconds,
      outputBytes: limits.outputBytes,
      onReady: (seconds) => (cpuBefore = seconds),
    })
      .catch((error: unknown) => {
        // Of an engine that says nothing nobody knows whether it has killed.
        if (killer.killedFor() === null || isSilence(error)) throw error;
        return null;
      })
      // The limit is the command's: what is asked of the container afterwards must find it there.
      .finally(endWallLimit);
    const wallSeconds = (performance.now() - startedAt) / 1000;
    request.signal.throwIfAborted();
    if (killer.killedFor() === 'stall') {
      throw new DomainFailure('sandbox.lost', 'this process stood still while the wall limit of its command passed');
    }
    const verdict = await judgeEnd(container, ended, killer.killedFor() === 'wall');
    const cpuAfter = await killer.cpuSeconds();
    const stopped = verdict.timeLimit !== null || verdict.outOfMemory;
    const result: SandboxResult = {
      exitCode: stopped ? null : (ended?.exitCode ?? null),
      timedOut: verdict.timeLimit !== null,
      ...verdict,
      stdout: ended?.stdout ?? NOTHING,
      stderr: ended?.stderr ?? NOTHING,
      wallSeconds,
      cpuSeconds: cpuAfter === null || cpuBefore === null ? null : cpuAfter - cpuBefore,
      container: pooled.runs === 0 ? 'fresh' : 'pooled',
      imageId: pooled.imageId,
    };
    return { healthy: killer.killedFor() === null && !stopped && ended?.spent === false, result };
  } finally {
    request.signal.removeEventListener('abort', onAbort);
  }
}

/** By the container's fork server where the request has one, which its first run starts. */
async function runCommand(pooled: PooledContainer, run: SandboxRun, command: CommandRequest): Promise<ExecEnd> {
  const env = run.env ?? {};
  if (run.forkServer === undefined) return execCommand(pooled.container, env, command);
  pooled.forkServer ??= await startForkServer(pooled.container, env, run.forkServer);
  return pooled.forkServer.run(command);
}
