import { expect, test } from 'vitest';
import { DomainFailure } from '../../../domain/failure/domain-failure.js';
import { createSlots } from './slots.js';

const never = new AbortController().signal;

test('first come, first served, up to the count', async () => {
  const slots = createSlots(2);
  const first = await slots.acquire(false, never);
  await slots.acquire(false, never);
  let third: number[] | null = null;
  const waiting = slots.acquire(false, never).then((taken) => (third = taken));
  await Promise.resolve();
  expect(third).toBe(null);
  slots.release(first);
  expect(await waiting).toEqual(first);
});

test('exclusive waits for all slots, and nobody overtakes it', async () => {
  const slots = createSlots(2);
  const first = await slots.acquire(false, never);
  const order: string[] = [];
  const exclusive = slots.acquire(true, never).then((taken) => {
    order.push('exclusive');
    return taken;
  });
  const later = slots.acquire(false, never).then(() => order.push('later'));
  slots.release(first);
  slots.release(await exclusive);
  await later;
  expect(order).toEqual(['exclusive', 'later']);
});

test('an aborted waiter leaves the queue and lets the next one through', async () => {
  const slots = createSlots(1);
  const first = await slots.acquire(false, never);
  const control = new AbortController();
  const aborted = slots.acquire(true, control.signal);
  const next = slots.acquire(false, never);
  control.abort(new Error('cancelled'));
  await expect(aborted).rejects.toThrow('cancelled');
  slots.release(first);
  expect(await next).toEqual([0]);
});

test('who left because the time of its attempt was over has done nothing wrong', async () => {
  const slots = createSlots(1);
  await slots.acquire(false, never);
  const control = new AbortController();
  const waiting = slots.acquire(false, control.signal);
  control.abort(new DomainFailure('harness.bug', 'no result within 60 s'));
  await expect(waiting).rejects.toMatchObject({ type: 'sandbox.unavailable' });
  await expect(slots.acquire(false, control.signal)).rejects.toMatchObject({ type: 'sandbox.unavailable' });
});
