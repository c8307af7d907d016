import { beforeAll, describe, expect, it } from 'vitest';
import { planTextkit } from '../../../../../tests/fixtures/zerorepo/planned-textkit.js';
import type { Json } from '../../../../../src/contract/json.js';
import type { StepRow } from '../../../../../src/ports/records.js';
import type { LastGraph } from '../../../../../src/suite/generation.js';
import type { StageContext } from '../../../../../src/suite/stage.js';
import { fingerprints } from '../graph/fingerprints.js';
import { graphText } from '../graph/graph-format.js';
import type { PlanningGraph } from '../graph/planning-graph.js';
import { unitStep } from '../graph/steps.js';
import { designInterfaces } from './design.js';
import { planningGraph } from './planning-graph.js';
import { layOutModule, planBaseClasses } from './planning.js';

let whole: PlanningGraph;
let context: StageContext;
beforeAll(async () => {
  ({ graph: whole, context } = await planTextkit());
});

/** The plan as it was at earlier stages. */
const flows = (): PlanningGraph => ({ ...whole, interfaces: [] });
const files = (): PlanningGraph => ({ ...flows(), flows: [] });
const modules = (): PlanningGraph => ({
  ...files(),
  files: [],
  modules: whole.modules.map((module) => ({ ...module, folder: null })),
  features: whole.features.map((feature) => ({ ...feature, file: null })),
});
const features = (): PlanningGraph => ({
  ...modules(),
  modules: [],
  features: modules().features.map((feature) => ({ ...feature, module: null })),
});

async function kept(graph: PlanningGraph): Promise<string> {
  return (await context.blobs.put(graphText(graph), { name: 'graph.json', mediaType: 'application/json' })).sha256;
}

async function steps(...left: [step: string, graph: PlanningGraph][]): Promise<StepRow[]> {
  const rows = left.map(async ([step, graph]) => ({ step, stage: 'generate', result: { graph: await kept(graph) } }));
  return (await Promise.all(rows)) as unknown as StepRow[];
}

const last = async (...left: [step: string, graph: PlanningGraph][]): Promise<LastGraph | null> =>
  planningGraph.last(await steps(...left), context.blobs);

describe('the graph a generation has come to', () => {
  it('is that of the last step which left a whole one; a run that begins anew does not set it back', async () => {
    expect(await last()).toBeNull();
    const empty = { ...features(), features: [] };
    expect(await last(['plan/start', empty])).toMatchObject({ text: graphText(empty), step: 'plan/start' });
    const end = await last(['plan/start', empty], ['plan/propose-1', features()], ['plan/start', empty]);
    expect(end).toEqual({ text: graphText(features()), stage: null, step: 'plan/propose-1' });
  });

  it('is the edited one, also when a step that was under way then ends later', async () => {
    const rows = await steps(['plan/layout-0', files()], ['edit', modules()], ['plan/layout-1', files()]);
    const startedAt = ['2026-11-21T10:00:00Z', '2026-11-21T10:09:00Z', '2026-11-21T10:05:00Z'];
    const told = rows.map((row, index) => ({ ...row, startedAt: startedAt[index] ?? '' }));
    expect(await planningGraph.last(told, context.blobs)).toMatchObject({ text: graphText(modules()), step: 'edit' });
  });

  it('knows features as complete once they are sorted', async () => {
    const begun = await last(['plan/propose-1', features()], ['plan/refactor-1', features()]);
    expect(begun?.stage).toBe('features');
    expect((await last(['plan/refactor-2', modules()]))?.stage).toBe('modules');
  });

  it('has the interfaces that modules were given since, though they are not brought together yet', async () => {
    const of = (...names: string[]): PlanningGraph => ({
      ...whole,
      interfaces: whole.interfaces.filter(({ file }) => names.some((name) => file.startsWith(`${name}/`))),
    });
    const design = await last(
      ['plan/base-classes', flows()],
      ['design/0-0', of()],
      ['design/0-1', of('tokenizing')],
      ['design/3-0', of('similarity')],
    );
    expect(design).toEqual({
      text: graphText(of('tokenizing', 'similarity')),
      ...{ stage: 'flows', step: 'plan/base-classes' },
    });
    const done = await last(
      ['plan/base-classes', flows()],
      ['design/0-1', of('tokenizing')],
      ['plan/interfaces', whole],
    );
    expect(done).toMatchObject({ text: graphText(whole), stage: 'interfaces' });
  });
});

it('says how many units of the plan ended, and how: those of an earlier design do not count', async () => {
  const prints = [...fingerprints(whole)].map(([id, print]) => unitStep(id, print));
  const ends: Record<string, Json> = Object.fromEntries(
    (['done', 'done', 'failed', 'blocked'] as const).map((status, index) => [prints[index] ?? '', { status }]),
  );
  ends[unitStep(whole.interfaces[9]?.id ?? '', 'earlier')] = { status: 'done' };
  const find = (names: readonly string[]) =>
    Promise.resolve(Object.fromEntries(Object.entries(ends).filter(([name]) => names.includes(name))));
  const progress = await planningGraph.progress({ graph: await kept(whole) }, { blobs: context.blobs, find });
  expect(progress).toEqual({ of: '41 units', done: 2, failed: 1, blocked: 1 });
});

