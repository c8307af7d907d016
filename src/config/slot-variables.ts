import type { Problem } from '../contract/problem.js';
import type { WorkerLimits } from '../contract/worker-limits.js';
import type { Environment } from './env.js';

type SlotRole = keyof WorkerLimits['slots'];

const ROLES: readonly SlotRole[] = ['light', 'model', 'sandbox'];

/** Activities at once that the environment names for queues (DURABENCH_MODEL_SLOTS=16), and what is wrong with it. */
export function readSlotVariables({ variable }: Pick<Environment, 'variable'>): {
  slots: Partial<Record<SlotRole, number>>;
  problems: Problem[];
} {
  const slots: Partial<Record<SlotRole, number>> = {};
  const problems: Problem[] = [];
  for (const role of ROLES) {
    const name = `DURABENCH_${role.toUpperCase()}_SLOTS`;
    const text = variable(name);
    const count = text === undefined ? undefined : slotCount(text);
    if (count !== undefined) slots[role] = count;
    else if (text !== undefined)
      problems.push({
        message: `${name} is "${text}".`,
        expected: 'a whole number from 1 to 9999',
        fix: 'Correct it, or unset it: then the machine decides.',
      });
  }
  return { slots, problems };
}

/** A number of slots; undefined where it is none. */
export const slotCount = (text: string): number | undefined => (/^[1-9]\d{0,3}$/.test(text) ? Number(text) : undefined);
