import { expect, test, vi } from 'vitest';
import { runReaper } from './reaper.js';
import { waitUntil } from '../../tests/fixtures/wait-until.js';

const silent = () => ({ info: vi.fn(), warn: vi.fn(), debug: vi.fn() });

test('goes on for ever; says once that Docker is unavailable, again after it was there, and what went', async () => {
  const log = silent();
  const stop = new AbortController();
  const passes = ['away', 'away', { containers: 0 }, { containers: 3 }, 'away'] as const;
  let pass = 0;
  const reap = async (): Promise<Record<string, number>> => {
    const end = passes[pass];
    pass += 1;
    if (end === undefined) stop.abort(new Error('SIGTERM'));
    if (typeof end === 'string') throw new Error('no Docker');
    return end ?? {};
  };
  await runReaper({ reap, log, signal: stop.signal, pauseMs: 1 });
  expect(pass).toBe(passes.length + 1);
  expect(log.warn).toHaveBeenCalledTimes(2);
  expect(log.warn.mock.calls[0]?.[0]).toEqual({ error: 'Error: no Docker' });
  expect(log.info.mock.calls.map(([fields]: unknown[]) => fields)).toEqual([{ removed: { containers: 3 } }]);
});

test('ends when the worker stops, also while it waits for the next pass', async () => {
  const stop = new AbortController();
  const reap = vi.fn(async (): Promise<Record<string, number>> => ({}));
  const reaping = runReaper({ reap, log: silent(), signal: stop.signal, pauseMs: 3_600_000 });
  await waitUntil(() => reap.mock.calls.length > 0);
  stop.abort(new Error('SIGTERM'));
  await reaping;
  expect(reap).toHaveBeenCalledTimes(1);
});