describe('an edited graph', () => {
  const before = async (graph: PlanningGraph, step: string): Promise<LastGraph> => {
    const found = await last([step, graph]);
    if (found === null) throw new Error('no graph');
    return found;
  };

  it('has to hold what held before; how far it is planned follows from it', async () => {
    const old = await before(whole, 'plan/interfaces');
    expect(planningGraph.edit(graphText(flows()), { before: old })).toEqual({
      problems: expect.arrayContaining(['feature f1 is provided by no interface']) as string[],
    });
    const back = planningGraph.edit(graphText(flows()), { before: old, stage: 'flows' });
    expect(back).toMatchObject({ stage: 'flows', step: 'edit', changes: ['interfaces: 41 removed'] });
    expect('result' in back && back.result('abc')).toEqual({ graph: 'abc', stage: 'flows' });
    const further = planningGraph.edit(graphText(whole), { before: await before(files(), 'plan/layout-3') });
    expect(further).toMatchObject({ stage: 'interfaces' });
  });

  it('with features alone goes on proposing, unless they were sorted or are said to be complete', async () => {
    const old = await before(features(), 'plan/propose-1');
    const edit = (stage?: string) =>
      planningGraph.edit(graphText(features()), { before: old, ...(stage === undefined ? {} : { stage }) });
    expect(edit()).toMatchObject({ stage: null, changes: [] });
    expect(edit('features')).toMatchObject({ stage: 'features' });
    expect(planningGraph.edit(graphText(features()), { before: null })).toMatchObject({ stage: null });
  });

  it('counts the units that are written again: those whose design changed, and what builds on them', async () => {
    const changed = {
      ...whole,
      interfaces: whole.interfaces.map((one) =>
        one.name === 'split_words' ? { ...one, docstring: `${one.docstring}\n\nFaster.` } : one,
      ),
    };
    const edit = planningGraph.edit(graphText(changed), { before: await before(whole, 'plan/interfaces') });
    const users = whole.interfaces.filter(({ invokes }) => invokes.some((id) => id.endsWith('::split_words')));
    expect(users.length).toBeGreaterThan(0);
    const [first, second] = 'changes' in edit ? edit.changes : [];
    expect(first).toBe('interfaces: 1 changed');
    const written = Number(/(\d+) are to be written/.exec(second ?? '')?.[1]);
    expect(written).toBeGreaterThan(users.length);
    expect(written).toBeLessThan(whole.interfaces.length);
  });
});

