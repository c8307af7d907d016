import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { readEnvironment } from '../../../../src/config/env.js';
import { describeWithPython } from '../../../../tests/fixtures/repocraft/describe-with-python.js';
import { tinyRelease, type TinyPlan } from '../../../../tests/fixtures/repocraft/tiny-release.js';
import { lockPath, readLock } from './dataset-lock.js';
import { withoutBroken, type Draft } from '../describing/drafts.js';
import type { GoldFinding } from '../gold-validation.js';
import { holdsPlace, keptSample, type LockedPlace } from './kept-sample.js';
import type { RepocraftTask } from '../repocraft-task.js';

const SUITE = fileURLToPath(new URL('../..', import.meta.url));
const FILE = 'tests/test_pots.py';
const LIBRARY = {
  'src/tinylib/__init__.py': 'from .pots import brew, rinse\nfrom .cups import fill\n',
  'src/tinylib/pots.py': 'def brew(kind):\n    return kind\ndef rinse(kind):\n    return kind\n',
  'src/tinylib/cups.py': 'def fill(kind):\n    return kind\n',
};
const PADDING = Array.from({ length: 9 }, (_, line) => `    filler_${line} = ${line}`).join('\n');
const test = (name: string, symbol = 'brew'): string =>
  `\n\ndef test_${name}():\n${PADDING}\n    assert ${symbol}(1)\n`;
const NAMES = ['steep_a', 'steep_b', 'steep_c', 'cool_a', 'cool_b', 'heat_a', 'heat_b', 'heat_c'];

/** A release whose tests are these, name → the symbol they are about. */
function release(tests: Record<string, string> = Object.fromEntries(NAMES.map((name) => [name, 'brew']))) {
  const text = Object.entries(tests).map(([name, symbol]) => test(name, symbol));
  return tinyRelease({ ...LIBRARY, [FILE]: `from tinylib import brew, fill, rinse\n${text.join('')}` });
}

const place = (id: string, functions: string[], category = 'tinylib.pots'): LockedPlace => ({
  id,
  category,
  file: FILE,
  functions: functions.map((name) => `test_${name}`),
});
const placesOf = (tasks: readonly RepocraftTask[]): LockedPlace[] =>
  tasks.map(({ id, category, source, functions }) => ({ id, category, file: source.file, functions }));
const functionsOf = ({ drafts }: Pick<TinyPlan, 'drafts'>): string[] =>
  drafts.map(({ functions }) => functions.map((name) => name.replace('test_', '')).join(' '));

const buildServer = readEnvironment().variable('CI') !== undefined;

