import type { CampaignSpec } from '../../../contract/campaign.js';
import type { JsonObject } from '../../../contract/json.js';
import type { CampaignRow, PlannedRun, RunSelection } from '../../../ports/records.js';
import { budgetUse, usedWords } from '../../../report/words/budget-words.js';
import { statusReport } from '../../../report/status-report.js';
import { campaignSubject } from '../../../client/campaigns/campaign-subject.js';
import { author } from '../../../client/actor.js';
import type { Engine } from '../../../client/engine.js';
import { EXIT, type ExitCode } from '../../exit-code.js';
import { inFlightLine } from '../../../client/campaigns/in-flight-line.js';
import { refreshWorker, workerNeeds } from '../../../client/machine/refresh-worker.js';
import { refuseHeld } from '../../../client/campaigns/refuse-held.js';
import { sayForecast } from './run-forecast.js';
import { watchToEnd } from './run.js';
import type { Session } from '../../session.js';
import type { Connection } from '../../../client/connection.js';
import { UserError } from '../../../domain/failure/user-error.js';

/** What `resume`, `retry` and `regrade` have in common: runs are planned, and the campaign is started again. */
export interface RunVerb {
  id: string;
  selection: RunSelection;
  reason: string;
  isDryRun: boolean;
  isDetached: boolean;
  /** Also from another server that may still run it. */
  takesOver: boolean;
  details?: JsonObject;
  /** What to say when nothing is chosen. @throws UserError where that is a mistake */
  nothing(campaign: CampaignRow): string;
  /** Said at the end of the campaign, with the runs that were planned. */
  atEnd?(runs: readonly PlannedRun[]): Promise<void>;
}

/** Plans the runs and starts the campaign again; or only says which they would be. The campaign does not run here. */
export async function runVerb(session: Session, place: Connection, engine: Engine, verb: RunVerb): Promise<ExitCode> {
  const { output } = session;
  const { id, selection } = verb;
  const campaign = await place.records.campaign(id);
  const server = await engine.server();
  if (!verb.takesOver) await refuseHeld(session, place, engine, { id, verb: selection.verb });
  const plan = (isDryRun: boolean, epoch: number, code?: string): Promise<PlannedRun[]> =>
    place.records.planRuns({
      ...{ campaignId: id, selection, isDryRun, epoch, server, author: author() },
      ...(code !== undefined && { code }),
      ...{ reason: verb.reason, details: { ...verb.details, take_over: verb.takesOver } },
    });
  const chosen = await plan(true, campaign.epoch);
  // A campaign that is still open is closed by a workflow, also where every trial has ended.
  const isEmpty = chosen.length === 0 && !(selection.verb === 'resume' && campaign.endedAt === null);
  if (isEmpty) return sayNothing(session, place, { ...verb, why: verb.nothing(campaign) });
  if (verb.isDryRun) return sayForecast(session, place, { id, selection, runs: chosen });
  const isAnew = await refreshWorker(session, workerNeeds(session, campaign.spec));
  // A worker that was started again may have taken it over already.
  const { epoch } = isAnew ? await place.records.campaign(id) : campaign;
  const runs = await plan(false, epoch, await engine.code());
  await engine.restart(id, `durabench ${selection.verb}`);
  output.say(saying(verb, runs.length, campaign));
  output.say(await inFlightLine(place, engine, campaign.spec.concurrency));
  if (output.flags.json && verb.isDetached) output.jsonLine('started', { campaign_id: id, runs: runs.length });
  if (verb.isDetached) return EXIT.ok;
  const code = await watchToEnd(session, place, { id, engine });
  await verb.atEnd?.(runs);
  return code;
}

/** There is nothing to do, which is no failure. */
export async function sayNothing(
  session: Session,
  place: Connection,
  { id, selection, isDryRun, isDetached, why }: Omit<RunVerb, 'nothing' | 'reason' | 'takesOver'> & { why: string },
): Promise<ExitCode> {
  const { output } = session;
  output.say(why);
  if (!output.flags.json) return EXIT.ok;
  if (isDryRun) output.json('planned-runs', { dry_run: true, verb: selection.verb, campaign: id, trials: [], usd: 0 });
  else if (isDetached) output.jsonLine('started', { campaign_id: id, runs: 0 });
  else output.json('status', statusReport(await campaignSubject(session, place, id)));
  return EXIT.ok;
}

function saying({ id, selection }: RunVerb, runs: number, campaign: CampaignRow & { spec: CampaignSpec }): string {
  const { trials, spec } = campaign;
  if (runs === 0) return `resumed ${id}: every trial has ended; its result is still to be closed`;
  const done = { resume: 'resumed', retry: 'retrying', regrade: 'regrading' }[selection.verb];
  // A limit that is reached ends it again at once.
  const used = usedWords(spec.budget, budgetUse(campaign));
  return `${done} ${id}: ${runs} of ${trials.planned} trials to run${used === null ? '' : `; its budget: ${used}`}`;
}

/** What is said of a campaign that runs: its own workflow would not see runs planned behind its back. */
export function runningCampaign(id: string, verb: 'retry' | 'regrade'): UserError {
  return new UserError('usage', {
    message: `campaign ${id} is running: it cannot be ${verb === 'retry' ? 'retried' : 'regraded'} yet`,
    expected: 'a campaign that has ended',
    fix: `watch it: durabench status ${id} --watch`,
  });
}
