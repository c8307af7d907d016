import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { sha256Hex } from '../../../src/domain/text/content-hash.js';
import { DomainFailure } from '../../../src/domain/failure/domain-failure.js';
import type { StageContext, StageFunction } from '../../../src/suite/stage.js';
import { readTest } from '../adaptation/adapted-test.js';
import type { RepocraftTask } from '../dataset/repocraft-task.js';
import type { ExecutionReport, TestOutcome } from '../execution/execution-report.js';
import { runnerMount } from '../execution/runner-mount.js';
import type { ControlResult } from '../results.js';
import { rememberControl, rememberForgery } from './control-due.js';
import { loadTask } from './load-task.js';
import { entryPath, preparedOf, readIndex, type CandidateIndex } from '../candidate/candidate-index.js';
import { runPythonTool } from '../candidate/python-tool.js';
import { referenceCandidate, referenceIndex } from '../candidate/reference-candidate.js';
import { attachReport, isDishonest, runOn, runOnCandidate, type TaskRun } from './run-test.js';
import { recallJson, rememberJson } from '../../../src/suite-kit/json-blobs.js';

/** What alters tests, as `runPythonTool` takes it. */
export const MUTATE = {
  tool: 'mutate.py',
  with: [
    ...['adapt.py', '../control/expected_class.py', '../control/written_parts.py'],
    ...['choices.py', 'draws.py', 'likely.py', 'common.py'].map((name) => `../runner/${name}`),
  ],
};

/** Tries on the reference before a task is given up as one without a negative control. */
const MOST_MUTANTS = 4;

/** A test with one expectation altered: the task's own, and as adapted to the candidate. `python/candidate/mutate.py` makes them. */
interface Mutant {
  kind: 'constant' | 'inside' | 'expected' | 'raises' | 'negated';
  /** Name of the test function that holds it. */
  function: string;
  /** In the task's test. */
  line: number;
  task: string;
  adapted: string;
}

/** What the reference said to the mutants of a task. */
interface Validated {
  /** Place of the first it failed, in the order they are made; null where it failed none. */
  mutant: number | null;
  /** The reasons, in order: `test.assertion`. Null = it passed. */
  onReference: (string | null)[];
}

/** The step after the test. */
export const negativeControl: StageFunction = async (context) => {
  const task = await loadTask(context);
  const { adapted, passed = true } = context.input as { adapted: string; passed?: boolean };
  const { testCode } = await readTest(context.blobs, adapted);
  const control = await runNegativeControl(context, { task, testCode, before: null, select: task.functions });
  return { result: await counted(context, control, passed) };
};

/**
 * The negative control (C2): the test the candidate passed, with one expectation altered so that the reference fails it. What passes this
 * too was not judged by the test. The whole test runs, as it did before, so that nothing but the altered value tells one from
 * the other, and not even that where it can be hidden; only the function that holds it counts. Whether the library fails it is
 * tried once for a task, and remembered.
 */
export async function runNegativeControl(context: StageContext, run: TaskRun): Promise<ControlResult> {
  const { task, testCode } = run;
  const request = { task: task.test_code, adapted: testCode, functions: task.functions };
  const { mutants } = await runPythonTool<{ mutants: Mutant[] }>(context, {
    ...MUTATE,
    request: { ...request, seed: task.id, limit: MOST_MUTANTS, classes: await classesFor(context, task) },
  });
  const validated = await validate(context, task, mutants);
  const mutant = validated.mutant === null ? undefined : mutants[validated.mutant];
  if (mutant === undefined) return { ran: false, vacuous: false, kind: null };
  const report = await runOnCandidate(context, { ...run, testCode: mutant.adapted, before: testCode });
  await context.attach(JSON.stringify({ mutant, validated }, null, 1), {
    name: 'control.json',
    mediaType: 'application/json',
  });
  await attachReport(context, report, 'control-');
  const isVacuous = passedAll(casesOf(report, holders(task, mutant))) || isDishonest(report);
  return { ran: true, vacuous: isVacuous, kind: mutant.kind };
}

