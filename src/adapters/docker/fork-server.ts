import { randomBytes } from 'node:crypto';
import type Docker from 'dockerode';
import { createCapturedBytes } from '../../domain/captured-bytes.js';
import { DomainFailure } from '../../domain/domain-failure.js';
import { notReady, type CommandRequest } from './exec-command.js';
import { exitCodeOf, waitForEnd, openExec, type ExecEnd } from './exec-stream.js';
import { createReadyLine } from './ready-line.js';
import { createUntilToken, type UntilToken } from './until-token.js';

/**
 * A process of a container that runs one command after another, each in a copy of itself. It is believed because it answers: its
 * input and output are this connection, which no command inherits and none can reach, since the process is not dumpable.
 */
export interface ForkServer {
  /** As `execCommand` does. */
  run: (request: CommandRequest) => Promise<ExecEnd>;
  /** It can serve no other run. */
  hasEnded: () => boolean;
  /** Lets go of the connection: its container is to be removed, and an engine that says nothing would keep it open. */
  disconnect: () => void;
}

const TOKEN_BYTES = 16;

/**
 * Starts `SandboxRun.forkServer` in a container, and speaks to it as the port tells. The token comes after the command's input, so
 * that it is read when the command is over, and a command that printed such a line would have to guess it.
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
    const outputs = [createUntilToken(token, ready.push), createUntilToken(token, captured[1].push)] as const;
    [stdout, stderr] = outputs;
    const { cpuSeconds, filesTar } = request;
    opened.input.write(`${JSON.stringify({ command: request.command, cpuSeconds, filesBytes: filesTar.length })}\n`);
    opened.input.write(filesTar);
    opened.input.write(request.stdin);
    opened.input.write(`${token}\n`);
    await waitForEnd(opened, Promise.all(outputs.map(({ come }) => come)));
    for (const output of outputs) output.flush();
    const end = outputs[1].end() === null ? null : outputs[0].end();
    const exitCode = end?.status ?? (await exitCodeOf(opened.exec));
    if (!ready.hasCome() && exitCode !== null) throw notReady(captured[1].result().bytes);
    return { exitCode, stdout: captured[0].result(), stderr: captured[1].result(), spent: end?.goesOn !== true };
  }

  return { run, hasEnded: opened.hasEnded, disconnect: () => void opened.input.destroy() };
}
