import { expect, test } from 'vitest';
import type { Connection } from '../connection.js';
import { trialDetail } from './trial-detail.js';

const ID = 'c/silver-fit/agent/1';
const said = (trial: string, author: string) => ({
  ...{ action: 'review', author, reason: 'looked at it', at: '2026-01-01T00:00:00.000Z' },
  details: { trial, judged: 'copied', status: 'full' },
});

/** Titles and rows of the tables that a trial is shown with. */
async function shown(suite: object, events: object[]): Promise<[string, unknown[][]][]> {
  const trial = { id: ID, campaignId: 'c', taskId: 'silver-fit', systemId: 'agent', outcome: 'failed' };
  const connection = {
    records: {
      trial: () => Promise.resolve({ trial, runs: [], steps: [], votes: [], attempts: [] }),
      campaign: () => Promise.resolve({ id: 'c', suite: 'artisan', spec: { systems: [] } }),
      events: () => Promise.resolve(events),
      calls: () => Promise.resolve({ calls: [], total: 0 }),
    },
    ...{ services: { temporal: {} }, names: { trial: (id: string) => id }, suiteNamed: () => Promise.resolve(suite) },
  } as unknown as Connection;
  const { tables } = await trialDetail(connection, ID);
  return tables.map(({ title, rows }) => [title, rows]);
}

const found = { title: 'Cells', columns: [], rows: [], notes: [] };
const suite = { reviews: { statuses: ['full'] }, trialTables: () => Promise.resolve([found]) };

test('a trial is shown with what people said of it, and not of others', async () => {
  const events = [{ ...said(ID, 'a'), action: 'retry' }, said('c/silver-fit/agent/2', 'a'), said(ID, 'b')];
  expect(await shown(suite, events)).toEqual([
    ['Cells', []],
    ['Reviews', [['copied', 'full', 'b', 'looked at it', '2026-01-01T00:00:00.000Z']]],
  ]);
});

test('where nobody has reviewed it, or the suite has no reviews, nothing is said of them', async () => {
  expect(await shown(suite, [])).toEqual([['Cells', []]]);
  expect(await shown({}, [said(ID, 'b')])).toEqual([]);
});
