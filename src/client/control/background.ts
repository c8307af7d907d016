import { setTimeout as sleep } from 'node:timers/promises';
import type { CampaignStatus } from '../../contract/campaign.js';
import { isClosed } from '../campaigns/is-closed.js';
import type { Connection } from '../connection.js';
import type { Context } from '../context.js';
import type { Engine } from '../engine.js';
import { stackProblem } from '../stack-problem.js';

/** Whoever leaves does not wait for servers that do not answer at once. */
const PATIENCE_MS = 2_000;

/**
 * What a campaign does that nobody watches. `idle`: it is open and no workflow runs it; `waiting`: it goes on once the
 * stack is up; `ending`: it was cancelled, or its budget is spent; `unknown`: nobody could say in time.
 */
export type Background =
  | { state: 'ended'; status: CampaignStatus }
  | { state: 'idle' | 'paused' | 'running' | 'ending' | 'unknown' }
  | { state: 'waiting'; problem: string };

/** Asks what becomes of a campaign from here on, for two seconds at most. Never throws. */
export async function inBackground(
  context: Context,
  { records }: Connection,
  { id, engine }: { id: string; engine: Engine },
): Promise<Background> {
  const known = async (): Promise<Background> => {
    const { status, desiredState } = await records.campaign(id);
    if (isClosed(status)) return { state: 'ended', status };
    if (!(await engine.isRunning(id))) return { state: 'idle' };
    if (status === 'paused') return { state: 'paused' };
    const problem = stackProblem(context);
    if (problem !== undefined) return { state: 'waiting', problem };
    return { state: desiredState === 'run' ? 'running' : 'ending' };
  };
  const unknown: Background = { state: 'unknown' };
  return Promise.race([known(), sleep(PATIENCE_MS, unknown, { ref: false })]).catch(() => unknown);
}
