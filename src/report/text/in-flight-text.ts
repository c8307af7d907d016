import type { ConcurrencySpec } from '../../contract/campaign.js';
import type { SlotLimit, WorkerLimits } from '../../contract/worker-limits.js';
import { grouped } from './number-text.js';

const GIB = 1024 ** 3;
const CALLED = { model: 'model calls', sandbox: 'sandboxes' } as const;
type Role = keyof typeof CALLED;

/** A worker with what it can run. */
export interface LimitedWorker {
  host: string;
  limits: WorkerLimits;
}

/** How much of what a campaign asks for runs at once on these workers, and what limits it. */
export function inFlightText(concurrency: ConcurrencySpec, workers: readonly LimitedWorker[]): string {
  const { batches, trials } = concurrency;
  const windows = `trials ${grouped(2 * batches * trials)} (${batches} batches of ${trials}, making and grading)`;
  return `in flight    ${[windows, ...(['model', 'sandbox'] as const).map((role) => figure(role, concurrency[role], workers))].join('; ')}`;
}

function figure(role: Role, asked: number, workers: readonly LimitedWorker[]): string {
  const own = workers.filter(({ limits }) => limits.roles.includes(role));
  if (own.length === 0) return `${CALLED[role]} 0 of ${asked}: no worker takes them`;
  const each = own.map(({ limits }) => Math.min(asked, limits.slots[role].most));
  const sum = each.reduce((total, count) => total + count, 0);
  const places = own.length === 1 ? '' : ` on ${own.length} workers`;
  const short = own.find(({ limits }) => limits.slots[role].most < asked);
  if (short === undefined) return `${CALLED[role]} ${sum}${places} (campaign file)`;
  return `${CALLED[role]} ${sum} of ${asked * own.length} asked${places}: ${why(role, short)}`;
}

function why(role: Role, { host, limits }: LimitedWorker): string {
  const variable = `DURABENCH_${role.toUpperCase()}_SLOTS`;
  if (limits.slots[role].from === 'operator')
    return `${variable} or --slots of ${host} says ${limits.slots[role].most}`;
  return `${host} has ${machineWords(limits)}, ${variable} raises it`;
}

/** What a worker can run at most, with the reason. */
export function limitText(limits: WorkerLimits): string {
  const of = (role: Role): string => `${limits.slots[role].most} ${CALLED[role]}${source(role, limits.slots[role])}`;
  return `at most ${of('model')} and ${of('sandbox')} at once (${machineWords(limits)})`;
}

const source = (role: Role, { from }: SlotLimit): string =>
  from === 'operator' ? ` (DURABENCH_${role.toUpperCase()}_SLOTS)` : '';

const machineWords = ({ machine: { cores, memoryBytes } }: WorkerLimits): string =>
  `${cores} ${cores === 1 ? 'core' : 'cores'} and ${(memoryBytes / GIB).toFixed(1)} GiB`;
