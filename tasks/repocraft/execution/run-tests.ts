import { randomBytes } from 'node:crypto';
import { posix } from 'node:path';
import type { SandboxLimits } from '../../../src/contract/sandbox-limits.js';
import { DEFAULT_SANDBOX_LIMITS } from '../../../src/domain/limits/sandbox-limits.js';
import { DomainFailure } from '../../../src/domain/failure/domain-failure.js';
import { endOf } from '../../../src/domain/failure/run-ends.js';
import { RunLost } from '../../../src/domain/failure/run-lost.js';
import type { CapturedOutput, ContentMount, Sandbox, SandboxRun } from '../../../src/ports/sandbox.js';
import { REPOCRAFT_LIMITS } from '../suite.js';
import { CANDIDATE_PATH, candidateMount } from './candidate-mount.js';
import { judgeRun, readRun, type EndedRun } from './judge-run.js';
import type { ExecutionReport, RunRecord } from './execution-report.js';
import type { ReportState } from './outcome-table.js';
import { RUNNER_PATH, runnerMount } from './runner-mount.js';

/** By what the values a test expects are hidden among wrong ones (`python/runner/choices.py`). */
interface Drawing {
  /** 64 hex digits that no candidate knows: the same for every run of a task in a campaign. */
  key: string;
  /** The task's own test; what is run may be a form of it for one candidate. */
  drawnFor: string;
  /** A control: what the test was before it was altered so that it must fail; null for the test itself. */
  before: string | null;
}

/** What to run on what. */
export interface TestRun {
  sandbox: Sandbox;
  /** The suite's folder in the package; the runner is delivered from it. */
  suiteFolder: string;
  /** Image recipe name: `repocraft-requests`. */
  image: string;
  /** The candidate's tar; it is mounted read-only at `/candidate`. */
  candidate: Pick<ContentMount, 'sha256' | 'load'>;
  /** Folders of the candidate that hold importable packages, relative: `['src']`, `['']`. */
  packageRoots: string[];
  /** The test file and what belongs beside it: relative path → text. */
  files: Record<string, Uint8Array | string>;
  /** Which of the files is the test; a path in `files`. */
  testFile: string;
  drawing: Drawing;
  /** Test functions, without file and parameters: `test_hooks`, `TestSuperLen::test_string`. All of them must pass. */
  select: string[];
  /** pytest plugin modules to load: `pytest_httpbin.plugin`, `pytest_mock`. No other is. */
  plugins: string[];
  /** Top-level names of installed packages the candidate's own code may import; null = all. */
  dependencies: string[] | null;
  limits?: Partial<SandboxLimits>;
  owner: { campaignId: string; ownerId: string };
  /** Normally the candidate's hash; null = a container of its own. */
  poolKey: string | null;
  signal: AbortSignal;
  onProgress?: () => void;
}

const TEST_FOLDER = '/work/test';
const REQUEST_FILE = 'run/request.json';
/** Read by the runner's parent when the processes that run the candidate are there already, and gone before they go on. */
const DRAWING_FILE = 'run/drawing.json';
const PYTHON = ['python3', '-P', '-s', '-B'];
/** A wall timeout that used less of its CPU limit than this is a hang, and is looked at twice. */
const LITTLE_CPU = 0.5;

/**
 * Runs selected tests on a candidate in the sandbox. Passed = every selected function, with all its parametrised cases, ran and
 * passed and was seen to fail in another process that was told to (`python/runner/runner.py`), both ended as they said
 * they would, and the report carries the nonce of this run. An error of the infrastructure is
 * thrown (`sandbox.*`); everything the candidate does is a report.
 * @throws RunDisturbed where `outcome-table.ts` says that a run judges nobody
 */
export async function runTests(run: TestRun): Promise<ExecutionReport> {
  const cpuSeconds = run.limits?.cpuSeconds ?? DEFAULT_SANDBOX_LIMITS.cpuSeconds;
  const asked = { select: run.select, cpuSeconds };
  const first = await runOnce(run, false);
  const runs = [readRun(first, asked)];
  if (!isHang(runs[0]!, cpuSeconds)) return judged(first, runs, asked);
  // Neither what slows a machine down beside its processors (its disk) nor a copy of it must fail anybody, and a sleeper must not
  // leave the denominator: once more, alone, and without copies. What is hidden in it is drawn by the same key: two draws would
  // give away what they share.
  const second = await runOnce(run, true);
  return judged(second, [...runs, readRun(second, asked)], asked);
}

/** A run that judges nobody, with the evidence of all runs of this attempt. It is to be tried again. */
export class RunDisturbed extends DomainFailure {
  readonly runs: readonly RunRecord[];
  readonly output: CapturedOutput;

  constructor(runs: readonly RunRecord[], output: CapturedOutput) {
    const { reported, end } = runs.at(-1)!;
    const how =
      end.kind === 'lost' ? end.message : `its process: ${end.kind} ${'status' in end ? end.status : ''}`.trim();
    super('sandbox.lost', `a run of tests does not count: ${WHAT_CAME[reported]}; ${how}`);
    this.runs = runs;
    this.output = output;
  }
}

const WHAT_CAME: Readonly<Record<ReportState, string>> = {
  passing: 'its report says that all passed',
  failing: 'its report says what failed',
  disturbed: 'its report says that the machine had no memory left',
  none: 'no report came',
  foreign: 'what came is no report',
};

function judged(
  { result }: EndedRun,
  runs: readonly RunRecord[],
  asked: Parameters<typeof judgeRun>[2],
): ExecutionReport {
  if (runs.at(-1)?.meaning === 'infrastructure') throw new RunDisturbed(runs, result.stderr);
  return judgeRun(result, runs, asked);
}

async function runOnce(run: TestRun, exclusive: boolean): Promise<EndedRun> {
  const nonce = randomBytes(16).toString('hex');
  const told = {
    folder: TEST_FOLDER,
    file: run.testFile,
    roots: run.packageRoots.map((root) => posix.join(CANDIDATE_PATH, root)).map((path) => path.replace(/\/$/, '')),
    select: run.select,
    plugins: run.plugins,
    dependencies: run.dependencies,
    apart: exclusive,
  };
  const files: Record<string, Uint8Array | string> = {
    [REQUEST_FILE]: JSON.stringify(told),
    [DRAWING_FILE]: JSON.stringify(run.drawing),
  };
  for (const [path, bytes] of Object.entries(run.files)) files[`test/${path}`] = bytes;
  const request: SandboxRun = {
    image: run.image,
    command: [...PYTHON, `${RUNNER_PATH}/runner.py`, `/work/${REQUEST_FILE}`],
    forkServer: [...PYTHON, `${RUNNER_PATH}/server.py`, JSON.stringify({ dependencies: run.dependencies })],
    files,
    stdin: `${nonce}\n`,
    mounts: [await runnerMount(run.suiteFolder), await candidateMount(run.suiteFolder, run.candidate)],
    limits: { ...REPOCRAFT_LIMITS.test, ...run.limits },
    poolKey: run.poolKey,
    exclusive,
    owner: run.owner,
    signal: run.signal,
    onProgress: run.onProgress,
  };
  const result = await run.sandbox.run(request).catch((error: unknown) => {
    // Its report may have come all the same.
    if (error instanceof RunLost) return error.result;
    throw error;
  });
  return { end: endOf(result.evidence), result, nonce };
}

function isHang({ meaning, end, evidence }: RunRecord, cpuLimit: number): boolean {
  const { cpu } = evidence.clocks;
  return meaning === 'timeout' && end.kind === 'wall' && (cpu === null || cpu < cpuLimit * LITTLE_CPU);
}
