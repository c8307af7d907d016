import { describe, expect, it } from 'vitest';
import { UserError } from '../failure/user-error.js';
import { chooseGolden, editedByHand, sealGolden, type GoldenTask } from './golden-set.js';

const task = (group: string, difficulty: string, at: number): GoldenTask => ({
  ...{ id: `${group}-${difficulty}-${at}`, group, difficulty },
  sha256: `${at}`.padStart(64, '0'),
});
const KNOWN = ['one', 'two'].flatMap((group) => [
  ...Array.from({ length: 30 }, (_, at) => task(group, 'easy', at)),
  ...Array.from({ length: 5 }, (_, at) => task(group, 'medium', at)),
  task(group, 'hard', 0),
]);
const SET = sealGolden({ suite: 'echo', lock: { grader: 'aa', 'suite version': '1' }, tasks: chooseGolden(KNOWN, 10) });

describe('the choice of a golden set', () => {
  it('takes as many of each group, and every difficulty', () => {
    for (const group of ['one', 'two']) {
      const chosen = SET.tasks.filter((each) => each.group === group);
      expect(chosen).toHaveLength(10);
      expect(new Set(chosen.map(({ difficulty }) => difficulty))).toEqual(new Set(['easy', 'medium', 'hard']));
    }
  });

  it('does not depend on the order of the candidates', () => {
    expect(chooseGolden([...KNOWN].reverse(), 10)).toEqual(chooseGolden(KNOWN, 10));
  });

  it('loses no more than the task that is gone', () => {
    const before = chooseGolden(KNOWN, 10);
    const gone = before[0]!.id;
    const after = new Set(
      chooseGolden(
        KNOWN.filter(({ id }) => id !== gone),
        10,
      ).map(({ id }) => id),
    );
    expect(before.filter(({ id }) => !after.has(id)).map(({ id }) => id)).toEqual([gone]);
  });

  it('refuses a group with too few, with its name', () => {
    expect(() => chooseGolden(KNOWN, 37)).toThrow(UserError);
    expect(() => chooseGolden(KNOWN, 37)).toThrow('one has 36 tasks that are known to pass, and 37 are wanted');
  });
});

describe('a golden set edited by hand', () => {
  it('is as it was made after a round through JSON', () => {
    expect(editedByHand(JSON.parse(JSON.stringify(SET)) as typeof SET)).toBeNull();
  });

  it.each<[string, typeof SET]>([
    [
      'tasks[3]',
      { ...SET, tasks: SET.tasks.map((each, at) => (at === 3 ? { ...each, sha256: 'f'.repeat(64) } : each)) },
    ],
    ['suite or lock', { ...SET, lock: { ...SET.lock, grader: 'bb' } }],
    ['the list of tasks', { ...SET, tasks: SET.tasks.slice(1) }],
    ['the list of tasks', { ...SET, tasks: [...SET.tasks].reverse() }],
    ['tasks[0]', { ...SET, tasks: SET.tasks.map((each, at) => (at === 0 ? { ...each, seal: 'f'.repeat(64) } : each)) }],
    ['the list of tasks', { ...SET, sha256: 'f'.repeat(64) }],
  ])('names the place: %s', (place, edited) => {
    expect(editedByHand(edited)?.message).toContain(`edited by hand, in ${place}`);
  });
});
