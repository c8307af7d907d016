import type { ConcurrencySpec } from '../../contract/campaign.js';
import type { SlotLimit, WorkerLimits } from '../../contract/worker-limits.js';

const GIB = 1024 ** 3;
/** A call that waits for its answer takes some 0.5 MiB of a worker: so many take an eighth of the memory at most. */
const CALLS_PER_GIB = 250;
const MOST_CALLS = 1_000;
/** What a sandbox run may use. */
const RUN_BYTES = 2 * GIB;
/** Light work is short and waits for disk and Postgres. */
const LIGHT = 16;

/** What runs at once while no campaign asks for more: builds of datasets, and what was handed over. */
const USUAL = { model: 8, sandbox: 2 } as const;

/** What a machine carries where its operator says nothing: model calls only wait, a sandbox run keeps a core busy. */
export function machineLimits({ cores, memoryBytes }: WorkerLimits['machine']): WorkerLimits['slots'] {
  const model = Math.max(USUAL.model, Math.min(MOST_CALLS, Math.floor((memoryBytes / GIB) * CALLS_PER_GIB)));
  const sandbox = Math.max(USUAL.sandbox, Math.min(cores, Math.floor(memoryBytes / RUN_BYTES)));
  const of = (most: number): SlotLimit => ({ most, from: 'machine' });
  return { light: of(LIGHT), model: of(model), sandbox: of(sandbox) };
}

/**
 * How many activities of a queue a worker runs at once: what an operator named stands; else what open campaigns ask for
 * together, up to what the machine carries.
 */
export function slotsFor(
  role: 'model' | 'sandbox',
  limit: SlotLimit,
  open: readonly Pick<ConcurrencySpec, 'model' | 'sandbox'>[],
): number {
  if (limit.from === 'operator') return limit.most;
  const asked = open.reduce((sum, campaign) => sum + campaign[role], 0);
  return Math.min(limit.most, Math.max(USUAL[role], asked));
}
