import { describe, expect, it, vi } from 'vitest';
import { DomainFailure } from '../domain/failure/domain-failure.js';
import { retryUntilPersisted, retryBriefly } from './retry-until-persisted.js';
import { waitUntil } from '../../tests/fixtures/wait-until.js';

/** A write that the store takes only after it was away for so many tries. */
function writeAfter(tries: number) {
  const write = vi.fn(async () => {
    if (write.mock.calls.length <= tries) throw new DomainFailure('records.unavailable', 'restarting');
    return 'written';
  });
  return write;
}

describe('a write that must not be lost', () => {
  it('waits for the store', async () => {
    expect(await retryUntilPersisted(writeAfter(2))).toBe('written');
  });

  it('tells the caller when its patience is over; it goes on without it, unless it would be wrong later', async () => {
    const [kept, dropped] = [writeAfter(3), writeAfter(3)];
    await expect(retryBriefly(dropped, -1)).rejects.toMatchObject({ type: 'records.unavailable' });
    await expect(retryUntilPersisted(kept, -1)).rejects.toMatchObject({ type: 'records.unavailable' });
    const isWritten = (): boolean => kept.mock.settledResults.at(-1)?.type === 'fulfilled';
    expect(await waitUntil(isWritten)).toBe(true);
    expect([kept, dropped].map((write) => write.mock.calls.length)).toEqual([4, 1]);
  });

  it('passes on what waiting does not repair', async () => {
    const write = vi.fn(() => Promise.reject(new DomainFailure('call.in-flight', 'taken away')));
    await expect(retryUntilPersisted(write)).rejects.toMatchObject({ type: 'call.in-flight' });
    expect(write).toHaveBeenCalledTimes(1);
  });
});
