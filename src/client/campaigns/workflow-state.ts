import type { StuckWorkflow } from '../../adapters/temporal/workflow-tree.js';
import type { CampaignSpec } from '../../contract/campaign.js';
import { plainLine } from '../../domain/text/plain-text.js';
import type { CampaignRow } from '../../ports/records.js';
import type { Engine } from '../engine.js';
import { isClosed } from './is-closed.js';
import { otherLeaseOwner } from './other-lease-owner.js';
import type { Context } from '../context.js';
import type { Connection } from '../connection.js';

/**
 * How the workflows of an open campaign stand. `none`: none runs; `stranded`: no living worker has their code;
 * `stuck`: some fail at each try; `fine` also where nobody could be asked.
 */
export type WorkflowState =
  { state: 'fine' | 'none' } | { state: 'stranded'; code: string } | { state: 'stuck'; workflows: StuckWorkflow[] };

const FINE: WorkflowState = { state: 'fine' };

/** Looks at the workflows of a campaign that ought to run. */
export async function workflowState(
  context: Context,
  { records }: Pick<Connection, 'records'>,
  engine: Engine,
  id: string,
): Promise<WorkflowState> {
  const campaign = await records.campaign(id);
  if (isClosed(campaign.status)) return FINE;
  const runs = await engine.runsNow(id);
  // A server that cannot be asked is no evidence.
  if (runs === undefined) return FINE;
  const server = await engine.server();
  if (!runs || (campaign.server !== null && campaign.server !== server))
    return (await isRunByNobody(context, { records }, engine, id)) ? { state: 'none' } : FINE;
  if (campaign.server !== null && !(await records.isCodePolled(id))) return { state: 'stranded', code: campaign.code };
  const workflows = (await engine.stuck(id)) ?? [];
  return workflows.length === 0 ? FINE : { state: 'stuck', workflows };
}

/** Of a campaign without a workflow here: that it is open all the same, and no living worker elsewhere runs it. */
export async function isRunByNobody(
  context: Context,
  { records }: Pick<Connection, 'records'>,
  engine: Engine,
  id: string,
): Promise<boolean> {
  if ((await otherLeaseOwner(context, records, engine, id)) !== null) return false;
  return !isClosed(await records.campaignStatus(id));
}

/** What is wrong with the workflows of a campaign, and the command that fixes it; undefined where nothing is. */
export function workflowProblem(
  { id, status }: CampaignRow & { spec: CampaignSpec },
  found: WorkflowState,
): string | undefined {
  switch (found.state) {
    case 'fine':
      return undefined;
    case 'none':
      return status === 'planned'
        ? `no workflow was started for it: durabench resume ${id}`
        : `no workflow runs it: durabench resume ${id}`;
    case 'stranded':
      return `no living worker has the workflow code it runs on; another worker takes it over within a minute: durabench up`;
    case 'stuck':
      return `${stuckText(found.workflows)}: durabench resume ${id}`;
  }
}

function stuckText([first, ...others]: StuckWorkflow[]): string {
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  return `${plainLine(first?.workflowId ?? '', 150)}${more} cannot go on (${plainLine(first?.message ?? '', 160)})`;
}
