import { expect, test } from 'vitest';
import { machineLimits, slotsFor } from '../../domain/limits/worker-limits.js';
import { inFlightText, limitText, type LimitedWorker } from './in-flight-text.js';

const machine = { cores: 2, memoryBytes: 4 * 1024 ** 3 };
const worker = (host: string, changes: Partial<LimitedWorker['limits']> = {}): LimitedWorker => {
  const slots = machineLimits(machine);
  return { host, limits: { roles: ['model', 'sandbox'], machine, slots, ...changes } };
};
const asked = { batches: 2, trials: 16, model: 60, sandbox: 8 };

test('the figures that hold, and what limits them', () => {
  expect(inFlightText(asked, [worker('here')])).toBe(
    'in flight    trials 64 (2 batches of 16, making and grading); model calls 60 (campaign file); ' +
      'sandboxes 2 of 8 asked: here has 2 cores and 4.0 GiB, DURABENCH_SANDBOX_SLOTS raises it',
  );
});

test('several workers, and an operator who says less', () => {
  const slots = { ...machineLimits(machine), model: { most: 20, from: 'operator' as const } };
  expect(inFlightText(asked, [worker('here'), worker('there', { slots }), worker('third', { roles: [] })])).toContain(
    'model calls 80 of 120 asked on 2 workers: DURABENCH_MODEL_SLOTS or --slots of there says 20; sandboxes 4 of 16',
  );
  expect(inFlightText(asked, [])).toContain('model calls 0 of 60: no worker takes them');
  expect(limitText(worker('here', { slots }).limits)).toBe(
    'at most 20 model calls (DURABENCH_MODEL_SLOTS) and 2 sandboxes at once (2 cores and 4.0 GiB)',
  );
});

test('slots follow what open campaigns ask for together, up to the machine, and stay as an operator set them', () => {
  const { model, sandbox } = machineLimits(machine);
  expect([model.most, sandbox.most]).toEqual([1000, 2]);
  expect(slotsFor('model', model, [])).toBe(8);
  expect(slotsFor('model', model, [asked, { model: 400, sandbox: 1 }])).toBe(460);
  expect(slotsFor('model', model, [asked, { model: 5000, sandbox: 1 }])).toBe(1000);
  expect(slotsFor('sandbox', sandbox, [asked])).toBe(2);
  expect(slotsFor('sandbox', machineLimits({ cores: 16, memoryBytes: 2 ** 35 }).sandbox, [asked])).toBe(8);
  expect(slotsFor('model', { most: 20, from: 'operator' }, [])).toBe(20);
});
