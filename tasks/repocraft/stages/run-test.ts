import type { CandidateRef } from '../../../src/contract/candidate.js';
import type { EvidenceRef } from '../../../src/contract/evidence.js';
import { DomainFailure } from '../../../src/domain/domain-failure.js';
import type { StageContext, StageFunction } from '../../../src/ports/suite.js';
import { readTest } from '../adaptation/adapted-test.js';
import { pluginsOf } from '../dataset/gold-bench.js';
import { readDependencies, readProjectSettings } from '../dataset/project-settings.js';
import type { RepocraftTask } from '../dataset/repocraft-task.js';
import type { ExecutionReport } from '../execution/execution-report.js';
import { runTests } from '../execution/run-tests.js';
import type { RunResult } from '../results.js';
import { canaryDue, rememberForgery } from './canary-due.js';
import { preparedOf } from '../candidate/candidate-index.js';
import { loadTask } from './load-task.js';
import { shortText } from '../text/short-text.js';

/** It was not by its answers that it passed, or nearly did. */
export const isDishonest = ({ reason }: ExecutionReport): boolean =>
  reason === 'candidate.forged-report' || reason === 'candidate.vacuous';

/** What `python/runner/output.py` keeps of a round's output: OUTPUT_HEAD_BYTES and OUTPUT_TAIL_BYTES there. */
const KEPT_HEAD_BYTES = 256 * 1024;
const KEPT_TAIL_BYTES = 128 * 1024;

/** The name the adapted test gets in the sandbox. */
const TEST_FILE = 'test_task.py';

/** Runs the adapted test on the candidate in the sandbox; the report is the runner's, never what the candidate printed. */
export const runAdaptedTest: StageFunction = async (context) => {
  const task = await loadTask(context);
  const { adapted } = context.input as { adapted: string };
  const { testCode } = await readTest(context.blobs, adapted);
  const report = await runOnCandidate(context, { task, testCode, select: task.functions });
  const kept = await attachReport(context, report);
  if (isDishonest(report)) await rememberForgery(context);
  const isCanaryDue = report.passed && (await canaryDue(context));
  const result: RunResult = { ...summary(report, task.functions), report: kept.sha256, canaryDue: isCanaryDue };
  return { result };
};

/** Which test of a task to run, and which of its functions must pass. */
export interface TaskRun {
  task: RepocraftTask;
  testCode: string;
  select: string[];
}

/** Runs a test of the trial's task on the trial's candidate. */
export function runOnCandidate(context: StageContext, run: TaskRun): Promise<ExecutionReport> {
  if (context.candidate === null) throw new DomainFailure('harness.bug', 'a test run without a candidate');
  return runOn(context, run, { candidate: context.candidate, roots: preparedOf(context.prepared).roots });
}

/** Runs a test of the trial's task on any candidate of its project. */
export async function runOn(
  context: StageContext,
  { task, testCode, select }: TaskRun,
  { candidate, roots }: { candidate: CandidateRef; roots: string[] },
): Promise<ExecutionReport> {
  const { sandbox, suiteFolder, signal } = context;
  return runTests({
    sandbox,
    suiteFolder,
    image: (await readProjectSettings(task.project, suiteFolder)).image,
    candidate: { sha256: candidate.sha256, load: () => context.blobs.get(candidate.sha256) },
    packageRoots: roots,
    files: { ...task.auxiliary_code, [TEST_FILE]: testCode },
    testFile: TEST_FILE,
    select,
    plugins: pluginsOf(task.fixtures),
    dependencies: await readDependencies(task.project, suiteFolder),
    owner: { campaignId: context.campaign.id, ownerId: context.owner.id },
    // The candidate is the trust domain: its trials may share a container, one after another.
    poolKey: candidate.sha256,
    signal,
    onProgress: () => context.heartbeat(),
  });
}

/** Keeps what the runner said and what the test printed. @returns where the former is */
export async function attachReport(context: StageContext, report: ExecutionReport): Promise<EvidenceRef> {
  const kept = await context.attach(JSON.stringify({ ...report, output: undefined }, null, 1), {
    name: 'report.json',
    mediaType: 'application/json',
  });
  const { bytes, truncated } = keptOutput(report);
  await context.attach(bytes, { name: 'output.txt', mediaType: 'text/plain; charset=utf-8', truncated });
  return kept;
}

/**
 * What the tests printed, as far as it was kept. The runner marks its own cut inside the text; where it was ended with
 * the tests there is a head at most, and nobody to say how much is missing.
 */
function keptOutput({ output, report }: ExecutionReport): { bytes: Buffer; truncated: boolean } {
  if (report !== null)
    return {
      bytes: output.bytes,
      truncated: output.truncated || report.outputBytes > KEPT_HEAD_BYTES + KEPT_TAIL_BYTES,
    };
  if (output.bytes.length < KEPT_HEAD_BYTES) return output;
  return { bytes: Buffer.concat([output.bytes, Buffer.from('\n[... the rest was not kept ...]\n')]), truncated: true };
}

const summary = (report: ExecutionReport, functions: readonly string[]): Omit<RunResult, 'canaryDue' | 'report'> => ({
  passed: report.passed,
  reason: report.reason,
  message: inOurWords(report, functions),
  tests: report.tests.length,
  passedTests: report.tests.filter((test) => test.outcome === 'passed').length,
  cpuSeconds: report.timings.cpuSeconds,
  wallSeconds: report.timings.wallSeconds,
});

/**
 * Results go into histories. What a test raised is text of the candidate and of the test, so it stays in `report.json`;
 * only which function it was is told here. What became of the process is said by us.
 */
function inOurWords({ reason, message, tests }: ExecutionReport, functions: readonly string[]): string | null {
  if (reason === null || message === null) return null;
  if (reason.startsWith('candidate.') || reason === 'test.not-collected') return shortText(message, 600);
  const bad = tests.find(({ outcome }) => outcome !== 'passed');
  if (bad === undefined) return 'the test file could not be collected; report.json says why';
  const name = functions.find((known) => known === bad.id.split('[', 1)[0]) ?? 'a test';
  return `${name}: ${bad.outcome} in its ${bad.phase}; report.json holds the message`;
}
