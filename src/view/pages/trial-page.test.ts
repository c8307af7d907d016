import { expect, it } from 'vitest';
import { ID, SUBJECT, TRIALS } from '../../../tests/fixtures/engine/report-subject.js';
import type { ViewedTrial } from '../../client/view/view-source.js';
import type { StepRow } from '../../ports/records.js';
import { ownSuites } from '../../suite/registry.js';
import { SERVED_LINKS } from '../links.js';
import { trialPage } from './trial-page.js';

const SUITES = await ownSuites();

const step = (name: string, answered: number, replayed: number): StepRow => ({
  ...{ stage: 'generate', step: name, n: 1, attempt: 1, result: { action: 'read' }, evidence: [] },
  calls: { answered, replayed, reused: 0 },
  startedAt: '2026-01-01T00:00:00.000Z',
  endedAt: '2026-01-01T00:00:02.000Z',
});

/** What a reader sees: the text of the page without its markup. */
async function read(columns: ViewedTrial['outline']['columns'], steps: StepRow[] = []): Promise<string> {
  const [trial] = TRIALS;
  // One more than the places, so that each value names its column.
  const metrics = Object.fromEntries(columns.map(({ metric }, index) => [metric, 0.1 + index / 1000]));
  const detail = {
    ...{ trial: { ...trial!, metrics }, runs: [], steps, votes: [], attempts: [], explanation: null, task: null },
    ...{ failureClass: null, again: null, temporalUi: null },
    tables: [{ title: 'Jobs', columns: [{ title: 'job', kind: 'text' }], rows: [['build']], notes: [] }],
  };
  const { name, suite, dataset, spec } = SUBJECT.campaign;
  const outline = { id: ID, name, suite, dataset, spec, groups: ['requests'], columns };
  const viewed = { detail, outline, diffs: [], evidence: new Map(), generation: null, siblings: [] };
  const { body } = trialPage(
    SERVED_LINKS,
    viewed as unknown as ViewedTrial,
    { calls: [], total: 0, page: 1 },
    {
      ...{ choice: {}, previous: null, next: null },
    },
  );
  return String(await body)
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ');
}

it.each(SUITES)('has the columns of $manifest.id in their order, each with its value', async ({ resultColumns }) => {
  expect(resultColumns.length).toBeGreaterThan(0);
  const text = await read(resultColumns);
  const told = resultColumns.map(({ title }, index) => `${title} ${Number((0.1 + index / 1000).toFixed(3))}`);
  expect(text).toContain(`result columns ${told.join(', ')}`);
});

it('has the turns of an agent with what each was answered from the record, and the tables of its suite', async () => {
  const text = await read([], [step('turn-1', 2, 2), step('turn-2', 3, 1), step('turn-3', 0, 0)]);
  expect(text).toContain('generate turn-1 2.0 s, 2 model calls, 2 replayed');
  expect(text).toContain('generate turn-2 2.0 s, 3 model calls, 1 replayed');
  expect(text).toMatch(/generate turn-3 2\.0 s (?!,)/);
  expect(text).toContain('Jobs');
  expect(text).toContain('build');
});