describe('work that a later stage had begun', () => {
  /** As it is edited in the middle of that work, without a word on how far it is planned. */
  const edit = async (graph: PlanningGraph, at: PlanningGraph, step: string, stage?: string) => {
    const before = await last([step, at]);
    return planningGraph.edit(graphText(graph), { before, ...(stage === undefined ? {} : { stage }) });
  };
  const problems = async (...of: Parameters<typeof edit>): Promise<string[]> => {
    const edited = await edit(...of);
    return 'problems' in edited ? edited.problems : [];
  };
  const without = (...paths: string[]): PlanningGraph => ({
    ...whole,
    interfaces: whole.interfaces.filter(({ file }) => !paths.includes(file)),
  });
  /** In the middle of the design: files of the last module are open. */
  const designing = (): PlanningGraph => without('similarity/overlap.py', 'similarity/common.py');
  const changed = (graph: PlanningGraph, name: string, change: object): PlanningGraph => ({
    ...graph,
    interfaces: graph.interfaces.map((one) => (one.name === name ? { ...one, ...change } : one)),
  });
  const laidOut = (count: number): PlanningGraph => {
    const names = whole.modules.slice(0, count).map(({ name }) => name);
    const isIn = (module: string | null): boolean => module !== null && names.includes(module);
    return {
      ...files(),
      modules: whole.modules.map((one) => (isIn(one.name) ? one : { ...one, folder: null })),
      features: whole.features.map((one) => (isIn(one.module) ? one : { ...one, file: null })),
      files: whole.files.filter(({ module }) => isIn(module)),
    };
  };

  it('may stay as it is', async () => {
    expect(await edit(designing(), designing(), 'plan/base-classes')).toMatchObject({ stage: 'flows', changes: [] });
    expect(await edit(laidOut(2), laidOut(2), 'plan/layout-1')).toMatchObject({ stage: 'modules', changes: [] });
    const sorting = { ...modules(), features: modules().features.map((one, at) => (at < 20 ? one : unsorted(one))) };
    expect(await edit(sorting, sorting, 'plan/refactor-1')).toMatchObject({ changes: [] });
  });
  const unsorted = <One extends object>(one: One): One => ({ ...one, module: null });

  it.each([
    ['split_words', { invokes: ['nowhere.py::x'] }, 'uses nowhere.py::x, which does not exist'],
    ['split_words', { name: 'class' }, 'should have the id'],
    ['split_words', { features: ['f40'] }, 'provides f40, which is not a feature of its file'],
    ['split_words', { signature: 'text' }, 'the signature has no parentheses'],
    ['strip_accents', { invokes: ['tokenizing/splitting.py::split_words'] }, 'the interfaces have a cycle: '],
    [
      'split_words',
      { invokes: ['measures/counts.py::word_frequencies'] },
      'but no data flows from "Measures" to "Tokenizing"',
    ],
  ])('holds as far as it goes: the design of %s with %j is refused', async (name, change, says) => {
    expect((await problems(changed(designing(), name, change), designing(), 'plan/base-classes')).join('\n')).toContain(
      says,
    );
  });

  it('is not used by what stays where its file is designed again', async () => {
    const used = new Set(whole.interfaces.flatMap(({ invokes }) => invokes));
    const idle = whole.interfaces.find(({ file, id }) => file === 'tokenizing/splitting.py' && !used.has(id));
    const open = { ...designing(), interfaces: designing().interfaces.filter((one) => one.id !== idle?.id) };
    expect(await problems(open, designing(), 'plan/base-classes')).toContainEqual(
      expect.stringMatching(
        / uses tokenizing\/splitting\.py::\w+, but tokenizing\/splitting\.py is to be designed again, because feature f\d+ is/,
      ),
    );
  });

  it('of layouts holds too: only a module whose leaves are not all in files is laid out again', async () => {
    const at = laidOut(2);
    const [first] = at.files;
    const moved = { ...at, files: at.files.map((one) => (one === first ? { ...one, after: ['nowhere.py'] } : one)) };
    expect((await problems(moved, at, 'plan/layout-1')).join()).toContain('comes after nowhere.py');
    const gone = { ...at, files: at.files.filter(({ path }) => path !== 'tokenizing/ngrams.py') };
    expect((await problems(gone, at, 'plan/layout-1')).join()).toContain('which does not exist');
    const again = { ...at, features: at.features.map((one) => (one.id === 'f1' ? { ...one, file: null } : one)) };
    expect(await edit(again, at, 'plan/layout-1')).toMatchObject({ stage: 'modules' });
  });

  it('needs the whole stage that it builds on', async () => {
    const [flow] = whole.flows;
    const circle = flow === undefined ? [] : [...whole.flows, { ...flow, source: flow.target, target: flow.source }];
    expect((await problems({ ...whole, flows: circle }, files(), 'plan/layout-3')).join()).toContain('has a cycle');
    const lost = { ...whole, features: whole.features.map((one) => (one.id === 'f3' ? { ...one, file: null } : one)) };
    expect(await problems(lost, modules(), 'plan/refactor-2')).toContain('feature f3 is in no file');
  });

  it('is left out where the operator goes further back', async () => {
    expect(await edit(whole, whole, 'plan/interfaces', 'files')).toMatchObject({
      ...{ text: graphText(files()), stage: 'files' },
      changes: [`flows: ${whole.flows.length} removed`, 'interfaces: 41 removed'],
    });
    expect(await edit(whole, whole, 'plan/interfaces', 'modules')).toMatchObject({ text: graphText(files()) });
    expect(await edit(whole, whole, 'plan/interfaces', 'features')).toMatchObject({ text: graphText(modules()) });
    expect(await edit(whole, whole, 'plan/interfaces', 'flows')).toMatchObject({ text: graphText(whole) });
  });
});

describe('what is planned already in an edited graph', () => {
  it('is not planned again: layouts of modules, base classes, files whose leaves are provided', async () => {
    const { graph, asked, context: own } = await planTextkit();
    const count = asked.length;
    const sha256 = (await own.blobs.put(graphText(graph), { name: 'g', mediaType: 'application/json' })).sha256;
    expect(await layOutModule(own, { graph: sha256, module: 0 })).toMatchObject({ graph: sha256, left: 3 });
    expect(await planBaseClasses(own, { graph: sha256 })).toMatchObject({ graph: sha256 });
    expect(await designInterfaces(own, { graph: sha256, module: 0 })).toEqual({ graph: sha256, left: 0 });
    expect(asked).toHaveLength(count);
    const gone = graph.interfaces.filter(({ file }) => file !== 'tokenizing/ngrams.py');
    const open = await own.blobs.put(graphText({ ...graph, interfaces: gone }), { name: 'g', mediaType: 'x' });
    const designed = await designInterfaces(own, { graph: open.sha256, module: 0 });
    expect(designed.left).toBe(0);
    // The design, and two reviewers of one mind.
    expect(asked).toHaveLength(count + 1 + 2);
  });
});
