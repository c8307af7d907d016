import { expect, it } from 'vitest';
import { TRIALS } from '../../../tests/fixtures/engine/report-subject.js';
import type { TrialRow } from '../../ports/records.js';
import type { FailureRule } from '../../suite/failures.js';
import { createFailureAnalyser, type FailureSource } from './failure-analysis.js';

const [, , FAILED] = TRIALS;
const RULES: FailureRule[] = [
  { id: 'logic', counts: { class: 'class.logic' }, above: 0.3, advice: 'think' },
  { id: 'search', counts: { stage: 'localize' }, above: 0.15, advice: 'look' },
];
const SOURCE: FailureSource = {
  suite: {
    classOf: ({ reason }) => (reason === 'untold' ? null : `class.${reason}`),
    stageOf: ({ metrics }) => (metrics.localized === 0 ? 'localize' : 'execute'),
    rules: RULES,
  },
  difficulties: new Map([
    ['t-easy', 'easy'],
    ['t-hard', 'hard'],
  ]),
  explain: (id) => Promise.resolve(id.endsWith('/7') ? { message: 'assert\u001b[31m 1\n== 2' } : null),
};

/** @returns trials that ended so, ids from `first` on */
const trials = (count: number, first: number, changes: Partial<TrialRow> = {}): TrialRow[] =>
  Array.from({ length: count }, (_, index) => {
    return { ...FAILED!, id: `c/t/s/${first + index}`, systemId: 's', message: null, ...changes };
  });

async function analysed(pages: TrialRow[][], source = SOURCE) {
  const analyser = createFailureAnalyser(source);
  for (const page of pages) analyser.add(page);
  return analyser.analysis();
}

const WRONG = { reason: 'logic.sum', metrics: { localized: 1 } };
const LOST = { reason: 'search', metrics: { localized: 0 }, group: 'django', taskId: 't-hard' };

it('counts failed trials by class, and each class by group, difficulty and stage', async () => {
  const { classes } = await analysed([
    [...trials(2, 0, { ...WRONG, taskId: 't-hard' }), ...trials(1, 2, { ...WRONG, taskId: 't-easy' })],
    [...trials(1, 3, LOST), ...trials(5, 4, { outcome: 'passed' }), ...trials(1, 9, { reason: 'untold' })],
  ]);
  expect(classes).toMatchObject([
    {
      ...{ system: 's', class: 'class.logic.sum', failed: 3 },
      share: { value: 0.6, interval: { low: expect.closeTo(0.231, 3) as number } },
      groups: [{ name: 'requests', failed: 3 }],
      difficulties: [
        { name: 'easy', failed: 1 },
        { name: 'hard', failed: 2 },
        // Of a task that the dataset has no more.
        { name: 'unknown', failed: 0 },
      ],
      stages: [{ name: 'execute', failed: 3 }],
    },
    { class: 'class.search', failed: 1, groups: [{ name: 'django', failed: 1 }] },
    {
      ...{ class: null, failed: 1, stages: [{ name: 'execute', failed: 1 }] },
      difficulties: [
        { name: 'easy', failed: 0 },
        { name: 'hard', failed: 0 },
        { name: 'unknown', failed: 1 },
      ],
    },
  ]);
});

it('shows ten trials of a class, the same ones in whatever order they come, with what their evidence says', async () => {
  const all = trials(500, 0, WRONG);
  const { classes } = await analysed([all]);
  const again = await analysed([all.slice(250).reverse(), all.slice(0, 250)]);
  expect(classes[0]?.samples).toHaveLength(10);
  expect(again.classes[0]?.samples).toEqual(classes[0]?.samples);
  expect(
    new Set(classes[0]?.samples.map(({ trial }) => Math.floor(Number(trial.slice(6)) / 100))).size,
  ).toBeGreaterThan(2);
  const few = await analysed([trials(1, 7, WRONG), trials(1, 8, { ...WRONG, message: 'told' }), trials(1, 9, WRONG)]);
  const excerpts = Object.fromEntries(few.classes[0]?.samples.map(({ trial, excerpt }) => [trial, excerpt]) ?? []);
  expect(excerpts).toEqual({ 'c/t/s/7': 'assert 1 == 2', 'c/t/s/8': 'told', 'c/t/s/9': null });
});

it('shows a trial whose evidence cannot be read by what its row says', async () => {
  const explain = () => Promise.reject(new Error('the blob is damaged'));
  const { classes } = await analysed([trials(1, 0, { ...WRONG, message: 'told' })], { ...SOURCE, explain });
  expect(classes[0]?.samples).toMatchObject([{ trial: 'c/t/s/0', excerpt: 'told' }]);
});

it('takes the reason for the class where a suite has none', async () => {
  const { classes } = await analysed([trials(1, 0, { reason: 'wrong' })], { ...SOURCE, suite: null });
  expect(classes).toMatchObject([{ class: 'wrong', failed: 1, stages: [] }]);
});

it('recommends what lies above its threshold, and is certain only where the interval does and ten trials say so', async () => {
  const found = async (wrong: number, lost: number) => {
    const { recommendations } = await analysed([trials(wrong, 0, WRONG), trials(lost, wrong, LOST)]);
    return recommendations.map(({ rule, found: n, of, certain }) => [rule, n, of, certain]);
  };
  expect(await found(0, 0)).toEqual([]);
  // Of nine all, which is above 30 % whatever chance does, and still only nine.
  expect(await found(9, 0)).toEqual([['logic', 9, 9, false]]);
  expect(await found(10, 0)).toEqual([['logic', 10, 10, true]]);
  // 4 of 20 are 20 %, their interval begins at 8 %.
  expect(await found(16, 4)).toEqual([
    ['logic', 16, 20, true],
    ['search', 4, 20, false],
  ]);
  expect(await found(6, 14)).toEqual([['search', 14, 20, true]]);
});

it('shows the trials a rule found, and what errored beside what ended', async () => {
  const { recommendations } = await analysed([
    trials(30, 0, { outcome: 'passed' }),
    trials(12, 30, { outcome: 'errored', blame: 'infrastructure', reason: 'sandbox.unavailable' }),
    trials(40, 42, { outcome: 'not_run', blame: 'budget' }),
  ]);
  expect(recommendations).toMatchObject([
    { rule: 'infrastructure', found: 12, of: 42, certain: true, advice: expect.stringContaining('retry') as string },
  ]);
  expect(recommendations[0]?.trials).toHaveLength(10);
});
