import type { StageContext } from '../../../../../src/suite/stage.js';
import { fileParts, packageFiles } from '../graph/compose.js';
import type { PlanningGraph } from '../graph/planning-graph.js';
import { orderedDesigns, upstreamModules } from '../graph/unit-order.js';
import type { OfGraph, Tried, Written } from '../graph/steps.js';
import { REPOCRAFT_LIMITS } from '../../../suite.js';
import { purposeOf } from '../../purposes.js';
import { askModel } from './asking/ask.js';
import { briefsOf } from './asking/brief.js';
import { stubs } from './asking/document.js';
import { readGraph } from './graph-blob.js';
import { finishedUnits, keepBlob, patchesOf, type FinishedUnit } from './products.js';
import { runPython } from './sandbox-python.js';
import { outcomesOf, testPath } from './trying.js';
import { readJsonBlob } from '../../../../../src/suite-kit/json-blobs.js';

const SECONDS = 300;
/** Interfaces one prompt is told of. */
const TOLD = 200;

/** How one module's interfaces work together. */
export async function writeIntegrationTests(
  context: StageContext,
  { graph: sha256, module: place }: { graph: string; module: number },
): Promise<Written & OfGraph> {
  const { graph, done, module } = await moduleState(context, sha256, place);
  const own = [...done.keys()];
  if (module === undefined || own.length === 0) return { blob: null, of: sha256 };
  const about = { package: graph.package, packages: purposeOf(context).dependencies, edges: graph.flows };
  const asked = await askModel(context, {
    prompt: 'integration-tests',
    input: {
      ...about,
      module: { name: module.name, description: module.description },
      interfaces: stubs(briefsOf(graph, own).slice(0, TOLD)),
    },
  });
  return { blob: asked.answer === null ? null : await keepBlob(context, 'integration', asked.answer), of: sha256 };
}

/** Runs them on the module with all it builds on. */
export async function tryIntegrationTests(
  context: StageContext,
  { graph: sha256, module: place, tests }: { graph: string; module: number; tests: string },
): Promise<Tried & OfGraph> {
  const { graph, units, module } = await moduleState(context, sha256, place);
  const { source } = await readJsonBlob<{ source: string }>(context.blobs, tests);
  const tried = await runOn(context, graph, units, [{ path: integrationPath(module?.folder ?? ''), source }]);
  return { ...tried, of: sha256 };
}

/** Every test of a module once more, on the module with all it builds on, in topological order. */
export async function tryRegression(
  context: StageContext,
  { graph: sha256, module: place }: { graph: string; module: number },
): Promise<Tried & OfGraph> {
  const { graph, units, done } = await moduleState(context, sha256, place);
  const tests = orderedDesigns(graph).flatMap((design) => {
    const source = done.get(design.id)?.tests;
    return typeof source === 'string' ? [{ path: testPath(design), source }] : [];
  });
  return { ...(await runOn(context, graph, units, tests)), of: sha256 };
}

/** One test of the whole, along the data flow. */
export async function writeEndToEndTest(
  context: StageContext,
  { graph: sha256 }: { graph: string },
): Promise<Written & OfGraph> {
  const graph = await readGraph(context, sha256);
  const done = doneOf(
    await finishedUnits(
      context,
      graph,
      graph.interfaces.map(({ id }) => id),
    ),
  );
  if (done.size === 0) return { blob: null, of: sha256 };
  const about = { title: graph.title, purpose: graph.purpose, package: graph.package, edges: graph.flows };
  const interfaces = stubs(briefsOf(graph, [...done.keys()]).slice(0, TOLD));
  const asked = await askModel(context, {
    prompt: 'end-to-end-test',
    input: { ...about, packages: purposeOf(context).dependencies, interfaces },
  });
  return { blob: asked.answer === null ? null : await keepBlob(context, 'end-to-end', asked.answer), of: sha256 };
}

/** Runs it on everything that is done. */
export async function tryEndToEndTest(
  context: StageContext,
  { graph: sha256, tests }: { graph: string; tests: string | null },
): Promise<Tried & OfGraph> {
  const graph = await readGraph(context, sha256);
  const units = await finishedUnits(
    context,
    graph,
    graph.interfaces.map(({ id }) => id),
  );
  const written =
    tests === null
      ? []
      : [{ path: END_TO_END, source: (await readJsonBlob<{ source: string }>(context.blobs, tests)).source }];
  return { ...(await runOn(context, graph, units, written)), of: sha256 };
}

/** What the users of the library read. */
export async function writeReadme(
  context: StageContext,
  { graph: sha256 }: { graph: string },
): Promise<Written & OfGraph> {
  const graph = await readGraph(context, sha256);
  const units = await finishedUnits(
    context,
    graph,
    graph.interfaces.map(({ id }) => id),
  );
  const done = doneOf(units);
  const interfaces = briefsOf(graph, [...done.keys()]).slice(0, TOLD);
  const asked = await askModel(context, {
    prompt: 'readme',
    input: {
      ...{ title: graph.title, purpose: graph.purpose, package: graph.package, modules: graph.modules },
      interfaces: interfaces.map(({ id, import: from, signature }) => ({ id, import: from, signature })),
      missing: [...units.keys()].filter((id) => !done.has(id)).slice(0, TOLD),
    },
  });
  return { blob: asked.answer === null ? null : await keepBlob(context, 'readme', asked.answer), of: sha256 };
}

/** Where the test of the whole stands. */
export const END_TO_END = 'tests/test_end_to_end.py';

/** Where the integration tests of a module stand. */
export const integrationPath = (folder: string): string => `tests/test_integration_${folder}.py`;

async function moduleState(context: StageContext, sha256: string, place: number) {
  const graph = await readGraph(context, sha256);
  const module = graph.modules[place];
  const upstream = upstreamModules(graph, module?.name ?? '');
  const moduleOf = new Map(graph.files.map(({ path, module: name }) => [path, name]));
  const isOwn = (file: string): boolean => moduleOf.get(file) === module?.name;
  const ids = graph.interfaces
    .filter(({ file }) => isOwn(file) || upstream.has(moduleOf.get(file) ?? ''))
    .map(({ id }) => id);
  const units = await finishedUnits(context, graph, ids);
  const own = new Set(graph.interfaces.flatMap(({ id, file }) => (isOwn(file) ? [id] : [])));
  const done = new Map([...doneOf(units)].filter(([id]) => own.has(id)));
  return { graph, module, units, done };
}

const doneOf = (units: ReadonlyMap<string, FinishedUnit>): Map<string, FinishedUnit> =>
  new Map([...units].filter(([, { status }]) => status === 'done'));

async function runOn(
  context: StageContext,
  graph: PlanningGraph,
  units: ReadonlyMap<string, FinishedUnit>,
  tests: { path: string; source: string }[],
): Promise<Tried> {
  const { products, missing } = patchesOf(units);
  const paths = new Set(graph.interfaces.flatMap(({ id, file }) => (units.has(id) ? [file] : [])));
  const files = [...paths].map((path) => fileParts(graph, path, products, missing));
  const request = { files: [...packageFiles(graph), ...files], units: [], tests, seconds: SECONDS };
  if (tests.length === 0) return { report: await keepBlob(context, 'tried', { outcomes: [] }), passed: [] };
  const outcomes = outcomesOf(await runPython(context, 'unit.py', request, REPOCRAFT_LIMITS.verify), ['']);
  return {
    report: await keepBlob(context, 'tried', { outcomes, tests: {}, code: {} }),
    passed: outcomes.map(({ passed }) => passed),
  };
}
