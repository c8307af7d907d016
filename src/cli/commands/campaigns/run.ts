import type { CampaignPlan } from '../../../contract/plan.js';
import type { Revision } from '../../../contract/revision.js';
import { snakeKeys } from '../../../report/documents/snake-keys.js';
import { trialCount } from '../../../domain/campaign/expand-plan.js';
import { showEnd } from '../../format/campaign-end.js';
import { comeBack } from './come-back.js';
import { campaignSubject } from '../../../client/campaigns/campaign-subject.js';
import type { CommandEntry } from '../../command-entry.js';
import { EXIT, type ExitCode } from '../../exit-code.js';
import type { FollowRequest } from '../../../client/campaigns/follow-campaign.js';
import { exitCodeOf, watchCampaign } from './watch-campaign.js';
import { inFlightLine } from '../../../client/campaigns/in-flight-line.js';
import { onInterrupt } from '../../interrupt.js';
import { makePlan } from '../../../client/plans/make-plan.js';
import { planRevision, revisionText } from '../../../client/plans/plan-revision.js';
import { isPriced, planText } from '../../format/plan-text.js';
import { readyForRun } from '../../../client/machine/ready-for-run.js';
import { reasonOf } from '../../options/reason-of.js';
import { mayGoOn } from '../../options/may-go-on.js';
import { refreshWorker, workerNeeds } from '../../../client/machine/refresh-worker.js';
import { startCampaign } from '../../../client/campaigns/start-campaign.js';
import type { Session } from '../../session.js';
import { withConnection, type Connection } from '../../../client/connection.js';
import { UserError } from '../../../domain/failure/user-error.js';

/** `durabench run FILE` */
export const run: CommandEntry = {
  declare: (program) =>
    program
      .command('run')
      .description('start a campaign from a file, watch it to its end, print the result')
      .argument('<file>', 'campaign file (YAML)')
      .option('--detach', 'return as soon as the campaign is started')
      .option('--id <id>', 'campaign id: a new one, or an existing campaign that asks the same question')
      .option('--revises <campaign>', 'a new campaign linked to this one; says what differs and what that invalidates')
      .option('--reason <text>', 'why it is revised; kept in both records')
      .option('--dry-run', 'only say what would be started')
      .option('-y, --yes', 'start without asking, also where models cost money'),
  action: async (session, [file = ''], options) => {
    const { readCampaign } = await import('../../../client/plans/read-campaign.js');
    const campaign = await readCampaign(session, file);
    return withConnection(session, async (place) => {
      const id = typeof options.id === 'string' ? options.id : undefined;
      const plan = await makePlan(session, campaign, { blobs: place.blobs, id });
      const revised = { wanted: String(options.revises), reason: reasonOf(options, 'run --revises') };
      const revision = options.revises === undefined ? undefined : await planRevision(place, plan, revised);
      if (options.dryRun === true) return sayPlan(session, plan, revision);
      session.output.say(wordsOf(plan, revision));
      await readyForRun(session, plan, { suite: campaign.suite, blobs: place.blobs });
      if (options.yes !== true && !(await mayStart(session, plan))) return EXIT.usage;
      return runPlan(session, place, { plan, revision, detach: options.detach === true });
    });
  },
};

const wordsOf = (plan: CampaignPlan, revision: Revision | undefined): string =>
  [planText(plan), ...(revision === undefined ? [] : [revisionText(revision)])].join('\n');

/** `--dry-run` */
function sayPlan({ output }: Session, plan: CampaignPlan, revision: Revision | undefined): ExitCode {
  if (output.flags.json) {
    const { name, suite } = plan.spec;
    const planned = { campaign: { name, suite, dataset: plan.dataset.label }, trials: trialCount(plan) };
    output.json('planned-campaign', {
      ...{ dry_run: true, verb: 'run', ...planned },
      revision: revision === undefined ? null : { ...revision, trials: snakeKeys(revision.trials) },
    });
  } else output.data(wordsOf(plan, revision));
  return EXIT.ok;
}

/** Starts the campaign of a plan and, unless detached, watches it to its end. */
export async function runPlan(
  session: Session,
  place: Connection,
  request: { plan: CampaignPlan; revision?: Revision | undefined; detach: boolean },
): Promise<ExitCode> {
  const { openEngine } = await import('../../../client/open-engine.js');
  const { plan, revision, detach } = request;
  const { id } = plan;
  const { output } = session;
  await refreshWorker(session, workerNeeds(session, plan.spec));
  const { engine, close } = await openEngine(session, place);
  try {
    const onRecorded = (): void => (output.flags.json ? output.jsonLine('started', { campaign_id: id }) : undefined);
    const state = await startCampaign(session, place, engine, { plan, revision, onRecorded });
    const { temporalUi, campaign } = await campaignSubject(session, place, id);
    const link = temporalUi === null ? '' : `; Temporal UI: ${temporalUi}`;
    if (state === 'started') output.say(`started ${id}${link}`);
    else if (state === 'running') output.say(`${id} is already running${link}`);
    else output.say(`${id} already finished (${campaign.status.replace('_', ' ')})${link}`);
    if (state !== 'ended') output.say(await inFlightLine(place, engine, plan.spec.concurrency));
    if (!detach) return await watchToEnd(session, place, { id, engine });
    output.say(await comeBack(session, place, { id, engine }));
    if (!output.flags.json) output.data(id);
    return EXIT.ok;
  } finally {
    await close();
  }
}

/** Watches a campaign; at its end prints the result and gives the exit code. The first Ctrl-C detaches. */
export async function watchToEnd(session: Session, place: Connection, watch: FollowRequest): Promise<ExitCode> {
  const interrupt = onInterrupt();
  try {
    const end = await watchCampaign(session, place, { ...watch, signal: interrupt.signal });
    if (end.ended === 'lost') throw lostCampaign(watch.id, end.why);
    if (end.ended === 'detached') {
      session.output.warn(`detached; ${await comeBack(session, place, watch)}`);
      return EXIT.ok;
    }
    await showEnd(session, end.subject);
    return exitCodeOf(end.subject);
  } finally {
    interrupt.release();
  }
}

function lostCampaign(id: string, why: string): UserError {
  return new UserError('environment', {
    message: `campaign ${id} is not finished, but ${why}`,
    fix: `durabench resume ${id}`,
  });
}

/** Asks on a terminal before money may be spent. */
async function mayStart(session: Session, plan: CampaignPlan): Promise<boolean> {
  return !isPriced(plan) || mayGoOn(session, 'start?', true);
}
