import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { DomainFailure } from '../../../src/domain/failure/domain-failure.js';
import type { Tree } from '../../../src/suite-kit/packed-files.js';
import type { Pins } from '../lint/pins.js';
import type { Scorecard } from '../lint/scorecard.js';
import type { FeaturesReport, FeaturesRequest } from '../semantics/grade-features.js';
import type { SyntaxReport } from '../syntax/syntax-report.js';

/** Limits of one look at a candidate: what makes a parser run for ever, or grow, ends with its process. */
const CPU_SECONDS = 10;
const MEGABYTES = 512;

const FROM_SOURCE = import.meta.url.endsWith('.ts');
const PROGRAM = fileURLToPath(new URL(`./child-main.${FROM_SOURCE ? 'ts' : 'js'}`, import.meta.url));

/** What the child is asked; files as base64, since they may be anything. */
export interface ChildRequest {
  files: [path: string, base64: string][];
  present: string[];
  /** null: only the first layer is asked for. */
  pins: Pick<Pins, 'pins'> | null;
  /** What the task asks of features; null where nothing is said of them. */
  asked: Omit<FeaturesRequest, 'files'> | null;
}

/** What it says; null for what was not asked for, and for what needs valid files. */
export interface ChildReport {
  syntax: SyntaxReport;
  scorecard: Scorecard | null;
  features: FeaturesReport | null;
}

/**
 * Grades a candidate in a process of its own, from its files alone. A candidate on which the process ends by its limits is not valid; that is
 * said as a problem of the whole.
 */
export async function inChild(request: {
  files: Tree;
  /** Paths of the project. */
  present: readonly string[];
  pins: Pick<Pins, 'pins'> | null;
  asked?: ChildRequest['asked'];
  signal: AbortSignal;
}): Promise<ChildReport> {
  const files = [...request.files].map(([path, bytes]): [string, string] => [
    path,
    Buffer.from(bytes).toString('base64'),
  ]);
  const question: ChildRequest = {
    files,
    present: [...request.present],
    pins: request.pins,
    asked: request.asked ?? null,
  };
  const ended = await endOf(nextChild(), JSON.stringify(question), request.signal);
  if (ended.output !== '') return JSON.parse(ended.output) as ChildReport;
  if (ended.isOwnLimit) return refused(ended.why);
  throw new DomainFailure('harness.bug', `the parser's process ended with ${ended.why}`);
}

/** Started while the one before works: starting takes longer than looking. It ends by itself when nobody is left to ask it. */
let spare: ChildProcessWithoutNullStreams | null = null;

/** A process that has been asked nothing yet. */
function nextChild(): ChildProcessWithoutNullStreams {
  const child = spare?.pid !== undefined && spare.exitCode === null && spare.signalCode === null ? spare : started();
  for (const handle of handlesOf(child)) handle.ref();
  spare = started();
  // One that could not be started, or was ended meanwhile, is not taken.
  for (const emitter of [spare, spare.stdin]) emitter.on('error', () => undefined);
  for (const handle of handlesOf(spare)) handle.unref();
  return child;
}

// By processor time: a process that the machine starves must not make a candidate fail.
const started = (): ChildProcessWithoutNullStreams =>
  spawn('/bin/sh', [
    ...['-c', `ulimit -S -t ${CPU_SECONDS}; exec "$@"`, 'sh', process.execPath, `--max-old-space-size=${MEGABYTES}`],
    ...(FROM_SOURCE ? ['--import', 'tsx'] : []),
    PROGRAM,
  ]);

/** What keeps this process alive as long as the child lives. */
const handlesOf = (child: ChildProcessWithoutNullStreams): { ref(): unknown; unref(): unknown }[] => [
  child,
  ...[child.stdin, child.stdout, child.stderr].map((stream) => stream as unknown as Socket),
];

interface Ended {
  /** Empty where it did not come to an end. */
  output: string;
  isOwnLimit: boolean;
  why: string;
}

async function endOf(child: ChildProcessWithoutNullStreams, input: string, signal: AbortSignal): Promise<Ended> {
  const stop = (): void => void child.kill('SIGKILL');
  signal.addEventListener('abort', stop, { once: true });
  const chunks: { out: Buffer[]; err: Buffer[] } = { out: [], err: [] };
  child.stdout.on('data', (chunk: Buffer) => chunks.out.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => chunks.err.push(chunk));
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const { code, endedBy } = await new Promise<{ code: number | null; endedBy: string | null }>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status, name) => resolve({ code: status, endedBy: name }));
  }).finally(() => signal.removeEventListener('abort', stop));
  signal.throwIfAborted();
  const isLate = endedBy === 'SIGXCPU';
  const said = Buffer.concat(chunks.err).toString('utf8');
  const isFull = /heap out of memory|Allocation failed/.test(said);
  return {
    output: code === 0 ? Buffer.concat(chunks.out).toString('utf8') : '',
    isOwnLimit: isLate || isFull,
    why: isLate
      ? `the files cannot be parsed within ${CPU_SECONDS} s of processor time`
      : isFull
        ? `the files cannot be parsed within ${MEGABYTES} MiB`
        : `${endedBy ?? `status ${code}`}: ${said.slice(0, 1000)}`,
  };
}

const refused = (message: string): ChildReport => ({
  syntax: { problems: [{ file: '', line: 0, column: 0, rule: 'limit', message }], workflows: [], actions: [] },
  scorecard: null,
  features: null,
});
