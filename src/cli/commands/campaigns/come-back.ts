import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine } from '../../../client/engine.js';
import { isClosed } from '../../../client/campaigns/ended-campaign.js';
import type { Session } from '../../session.js';
import { stackProblem } from '../../../client/stack-problem.js';
import type { Connection } from '../../../client/connection.js';

/** Whoever pressed Ctrl-C wants to leave: servers that do not answer at once are not waited for. */
const PATIENCE_MS = 2_000;

/** What becomes of a campaign that nobody watches any more, and the command that comes back to it. */
export async function comeBack(
  session: Session,
  { records }: Connection,
  { id, engine }: { id: string; engine: Engine },
): Promise<string> {
  const watch = `reattach: durabench status ${id} --watch`;
  const known = async (): Promise<string> => {
    const { status, desiredState } = await records.campaign(id);
    if (isClosed(status))
      return `${id} has ended (${status.replace('_', ' ')}); see its result: durabench report ${id}`;
    if (!(await engine.isRunning(id))) return `no workflow runs ${id} now; go on with: durabench resume ${id}`;
    if (status === 'paused') return `${id} is paused; go on with: durabench resume ${id}`;
    const trouble = stackProblem(session);
    if (trouble !== undefined) return `${id} goes on once the stack is up (${trouble}); ${watch}`;
    return desiredState === 'run' ? `${id} continues in the background; ${watch}` : `${id} ends by itself; ${watch}`;
  };
  return Promise.race([known(), sleep(PATIENCE_MS, watch, { ref: false })]).catch(() => watch);
}
