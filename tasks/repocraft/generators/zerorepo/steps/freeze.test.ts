import { beforeAll, expect, it } from 'vitest';
import { planTextkit } from '../../../../../tests/fixtures/zerorepo/planned-textkit.js';
import type { Json } from '../../../../../src/contract/json.js';
import { createFakeSandbox } from '../../../../../src/fakes/fake-sandbox.js';
import type { StageContext } from '../../../../../src/suite/stage.js';
import { graphText } from '../graph/graph-format.js';
import { readTarFile } from '../../../../../src/suite-kit/tar-entries.js';
import { freezeTree } from './freeze.js';
import { keepBlob } from './products.js';

let context: StageContext;
let sha256: string;
/** Steps that ended before, by name. */
let steps: Record<string, Json>;

beforeAll(async () => {
  const planned = await planTextkit({ options: { features: 4 } });
  const sandbox = createFakeSandbox({ programs: { python3: () => ({}) }, images: ['repocraft-requests'] });
  const { signal } = new AbortController();
  context = {
    ...planned.context,
    ...{ sandbox, signal, owner: { kind: 'generation', id: 'g' }, heartbeat: () => undefined },
    earlier: (names) =>
      Promise.resolve(Object.fromEntries(Object.entries(steps).filter(([name]) => names.includes(name)))),
  };
  const label = { name: 'graph.json', mediaType: 'application/json' };
  ({ sha256 } = await context.blobs.put(graphText(planned.graph), label));
});

/** Tests of the whole that passed, and a README, made for a graph. */
async function wholeOf(graph: string): Promise<Record<string, Json>> {
  const tests = await keepBlob(context, 'tests', { source: 'def test_all():\n    pass\n' });
  const readme = await keepBlob(context, 'readme', { markdown: '# Told\n' });
  return {
    'write/integration-0': { blob: tests, of: graph },
    'try/integration-0': { report: tests, passed: [true], of: graph },
    'try/regression-0': { report: tests, passed: [false], of: graph },
    'write/readme': { blob: readme, of: graph },
  };
}

it('takes tests and README of the graph that is frozen, and counts them', async () => {
  steps = await wholeOf(sha256);
  const { candidate, figures } = await freezeTree(context, { graph: sha256, isCut: false });
  expect(figures).toMatchObject({ whole_tests: 1, whole_tests_passed: 1, regressions: 1 });
  const tar = await context.blobs.get(candidate.sha256);
  expect(await readTarFile(tar, 'tests/test_integration_tokenizing.py')).toContain('def test_all');
  expect(await readTarFile(tar, 'README.md')).toBe('# Told\n');
});

it('leaves out those of a plan that was edited since: they are about another tree', async () => {
  steps = await wholeOf('0'.repeat(64));
  const { candidate, figures } = await freezeTree(context, { graph: sha256, isCut: true });
  expect(figures).toMatchObject({ whole_tests: 0, whole_tests_passed: 0, regressions: 0, cut_by_limit: 1 });
  const tar = await context.blobs.get(candidate.sha256);
  expect(await readTarFile(tar, 'tests/test_integration_tokenizing.py')).toBeNull();
  expect(await readTarFile(tar, 'README.md')).toMatch(/^# ProseMeter\n/);
});
