import { expect, test } from 'vitest';
import { runWorkers } from './run-workers.js';

test('a worker that fails while the others are being announced is heard, and nobody waits for the announcement', async () => {
  const failing = { run: () => Promise.reject(new Error('namespace not found')) };
  const never = (): Promise<never> => new Promise(() => undefined);
  await expect(runWorkers([{ run: never }, failing], never)).rejects.toThrow('namespace not found');
});

test('ends when the workers have ended and were announced', async () => {
  const told: string[] = [];
  let stop = (): void => undefined;
  const stopped = new Promise<void>((resolve) => (stop = resolve));
  const ended = runWorkers([{ run: () => stopped }], async () => void told.push('polling'));
  stop();
  await ended;
  expect(told).toEqual(['polling']);
});
