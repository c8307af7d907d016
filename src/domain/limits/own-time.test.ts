import fc from 'fast-check';
import { expect, test } from 'vitest';
import { judgeLooks, mostSeconds, ownSeconds, type Look, type LookEnd } from './own-time.js';

const limits = { wallSeconds: 120, cpuSeconds: 30 };

/** Looks at a run, as the wall limit takes them, until something is said. `at`: what it has used, and how slow its container is, after so long. */
function followed(at: (wall: number) => { cpu: number; slowness: number }): { end: LookEnd['end']; wall: number } {
  const looks: Look[] = [];
  for (let wall = limits.wallSeconds; ;) {
    looks.push({ wall, ...at(wall) });
    const found = judgeLooks(looks, limits);
    if (found.end !== null) return { end: found.end, wall };
    expect(found.againInSeconds).toBeGreaterThan(0);
    wall += found.againInSeconds;
  }
}

test('one that sleeps reaches its limit by the clock, whatever the machine is doing', () => {
  for (const slowness of [1, 2, 50, 200]) {
    const { end, wall } = followed(() => ({ cpu: 0.4, slowness }));
    expect(end).toBe('wall');
    expect(wall).toBeLessThanOrEqual(limits.wallSeconds + 0.4 * slowness + 1);
  }
});

test('one that works as fast as its machine lets it is not ended before its CPU is used up', () => {
  for (const slowness of [4.1, 10, 31]) {
    const { end, wall } = followed((seconds) => ({ cpu: seconds / slowness, slowness }));
    expect(end).toBe('wall');
    expect(wall / slowness).toBeGreaterThanOrEqual(limits.cpuSeconds - 1);
  }
});

test('where a machine gives a run next to nothing, nobody can tell', () => {
  expect(followed((seconds) => ({ cpu: seconds / 150, slowness: 150 }))).toEqual({ end: 'starved', wall: 960 });
});

test('burning CPU while it is looked at makes a container look fast, so it ends soon', () => {
  // A second of CPU at each look, and none between them.
  expect(followed((seconds) => ({ cpu: 1 + Math.floor((seconds - 120) / 1), slowness: 1 })).wall).toBe(120);
});

test('with the CPU of its limit used up nothing has time left', () => {
  expect(judgeLooks([{ wall: 120, cpu: 30, slowness: 40 }], limits)).toEqual({ end: 'wall' });
});

const anyLooks = fc
  .array(
    fc.record({
      wall: fc.double({ min: 0.1, max: 500, noNaN: true }),
      cpu: fc.double({ min: 0, max: 5, noNaN: true }),
      slowness: fc.double({ min: 1, max: 300, noNaN: true }),
    }),
    { minLength: 1, maxLength: 8 },
  )
  .map((steps) => {
    let [wall, cpu] = [0, 0];
    return steps.map((step): Look => {
      const seconds = Math.max(step.wall, step.cpu);
      return { wall: (wall += seconds), cpu: (cpu += step.cpu), slowness: step.slowness };
    });
  });

test('own time is never more than the clock says nor less than the CPU, and every run ends', () => {
  fc.assert(
    fc.property(anyLooks, (looks) => {
      const [own, last] = [ownSeconds(looks), looks.at(-1)!];
      expect(own).toBeLessThanOrEqual(last.wall + 1e-6);
      expect(own).toBeGreaterThanOrEqual(last.cpu - 1e-6);
      if (last.wall >= mostSeconds(limits.wallSeconds)) expect(judgeLooks(looks, limits).end).not.toBe(null);
    }),
  );
});
