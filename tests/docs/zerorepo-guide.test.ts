import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { StatusReport } from '../../src/contract/status.js';
import { pageBlocks } from '../fixtures/cli/page-blocks.js';
import { pageReader, type PageReader } from '../fixtures/cli/page-reader.js';
import { waitUntil } from '../fixtures/wait-until.js';

// The guide to ZeroRepo, command by command, as somebody does who has the package and no clone: a campaign with the scripted
// model, an edit of its plan in the middle, and the repository it made.

const [tryIt, edit, made, ...others] = pageBlocks('docs/guides/zerorepo.md').filter(
  ({ commands, notRun }) => commands.length > 0 && notRun === null,
);
/** What an operator changes in an editor: what one unit is to do, said more exactly. */
const EDIT = `
import { readFileSync, writeFileSync } from 'node:fs';
const file = process.argv[2];
const graph = JSON.parse(readFileSync(file, 'utf8'));
graph.interfaces.at(-1).docstring += '\\n\\n    Said more exactly.\\n    ';
writeFileSync(file, JSON.stringify(graph));
`;

let reader: PageReader;

beforeAll(async () => {
  const editor = 'node edit.mjs';
  reader = await pageReader({ variables: { EDITOR: editor }, placeholders });
  await writeFile(join(reader.folder, 'edit.mjs'), EDIT);
});

afterAll(async () => reader?.close());

type Status = StatusReport & { generations: { id: string; state: string; progress: { done: number } | null }[] };
const status = async (): Promise<Status> =>
  JSON.parse(await reader.type('npx durabench status latest --json')) as Status;

async function placeholders(word: string): Promise<string> {
  if (word === 'ID') return 'latest';
  const [generation] = (await status()).generations;
  const shown = await reader.type(`npx durabench show ${generation?.id}`);
  const name = word.replace('FILE-OF-', '').replaceAll('.', '\\.');
  return new RegExp(`${name} \\(.*\\) (\\S+)$`, 'm').exec(shown)?.[1] ?? word;
}

test('the page has three blocks of commands', () => {
  expect(others).toEqual([]);
});

test('a campaign begins without a model', async () => {
  await reader.follow(tryIt!);
  const isCounted = async (): Promise<boolean> => {
    const report = await status().catch(() => undefined); // `run` in the other terminal has not recorded it yet
    return (report?.generations[0]?.progress?.done ?? 0) > 0;
  };
  expect(await waitUntil(isCounted)).toBe(true);
});

test('its plan is edited, and it goes on to its end', async () => {
  await reader.follow(edit!);
  const report = await status();
  expect(report).toMatchObject({ campaign: { status: 'completed' } });
  const passed = Object.fromEntries(report.systems.map(({ id, passed: count }) => [id, count]));
  expect(passed).toMatchObject({ gold: 40, null: 0 });
  expect(passed.zerorepo).toBeGreaterThan(30);
  const events = await reader.type('npx durabench show latest');
  expect(events).toContain('no online services');
});

test('the repository it made is there, with its history', async () => {
  await reader.follow(made!);
  expect(await readFile(join(reader.folder, 'kit', 'README.md'), 'utf8')).not.toBe('');
  expect((await reader.type('git -C kit log --oneline')).split('\n').length).toBeGreaterThan(10);
});
