import type Docker from 'dockerode';
import { DomainFailure } from '../../../domain/failure/domain-failure.js';
import { execState, openExec, waitForEnd } from '../engine/exec-stream.js';
import { ENGINE_SWEEP, ENGINE_UP, LACKS } from './engine-scripts.js';

/** The user of everything in such a container: its engine needs it. */
export const ENGINE_USER = '0:0';
const WORDS_BYTES = 4_000;

/** Has the engine in a container running and empty of what runs before left. @throws DomainFailure `sandbox.lost` with what it said */
export async function readyEngine(container: Docker.Container): Promise<void> {
  for (const script of [ENGINE_UP, ENGINE_SWEEP]) await engineScript(container, script);
}

/** Whether everything the last run made on the engine is gone. */
export async function sweepEngine(container: Docker.Container): Promise<boolean> {
  return engineScript(container, ENGINE_SWEEP).then(
    () => true,
    () => false,
  );
}

/** Runs a script of ours in the container, with what is read from `input`. @returns what it printed */
export async function engineScript(
  container: Docker.Container,
  script: string,
  input?: NodeJS.ReadableStream,
): Promise<string> {
  let printed = '';
  const take = (chunk: Buffer): void => void (printed = (printed + chunk.toString('utf8')).slice(-WORDS_BYTES));
  const command = ['sh', '-c', script];
  const opened = await openExec(container, { command, env: {}, user: ENGINE_USER }, { stdout: take, stderr: take });
  if (input === undefined) opened.input.end();
  else input.pipe(opened.input);
  await waitForEnd(opened);
  const { exitCode } = await execState(opened.exec);
  if (exitCode === 0) return printed;
  throw new DomainFailure(
    'sandbox.lost',
    `the nested engine does not work: ${reasonIn(printed) || `its script ended with ${exitCode}`}`,
  );
}

/** What it lacks first: what it said before may be long. */
function reasonIn(printed: string): string {
  const text = printed.trim();
  const lacks = text.lastIndexOf(LACKS);
  if (lacks < 0) return text.slice(-1_000);
  const before = text.slice(0, lacks).trim().slice(-800);
  return before === '' ? text.slice(lacks) : `${text.slice(lacks)}; it said: ${before}`;
}
