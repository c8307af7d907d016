import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/adapters/postgres/query-builder.js';
import { DOCUMENT_VERSION } from '../../src/report/documents/versioned.js';
import { PACKAGE_ROOT } from '../fixtures/package-root.js';
import { migratedDatabase, type MigratedDatabase } from '../fixtures/postgres/postgres.js';

const read = (path: string): string => readFileSync(join(PACKAGE_ROOT, path), 'utf8');
const page = read('docs/reference/results.md');
let database: MigratedDatabase;

beforeAll(async () => {
  database = await migratedDatabase();
});

afterAll(async () => database?.close());

test('docs/reference/results.md names every table of the record, with its columns', async () => {
  const { rows } = await sql<{ name: string; columns: string[] }>`
    select table_name as name, array_agg(column_name::text order by ordinal_position) as columns
    from information_schema.columns where table_schema = 'public' group by table_name`.execute(database.kysely);
  const record = page.slice(page.indexOf('## The record'));
  const told = [...record.matchAll(/^### (\w+)\n\n.*\n\n(`.*`)\.$/gm)].map(([, name = '', columns = '']) => {
    return [name, columns.replaceAll('`', '').split(', ').sort()] as const;
  });
  expect(Object.fromEntries(told)).toEqual(Object.fromEntries(rows.map(({ name, columns }) => [name, columns.sort()])));
});

test.each([
  ['FullReport', 'src/report/full-report.ts'],
  ['TrialReport', 'src/report/full-report.ts'],
  ['StatusReport', 'src/contract/status.ts'],
])('docs/reference/results.md names every key of %s', (name, file) => {
  const [, body = ''] = new RegExp(`export interface ${name}[^{]*\\{\\n(.*?)\\n\\}`, 's').exec(read(file)) ?? [];
  const keys = [...body.matchAll(/^ {2}(\w+):/gm)].map(([, key = '']) => key);
  expect(keys.length).toBeGreaterThan(5);
  expect(keys.filter((key) => !page.includes(`\`${key}\``))).toEqual([]);
});

test('docs/reference/results.md names no key that report.json has not, and the version of its format', () => {
  const part = /^## report\.json\n.*?(?=^##)/ms.exec(page)?.[0] ?? '';
  const told = [...part.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell = '']) => cell.replaceAll('`', '').split(', '));
  expect(told.length).toBeGreaterThan(15);
  const keys = ['full-report', '../contract/status'].flatMap((file) =>
    [...read(`src/report/${file}.ts`).matchAll(/^ {2}(\w+):/gm)].map(([, key = '']) => key),
  );
  expect(told.filter((key) => !keys.includes(key))).toEqual([]);
  expect(part).toContain(`| \`version\` | of the format, ${DOCUMENT_VERSION}:`);
});
