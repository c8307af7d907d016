import { describe, expect, it } from 'vitest';
import { createExperiments } from '../../../tests/fixtures/statistics/simulated-experiment.js';
import { chanceToAdopt } from '../../domain/statistics/decision.js';
import type { TaskOutcome } from '../../ports/records.js';
import { comparedPairs, type PairInput } from './comparison.js';

/** Outcomes of tasks 0, 1, …: of so many repeats so many passed; null: not graded. */
const outcomes = (systemId: string, passed: readonly (number | null)[], repeats = 1): TaskOutcome[] =>
  passed.map((count, task) => ({
    ...{ systemId, taskId: `t${String(task).padStart(2, '0')}`, group: 'g', sha256: 'a' },
    ...{ graded: count === null ? 0 : repeats, passed: count ?? 0 },
    passedTrial: count === null || count === 0 ? null : `c/t${task}/${systemId}/1`,
    failedTrial: count === null || count === repeats ? null : `c/t${task}/${systemId}/${repeats}`,
    metrics: {},
  }));
const pair = (a: TaskOutcome[], b: TaskOutcome[]): PairInput => ({
  a: { campaign: 'c', system: 'a', source: 'campaign' },
  b: { campaign: 'c', system: 'b', source: 'campaign' },
  outcomes: [a, b],
  columns: [],
});
const row = (count: number, of: number | null): (number | null)[] => Array<number | null>(count).fill(of);

describe('comparedPairs', () => {
  it('compares the suite’s own rates over the tasks that have them, the missing ones as their column says', () => {
    const layer = (values: (number | null)[], of: TaskOutcome[]): TaskOutcome[] =>
      of.map((outcome, task) => {
        const value = values[task] ?? null;
        return { ...outcome, metrics: { lint: { sum: value ?? 0, trials: value === null ? 0 : 1 } } };
      });
    const a = layer([1, 0.5, null, 0, 1], outcomes('a', [1, 1, 1, 1, null]));
    const b = layer([1, 1, 1, null, 1], outcomes('b', [1, 1, 1, 1, 1]));
    const column = { id: 'lint', title: 'lint', metric: 'lint' };
    const compared = (absent: 'left-out' | 'zero') =>
      comparedPairs([{ ...pair(a, b), columns: [{ ...column, absent }] }], 1)[0]?.columns;
    expect(compared('left-out')).toMatchObject([{ id: 'lint', tasks: 2, a: 0.75, b: 1, difference: { value: 0.25 } }]);
    expect(compared('zero')).toMatchObject([{ tasks: 4, a: 0.375, b: 0.75, difference: { value: 0.375 } }]);
    const nobody = [{ ...column, metric: 'none', absent: 'left-out' as const }];
    expect(comparedPairs([{ ...pair(a, b), columns: nobody }], 1)[0]?.columns).toEqual([]);
  });

  it('counts the tasks both were graded on, and names the trials of what flipped, lost ones first', () => {
    const a = outcomes('a', [1, 1, 0, 0, 1, null]);
    const b = outcomes('b', [1, 0, 1, 0, null, 1]);
    const [found] = comparedPairs([pair(a, b)], 1);
    expect(found).toMatchObject({
      tasks: 4,
      only_a: 1,
      only_b: 1,
      score_a: 0.5,
      score_b: 0.5,
      gained: 1,
      lost: 1,
      p: 1,
    });
    expect(found?.tasks_needed).toBeNull();
    expect(found?.differs).toBe(false);
    expect(found?.flips.map(({ change, a: one, b: other }) => [change, one.trial, other.trial])).toEqual([
      ['lost', 'c/t1/a/1', 'c/t1/b/1'],
      ['gained', 'c/t2/a/1', 'c/t2/b/1'],
    ]);
  });

  it('tells a difference only where interval and adjusted test both do', () => {
    // 9 gained and 1 lost of 60: p = 0.0215 alone; 0.043 for the smaller of two, 0.0645 of three.
    const a = outcomes('a', [...row(9, 0), 1, ...row(50, 1)]);
    const b = outcomes('b', [...row(9, 1), 0, ...row(50, 1)]);
    const none = pair(b, b);
    const differs = (inputs: PairInput[]): boolean[] => comparedPairs(inputs, 1).map((each) => each.differs);
    expect(comparedPairs([pair(a, b)], 1)[0]?.p).toBeCloseTo(0.021484375, 12);
    expect(differs([pair(a, b)])).toEqual([true]);
    expect(differs([pair(a, b), none])).toEqual([true, false]);
    expect(differs([pair(a, b), none, none])).toEqual([false, false, false]);
  });

  it('takes a task with repeats by the share that passed', () => {
    const [found] = comparedPairs([pair(outcomes('a', [3, 1, 0], 3), outcomes('b', [2, 3, 0], 3))], 1);
    expect(found?.difference.value).toBeCloseTo((-1 / 3 + 2 / 3) / 3, 12);
    expect(found?.flips[0]).toMatchObject({ change: 'lost', a: { passed: 3, graded: 3 }, b: { trial: 'c/t0/b/3' } });
  });

  it('leaves out pairs without a task that both were graded on', () => {
    expect(comparedPairs([pair(outcomes('a', [1, null]), outcomes('b', [null, 1]))], 1)).toEqual([]);
  });
});

describe('an experiment of three variants, simulated', () => {
  const EXPERIMENTS = 400;
  const none = { gained: 0.05, lost: 0.05 };
  const gain = { gained: 0.25, lost: 0.05 };
  const rule = { smallestEffect: 0.05, variants: 3 };

  /** Of so many experiments the share in which each variant was adopted, and in which any was. */
  function adopted(variants: readonly (typeof none)[]): { each: number[]; any: number } {
    const experiment = createExperiments(20_261_127);
    const found = Array.from({ length: EXPERIMENTS }, (_, seed) =>
      comparedPairs(experiment(50, variants), seed, rule.smallestEffect).map(({ decision }) => decision === 'adopt'),
    );
    const share = (isIn: (one: boolean[]) => boolean): number => found.filter(isIn).length / EXPERIMENTS;
    return { each: variants.map((_, at) => share((one) => one[at] === true)), any: share((one) => one.includes(true)) };
  }

  it('adopts something without a gain in 6 % of them at most', () => {
    expect(adopted([none, none, none]).any).toBeLessThanOrEqual(0.06);
  });

  it('adopts the one that gains as often as its plan says, to 3 points', () => {
    const { each } = adopted([gain, none, none]);
    expect(Math.abs(each[0]! - chanceToAdopt(50, gain, rule))).toBeLessThanOrEqual(0.03);
    expect(Math.max(...each.slice(1))).toBeLessThanOrEqual(0.06);
  });
});
