import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../tests/fixtures/chaos/seeded-random.js';
import { sumForecast, totalForecast } from './total-forecast.js';

describe('what further work like known work comes to', () => {
  it('is the mean times as much, as wide as both chances make it', () => {
    // t(0.975, 9) = 2.262157; 20 further ones after 10: sqrt(20 + 400/10).
    const range = totalForecast({ pieces: 10, mean: 5, deviation: 2 }, 20)!;
    const error = 2.262157 * 2 * Math.sqrt(60);
    expect(range.low).toBeCloseTo(100 - error, 4);
    expect(range.high).toBeCloseTo(100 + error, 4);
    expect(totalForecast({ pieces: 10, mean: 5, deviation: 0 }, 20)).toEqual({ low: 100, high: 100 });
    expect(totalForecast({ pieces: 3, mean: 1, deviation: 50 }, 2)?.low).toBe(0);
  });

  it('is not guessed from too little, and is nothing for nothing', () => {
    expect(totalForecast({ pieces: 2, mean: 5, deviation: 1 }, 20)).toBeNull();
    expect(totalForecast({ pieces: 0, mean: 0, deviation: 0 }, 0)).toEqual({ low: 0, high: 0 });
    expect(sumForecast([{ low: 1, high: 3 }, null])).toBeNull();
  });

  it('holds 95 times in 100 where work is skewed, as calls are', () => {
    const random = seededRandom(19);
    const piece = (): number => 100 - 40 * Math.log(1 - random());
    const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
    const times = 2_000;
    let held = 0;
    for (let time = 0; time < times; time += 1) {
      const seen = Array.from({ length: 20 }, piece);
      const mean = sum(seen) / seen.length;
      const deviation = Math.sqrt(sum(seen.map((value) => (value - mean) ** 2)) / (seen.length - 1));
      const { low, high } = totalForecast({ pieces: seen.length, mean, deviation }, 50)!;
      const actual = sum(Array.from({ length: 50 }, piece));
      if (actual >= low && actual <= high) held += 1;
    }
    expect(held / times).toBeGreaterThan(0.92);
    expect(held / times).toBeLessThan(0.97);
  });

  it('adds what is independent', () => {
    expect(
      sumForecast([
        { low: 7, high: 13 },
        { low: 16, high: 24 },
      ]),
    ).toEqual({ low: 25, high: 35 });
    expect(sumForecast([])).toEqual({ low: 0, high: 0 });
  });
});