/** What a negative control that was run counts for, when it is known whether the test passed; remembered for the candidate's next ones. */
export async function counted(context: StageContext, control: ControlResult, passed: boolean): Promise<ControlResult> {
  if (control.ran && passed) await rememberControl(context);
  if (control.vacuous) await rememberForgery(context);
  // Who is wrong may be so as the altered test expects. Nothing that fails a test is equal to an object made for the comparison.
  return { ...control, vacuous: control.vacuous && (passed || control.kind === 'expected') };
}

/** Bases of the classes of both libraries by path, for a test that expects exceptions: a sibling is expected instead. */
async function classesFor(context: StageContext, task: RepocraftTask): Promise<Record<string, Classes>> {
  if (!/raises/i.test(task.test_code)) return {};
  const candidate = await readIndex(context, preparedOf(context.prepared).index);
  const reference = await referenceIndex(context, task.project);
  return { task: classesOf(reference), adapted: classesOf(candidate) };
}

type Classes = Record<string, [bases: string[], isAlias: boolean]>;

const classesOf = ({ entries }: CandidateIndex): Classes =>
  Object.fromEntries(
    entries.flatMap((entry) =>
      entry.owner === null && entry.bases !== undefined
        ? [[entryPath(entry), [entry.bases, entry.kind === 'value']]]
        : [],
    ),
  );

/** Finds the first mutant the reference fails. One answer for a task, an order of mutants and a runner, kept in the store. */
async function validate(context: StageContext, task: RepocraftTask, mutants: readonly Mutant[]): Promise<Validated> {
  const key = `repocraft/control/${context.task?.sha256 ?? ''}/${await toolsDigest(context.suiteFolder)}`;
  const known = await recallJson<Validated>(context.blobs, key);
  if (known !== null) return known;
  if (mutants.length === 0) return { mutant: null, onReference: [] };
  const { roots } = await referenceIndex(context, task.project);
  const candidate = await referenceCandidate(context, task.project);
  const validated: Validated = { mutant: null, onReference: [] };
  for (const [index, mutant] of mutants.entries()) {
    const run = { task, testCode: mutant.task, before: task.test_code, select: task.functions };
    const report = await runOn(context, run, { candidate, roots });
    validated.onReference.push(report.reason);
    if (isTelling(mutant, report.reason) && failedOne(casesOf(report, holders(task, mutant)))) {
      validated.mutant = index;
      break;
    }
  }
  await rememberJson(context.blobs, { key, name: 'control-validation.json' }, validated);
  return validated;
}

/** What only breaks what a test expects is failed by everybody. */
const isTelling = ({ kind }: Mutant, reason: string | null): boolean =>
  kind === 'inside' ? reason === 'test.assertion' : reason?.startsWith('test.') === true;

const casesOf = (report: ExecutionReport, functions: readonly string[]): TestOutcome[] =>
  report.tests.filter(({ id }) => functions.includes(id.split('[', 1)[0] ?? id));

const passedAll = (cases: readonly TestOutcome[]): boolean =>
  cases.length > 0 && cases.every(({ outcome }) => outcome === 'passed');

const failedOne = (cases: readonly TestOutcome[]): boolean =>
  cases.some(({ outcome }) => outcome === 'failed' || outcome === 'error');

/** The selected functions of that name: only they decide. */
function holders(task: RepocraftTask, mutant: Mutant): string[] {
  const found = task.functions.filter((name) => name.split('::').at(-1) === mutant.function);
  if (found.length === 0)
    throw new DomainFailure('harness.bug', `mutate.py altered ${mutant.function}, which is not selected`);
  return found;
}

async function toolsDigest(suiteFolder: string): Promise<string> {
  const { sha256 } = await runnerMount(suiteFolder);
  const names = [MUTATE.tool, ...MUTATE.with];
  const texts = await Promise.all(
    names.map((name) => readFile(path.join(suiteFolder, 'python', 'candidate', name), 'utf8')),
  );
  return sha256Hex([sha256, ...texts].join('\0')).slice(0, 16);
}
