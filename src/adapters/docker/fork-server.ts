import { randomBytes } from 'node:crypto';
import type Docker from 'dockerode';
import { createCapturedBytes } from '../../domain/captured-bytes.js';
import { DomainFailure } from '../../domain/domain-failure.js';
import { filesRefused, type CommandRequest } from './exec-command.js';
import { exitCodeOf, isHeldAtEnd, openExec, type ExecEnd } from './exec-stream.js';
import { createReadyLine } from './ready-line.js';

/**
 * A process of a container that runs one command after another, each in a copy of itself. It is believed because it answers: its
 * input and output are this connection, which no command inherits and none can reach, since the process is not dumpable.
 */
export interface ForkServer {
  /** As `execCommand` does. */
  run(request: CommandRequest): Promise<ExecEnd>;
  /** It can serve no other run. */
  hasEnded(): boolean;
}

const TOKEN_BYTES = 16;

/**
 * Starts `SandboxRun.forkServer` in a container. For each run it is sent a line of JSON (`command`, `cpuSeconds`, `filesBytes`), the
 * tar for `/work`, the command's input, and a line with a token. It answers with the line `execCommand`'s prelude writes, then come
 * the command's own outputs, and at the end of each of the two a line with the token and the exit status. The token comes after the
 * input, so that it is read when the command is over, and a command that printed such a line would have to guess it.
 */
export async function startForkServer(
  container: Docker.Container,
  env: Record<string, string>,
  command: readonly string[],
): Promise<ForkServer> {
  let stdout: UntilToken | null = null;
  let stderr: UntilToken | null = null;
  const take = { stdout: (chunk: Buffer) => stdout?.push(chunk), stderr: (chunk: Buffer) => stderr?.push(chunk) };
  const opened = await openExec(container, { command, env }, take);

  async function run(request: CommandRequest): Promise<ExecEnd> {
    if (opened.hasEnded()) throw new DomainFailure('sandbox.lost', 'the fork server ended while nothing ran in it');
    const token = randomBytes(TOKEN_BYTES).toString('hex');
    const captured = [createCapturedBytes(request.outputBytes), createCapturedBytes(request.outputBytes)] as const;
    const ready = createReadyLine(request.onReady, captured[0].push);
    const outputs = [untilToken(token, ready.push), untilToken(token, captured[1].push)] as const;
    [stdout, stderr] = outputs;
    const { cpuSeconds, filesTar } = request;
    opened.input.write(`${JSON.stringify({ command: request.command, cpuSeconds, filesBytes: filesTar.length })}\n`);
    opened.input.write(filesTar);
    opened.input.write(request.stdin);
    opened.input.write(`${token}\n`);
    await isHeldAtEnd(opened, Promise.all(outputs.map(({ status }) => status)));
    for (const output of outputs) output.flush();
    const status = outputs[0].hasCome() && outputs[1].hasCome() ? await outputs[0].status : null;
    const exitCode = status ?? (await exitCodeOf(opened.exec));
    if (!ready.hasCome() && exitCode !== null) throw filesRefused(captured[1].result().bytes);
    return { exitCode, stdout: captured[0].result(), stderr: captured[1].result(), spent: status === null };
  }

  return { run, hasEnded: opened.hasEnded };
}

/** One of the two outputs during one run. */
interface UntilToken {
  push(chunk: Buffer): void;
  /** Resolves with the exit status once the line with the token has come. */
  status: Promise<number>;
  hasCome(): boolean;
  /** Hands on what was held back. */
  flush(): void;
}

/** Hands on what comes before the line with the token; as much as may be part of the line is held back. */
function untilToken(token: string, take: (chunk: Buffer) => void): UntilToken {
  const line = new RegExp(`${token} (\\d{1,3})\\n$`);
  const lineBytes = token.length + ' 255\n'.length;
  let held = Buffer.alloc(0);
  let hasCome = false;
  let resolve: (status: number) => void = () => undefined;
  const status = new Promise<number>((settle) => (resolve = settle));

  function push(chunk: Buffer): void {
    held = Buffer.concat([held, chunk]);
    const end = line.exec(held.subarray(-lineBytes).toString('latin1'));
    if (end === null) return release(Math.max(0, held.length - lineBytes + 1));
    release(held.length - end[0].length);
    held = Buffer.alloc(0);
    hasCome = true;
    resolve(Number(end[1]));
  }

  function release(bytes: number): void {
    if (bytes > 0) take(held.subarray(0, bytes));
    held = held.subarray(bytes);
  }

  return { push, status, hasCome: () => hasCome, flush: () => release(held.length) };
}
