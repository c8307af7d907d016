import { expect, it } from 'vitest';
import type { SlotReserveContext } from '@temporalio/worker';
import { createSlots } from './slots.js';

const CONTEXT = {} as SlotReserveContext;

function opened(count: number) {
  const slots = createSlots();
  const { supplier } = slots;
  const resize = (to: number): void => slots.resize(to);
  resize(count);
  let given = 0;
  const reserve = (signal = new AbortController().signal) =>
    supplier.reserveSlot(CONTEXT, signal).then(() => (given += 1));
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return { supplier, resize, reserve, settle, given: () => given, free: () => supplier.releaseSlot({ permit: {} }) };
}

it('gives as many as there are, and more as soon as they grow', async () => {
  const { reserve, settle, given, resize, supplier } = opened(2);
  for (let n = 0; n < 5; n += 1) void reserve();
  await settle();
  expect(given()).toBe(2);
  expect(supplier.tryReserveSlot(CONTEXT)).toBeNull();
  resize(4);
  await settle();
  expect(given()).toBe(4);
});

it('gives none while more are taken than there are since they shrank', async () => {
  const { reserve, settle, given, resize, free } = opened(3);
  for (let n = 0; n < 4; n += 1) void reserve();
  await settle();
  resize(1);
  free();
  free();
  await settle();
  expect(given()).toBe(3);
  free();
  await settle();
  expect(given()).toBe(4);
});

it('gives nothing to who has left', async () => {
  const { reserve, settle, given, free } = opened(1);
  void reserve();
  const abort = new AbortController();
  const late = reserve(abort.signal);
  abort.abort();
  await expect(late).rejects.toMatchObject({ name: 'AbortError' });
  free();
  await settle();
  expect(given()).toBe(1);
});
