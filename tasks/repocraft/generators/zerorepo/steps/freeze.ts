import { z } from 'zod';
import type { StageContext } from '../../../../../src/suite/stage.js';
import { fileParts, joinParts, packageFiles, type UnitProduct } from '../graph/compose.js';
import type { InterfaceDesign, PlanningGraph } from '../graph/planning-graph.js';
import { mermaidOf, svgOf } from '../graph/graph-views.js';
import { orderedDesigns } from '../graph/unit-order.js';
import type { Frozen, OfGraph, Tried, Written } from '../graph/steps.js';
import { packFiles } from '../../../../../src/suite-kit/packed-files.js';
import { readProjectSettings } from '../../../dataset/project-settings.js';
import type { PlannedFeature } from '../../../results.js';
import { REPOCRAFT_LIMITS } from '../../../suite.js';
import { purposeOf } from '../../purposes.js';
import { readGraph } from './graph-blob.js';
import { historyStream, type Commit } from './asking/history.js';
import { END_TO_END, integrationPath } from './integrate.js';
import { EDIT_STEP } from './planning.js';
import { finishedUnits, keepBlob, patchesOf, type FinishedUnit } from './products.js';
import { runPython } from './sandbox-python.js';
import { optionsOf } from '../settings.js';
import { testPath } from './trying.js';
import { readJsonBlob } from '../../../../../src/suite-kit/json-blobs.js';

const finding = z.object({ file: z.string(), line: z.number(), name: z.string(), rule: z.string() });

const verification = z.object({
  functions: z.number(),
  stubs: z.array(finding),
  unresolvedImports: z.array(finding),
  referenceImports: z.array(finding),
  unparsable: z.array(finding),
  mutants: z.number(),
  /** Mutants that the tests of their unit did not notice. */
  survived: z.array(finding),
});

/** What `verify` found: what `../python/verify.py` prints. */
export type Verification = z.infer<typeof verification>;

/** Verifies what is there, and freezes it: the candidate, its history and its graph. */
export async function freezeTree(
  context: StageContext,
  { graph: sha256, isCut }: { graph: string | null; isCut: boolean },
): Promise<Frozen> {
  const graph = sha256 === null ? null : await readGraph(context, sha256);
  const ids = graph?.interfaces.map(({ id }) => id) ?? [];
  const units = graph === null ? new Map<string, FinishedUnit>() : await finishedUnits(context, graph, ids);
  const whole = graph === null ? {} : await madeFor(context, graph, sha256);
  const commits = graph === null || ids.length === 0 ? [] : await commitsOf(context, graph, { units, whole });
  const tree = new Map(commits.flatMap(({ files }) => [...files]));
  const verified = await verify(context, graph, { units, tree });
  const bytes = new Map([...tree].map(([path, text]) => [path, new TextEncoder().encode(text)]));
  const tar = await packFiles(bytes);
  const { sha256: candidate, sizeBytes } = await context.attach(tar, {
    name: 'candidate.tar',
    mediaType: 'application/x-tar',
  });
  const text = (name: string, mediaType: string) => ({ name, mediaType: `${mediaType}; charset=utf-8` });
  await context.attach(JSON.stringify(verified, null, 1), text('verification.json', 'application/json'));
  if (graph !== null) {
    await context.attach(historyStream(commits), text('history.fast-import', 'text/plain'));
    await context.attach(mermaidOf(graph), text('graph.mmd', 'text/plain'));
    await context.attach(svgOf(graph), text('graph.svg', 'image/svg+xml'));
  }
  const figures = {
    ...figuresOf(graph, units, verified),
    ...testFigures(graph, whole),
    cut_by_limit: isCut ? 1 : 0,
    edited_by_operator: EDIT_STEP in (await context.earlier([EDIT_STEP])) ? 1 : 0,
  };
  const plan = graph === null ? null : await keepBlob(context, 'plan', plannedFeatures(graph, units));
  return { candidate: { sha256: candidate, sizeBytes, files: tree.size, provenance: 'generated' }, figures, plan };
}

/** Features with what became of them: one is done when all that provide it are. */
function plannedFeatures(graph: PlanningGraph, units: ReadonlyMap<string, FinishedUnit>): PlannedFeature[] {
  const providers = new Map<string, string[]>();
  for (const { id, features } of graph.interfaces)
    for (const feature of features) providers.set(feature, [...(providers.get(feature) ?? []), id]);
  return graph.features.map(({ id, path, description }) => {
    const own = providers.get(id) ?? [];
    const isDone = own.length > 0 && own.every((unit) => units.get(unit)?.status === 'done');
    return { path, description, isDone };
  });
}

/** Skeleton, one commit a unit in topological order, then what belongs to the whole. */
async function commitsOf(
  context: StageContext,
  graph: PlanningGraph,
  { units, whole }: { units: ReadonlyMap<string, FinishedUnit>; whole: Whole },
): Promise<Commit[]> {
  const { products, missing } = patchesOf(units);
  const text = (path: string, of: ReadonlyMap<string, UnitProduct>): [string, string] => {
    const parts = fileParts(graph, path, of, missing);
    return [parts.path, joinParts(parts)];
  };
  const skeleton = [...packageFiles(graph).map((parts): [string, string] => [parts.path, joinParts(parts)])];
  skeleton.push(...graph.files.map(({ path }) => text(path, new Map())));
  const commits: Commit[] = [{ message: `Skeleton of ${graph.title}`, files: new Map(skeleton) }];
  const soFar = new Map<string, UnitProduct>();
  for (const design of orderedDesigns(graph)) {
    const [product, tests] = [products.get(design.id), units.get(design.id)?.tests];
    if (product === undefined) continue;
    soFar.set(design.id, product);
    const files = new Map([text(design.file, soFar)]);
    if (typeof tests === 'string') files.set(testPath(design), ended(tests));
    commits.push({ message: `${design.name}: ${firstLine(design)}`, files });
  }
  return [...commits, { message: 'Tests of the whole, README', files: await wholeFiles(context, graph, whole) }];
}

