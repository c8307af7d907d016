import type { Duplex } from 'node:stream';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import type { RunEvidence } from '../../../contract/run-evidence.js';
import type { CapturedOutput } from '../../../contract/sandbox-result.js';
import { isSilence } from './call-limits.js';
import { COMMAND_USER } from '../sandbox/container-options.js';

/** What is used of the connection below dockerode, which has no types for it. */
interface Demultiplexer {
  demuxStream(stream: NodeJS.ReadableStream, stdout: NodeJS.WritableStream, stderr: NodeJS.WritableStream): void;
}

/** What is known of a command when its connection says no more: it ended by itself, its container was killed under it, or neither. */
export interface ExecEnd extends Pick<RunEvidence, 'ready' | 'served' | 'exec'> {
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
  /** Bytes that have come so far. */
  received: () => number;
  hasEnded: () => boolean;
}

/** How often a command whose output stays open is asked whether it has ended. */
const HELD_POLL_MS = 1_000;
/** Output that stays open after so many answers that it has, and in which nothing has come meanwhile, is held by what was left behind. */
const QUIET_POLLS = 2;
/** The same, whatever still comes: what was left behind may write for ever. */
const MOST_POLLS = 15;
/** A daemon closes the stream an instant before it knows the exit code; a busy one, long before. */
const EXIT_CODE_MS = 4_000;

/** Starts a process in `/`, as the user of every command where no other is named. Errors of Docker are thrown as they come. */
export async function openExec(
  container: Docker.Container,
  { command, env, user = COMMAND_USER }: { command: readonly string[]; env: Record<string, string>; user?: string },
  take: { stdout: (chunk: Buffer) => void; stderr: (chunk: Buffer) => void },
): Promise<ExecStream> {
  const exec = await container.exec({
    Cmd: [...command],
    User: user,
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
  let received = 0;
  const counted = (take: (chunk: Buffer) => void) => (chunk: Buffer) => {
    received += chunk.length;
    take(chunk);
  };
  modem.demuxStream(input, sink(counted(take.stdout)), sink(counted(take.stderr)));
  let hasEnded = false;
  const ended = new Promise<void>((resolve) => {
    for (const event of ['end', 'close', 'error']) input.once(event, resolve);
  }).then(() => void (hasEnded = true));
  return { exec, input, ended, received: () => received, hasEnded: () => hasEnded };
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
  { exec, input, ended, received }: ExecStream,
  enough: Promise<unknown> = ended,
): Promise<boolean> {
  let [polls, quietPolls, before] = [0, 0, received()];
  let over = false;
  const end = Promise.race([ended, enough]).then(() => (over = true));
  for (;;) {
    await Promise.race([end, sleep(HELD_POLL_MS, undefined, { ref: false })]);
    if (over) return polls > 0;
    const running = await exec.inspect().then(
      (state) => state.Running,
      (error: unknown) => {
        // The stream's own end says what became of the container; it never ends where the engine says nothing.
        if (!isSilence(error) || over) return true;
        input.destroy();
        throw error;
      },
    );
    polls = running ? 0 : polls + 1;
    quietPolls = running || received() > before ? 0 : quietPolls + 1;
    before = received();
    if (quietPolls >= QUIET_POLLS || polls >= MOST_POLLS) input.destroy();
  }
}

/** What the engine says of it once it no longer runs; of one that still does, after a while, that it does. */
export async function execState(exec: Docker.Exec): Promise<NonNullable<RunEvidence['exec']>> {
  const patience = performance.now() + EXIT_CODE_MS;
  for (let waitMs = 1; ; waitMs *= 2) {
    const { Running: running, ExitCode: exitCode } = await exec.inspect();
    if (!running || performance.now() > patience) return { running, exitCode: exitCode ?? null };
    await sleep(waitMs);
  }
}
