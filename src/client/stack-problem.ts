import { stackStatus } from '../stack/stack-status.js';
import type { Context } from './context.js';

/** Why nothing may be moving, where this project's own stack is to serve it; undefined when nothing is known to be amiss. */
export function stackProblem(context: Context): string | undefined {
  const { stateDir, databaseUrl, temporal } = context.environment();
  if (databaseUrl !== undefined && temporal !== undefined) return undefined;
  const { isUp, services } = stackStatus(stateDir);
  if (!isUp) return 'the stack is not supervised: durabench up';
  const down = services.find(({ mode, status }) => mode === 'embedded' && status !== 'up');
  return down && `${down.name} ${down.detail || down.status}`;
}

/** This project's own Temporal is to serve, and neither it nor a supervisor that would start it is there. */
export function isTemporalDown(context: Context): boolean {
  const { stateDir, temporal } = context.environment();
  if (temporal !== undefined) return false;
  const { isUp, services } = stackStatus(stateDir);
  return !isUp && services.every(({ name, pid }) => name !== 'temporal' || pid === null);
}
