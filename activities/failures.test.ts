import { CancelledFailure } from '@temporalio/common';
import { describe, expect, it } from 'vitest';
import { DomainFailure } from '../src/domain/failure/domain-failure.js';
import { FAILURE_TABLE } from '../src/domain/failure/failure-table.js';
import type { FailureType } from '../src/contract/failure.js';
import { abortKind, presentable, toApplicationFailure, toFailure } from './failures.js';

describe('toApplicationFailure', () => {
  it.each(Object.entries(FAILURE_TABLE))('%s is final exactly at its own cap', (type, { maxAttempts }) => {
    const failure = new DomainFailure(type as FailureType, 'm');
    const after = (earlier: number) => toApplicationFailure(failure, { [type]: earlier });
    expect(after(0).type).toBe(type);
    if (maxAttempts === Infinity) expect(after(10_000).nonRetryable).toBe(false);
    else {
      expect(after(maxAttempts - 1).nonRetryable).toBe(true);
      if (maxAttempts > 1) expect(after(maxAttempts - 2).nonRetryable).toBe(false);
    }
  });

  it('counts each type by itself: waiting for Docker does not use up the lost sandboxes', () => {
    const lost = new DomainFailure('sandbox.lost', 'm');
    expect(toApplicationFailure(lost, { 'sandbox.unavailable': 50 }).nonRetryable).toBe(false);
  });

  it('hands on when to try again, and that nothing can help any more', () => {
    const limited = new DomainFailure('model.rate-limited', 'm', { retryAfterMs: 1500 });
    expect(toApplicationFailure(limited)).toMatchObject({ nextRetryDelay: 1500, nonRetryable: false });
    const now = new DomainFailure('model.rate-limited', 'm', { retryAfterMs: 0 });
    expect(toApplicationFailure(now)).toMatchObject({ nextRetryDelay: 1, nonRetryable: false });
    expect(toApplicationFailure(new DomainFailure('model.ambiguous', 'm', { final: true })).nonRetryable).toBe(true);
  });

  it('notices that Docker is back after a quarter of the time it was away, and asks once a minute in the end', () => {
    const away = new DomainFailure('sandbox.unavailable', 'm');
    const pauses = Array.from({ length: 40 }, (_, earlier) =>
      Number(toApplicationFailure(away, { 'sandbox.unavailable': earlier }).nextRetryDelay),
    );
    let awayMs = 0;
    for (const pause of pauses) {
      expect(pause).toBeLessThanOrEqual(Math.min(60_000, 1_001 + awayMs / 4));
      awayMs += pause;
    }
    expect(pauses.at(-1)).toBe(60_000);
    expect(toApplicationFailure(new DomainFailure('sandbox.lost', 'm'), {}).nextRetryDelay).toBeUndefined();
  });

  it('outlasts two minutes of a provider in trouble, whichever workers and limiters let the call go on', () => {
    const pauses = Array.from({ length: 7 }, (_, earlier) => {
      const failure = new DomainFailure('model.server-error', 'm', { retryAfterMs: 200 });
      return Number(
        toApplicationFailure(failure, { 'model.server-error': earlier, 'model.waiting': 90 }).nextRetryDelay,
      );
    });
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000]);
    const told = new DomainFailure('model.server-error', 'm', { retryAfterMs: 90_000 });
    expect(toApplicationFailure(told, {}).nextRetryDelay).toBe(90_000);
  });

  it('leaves the pauses of what counts no attempts to its policy: a fixed one would override it for ever', () => {
    const away = new DomainFailure('records.unavailable', 'm');
    expect(toApplicationFailure(away).nextRetryDelay).toBeUndefined();
    expect(toApplicationFailure(away, {}).nextRetryDelay).toBeGreaterThan(0);
  });

  it('waits for room where a file found none, wherever it was written', () => {
    const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    expect(toApplicationFailure(full, { 'sandbox.disk-full': 50 })).toMatchObject({
      type: 'sandbox.disk-full',
      nonRetryable: false,
    });
    const named = toFailure(Object.assign(full, { path: '/scratch/candidate.tar' }));
    expect(named).toMatchObject({ blame: 'infrastructure', message: '/scratch/candidate.tar: the disk is full' });
  });

  it('marks ends that somebody asked for as benign', () => {
    expect(toApplicationFailure(new DomainFailure('budget.exhausted', 'm')).category).toBe('BENIGN');
    expect(toApplicationFailure(new DomainFailure('sandbox.lost', 'm')).category).toBeUndefined();
  });

  it('takes everything that is not a DomainFailure for a bug, final at once', () => {
    const failure = toApplicationFailure(new TypeError('x is not a function'));
    expect(failure).toMatchObject({
      type: 'harness.bug',
      nonRetryable: true,
      message: 'TypeError: x is not a function',
    });
    expect(toFailure('thrown text')).toEqual({ type: 'harness.bug', blame: 'harness', message: 'thrown text' });
    expect(toFailure(undefined)).toMatchObject({ type: 'harness.bug' });
  });
});

describe('presentable', () => {
  it('holds nothing that jsonb refuses: no NUL, no half of a surrogate pair, not even where it is cut', () => {
    expect(presentable('a\0b \ud800 \udc00 🎈')).toBe('a\ufffdb \ufffd \ufffd 🎈');
    expect(presentable(`${'x'.repeat(1499)}🎈${'x'.repeat(99)}`)).toBe(`${'x'.repeat(1499)}\ufffd … (cut)`);
  });

  it('keeps messages below 2 KB', () => {
    expect(Buffer.byteLength(presentable('x'.repeat(50_000)))).toBeLessThan(2048);
  });

  it('blanks keys, tokens and passwords', () => {
    const text = 'key sk-abcdefgh12345678, Bearer abc.def-ghijkl, postgresql://user:secret@host/db';
    const shown = presentable(text);
    for (const secret of ['abcdefgh12345678', 'abc.def-ghijkl', 'secret']) expect(shown).not.toContain(secret);
    expect(shown).toContain('@host/db');
  });
});

describe('abortKind', () => {
  it('tells a worker that stops, and a server that forgot, from a cancelled activity', () => {
    const abort = (message: string) => AbortSignal.abort(new CancelledFailure(message));
    expect(abortKind(new AbortController().signal)).toBe('none');
    expect(abortKind(abort('WORKER_SHUTDOWN'))).toBe('shutdown');
    expect(abortKind(abort('NOT_FOUND'))).toBe('forgotten');
    expect(abortKind(abort('TIMED_OUT'))).toBe('forgotten');
    expect(abortKind(abort('CANCELLED'))).toBe('cancelled');
  });
});
