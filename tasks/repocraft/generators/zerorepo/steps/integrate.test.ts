import { beforeAll, expect, it } from 'vitest';
import { planTextkit } from '../../../../../tests/fixtures/zerorepo/planned-textkit.js';
import { createFakeSandbox } from '../../../../../src/fakes/fake-sandbox.js';
import type { StageContext } from '../../../../../src/suite/stage.js';
import { graphText } from '../graph/graph-format.js';
import type { PlanningGraph } from '../graph/planning-graph.js';
import { needsOf } from '../graph/unit-order.js';
import { tryRegression } from './integrate.js';
import { keepBlob, type FinishedUnit } from './products.js';
import { testPath } from './trying.js';

let context: StageContext;
let graph: PlanningGraph;
/** Units that failed, by name. */
let failed: string[];
/** Paths of the test files of every run, in order. */
const runs: string[][] = [];

beforeAll(async () => {
  const planned = await planTextkit();
  graph = { ...planned.graph, interfaces: [...planned.graph.interfaces].reverse() };
  const program = ({ files }: { files: Map<string, Buffer> }) => {
    const { tests } = JSON.parse(files.get('request.json')?.toString('utf8') ?? '') as { tests: { path: string }[] };
    runs.push(tests.map(({ path }) => path));
    return { stdout: '[]' };
  };
  context = {
    ...planned.context,
    sandbox: createFakeSandbox({ programs: { python3: program }, images: ['repocraft-requests'] }),
    ...{ signal: new AbortController().signal, owner: { kind: 'generation', id: 'g' }, heartbeat: () => undefined },
    earlier: async (names) => {
      const ends = names.map(async (name) => [name, { product: await unitOf(name) }] as const);
      return Object.fromEntries(await Promise.all(ends));
    },
  };
});

function unitOf(step: string): Promise<string> {
  const id = step.slice('unit/'.length).split('@')[0] ?? '';
  const isDone = !failed.includes(id.split('::')[1] ?? '');
  const end = isDone ? ({ status: 'done', tests: `# ${id}` } as const) : ({ status: 'failed', tests: null } as const);
  const product = isDone ? { imports: [], helpers: '', source: 'x' } : null;
  return keepBlob(context, 'unit', { id, ...end, product, rounds: 0, message: null } satisfies FinishedUnit);
}

it('a regression runs the tests of all that is done in the module, those of what is needed before those that need it', async () => {
  failed = ['split_words'];
  const { sha256 } = await context.blobs.put(graphText(graph), { name: 'graph.json', mediaType: 'application/json' });
  for (const [module, { name }] of graph.modules.entries()) {
    await tryRegression(context, { graph: sha256, module });
    const own = graph.interfaces.filter(
      (one) =>
        graph.files.some(({ path, module: of }) => path === one.file && of === name) && !failed.includes(one.name),
    );
    const run = runs.at(-1) ?? [];
    expect([...run].sort()).toEqual(own.map(testPath).sort());
    const place = new Map(own.map((one) => [one.id, run.indexOf(testPath(one))]));
    for (const one of own)
      for (const need of needsOf(one))
        expect(place.get(need) ?? -1, `${need} before ${one.id}`).toBeLessThan(place.get(one.id) ?? -1);
  }
});
