import type { StageContext } from '../../../../../src/suite/stage.js';
import type { Repaired } from '../graph/steps.js';
import type { AnswerOf } from './asking/answers.js';
import { askModel } from './asking/ask.js';
import { briefsOf, type Brief } from './asking/brief.js';
import { printed, python, pythonBy, stubs } from './asking/document.js';
import type { PlanningGraph } from '../graph/planning-graph.js';
import { readGraph } from './graph-blob.js';
import { localize, shownLooks } from './localize.js';
import { keepBlob } from './products.js';
import type { Outcome, TryReport } from './trying.js';
import { surroundings, toldAround, type WrittenCode } from './write.js';
import { readJsonBlob } from '../../../../../src/suite-kit/json-blobs.js';

/** Ordinals of the questions of a repair step: votes from 0, then what they lead to. */
const FIX_ORDINAL = 10;

type Cause = AnswerOf<'failure-vote'>['cause'];

/** Votes on whose fault a failure is, then writes code or tests anew. */
export async function repairUnit(
  context: StageContext,
  about: { graph: string; unit: [id: string, fingerprint: string]; tried: string; round: number },
): Promise<Repaired> {
  const graph = await readGraph(context, about.graph);
  const report = await readJsonBlob<TryReport>(context.blobs, about.tried);
  const [id] = about.unit;
  const outcome = report.outcomes.find((one) => one.id === id);
  const [unit] = briefsOf(graph, [id]);
  if (outcome === undefined || unit === undefined) return { cause: null };
  const { kind, message, output } = outcome;
  const failed: FailedUnit = {
    ...{ graph, unit, tests: report.tests[id] ?? '' },
    // The checked patch where there is one: edits refer to what was run.
    code: outcome.product ?? report.code[id] ?? null,
    failure: { kind, message, output },
  };
  const { cause, reasons } = await attribute(context, failed, outcome);
  if (cause === 'code') {
    const code = await repairCode(context, failed);
    if (code === null) return { cause: null };
    return {
      cause,
      tests: await keepBlob(context, 'tests', report.tests),
      code: await keepBlob(context, 'code', { [id]: code }),
    };
  }
  const tests = await repairTests(context, failed, reasons);
  if (tests === null) return { cause: null };
  const own = failed.code === null ? {} : { [id]: failed.code };
  return {
    cause,
    tests: await keepBlob(context, 'tests', { [id]: tests }),
    code: await keepBlob(context, 'code', own),
  };
}

/** A unit that failed, as the prompts that repair it know it. */
interface FailedUnit {
  graph: PlanningGraph;
  unit: Brief;
  code: WrittenCode | null;
  tests: string;
  failure: Pick<Outcome, 'kind' | 'message' | 'output'>;
}

/** What every prompt about a failure shows, in sections whose order may be chosen. */
function sectionsOf({
  unit,
  code,
  tests,
  failure,
}: FailedUnit): Record<'unit' | 'code' | 'tests' | 'failure' | 'output', unknown> {
  return {
    unit: stubs([unit]),
    code: code === null ? null : python(codeText(code)),
    tests: python(tests),
    failure: `${failure.kind ?? 'error'}: ${failure.message}`,
    output: printed(failure.output),
  };
}

/** Code as one piece, with edits that could not be made of it so far. */
function codeText({ imports, helpers, source, edits = [] }: WrittenCode): string {
  const tried = edits.map(
    ({ kind, name, source: text }) => `# an edit of the ${kind} ${name} that was tried:\n${text}`,
  );
  return [imports.join('\n'), helpers, source, ...tried].filter((part) => part.trim() !== '').join('\n\n\n');
}

