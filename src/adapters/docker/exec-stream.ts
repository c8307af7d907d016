import type { Duplex } from 'node:stream';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import type { CapturedOutput } from '../../ports/sandbox.js';
import { isSilence } from './call-limits.js';
import { COMMAND_USER } from './container-options.js';

/** What is used of the connection below dockerode, which has no types for it. */
interface Demultiplexer {
  demuxStream(stream: NodeJS.ReadableStream, stdout: NodeJS.WritableStream, stderr: NodeJS.WritableStream): void;
}

/** A command that has ended by itself, or whose container was killed under it. */
export interface ExecEnd {
  /** Null when the container is gone or was killed. */
  exitCode: number | null;
  stdout: CapturedOutput;
  stderr: CapturedOutput;
  /** True when the container can serve no other run: something the command left behind holds its output, or ended what serves. */
  spent: boolean;
}

/** A process in a running container, started from outside, and the connection that carries its input and output. */
export interface ExecStream {
  exec: Docker.Exec;
  input: Duplex;
  /** Resolves when nobody in the container holds its output any more. */
  ended: Promise<void>;
  hasEnded: () => boolean;
}

/** How often a command whose output stays open is asked whether it has ended. */
const HELD_POLL_MS = 1_000;

/** Starts a process as the user of every command, in `/`. Errors of Docker are thrown as they come. */
export async function openExec(
  container: Docker.Container,
  { command, env }: { command: readonly string[]; env: Record<string, string> },
  take: { stdout: (chunk: Buffer) => void; stderr: (chunk: Buffer) => void },
): Promise<ExecStream> {
  const exec = await container.exec({
    Cmd: [...command],
    User: COMMAND_USER,
    WorkingDir: '/',
    Env: Object.entries(env).map(([key, value]) => `${key}=${value}`),
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
  });
  const input = await exec.start({ hijack: true, stdin: true });
  // A command need not read its input; what became of it is told by its exit code.
  input.on('error', () => undefined);
  const modem = container.modem as Demultiplexer;
  modem.demuxStream(input, sink(take.stdout), sink(take.stderr));
  let hasEnded = false;
  const ended = new Promise<void>((resolve) => {
    for (const event of ['end', 'close', 'error']) input.once(event, resolve);
  }).then(() => void (hasEnded = true));
  return { exec, input, ended, hasEnded: () => hasEnded };
}

function sink(take: (chunk: Buffer) => void): PassThrough {
  const target = new PassThrough();
  target.on('data', take);
  return target;
}

/**
 * Waits until both outputs have ended, or `enough` has come, or only something left behind holds them open: then the connection is
 * given up. @returns whether it was
 */
export async function waitForEnd(
  { exec, input, ended }: ExecStream,
  enough: Promise<unknown> = ended,
): Promise<boolean> {
  let held = false;
  let over = false;
  const end = Promise.race([ended, enough]).then(() => (over = true));
  while (!over) {
    await Promise.race([end, sleep(HELD_POLL_MS, undefined, { ref: false })]);
    if (over) break;
    const running = await exec.inspect().then(
      (state) => state.Running,
      (error: unknown) => {
        // The stream's own end says what became of the container; it never ends where the engine says nothing.
        if (!isSilence(error) || over) return true;
        input.destroy();
        throw error;
      },
    );
    if (!running && held) input.destroy();
    held = !running;
  }
  return held;
}

/** The daemon closes the stream an instant before it knows the exit code. Null where it never says. */
export async function exitCodeOf(exec: Docker.Exec): Promise<number | null> {
  for (let waitMs = 1; waitMs < 2_000; waitMs *= 2) {
    const state = await exec.inspect();
    if (!state.Running) return state.ExitCode ?? null;
    await sleep(waitMs);
  }
  return null;
}
