import { expect, test } from 'vitest';
import { calibrationReport, textJudgement, type JudgedScript } from './calibration-report.js';

const script = (label: JudgedScript['label'], metrics: JudgedScript['metrics'], more: Partial<JudgedScript> = {}) => ({
  ...{ task: 'a-b', study: 'a', family: 'f', label, metrics, isGraded: true, reason: null, byText: 'full' as const },
  ...more,
});

test('a copy that passes is a miss, and one that is unproven is none', () => {
  const { tables } = calibrationReport([
    script('full', { full: 1 }),
    script('last-mile', { lastMile: 1 }),
    script('copied', { copied: 1 }, { reason: 'copied.unproven' }),
    script('copied', { full: 1 }, { task: 'c-d' }),
    script(null, { static: 1 }),
  ]);
  const rows = Object.fromEntries(tables.map(({ title, rows: all }) => [title, all]));
  expect(rows['Goals']?.map(([goal, , measured, , held]) => [goal, measured, held]).slice(0, 4)).toEqual([
    ['scripts judged right', '3 / 4', 'missed'],
    ['copied, taken for another class', '1 / 2', 'missed'],
    ['last-mile, found', '1 / 1', 'held'],
    ['unproven', '1 / 4', 'missed'],
  ]);
  expect(rows['Method judge']?.[2]).toEqual(['copied', 2, 1, 0, 0, 1, 0]);
  expect(rows['Misses']).toEqual([['c-d', 'f', 'copied', 'full', '']]);
});

test('text alone tells what stands in it', () => {
  expect(textJudgement('cat /artifact/derived/x', { literals: [], opened: [] })).toBe('last-mile');
  expect(textJudgement('x = 3.25', { literals: ['3.25'], opened: [] })).toBe('copied');
  expect(textJudgement('cat /artifact/results/r.txt', { literals: [], opened: ['results/r.txt'] })).toBe('copied');
  expect(textJudgement('cat /artifact/results/*', { literals: [], opened: ['results/r.txt'] })).toBe('full');
});
