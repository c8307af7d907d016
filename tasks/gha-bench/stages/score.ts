import type { Verdict } from '../../../src/contract/verdict.js';
import { DomainFailure } from '../../../src/domain/failure/domain-failure.js';
import type { StageContext, StageFunction } from '../../../src/suite/stage.js';
import { inChild } from '../grading/in-child.js';
import { verdictOf } from '../grading/verdict.js';
import { toolReport, type LintEnd } from '../lint/tool-report.js';
import { readPins } from '../lint/pins.js';
import type { Scored } from '../results.js';
import { readJsonBlob } from '../../../src/suite-kit/json-blobs.js';
import { unpackFiles } from '../../../src/suite-kit/packed-files.js';
import { askedChecks, coreChecks } from '../runs/asked-runs.js';
import { judgeRuns, type RunsReport } from '../runs/judge-runs.js';
import type { ScenarioEvidence } from '../runs/run-scenario.js';
import type { GhaTask } from '../dataset/task-schema.js';
import type { FeaturesRequest } from '../semantics/grade-features.js';
import { loadTask } from './load-task.js';

/** The verdict, from the files and the evidence alone: repeated by `regrade`, it runs nothing again. */
export const score: StageFunction = async (context) => {
  const { candidate, refusal, notes, stated, lint, runs } = context.input as Scored;
  const [task, files, pins, linted] = await Promise.all([
    loadTask(context),
    unpackFiles(context.blobs, candidate),
    readPins(context.suiteFolder),
    lint === null ? null : readJsonBlob<LintEnd>(context.blobs, lint),
  ]);
  const asked = askedOf(task, stated);
  const report = await inChild({ files, present: Object.keys(task.repo), pins, asked, signal: context.signal });
  if (lint === null && report.syntax.problems.length === 0) throw notRun(task);
  const ran = runs === null ? null : await judgedRuns(context, { task, stated, runs });
  const layers = {
    refusal,
    files: files.size,
    waivers: task.spec.waivers,
    tools: linted && toolReport(linted),
    ...report,
    runs: ran,
    core: coreChecks(task),
  };
  const details = { task: task.id, notes, paths: [...files.keys()], ...layers };
  await context.attach(JSON.stringify(details, null, 1), { name: 'layers.json', mediaType: 'application/json' });
  const verdict: VerdictJson = verdictOf(layers);
  return { result: verdict };
};

/** The first layer takes today what it refused when the trial ran, so that nobody ever ran it: neither a pass nor a failure. */
const notRun = ({ id }: GhaTask): DomainFailure =>
  new DomainFailure(
    'evidence.missing',
    `the files for ${id} are valid to this grader, and were neither linted nor run`,
  );

type VerdictJson = { [Key in keyof Verdict]: Verdict[Key] };

/** By their evidence, so that a regrade runs nothing again. */
async function judgedRuns(
  { blobs }: StageContext,
  { task, stated, runs }: { task: GhaTask; stated: string[]; runs: NonNullable<Scored['runs']> },
): Promise<RunsReport> {
  const read = runs.map(async ({ scenario: id, evidence }) => {
    const scenario = task.scenarios.find((each) => each.id === id);
    if (scenario === undefined) throw new DomainFailure('harness.bug', `task ${task.id} has no scenario ${id}`);
    return { scenario, evidence: await readJsonBlob<ScenarioEvidence>(blobs, evidence) };
  });
  return judgeRuns(await Promise.all(read), askedChecks(task, stated));
}

/** A requirement that the prompt did not state is not graded. */
function askedOf(
  { spec, staticChecks, roles, repo }: GhaTask,
  stated: readonly string[],
): Omit<FeaturesRequest, 'files'> {
  const requirements = spec.requirements.filter(({ id }) => stated.includes(id));
  const checks = staticChecks.filter(({ id }) => requirements.some((each) => each.checks.includes(id)));
  const required = [...new Set(requirements.flatMap(({ features }) => features))];
  return { checks, required, facts: { files: repo, roles } };
}
