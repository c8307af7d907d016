import { z } from 'zod';
import type { StageContext } from '../../../../../src/suite/stage.js';
import { fileParts, needsClosure, packageFiles, type FileParts } from '../graph/compose.js';
import { moduleOfFile, type InterfaceDesign, type PlanningGraph } from '../graph/planning-graph.js';
import type { Tried } from '../graph/steps.js';
import { REPOCRAFT_LIMITS } from '../../../suite.js';
import { readGraph } from './graph-blob.js';
import { finishedUnits, keepBlob, patchesOf } from './products.js';
import { runPython } from './sandbox-python.js';
import { optionsOf } from '../settings.js';
import type { WrittenCode, WrittenTests } from './write.js';
import { readJsonBlob } from '../../../../../src/suite-kit/json-blobs.js';

type Unit = [id: string, fingerprint: string];

const product = z.object({ imports: z.array(z.string()), helpers: z.string(), source: z.string() });

const outcome = z.object({
  id: z.string(),
  /** The patch, checked and with its edits; null where the text is none. */
  product: product.nullable(),
  passed: z.boolean(),
  /** `code` (no patch can be made of it), `assertion`, `error`, `timeout`, `no-tests`, `vacuous`, `crashed`. */
  kind: z.string().nullable(),
  message: z.string(),
  output: z.string(),
  tests: z.number(),
  files: z.record(z.string(), z.number()),
});

/** How a unit, or a set of tests, fared: what `../python/unit.py` prints. */
export type Outcome = z.infer<typeof outcome>;

/** A report of a `try/…` step: blob content. */
export interface TryReport {
  outcomes: Outcome[];
  tests: WrittenTests;
  code: Record<string, WrittenCode>;
}

/** Puts what was written into the tree of its predecessors and runs the tests. */
export async function tryUnits(
  context: StageContext,
  about: { graph: string; units: Unit[]; tests: string | null; code: string | null },
): Promise<Tried> {
  const graph = await readGraph(context, about.graph);
  const ids = about.units.map(([id]) => id);
  const tests = about.tests === null ? {} : await readJsonBlob<WrittenTests>(context.blobs, about.tests);
  const code = about.code === null ? {} : await readJsonBlob<Record<string, WrittenCode>>(context.blobs, about.code);
  const files = await treeFor(context, graph, ids);
  const units = graph.interfaces
    .filter(({ id }) => ids.includes(id))
    .map((design) => ({
      ...unitRequest(graph, design),
      code: code[design.id] ?? null,
      tests: tests[design.id] ?? null,
    }));
  const { seconds } = optionsOf(context.system);
  const request = { files, units, tests: [], seconds };
  const end = await runPython(context, 'unit.py', request, REPOCRAFT_LIMITS.units);
  const outcomes = outcomesOf(end, ids);
  const report: TryReport = { outcomes, tests, code };
  return { report: await keepBlob(context, 'tried', report), passed: outcomes.map(({ passed }) => passed) };
}

/** The files that some units and what they need are in, with the patches of what they need and of nothing else. */
async function treeFor(context: StageContext, graph: PlanningGraph, ids: readonly string[]): Promise<FileParts[]> {
  const closure = needsClosure(graph, ids);
  const { products, missing } = patchesOf(await finishedUnits(context, graph, closure));
  const inTree = new Set([...closure, ...ids]);
  const paths = new Set(graph.interfaces.flatMap(({ id, file }) => (inTree.has(id) ? [file] : [])));
  const files = graph.files
    .filter(({ path }) => paths.has(path))
    .map(({ path }) => fileParts(graph, path, products, missing));
  return [...packageFiles(graph), ...files];
}

function unitRequest(graph: PlanningGraph, design: InterfaceDesign) {
  const { id, file, name, kind, signature, methods } = design;
  const siblings = graph.interfaces.filter((one) => one.file === file && one.id !== id).map((one) => one.name);
  return {
    id,
    module: moduleOfFile(graph, file),
    name,
    kind,
    signature,
    methods,
    siblings,
    testPath: testPath(design),
  };
}

/** Where the tests of a unit stand in the repository: `tests/tokenize/test_words_split_words.py`. */
export function testPath({ file, name }: Pick<InterfaceDesign, 'file' | 'name'>): string {
  const parts = file.replace(/\.py$/, '').split('/');
  return `tests/${[...parts.slice(0, -1), `test_${parts.at(-1) ?? ''}_${name}`].join('/')}.py`;
}

/** What was printed, in the order of the ids; where nothing was, all of them share the failure. */
export function outcomesOf(end: Awaited<ReturnType<typeof runPython>>, ids: readonly string[]): Outcome[] {
  const parsed = 'value' in end ? z.array(outcome).safeParse(end.value) : null;
  const failure = 'failure' in end ? end.failure : 'the run left no report';
  return ids.map(
    (id) =>
      parsed?.data?.find((one) => one.id === id) ?? {
        ...{ id, product: null, passed: false, kind: 'crashed', message: failure, output: '', tests: 0, files: {} },
      },
  );
}
