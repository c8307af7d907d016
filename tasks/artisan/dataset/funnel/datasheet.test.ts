import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { committedCells } from '../cell-counts.js';
import { STUDIES } from '../selection.js';
import { chainOf } from './chain.js';
import { committedFunnel, committedSection } from './committed-section.js';
import { CRITERIA } from './criteria.js';
import type { FunnelRow } from './funnel.js';
import { committedOverrides } from './funnel-step.js';

const SUITE = join(import.meta.dirname, '..', '..');

const row = (criterion: string, table: string | null, verdict: FunnelRow['verdict']): FunnelRow => ({
  ...{ criterion, table, verdict, why: '', evidence: [] },
});

test('a chain counts what is left after each criterion, studies and tables', () => {
  const study = (id: string, changes: FunnelRow[]): { study: string; rows: FunnelRow[] } => ({
    study: id,
    rows: CRITERIA.flatMap(({ id: criterion, level }) =>
      (level === 'study' ? [null] : [`${id}-1`, `${id}-2`]).map(
        (table) =>
          changes.find((each) => each.criterion === criterion && each.table === table) ?? row(criterion, table, 'in'),
      ),
    ),
  });
  const { studies, tables, links } = chainOf([
    study('a', [row('packaged', null, 'out'), row('no-gpu', null, 'out'), row('hardware', 'a-1', 'out')]),
    study('b', [
      row('badges', null, 'unknown'),
      row('data-there', 'b-1', 'out'),
      row('deterministic', 'b-1', 'unknown'),
    ]),
    study('c', [row('result-table', 'c-1', 'out'), row('hardware', 'c-2', 'out')]),
  ]);
  const of = (id: string): unknown => links.find(({ criterion }) => criterion === id);
  expect({ studies, tables }).toEqual({ studies: 3, tables: 6 });
  expect(of('badges')).toEqual({ criterion: 'badges', out: 0, unknown: 1, studies: 3, tables: 6 });
  expect(of('packaged')).toEqual({ criterion: 'packaged', out: 1, unknown: 0, studies: 2, tables: 4 });
  expect(of('no-gpu')).toEqual({ criterion: 'no-gpu', out: 0, unknown: 0, studies: 2, tables: 4 });
  expect(of('result-table')).toEqual({ criterion: 'result-table', out: 1, unknown: 0, studies: 2, tables: 3 });
  expect(of('data-there')).toEqual({ criterion: 'data-there', out: 1, unknown: 0, studies: 2, tables: 2 });
  expect(of('deterministic')).toEqual({ criterion: 'deterministic', out: 0, unknown: 0, studies: 2, tables: 2 });
  expect(of('hardware')).toEqual({ criterion: 'hardware', out: 1, unknown: 0, studies: 1, tables: 1 });
});

test('every study has its verdicts, by every criterion, and every override is in them', async () => {
  const funnels = await Promise.all(STUDIES.map((study) => committedFunnel(study, SUITE)));
  for (const { study, rows } of funnels) {
    expect([...new Set(rows.map(({ criterion }) => criterion))], study).toEqual(CRITERIA.map(({ id }) => id));
    expect(rows.filter(({ verdict }) => verdict === 'out')).toEqual([]);
  }
  const used = funnels.flatMap(({ rows }) => rows.filter(({ override }) => override !== undefined));
  expect(used).toHaveLength((await committedOverrides(SUITE)).length);
});

test('the datasheet has the cells, licences, chains, reasons and overrides of what is committed', async () => {
  // Tables are padded so that they can be read as text.
  const bare = (text: string): string => text.replace(/ +/g, ' ').replace(/-{3,}/g, '---').replace(/\n+/g, '\n');
  const page = await readFile(join(SUITE, '../../docs/reference/datasets/artisan.md'), 'utf8');
  expect(bare(page)).toContain(bare(await committedCells(SUITE)));
  expect(bare(page)).toContain(bare(await committedSection(SUITE)));
});
