import type { StageContext } from '../../../../../src/suite/stage.js';
import type { Repaired } from '../graph/steps.js';
import type { AnswerOf } from './asking/answers.js';
import { askModel } from './asking/ask.js';
import { briefsOf } from './asking/brief.js';
import { readGraph } from './graph-blob.js';
import { localize, type FailedUnit, type Seen } from './localize.js';
import { keepBlob } from './products.js';
import type { Outcome, TryReport } from './trying.js';
import { surroundings, type WrittenCode } from './write.js';
import { readJsonBlob } from '../../../../../src/suite-kit/json-blobs.js';

/** Voters on whose fault a failure is, and how many of one mind are enough. */
const VOTERS = 5;
const ENOUGH = 3;
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
    ...{ graph, unit, tests: report.tests[id] ?? '', attempt: about.round },
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

/** What no vote is needed for is decided by rule; else five voters at most, until three are of one mind. */
async function attribute(
  context: StageContext,
  failed: FailedUnit,
  outcome: Outcome,
): Promise<{ cause: Cause; reasons: string[] }> {
  if (failed.code === null || outcome.kind === 'code') return { cause: 'code', reasons: [] };
  if (outcome.kind === 'vacuous' || outcome.kind === 'no-tests' || failed.tests === '')
    return { cause: 'test', reasons: [outcome.message] };
  const { unit, code, tests, failure, attempt } = failed;
  const input = { unit, code, tests, failure, attempt };
  const votes: AnswerOf<'failure-vote'>[] = [];
  for (let voter = 1; voter <= VOTERS; voter += 1) {
    const asked = await askModel(context, { prompt: 'failure-vote', input: { ...input, voter }, ordinal: voter });
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
  const { graph, ...input } = failed;
  const uses = surroundings(context, graph, [failed.unit.id]).uses;
  if (failed.code === null) {
    const briefs = [{ ...failed.unit, tests: failed.tests }];
    const again = {
      ...surroundings(context, graph, [failed.unit.id]),
      units: briefs,
      siblings: [],
      attempt: failed.attempt,
    };
    const asked = await askModel(context, { prompt: 'code', input: again, ordinal: FIX_ORDINAL });
    const own = asked.answer?.units[0];
    return own === undefined ? null : { imports: own.imports, helpers: own.helpers, source: own.source };
  }
  const { seen, targets } = await localize(context, failed);
  const asked = await askModel(context, {
    prompt: 'repair',
    input: { ...input, targets, seen: seen satisfies Seen[], uses },
    ordinal: FIX_ORDINAL,
  });
  if (asked.answer === null) return null;
  const { imports, helpers, source } = failed.code;
  return { imports, helpers, source, edits: asked.answer.edits };
}

async function repairTests(context: StageContext, failed: FailedUnit, reasons: string[]): Promise<string | null> {
  const { graph, ...input } = failed;
  const { packages } = surroundings(context, graph, [failed.unit.id]);
  const asked = await askModel(context, {
    prompt: 'repair-tests',
    input: { ...input, reasons, packages },
    ordinal: FIX_ORDINAL,
  });
  return asked.answer?.source ?? null;
}
