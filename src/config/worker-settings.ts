import { availableParallelism, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import type { Environment } from './env.js';
import { readSlotVariables, slotCount } from './slot-variables.js';
import type { QueueName } from '../contract/stage.js';
import type { WorkerLimits } from '../contract/worker-limits.js';
import { machineLimits } from '../domain/limits/worker-limits.js';
import type { Problem } from '../contract/problem.js';
import { UserError } from '../domain/failure/user-error.js';

/** The queues a worker may poll. */
export const ROLES: readonly QueueName[] = ['workflows', 'light', 'model', 'sandbox'];

/** How a worker is told what to be. */
export interface WorkerSettings {
  roles: readonly QueueName[];
  /** Activities at once per queue; of the sandbox queue, sandboxes. */
  slots: WorkerLimits['slots'];
  machine: WorkerLimits['machine'];
  /** Path of the workflow bundle; null = the prebuilt one beside this file. */
  bundle: string | null;
}

/**
 * `--roles workflows,light,model,sandbox`, `--slots model=8,sandbox=2` (or DURABENCH_MODEL_SLOTS and so on) and
 * `--bundle FILE`.
 * @throws UserError
 */
export function readWorkerSettings(
  argv: readonly string[],
  environment: Environment,
  machine: WorkerLimits['machine'] = thisMachine(),
): WorkerSettings {
  const problems: Problem[] = [];
  const given = parsed(argv, problems);
  const roles = listOf(given.roles ?? ROLES.join(','));
  for (const role of roles.filter((name) => !(ROLES as readonly string[]).includes(name)))
    problems.push({
      message: `--roles: "${role}" is not a role of a worker.`,
      expected: `any of ${ROLES.join(', ')}, separated by commas`,
      fix: 'Leave --roles out for all of them.',
    });
  const named = readSlotVariables(environment);
  problems.push(...named.problems);
  const slots = machineLimits(machine);
  for (const [name, most] of Object.entries(named.slots))
    slots[name as keyof typeof slots] = { most, from: 'operator' };
  takeSlots(given.slots ?? '', slots, problems);
  if (problems.length > 0) throw new UserError('usage', problems);
  return { roles: roles as QueueName[], slots, machine, bundle: given.bundle ?? null };
}

function parsed(argv: readonly string[], problems: Problem[]): { roles?: string; slots?: string; bundle?: string } {
  try {
    const option = { type: 'string' } as const;
    return parseArgs({ args: [...argv], options: { roles: option, slots: option, bundle: option } }).values;
  } catch (error) {
    problems.push({
      message: (error as Error).message,
      expected: '--roles LIST, --slots QUEUE=N,…, --bundle FILE',
      fix: 'For example: --roles model,sandbox --slots model=16,sandbox=4',
    });
    return {};
  }
}

/** `model=8,sandbox=2`, over what stands there. */
function takeSlots(text: string, slots: WorkerLimits['slots'], problems: Problem[]): void {
  for (const pair of listOf(text)) {
    const [name = '', value = ''] = pair.split('=');
    const most = slotCount(value);
    if (Object.hasOwn(slots, name) && most !== undefined)
      slots[name as keyof typeof slots] = { most, from: 'operator' };
    else
      problems.push({
        message: `--slots: "${name}=${value}" does not set slots.`,
        expected: `${Object.keys(slots).join(', ')}, each with a whole number from 1 to 9999`,
        fix: 'For example: --slots model=16,sandbox=4',
      });
  }
}

/** Of a container what it is given, where it is given less than the machine has. */
function thisMachine(): WorkerLimits['machine'] {
  const constrained = process.constrainedMemory();
  const memoryBytes = constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
  return { cores: availableParallelism(), memoryBytes };
}

function listOf(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
