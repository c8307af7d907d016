import { describe, expect, it } from 'vitest';
import { wilsonInterval } from './statistics.js';
import { taskBootstrap } from './task-bootstrap.js';

const passed = ({ passed: top }: { passed: number }) => ({ top, bottom: 1 });

describe('taskBootstrap', () => {
  it('agrees with the normal interval of many tasks', () => {
    const bins = [
      { passed: 1, tasks: 3_000 },
      { passed: 0.5, tasks: 3_000 },
      { passed: 0, tasks: 4_000 },
    ];
    const figure = taskBootstrap(bins, { passed }, 1).passed!;
    // 0.45 ± 1.96 √(0.1725 / 10,000)
    expect(figure.value).toBe(0.45);
    expect(figure.interval?.low).toBeCloseTo(0.4419, 3);
    expect(figure.interval?.high).toBeCloseTo(0.4581, 3);
    expect(figure.method).toEqual({ name: 'task-bootstrap', level: 0.95, units: 10_000, resamples: 2_000, seed: 1 });
  });

  it.each([0, 1])('is Wilson’s interval where all tasks are %i', (value) => {
    const figure = taskBootstrap([{ passed: value, tasks: 30 }], { passed }, 1).passed!;
    expect(figure.interval).toEqual(wilsonInterval(value * 30, 30));
    expect(figure.method).toMatchObject({ name: 'wilson', units: 30, seed: null });
  });

  it('is Wilson’s where every task counts as all or nothing, whatever its repeats', () => {
    const bins = [
      { passed: 8, tasks: 497 },
      { passed: 0, tasks: 3 },
    ];
    const { share } = taskBootstrap(bins, { share: (bin) => ({ top: bin.passed, bottom: 8 }) }, 1);
    expect(share).toMatchObject({ interval: wilsonInterval(497, 500), method: { name: 'wilson', units: 500 } });
  });

  it('draws tasks and not trials: repeats that agree narrow nothing', () => {
    const width = (repeats: number): number => {
      const bins = [
        { graded: 2 * repeats, passed: 2 * repeats, tasks: 40 },
        { graded: 2 * repeats, passed: repeats, tasks: 60 },
      ];
      const { score } = taskBootstrap(bins, { score: (bin) => ({ top: bin.passed, bottom: bin.graded }) }, 3);
      return score!.interval!.high - score!.interval!.low;
    };
    expect(width(50)).toBeCloseTo(width(1), 12);
  });

  it('leaves out tasks that are not counted, and is null without any', () => {
    const bins = [
      { passed: 0.75, isCounted: true, tasks: 3 },
      { passed: 0.25, isCounted: true, tasks: 3 },
      { passed: 0, isCounted: false, tasks: 90 },
    ];
    const some = ({ passed: top, isCounted }: (typeof bins)[number]) => ({ top, bottom: isCounted ? 1 : 0 });
    const figures = taskBootstrap(bins, { some, none: () => ({ top: 0, bottom: 0 }) }, 1);
    expect(figures.none).toBeNull();
    expect(figures.some).toMatchObject({ value: 0.5, method: { units: 6 } });
    expect(taskBootstrap([], { passed }, 1)).toEqual({ passed: null });
  });

  it('is the same for the same seed, and another for another', () => {
    const bins = [3, 5, 7, 11].map((tasks, index) => ({ passed: index / 3, tasks }));
    const draw = (seed: number) => taskBootstrap(bins, { passed }, seed).passed?.interval;
    expect(draw(3)).toEqual(draw(3));
    expect([draw(4), draw(5), draw(6)]).not.toEqual([draw(3), draw(3), draw(3)]);
  });
});