describeWithPython('the sample a build keeps', { buildServer }, () => {
  it('stays grouped as it is locked, whatever the rules would group now', () => {
    const kept = [place('tinylib-pots-brew-001', ['cool_a', 'heat_a'])];
    expect(functionsOf(release().plan())).toEqual(['steep_a steep_b steep_c', 'cool_a cool_b', 'heat_a heat_b heat_c']);
    expect(functionsOf(release().plan({}, {}, kept))).toEqual([
      'steep_a steep_b steep_c',
      'cool_a heat_a',
      'cool_b',
      'heat_b heat_c',
    ]);
  });

  it('is in the pool and in the sample before anything is drawn, and keeps its ids', () => {
    const kept = [place('tinylib-pots-brew-007', ['cool_b']), place('tinylib-pots-old_name-001', ['heat_c'])];
    const settings = { pool: 3, size: 3 };
    for (const seed of [1, 2, 3, 4]) {
      const { drafts } = release().plan({}, { ...settings, seed }, kept);
      expect(drafts).toHaveLength(3);
      const ids = release()
        .number(drafts, { ...settings, seed }, kept)
        .map(({ id }) => id);
      // What is drawn beside them gets no id that was given before.
      expect(ids.sort()).toEqual(['tinylib-pots-brew-007', 'tinylib-pots-brew-008', 'tinylib-pots-old_name-001']);
    }
  });

  it('is no larger than the size, and drawn from by the seed where that shrinks', () => {
    const kept = NAMES.map((name, index) => place(`tinylib-pots-brew-00${index}`, [name]));
    const { drafts } = release().plan({}, {}, kept);
    const ids = release()
      .number(drafts, { size: 4 }, kept)
      .map(({ id }) => id);
    expect(ids).toHaveLength(4);
    expect(kept.map(({ id }) => id)).toEqual(expect.arrayContaining(ids));
  });

  it('loses a task of which a rule drops a test; its others are grouped anew, and something else is drawn', () => {
    const kept = [place('tinylib-pots-brew-001', ['cool_a', 'cool_b']), place('tinylib-pots-brew-002', ['heat_a'])];
    const drop = { [`${FILE}::test_cool_a`]: { action: 'drop', rule: 'network', reason: 'asks somebody' } };
    const plan = release().plan(drop, {}, kept);
    expect(functionsOf(plan)).toEqual(['steep_a steep_b steep_c', 'cool_b', 'heat_a', 'heat_b heat_c']);
    const ids = release()
      .number(plan.drafts, { size: 3 }, kept)
      .map(({ id }) => id);
    expect(ids.sort()).toEqual(['tinylib-pots-brew-002', 'tinylib-pots-brew-003', 'tinylib-pots-brew-004']);
  });

  it('is made again by a build that starts from what it came to', () => {
    const settings = { pool: 4, size: 3, largestGroup: 2 };
    const built = (kept: LockedPlace[], grouping: object): RepocraftTask[] => {
      const all = { ...settings, ...grouping };
      return release().number(release().plan({}, all, kept).drafts, all, kept);
    };
    const first = built([], {});
    expect(built(placesOf(first), {})).toEqual(first);
    // Nor does another rule of grouping change it.
    expect(built(placesOf(first), { largestGroup: 3 })).toEqual(first);
  });

  it('keeps its categories; only the task whose subject is another follows it, under its old id', () => {
    const tests = Object.fromEntries(NAMES.map((name, index) => [name, index < 4 ? 'brew' : 'fill']));
    const kept = NAMES.map((name, index) =>
      place(`tinylib-it-brew-00${index}`, [name], index < 5 ? 'tinylib.pots' : 'tinylib.cups'),
    );
    const { drafts } = release(tests).plan({}, {}, kept);
    const tasks = release(tests).number(drafts, {}, kept);
    expect(tasks.map(({ id, category }) => [id, category])).toEqual(
      kept.map(({ id }, index) => [id, index < 4 ? 'tinylib.pots' : 'tinylib.cups']),
    );
  });

  it('gives up a category that is left with fewer than three, and begins one with three', () => {
    const kept = NAMES.map((name, index) =>
      place(`tinylib-it-brew-00${index}`, [name], index < 5 ? 'tinylib.pots' : 'tinylib.cups'),
    );
    /** Categories where the last tests are about cups, of a sample with these places. */
    const number = (ofCups: number, places: LockedPlace[]): string[] => {
      const tests = Object.fromEntries(NAMES.map((name, index) => [name, index < 8 - ofCups ? 'brew' : 'fill']));
      const { drafts } = release(tests).plan({}, {}, places);
      return release(tests)
        .number(drafts, {}, places)
        .map(({ category }) => category);
    };
    const two = [...Array<string>(6).fill('tinylib.pots'), 'tinylib', 'tinylib'];
    const placed = kept.map((entry, index) => ({ ...entry, category: two[index] ?? '' }));
    expect(number(2, kept)).toEqual(two);
    expect(number(2, placed)).toEqual(two);
    const three = [...Array<string>(5).fill('tinylib.pots'), ...Array<string>(3).fill('tinylib.cups')];
    expect(number(3, placed)).toEqual(three);
  });
});

it('is that of the committed lock', async () => {
  const lock = await readLock('textkit', SUITE);
  const kept = await keptSample('textkit', SUITE);
  expect(kept.map(({ id }) => id)).toEqual(lock.tasks.map(({ id }) => id));
  expect(kept[0]).toEqual(expect.not.objectContaining({ sha256: expect.anything() as unknown }));
});

it('stays where a machine is slow, and not where a task fails', () => {
  const draft = (name: string): Draft => ({ source: { file: FILE }, functions: [name] }) as Draft;
  const subjects = ['test_a', 'test_b', 'test_c'].map((name) => ({ key: name, task: draft(name) }));
  const plan = { harvested: 3, dropped: {}, drafts: subjects.map(({ task }) => task), unsampled: 0 };
  const found = (rule: GoldFinding['rule']): GoldFinding => ({ rule, reason: '', cpuSeconds: 6 });
  const findings = new Map([
    ['test_a', found('slow')],
    ['test_b', found('slow')],
    ['test_c', found('gold-failed')],
  ]);
  const isKept = holdsPlace([place('x-001', ['a']), place('x-002', ['c'])]);
  const { survivors, dropped } = withoutBroken(plan, subjects, { findings, isKept });
  expect(survivors).toEqual([draft('test_a')]);
  expect(dropped).toEqual({ slow: 1, 'gold-failed': 1 });
});

it('is none where there is no lock; a damaged one is refused', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kept-'));
  expect(await keptSample('textkit', folder)).toEqual([]);
  const path = lockPath('textkit', folder);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, '{}');
  await expect(keptSample('textkit', folder)).rejects.toThrow(/is damaged/);
  await rm(folder, { recursive: true });
});