const firstLine = ({ docstring }: InterfaceDesign): string => (docstring.split('\n')[0] ?? '').slice(0, 100);
const ended = (text: string): string => (text.endsWith('\n') ? text : `${text}\n`);

/** Results of the steps about modules and the whole, by name. */
type Whole = Record<string, (OfGraph & Partial<Written & Tried>) | undefined>;

/** Those that were made for this graph: an edit of the plan makes the others those of another tree. */
async function madeFor(context: StageContext, graph: PlanningGraph, sha256: string | null): Promise<Whole> {
  const tests = wholeTests(graph).flatMap(({ name }) => [`write/${name}`, `try/${name}`]);
  const regressions = graph.modules.map((_, index) => `try/regression-${index}`);
  const steps = (await context.earlier([...tests, ...regressions, 'write/readme'])) as Whole;
  return Object.fromEntries(Object.entries(steps).filter(([, result]) => result?.of === sha256));
}

async function wholeFiles(context: StageContext, graph: PlanningGraph, whole: Whole): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for (const { name, path } of wholeTests(graph)) {
    const [written, tried] = [whole[`write/${name}`], whole[`try/${name}`]];
    if (written?.blob == null || tried?.passed?.[0] !== true) continue;
    files.set(path, ended((await readJsonBlob<{ source: string }>(context.blobs, written.blob)).source));
  }
  const readme = whole['write/readme'];
  const markdown =
    readme?.blob == null ? null : (await readJsonBlob<{ markdown: string }>(context.blobs, readme.blob)).markdown;
  const dependencies = purposeOf(context).dependencies.map((name) => `"${name}"`);
  files.set('README.md', ended(markdown ?? `# ${graph.title}\n\n${graph.purpose}\n`));
  files.set(
    'pyproject.toml',
    `[project]\nname = "${graph.package}"\nversion = "0.1.0"\nrequires-python = ">=3.11"\ndependencies = [${dependencies.join(', ')}]\n`,
  );
  return files;
}

/** Tests of more than one unit: names of their steps, and where they stand. */
const wholeTests = (graph: PlanningGraph): { name: string; path: string }[] => [
  ...graph.modules.map(({ folder }, index) => ({ name: `integration-${index}`, path: integrationPath(folder ?? '') })),
  { name: 'end-to-end', path: END_TO_END },
];

async function verify(
  context: StageContext,
  graph: PlanningGraph | null,
  { units, tree }: { units: ReadonlyMap<string, FinishedUnit>; tree: ReadonlyMap<string, string> },
): Promise<Verification | { failure: string }> {
  const { settings } = await readProjectSettings(context.scope ?? '', context.suiteFolder);
  const { mutants, seconds } = optionsOf(context.system);
  const request = {
    package: graph?.package ?? '',
    files: Object.fromEntries(tree),
    reference: [settings.package],
    ...{ mutants, seconds },
    units: (graph?.interfaces ?? []).flatMap((design) =>
      units.get(design.id)?.status === 'done'
        ? [
            {
              id: design.id,
              file: `${graph?.package ?? ''}/${design.file}`,
              name: design.name,
              tests: testPath(design),
            },
          ]
        : [],
    ),
  };
  const end = await runPython(context, 'verify.py', request, REPOCRAFT_LIMITS.verify);
  if ('failure' in end) return end;
  const parsed = verification.safeParse(end.value);
  return parsed.success ? parsed.data : { failure: 'verify left no report' };
}

/** What a report says of a generation, in numbers; null = was not measured. */
function figuresOf(
  graph: PlanningGraph | null,
  units: ReadonlyMap<string, FinishedUnit>,
  verified: Verification | { failure: string },
): Record<string, number | null> {
  const ends = [...units.values()];
  const withStatus = (status: FinishedUnit['status']): number => ends.filter((end) => end.status === status).length;
  const found = 'failure' in verified ? null : verified;
  return {
    features: graph?.features.length ?? 0,
    modules: graph?.modules.length ?? 0,
    planned_files: graph?.files.length ?? 0,
    units: graph?.interfaces.length ?? 0,
    units_done: withStatus('done'),
    units_failed: withStatus('failed'),
    units_blocked: withStatus('blocked'),
    repair_rounds: ends.reduce((sum, { rounds }) => sum + rounds, 0),
    functions: found?.functions ?? null,
    stubs: found?.stubs.length ?? null,
    unresolved_imports: found?.unresolvedImports.length ?? null,
    reference_imports: found?.referenceImports.length ?? null,
    mutants: found?.mutants ?? null,
    mutants_survived: found?.survived.length ?? null,
  };
}

function testFigures(graph: PlanningGraph | null, whole: Whole): Record<string, number> {
  if (graph === null) return { whole_tests: 0, whole_tests_passed: 0, regressions: 0 };
  const passed = (name: string): boolean | undefined => whole[`try/${name}`]?.passed?.[0];
  const tests = wholeTests(graph).map(({ name }) => passed(name));
  return {
    whole_tests: tests.filter((one) => one !== undefined).length,
    whole_tests_passed: tests.filter((one) => one === true).length,
    regressions: graph.modules.filter((_, index) => passed(`regression-${index}`) === false).length,
  };
}
