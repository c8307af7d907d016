import type { Duplex } from 'node:stream';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import { createCapturedBytes } from '../../domain/captured-bytes.js';
import { DomainFailure } from '../../domain/domain-failure.js';
import { isSilence } from './call-limits.js';
import { COMMAND_USER } from './container-options.js';
import type { CapturedOutput } from '../../ports/sandbox.js';

/** What is used of the connection below dockerode, which has no types for it. */
interface Demultiplexer {
  demuxStream(stream: NodeJS.ReadableStream, stdout: NodeJS.WritableStream, stderr: NodeJS.WritableStream): void;
}

/** One command inside a running container. */
export interface ExecRequest {
  container: Docker.Container;
  command: string[];
  env: Record<string, string>;
  /** Tar of the files for `/work`. */
  filesTar: Buffer;
  stdin: Buffer;
  cpuSeconds: number;
  outputBytes: number;
  /** The files are in place and the command starts; with the CPU seconds the container had used before. */
  onReady(cpuSecondsBefore: number): void;
}

/** A command that has ended by itself, or whose container was killed under it. */
export interface ExecEnd {
  /** Null when the container is gone or was killed. */
  exitCode: number | null;
  stdout: CapturedOutput;
  stderr: CapturedOutput;
  /** True when the command ended and something it left behind kept its output open. */
  outputHeld: boolean;
}

/**
 * Wipes what an earlier run left, unpacks the files from the first bytes of stdin, says so, and becomes the command. Nothing hostile
 * runs before the line is out, so a first line of stdout that reads so is ours. `head -c` reads not one byte too many. The number in
 * the line is the CPU time the container has used so far, in nanoseconds (cgroup v1, then v2; 0 where neither is visible).
 */
const PRELUDE = `set -e
wipe() { find /work /tmp /dev/shm -mindepth 1 -delete 2>/dev/null; }
wipe || { find /work /tmp /dev/shm -mindepth 1 -type d -exec chmod u+rwx {} + 2>/dev/null || true; wipe; }
head -c "$2" | tar -xf - -C /work --no-same-owner
{ read -r used </sys/fs/cgroup/cpuacct/cpuacct.usage; } 2>/dev/null ||
{ read -r _ used </sys/fs/cgroup/cpu.stat && used="$used"000; } 2>/dev/null || used=0
ulimit -S -t "$1"; ulimit -H -t "$(($1 + 2))"
cd /work
shift 2
echo "durabench-ready $used"
exec "$@"`;
const READY = /^durabench-ready (\d+)\n/;
const READY_MAX_BYTES = 64;

/** How often a command whose output stays open is asked whether it has ended. */
const HELD_POLL_MS = 1_000;

/** Runs the command to its end. Killing the container (time limit, abort) ends it too; then `exitCode` is null. Errors of Docker are thrown as they come. */
export async function execCommand(request: ExecRequest): Promise<ExecEnd> {
  const exec = await request.container.exec({
    Cmd: [
      'sh',
      '-c',
      PRELUDE,
      'sandbox',
      String(request.cpuSeconds),
      String(request.filesTar.length),
      ...request.command,
    ],
    User: COMMAND_USER,
    WorkingDir: '/',
    Env: Object.entries(request.env).map(([key, value]) => `${key}=${value}`),
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
  });
  const stream = await exec.start({ hijack: true, stdin: true });
  // A command need not read its input; what became of it is told by its exit code.
  stream.on('error', () => undefined);
  const output = readOutput(stream, exec, request);
  stream.write(request.filesTar);
  stream.end(request.stdin);
  const { stdout, stderr, ready, outputHeld } = await output;
  const exitCode = await exitCodeOf(exec);
  if (!ready && exitCode !== null) {
    throw new DomainFailure(
      'sandbox.lost',
      `the files could not be put into /work: ${stderr.bytes.toString('utf8').slice(0, 500)}`,
    );
  }
  return { exitCode, stdout, stderr, outputHeld };
}

interface ExecOutput {
  stdout: CapturedOutput;
  stderr: CapturedOutput;
  ready: boolean;
  outputHeld: boolean;
}

/** Takes Docker's two multiplexed streams apart until both end, or until only something left behind holds them open. */
async function readOutput(stream: Duplex, exec: Docker.Exec, request: ExecRequest): Promise<ExecOutput> {
  const stdout = createCapturedBytes(request.outputBytes);
  const stderr = createCapturedBytes(request.outputBytes);
  let first = Buffer.alloc(0);
  let cpuBefore: number | null = null;
  const takeStdout = (chunk: Buffer): void => {
    if (cpuBefore !== null) return stdout.push(chunk);
    first = Buffer.concat([first, chunk]);
    const line = READY.exec(first.subarray(0, READY_MAX_BYTES).toString('latin1'));
    if (line === null) return;
    cpuBefore = Number(line[1]) / 1e9;
    request.onReady(cpuBefore);
    stdout.push(first.subarray(line[0].length));
  };
  const modem = request.container.modem as Demultiplexer;
  modem.demuxStream(stream, sink(takeStdout), sink(stderr.push));
  let held = false;
  let ended = false;
  const end = new Promise<void>((resolve) => {
    for (const event of ['end', 'close', 'error']) stream.once(event, resolve);
  }).then(() => (ended = true));
  while (!ended) {
    await Promise.race([end, sleep(HELD_POLL_MS, undefined, { ref: false })]);
    if (ended) break;
    const running = await exec.inspect().then(
      (state) => state.Running,
      (error: unknown) => {
        // The stream's own end says what became of the container; it never ends where the engine says nothing.
        if (!isSilence(error) || ended) return true;
        stream.destroy();
        throw error;
      },
    );
    if (!running && held) stream.destroy();
    held = !running;
  }
  return { stdout: stdout.result(), stderr: stderr.result(), ready: cpuBefore !== null, outputHeld: held };
}

function sink(take: (chunk: Buffer) => void): PassThrough {
  const target = new PassThrough();
  target.on('data', take);
  return target;
}

/** The daemon closes the stream an instant before it knows the exit code. */
async function exitCodeOf(exec: Docker.Exec): Promise<number | null> {
  for (let waitMs = 1; waitMs < 2_000; waitMs *= 2) {
    const state = await exec.inspect();
    if (!state.Running) return state.ExitCode ?? null;
    await sleep(waitMs);
  }
  return null;
}
