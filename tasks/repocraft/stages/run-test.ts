import type { StageFunction } from '../../../src/ports/suite.js';
import { DomainFailure } from '../../../src/domain/domain-failure.js';
import { pluginsOf } from '../dataset/gold-validation.js';
import { readProjectSettings } from '../dataset/project-settings.js';
import type { ExecutionReport } from '../execution/execution-report.js';
import { runTests } from '../execution/run-tests.js';
import type { AdaptedTest, RunResult } from '../results.js';
import { preparedOf } from './candidate-index.js';
import { loadTask } from './load-task.js';
import { shortText } from './short-text.js';

/** What `python/runner/runner.py` keeps of the output: OUTPUT_HEAD_BYTES and OUTPUT_TAIL_BYTES there. */
const KEPT_HEAD_BYTES = 256 * 1024;
const KEPT_TAIL_BYTES = 128 * 1024;

/** The name the adapted test gets in the sandbox. */
const TEST_FILE = 'test_task.py';

/** Runs the adapted test on the candidate in the sandbox; the report is the runner's, never what the candidate printed. */
export const runAdaptedTest: StageFunction = async (context) => {
  const { candidate, sandbox, suiteFolder, signal } = context;
  if (candidate === null) throw new DomainFailure('harness.bug', 'a test run without a candidate');
  const task = await loadTask(context);
  const { adapted } = context.input as { adapted: string };
  const test = JSON.parse((await context.blobs.get(adapted)).toString('utf8')) as AdaptedTest;
  const report = await runTests({
    sandbox,
    suiteFolder,
    image: (await readProjectSettings(task.project, suiteFolder)).image,
    candidate: { sha256: candidate.sha256, load: () => context.blobs.get(candidate.sha256) },
    packageRoots: preparedOf(context.prepared).roots,
    files: { ...test.auxiliaryCode, [TEST_FILE]: test.testCode },
    testFile: TEST_FILE,
    select: task.functions,
    plugins: pluginsOf(task.fixtures),
    owner: { campaignId: context.campaign.id, ownerId: context.owner.id },
    // The candidate is the trust domain: its trials may share a container, one after another.
    poolKey: candidate.sha256,
    signal,
    onProgress: () => context.heartbeat(),
  });
  await context.attach(JSON.stringify({ ...report, output: undefined }, null, 1), {
    name: 'report.json',
    mediaType: 'application/json',
  });
  const { bytes, truncated } = keptOutput(report);
  await context.attach(bytes, { name: 'output.txt', mediaType: 'text/plain; charset=utf-8', truncated });
  return { result: summary(report, task.functions) };
};

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

const summary = (report: ExecutionReport, functions: readonly string[]): RunResult => ({
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
