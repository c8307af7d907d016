import { expect, test, vi } from 'vitest';
import { sweepLeftovers } from './sweep-leftovers.js';

const silent = () => ({ info: vi.fn(), warn: vi.fn(), debug: vi.fn() });

test('tries again until Docker is there, says once that it was not, and how many went', async () => {
  const log = silent();
  const away = new Error('no Docker');
  const remove = vi.fn<() => Promise<number>>().mockResolvedValue(3);
  remove.mockRejectedValueOnce(away).mockRejectedValueOnce(away);
  await sweepLeftovers({ remove, log, signal: new AbortController().signal, pauseMs: 1 });
  expect(remove).toHaveBeenCalledTimes(3);
  expect(log.warn).toHaveBeenCalledTimes(1);
  expect(log.warn.mock.calls[0]?.[0]).toMatchObject({ error: 'Error: no Docker' });
  expect(log.info.mock.calls[0]?.[0]).toEqual({ leftovers: 3 });
});

test('ends when the worker stops, also while it waits for the next try', async () => {
  const stop = new AbortController();
  const remove = vi.fn(async (): Promise<number> => {
    throw new Error('no Docker');
  });
  const sweeping = sweepLeftovers({ remove, log: silent(), signal: stop.signal, pauseMs: 3_600_000 });
  await vi.waitFor(() => expect(remove).toHaveBeenCalledTimes(1));
  stop.abort(new Error('SIGTERM'));
  await sweeping;
  expect(remove).toHaveBeenCalledTimes(1);
});
