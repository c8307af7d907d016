import { describe, expect, it } from 'vitest';
import type { CampaignSpec } from '../../contract/campaign.js';
import type { DatasetSelection } from '../../contract/task.js';
import { narrowedSystems, narrowedTasks } from './narrowing.js';

const task = (id: string, group: string) => ({ id, group, sha256: id, category: null, candidateScope: null });

const DATASET: DatasetSelection = {
  ...{ suite: 's', label: 's@1 (5 tasks)', digest: 'whole' },
  tasks: [task('a-1', 'a'), task('a-2', 'a'), task('a-3', 'a'), task('b-1', 'b'), task('c-1', 'c')],
};
const ids = ({ tasks }: DatasetSelection): string[] => tasks.map(({ id }) => id);

describe('a part of a dataset', () => {
  it.each([
    [1, ['a-1']],
    [3, ['a-1', 'b-1', 'c-1']],
    [4, ['a-1', 'a-2', 'b-1', 'c-1']],
  ])('of %i tasks takes them in turn from each group', (limit, expected) => {
    const part = narrowedTasks(DATASET, { limit });
    expect(ids(part)).toEqual(expected);
    expect(part.label).toBe(`s@1 (5 tasks), ${limit} of 5 of them`);
    expect(part.digest).not.toBe('whole');
  });

  it('that is all of it is the same question', () => {
    expect(narrowedTasks(DATASET, { limit: 9 })).toBe(DATASET);
    expect(narrowedTasks(DATASET, {})).toBe(DATASET);
  });

  it('by id or a unique beginning, and then at most so many', () => {
    expect(ids(narrowedTasks(DATASET, { tasks: ['c', 'a-2'] }))).toEqual(['a-2', 'c-1']);
    expect(ids(narrowedTasks(DATASET, { tasks: ['c', 'a-2'], limit: 1 }))).toEqual(['a-2']);
  });

  it('that is not there or not one is refused, all at once', () => {
    expect(() => narrowedTasks(DATASET, { tasks: ['a', 'b-2', ''] })).toThrow(
      /"a" is the beginning of 3 tasks[^]*no task "b-2"[^]*did you mean "a-2"[^]*no task ""/,
    );
  });
});

it('systems stay in the order of the file; one that is not there is refused', () => {
  const spec = { systems: [{ id: 'gold' }, { id: 'null' }, { id: 'mine' }] } as CampaignSpec;
  expect(narrowedSystems(spec, ['mine', 'gold']).systems.map(({ id }) => id)).toEqual(['gold', 'mine']);
  expect(narrowedSystems(spec, undefined)).toBe(spec);
  expect(() => narrowedSystems(spec, ['golt'])).toThrow(/no system "golt"[^]*gold, null, mine[^]*mean "gold"/);
});
