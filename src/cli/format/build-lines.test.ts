import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ProjectProgress } from '../../contract/dataset-build.js';
import { createBuildProgress } from './build-lines.js';
import type { Output } from './output.js';

const at = (project: string, done: number, more: Partial<ProjectProgress> = {}): ProjectProgress => ({
  ...{ project, done, running: [], end: null },
  ...more,
});

describe('where a build stands', () => {
  const lines: string[] = [];
  const output = (isLive: boolean): Output =>
    ({
      isLive,
      redraw: (drawn: readonly string[]) => void lines.splice(0, lines.length, ...drawn),
      say: (line: string) => void lines.push(line),
    }) as unknown as Output;

  beforeEach(() => {
    vi.useFakeTimers();
    lines.length = 0;
  });
  afterEach(() => vi.useRealTimers());

  it('is said of every project', () => {
    const built = { tasks: 40, digest: 'abcdef0123456789', files: [], leftOut: '' };
    const failure = { type: 'dataset.missing', blame: 'infrastructure', message: 'no index' } as const;
    createBuildProgress(output(true))([
      at('a', 0),
      at('pandas', 1, { running: ['gold 1 of 2', 'gold 2 of 2'] }),
      at('b', 6, { end: { ended: 'built', built } }),
      at('c', 2, { end: { ended: 'failed', failure } }),
    ]);
    expect(lines).toEqual([
      'a       0 steps done; waits for its turn',
      'pandas  1 step done; gold 1 of 2; gold 2 of 2',
      'b       built: 40 tasks, digest abcdef012345',
      'c       failed: dataset.missing',
    ]);
  });

  it('has a bar and a range of the time that is left of the part, by the pace since it was seen', () => {
    const show = createBuildProgress(output(true));
    const chunk = (done: number, left: number): string => {
      show([at('a', done + 1, { running: ['gold'], chunks: { done, left } })]);
      return lines[0] ?? '';
    };
    expect(chunk(3, 20)).toBe('a  4 steps done; gold [###.................]');
    vi.advanceTimersByTime(60_000);
    expect(chunk(9, 14)).toBe('a  10 steps done; gold [########............]; about 1 to 5 min left of this part');
    // The next part has a pace of its own, and a part that is over has none.
    expect(chunk(0, 12)).toBe('a  1 step done; gold [....................]');
    show([at('a', 22, { running: ['lock'] })]);
    expect(lines).toEqual(['a  22 steps done; lock']);
  });

  it('is a line of a log where something ended, not where only the guess changed', () => {
    const show = createBuildProgress(output(false));
    for (const [done, left] of [
      [0, 20],
      [10, 10],
      [10, 10],
      [11, 9],
    ] as const) {
      show([at('a', done, { running: ['gold'], chunks: { done, left } })]);
      vi.advanceTimersByTime(30_000);
    }
    expect(lines).toEqual([
      'a  0 steps done; gold',
      expect.stringMatching(/^a {2}10 steps done; gold; about .* left of this part$/),
      expect.stringMatching(/^a {2}11 steps done; gold; about .* left of this part$/),
    ]);
  });
});
