import type { CandidateRef } from '../../../src/contract/candidate.js';
import type { EvidenceRef } from '../../../src/contract/evidence.js';
import { DomainFailure } from '../../../src/domain/failure/domain-failure.js';
import type { StageContext } from '../../../src/suite/stage.js';
import { pluginsOf } from '../dataset/gold-bench.js';
import { readDependencies, readProjectSettings } from '../dataset/project-settings.js';
import type { RepocraftTask } from '../dataset/repocraft-task.js';
import type { ExecutionReport } from '../execution/execution-report.js';
import { RunDisturbed, runTests } from '../execution/run-tests.js';
import { preparedOf } from '../candidate/candidate-index.js';
import { withoutHiddenCopy } from '../candidate/hidden-copy.js';

/** It was not by its answers that it passed, or nearly did. */
export const isDishonest = ({ reason }: ExecutionReport): boolean =>
  reason === 'candidate.forged-report' || reason === 'candidate.vacuous' || reason === 'candidate.hidden-copy';

/** What `python/runner/output.py` keeps of a round's output: OUTPUT_HEAD_BYTES and OUTPUT_TAIL_BYTES there. */
const KEPT_HEAD_BYTES = 256 * 1024;
const KEPT_TAIL_BYTES = 128 * 1024;

/** The name the adapted test gets in the sandbox. */
const TEST_FILE = 'test_task.py';

/** Which test of a task to run, and which of its functions must pass. */
export interface TaskRun {
  task: RepocraftTask;
  testCode: string;
  /** What the test was before one of its expectations was altered; null where none was. */
  before: string | null;
  select: string[];
}

/** Runs a test of the trial's task on the trial's candidate; a pass by a hidden copy of the reference is none. */
export async function runOnCandidate(context: StageContext, run: TaskRun): Promise<ExecutionReport> {
  const { candidate } = context;
  if (candidate === null) throw new DomainFailure('harness.bug', 'a test run without a candidate');
  const report = await runOn(context, run, { candidate, roots: preparedOf(context.prepared).roots });
  return candidate.provenance === 'reference' ? report : withoutHiddenCopy(context, run.task.project, report);
}

/** Runs a test of the trial's task on any candidate of its project. */
export async function runOn(
  context: StageContext,
  { task, testCode, before, select }: TaskRun,
  { candidate, roots }: { candidate: CandidateRef; roots: string[] },
): Promise<ExecutionReport> {
  const { sandbox, suiteFolder, signal } = context;
  const run = runTests({
    sandbox,
    suiteFolder,
    image: (await readProjectSettings(task.project, suiteFolder)).image,
    candidate: { sha256: candidate.sha256, load: () => context.blobs.open(candidate.sha256) },
    packageRoots: roots,
    files: { ...task.auxiliary_code, [TEST_FILE]: testCode },
    testFile: TEST_FILE,
    drawing: { key: context.drawingKey('hidden values'), drawnFor: task.test_code, before },
    select,
    plugins: pluginsOf(task.fixtures),
    dependencies: await readDependencies(task.project, suiteFolder),
    owner: { campaignId: context.campaign.id, ownerId: context.owner.id },
    // The candidate is the trust domain: its trials may share a container, one after another.
    poolKey: candidate.sha256,
    signal,
    onProgress: () => context.heartbeat(),
  });
  return run.catch(async (error: unknown) => {
    if (error instanceof RunDisturbed) await attachRuns(context, error);
    throw error;
  });
}

/** The attempt fails, and is tried again; what it saw stays with it. */
async function attachRuns(context: StageContext, { runs, output, message }: RunDisturbed): Promise<void> {
  await context.attach(JSON.stringify({ message, runs }, null, 1), {
    name: 'disturbed-report.json',
    mediaType: 'application/json',
  });
  const label = { name: 'disturbed-output.txt', mediaType: 'text/plain; charset=utf-8', truncated: output.truncated };
  await context.attach(output.bytes, label);
}

/** Keeps what the runner said and what the test printed, under names with this prefix. @returns where the former is */
export async function attachReport(context: StageContext, report: ExecutionReport, prefix = ''): Promise<EvidenceRef> {
  const kept = await context.attach(JSON.stringify({ ...report, output: undefined }, null, 1), {
    name: `${prefix}report.json`,
    mediaType: 'application/json',
  });
  const { bytes, truncated } = keptOutput(report);
  await context.attach(bytes, { name: `${prefix}output.txt`, mediaType: 'text/plain; charset=utf-8', truncated });
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