/** How each voter is shown the same things: where to begin reading, and the sections in that order. */
const READINGS = [
  ['the docstring, then what the tests ask for', ['unit', 'tests', 'code', 'failure', 'output']],
  ['the docstring, then what the code does', ['unit', 'code', 'tests', 'failure', 'output']],
  ['the failure, then the test that failed', ['failure', 'output', 'tests', 'unit', 'code']],
  ['the failure, then the code it came from', ['failure', 'output', 'code', 'unit', 'tests']],
  ['the tests, one assertion after the other', ['tests', 'failure', 'output', 'code', 'unit']],
] as const;
/** How many voters of one mind are enough. */
const ENOUGH = 3;

/** What no vote is needed for is decided by rule; else five voters at most, until three are of one mind. */
async function attribute(
  context: StageContext,
  failed: FailedUnit,
  outcome: Outcome,
): Promise<{ cause: Cause; reasons: string[] }> {
  if (failed.code === null || outcome.kind === 'code') return { cause: 'code', reasons: [] };
  if (outcome.kind === 'vacuous' || outcome.kind === 'no-tests' || failed.tests === '')
    return { cause: 'test', reasons: [outcome.message] };
  const sections = sectionsOf(failed);
  const votes: AnswerOf<'failure-vote'>[] = [];
  for (const [place, [start, order]] of READINGS.entries()) {
    const input = { start, ...Object.fromEntries(order.map((name) => [name, sections[name]])) };
    const asked = await askModel(context, { prompt: 'failure-vote', input, ordinal: 1 + place });
    if (asked.answer !== null) votes.push(asked.answer);
    if (votes.filter(({ cause }) => cause === votes.at(-1)?.cause).length >= ENOUGH) break;
  }
  const count = (cause: Cause): number => votes.filter((vote) => vote.cause === cause).length;
  // A tie is the code's: tests are changed only when most say so.
  const cause = (['code', 'test', 'environment'] as const).reduce((most, one) =>
    count(one) > count(most) ? one : most,
  );
  return { cause, reasons: votes.filter((vote) => vote.cause === cause).map(({ reason }) => reason) };
}

async function repairCode(context: StageContext, failed: FailedUnit): Promise<WrittenCode | null> {
  const { graph, unit, code, tests } = failed;
  const around = toldAround(surroundings(context, graph, [unit.id]));
  const units = [unit.id];
  if (code === null) {
    const { seen } = await localize(context, {
      ...{ graph, unit, task: 'Its code is to be written again: nothing of it could be used.' },
      about: { tests: python(tests) },
    });
    const input = {
      ...around,
      siblings: [],
      seen: shownLooks(seen),
      units: stubs([unit]),
      tests: pythonBy({ [unit.id]: tests }),
    };
    const own = (await askModel(context, { prompt: 'code', input, units, ordinal: FIX_ORDINAL })).answer?.units[0];
    return own === undefined ? null : { imports: own.imports, helpers: own.helpers, source: own.source };
  }
  const about = sectionsOf(failed);
  const task = 'Its code is to be repaired, so that its tests pass.';
  const { seen, targets } = await localize(context, { graph, unit, task, about });
  const input = { ...about, targets, seen: shownLooks(seen), uses: around.uses };
  const asked = await askModel(context, { prompt: 'repair', input, units, ordinal: FIX_ORDINAL });
  if (asked.answer === null) return null;
  const { imports, helpers, source } = code;
  return { imports, helpers, source, edits: asked.answer.edits };
}

async function repairTests(context: StageContext, failed: FailedUnit, reasons: string[]): Promise<string | null> {
  const { graph, unit } = failed;
  const { packages } = surroundings(context, graph, [unit.id]);
  const about = { ...sectionsOf(failed), code: null };
  const task = 'Its tests are to be written again, so that they test what its docstring says.';
  const { seen } = await localize(context, { graph, unit, task, about: { ...about, reasons } });
  const input = { ...about, reasons, seen: shownLooks(seen), packages };
  const asked = await askModel(context, { prompt: 'repair-tests', input, ordinal: FIX_ORDINAL });
  return asked.answer?.source ?? null;
}
