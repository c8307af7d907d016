import { hostname } from 'node:os';
import type { LeaseOwner } from '../../ports/records.js';
import type { Engine } from '../engine.js';
import type { Context } from '../context.js';
import type { Connection } from '../connection.js';
import { UserError } from '../../domain/failure/user-error.js';

/**
 * Two servers must not run one campaign by accident.
 * @throws UserError while a live worker of another server may still run it
 */
export async function assertNotOwnedElsewhere(
  context: Context,
  { records }: Connection,
  engine: Engine,
  { id, command }: { id: string; command: string },
): Promise<void> {
  const owner = await otherLeaseOwner(context, records, engine, id);
  if (owner === null) return;
  const { instance, host, pid, livesUntil } = owner;
  throw new UserError('usage', {
    message: `campaign ${id} is running on another server (worker ${instance} on ${host}, process ${pid}, lease until ${livesUntil})`,
    expected: `${command} where it runs, or on another server once that worker is gone`,
    fix: `take it over, nothing that was received is paid again: durabench resume ${id} --take-over`,
  });
}

/** A living worker of another server that may still run the campaign; null where there is none. */
export async function otherLeaseOwner(
  context: Context,
  records: Connection['records'],
  engine: Engine,
  campaignId: string,
): Promise<LeaseOwner | null> {
  const owner = await records.leaseOwner({ campaignId, server: await engine.server() });
  return owner === null || (await isOwnWorker(context, owner)) ? null : owner;
}

/**
 * Whether the worker of this project's stack is meant: the server it polls has lost its database and is another one now,
 * which the worker's next beat will say.
 */
async function isOwnWorker(context: Context, { host, pid }: LeaseOwner): Promise<boolean> {
  const { stackStatus } = await import('../../stack/stack-status.js');
  const { stateDir, temporal } = context.environment();
  if (temporal !== undefined || host !== hostname()) return false;
  return stackStatus(stateDir).services.some((service) => service.name === 'worker' && service.pid === pid);
}
