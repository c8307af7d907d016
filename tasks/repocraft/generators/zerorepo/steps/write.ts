import type { StageContext } from '../../../../../src/suite/stage.js';
import { siblingOf } from '../graph/fingerprints.js';
import type { PlanningGraph } from '../graph/planning-graph.js';
import { needsOf } from '../graph/unit-order.js';
import type { Written } from '../graph/steps.js';
import type { AnswerOf } from './asking/answers.js';
import { purposeOf } from '../../purposes.js';
import { askModel } from './asking/ask.js';
import { briefsOf, type Brief } from './asking/brief.js';
import { pythonBy, stubs, type Material } from './asking/document.js';
import { readGraph } from './graph-blob.js';
import { keepBlob } from './products.js';
import { readJsonBlob } from '../../../../../src/suite-kit/json-blobs.js';

type Unit = [id: string, fingerprint: string];

/** Test file of each unit: blob content of a `write/tests…` step. */
export type WrittenTests = Record<string, string>;

/** Code of a unit as a model wrote it; edits are applied when it is tried. */
export type WrittenCode = Omit<AnswerOf<'code'>['units'][number], 'unit'> & { edits?: AnswerOf<'repair'>['edits'] };

/** Tests first, from signature and docstring alone. */
export async function writeTests(
  context: StageContext,
  { graph: sha256, units }: { graph: string; units: Unit[] },
): Promise<Written> {
  const graph = await readGraph(context, sha256);
  const ids = units.map(([id]) => id);
  const asked = await askModel(context, {
    prompt: 'tests',
    input: { ...toldAround(surroundings(context, graph, ids)), units: stubs(briefsOf(graph, ids)) },
    units: ids,
    problems: ({ tests }) =>
      oneEach(
        ids,
        tests.map(({ unit }) => unit),
      ),
  });
  if (asked.answer === null) return { blob: null };
  const tests: WrittenTests = Object.fromEntries(
    asked.answer.tests.flatMap(({ unit, source }) => (ids.includes(unit) ? [[unit, source]] : [])),
  );
  return { blob: await keepBlob(context, 'tests', tests) };
}

/** The code that is to pass them. */
export async function writeCode(
  context: StageContext,
  { graph: sha256, units, tests: written }: { graph: string; units: Unit[]; tests: string | null },
): Promise<Written> {
  const graph = await readGraph(context, sha256);
  const ids = units.map(([id]) => id);
  const tests = written === null ? {} : await readJsonBlob<WrittenTests>(context.blobs, written);
  const files = new Set(graph.interfaces.flatMap(({ id, file }) => (ids.includes(id) ? [file] : [])));
  const siblings = graph.interfaces.filter(({ id, file }) => files.has(file) && !ids.includes(id)).map(siblingOf);
  const asked = await askModel(context, {
    prompt: 'code',
    input: {
      ...toldAround(surroundings(context, graph, ids)),
      siblings,
      units: stubs(briefsOf(graph, ids)),
      tests: pythonBy(Object.fromEntries(ids.map((id) => [id, tests[id] ?? '']))),
    },
    units: ids,
    problems: (answer) =>
      oneEach(
        ids,
        answer.units.map(({ unit }) => unit),
      ),
  });
  if (asked.answer === null) return { blob: null };
  const code = Object.fromEntries(
    asked.answer.units.flatMap(({ unit, ...own }): [string, WrittenCode][] =>
      ids.includes(unit) ? [[unit, own]] : [],
    ),
  );
  return { blob: await keepBlob(context, 'code', code) };
}

/** What every prompt about units is told: only what the units need, so that nothing depends on who was done first. */
export function surroundings(
  context: StageContext,
  graph: PlanningGraph,
  ids: readonly string[],
): { package: string; packages: readonly string[]; uses: Brief[] } {
  const designs = graph.interfaces.filter(({ id }) => ids.includes(id));
  const needs = [...new Set(designs.flatMap(needsOf))].filter((id) => !ids.includes(id)).sort();
  return { package: graph.package, packages: purposeOf(context).dependencies, uses: briefsOf(graph, needs) };
}

/** What surrounds units, as a prompt shows it. */
export const toldAround = ({ uses, ...rest }: ReturnType<typeof surroundings>): Material => ({
  ...rest,
  uses: stubs(uses),
});

function oneEach(wanted: readonly string[], given: readonly string[]): string[] {
  return [
    ...wanted.filter((id) => !given.includes(id)).map((id) => `nothing is given for ${id}`),
    ...given.filter((id) => !wanted.includes(id)).map((id) => `${id} was not asked for`),
  ];
}
