import type { StageContext, StageFunction } from '../../../src/suite/stage.js';
import { readTest } from '../adaptation/adapted-test.js';
import type { ExecutionReport } from '../execution/execution-report.js';
import type { RunResult } from '../results.js';
import { shortText } from '../../../src/suite-kit/short-text.js';
import { controlDue, isControlFirst, isDistrusted, rememberForgery } from './control-due.js';
import { counted, runNegativeControl } from './negative-control.js';
import { loadTask } from './load-task.js';
import { attachReport, isDishonest, runOnCandidate, type TaskRun } from './run-test.js';

/**
 * Runs the adapted test on the candidate in the sandbox; the report is the runner's, never what the candidate printed. Where a
 * negative control would be due it may be run before, as is drawn: what is honest in the first run of a test and nothing else in the second
 * must not know which of them counts.
 */
export const runAdaptedTest: StageFunction = async (context) => {
  const task = await loadTask(context);
  const { adapted } = context.input as { adapted: string };
  const { testCode } = await readTest(context.blobs, adapted);
  const run: TaskRun = { task, testCode, before: null, select: task.functions };
  const control =
    isControlFirst(context) && (await controlDue(context)) ? await runNegativeControl(context, run) : null;
  const report = await runOnCandidate(context, run);
  const kept = await attachReport(context, report);
  if (isDishonest(report)) await rememberForgery(context);
  const result: RunResult = {
    ...summary(report, task.functions),
    report: kept.sha256,
    controlDue: control === null && (await isFollowedByControl(context, report)),
    ...(control === null ? {} : { control: await counted(context, control, report.passed) }),
  };
  return { result };
};

/** A test that failed is followed by one where the candidate is distrusted: its negative control must not tell it that the test has passed. */
async function isFollowedByControl(context: StageContext, report: ExecutionReport): Promise<boolean> {
  if (report.passed) return controlDue(context);
  return report.reason?.startsWith('test.') === true && (await isDistrusted(context));
}

const summary = (
  report: ExecutionReport,
  functions: readonly string[],
): Omit<RunResult, 'controlDue' | 'control' | 'report'> => ({
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
