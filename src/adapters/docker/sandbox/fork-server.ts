import { randomBytes } from 'node:crypto';
import type Docker from 'dockerode';
import { createCapturedBytes } from '../../../domain/text/captured-bytes.js';
import { DomainFailure } from '../../../domain/failure/domain-failure.js';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CommandRequest } from '../engine/exec-command.js';
import { execState, waitForEnd, openExec, type ExecEnd } from '../engine/exec-stream.js';
import { createReadyLine } from '../engine/ready-line.js';
import { createUntilToken, type UntilToken } from '../engine/until-token.js';

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
/** Both end lines are written at one moment: where only one has come for so long, the other was lost. */
const OTHER_LINE_MS = 10_000;

/**
 * Starts `SandboxRun.forkServer` in a container, and speaks to it as the port tells. The token comes after the command's input, so
 * that it is read when the command is over, and a command that printed such a line would have to guess it.
 */
export async function startForkServer(
  container: Docker.Container,
  env: Record<string, string>,
  command: readonly string[],
): Promise<ForkServer> {
  let stdout: Pick<UntilToken, 'push'> | null = null;
  let stderr: Pick<UntilToken, 'push'> | null = null;
  const take = { stdout: (chunk: Buffer) => stdout?.push(chunk), stderr: (chunk: Buffer) => stderr?.push(chunk) };
  const opened = await openExec(container, { command, env }, take);

  async function run(request: CommandRequest): Promise<ExecEnd> {
    if (opened.hasEnded()) throw new DomainFailure('sandbox.lost', 'the fork server ended while nothing ran in it');
    const token = randomBytes(TOKEN_BYTES).toString('hex');
    const captured = [createCapturedBytes(request.outputBytes), createCapturedBytes(request.outputBytes)] as const;
    const outputs = [createUntilToken(token, captured[0].push), createUntilToken(token, captured[1].push)] as const;
    // Before what holds back the length of an end line: a command that prints nothing would never be ready.
    const ready = createReadyLine(request.onReady, outputs[0].push);
    [stdout, stderr] = [ready, outputs[1]];
    const { cpuSeconds, filesTar } = request;
    opened.input.write(`${JSON.stringify({ command: request.command, cpuSeconds, filesBytes: filesTar.length })}\n`);
    opened.input.write(filesTar);
    opened.input.write(request.stdin);
    opened.input.write(`${token}\n`);
    await waitForEnd(opened, endLines(outputs));
    for (const output of outputs) output.flush();
    const [end, other] = outputs.map((output) => output.end());
    const served = { stdout: end?.status ?? null, stderr: other?.status ?? null };
    const isTold = served.stdout !== null && served.stdout === served.stderr;
    // What serves may have ended before it could tell: by the command's doing, or by nobody's.
    const exec = isTold ? null : await execState(opened.exec);
    const [out, err] = captured.map(({ result }) => result());
    return { ready: ready.hasCome(), served, exec, stdout: out!, stderr: err!, spent: !isTold || !end?.goesOn };
  }

  return { run, hasEnded: opened.hasEnded, disconnect: () => void opened.input.destroy() };
}

/** Resolves when both have come, or one has come and the other was lost. */
async function endLines(outputs: readonly UntilToken[]): Promise<unknown> {
  const both = Promise.all(outputs.map(({ come }) => come));
  await Promise.race(outputs.map(({ come }) => come));
  return Promise.race([both, sleep(OTHER_LINE_MS, undefined, { ref: false })]);
}
