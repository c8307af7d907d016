import { startPlan, type StartRequest } from '../../../client/campaigns/start-campaign.js';
import { withConnection, type Connection } from '../../../client/connection.js';
import { inBackground } from '../../../client/control/background.js';
import { workerLimits } from '../../../client/inspect/worker-limits.js';
import { missingForRun, readyForRun, type MissingForRun } from '../../../client/machine/ready-for-run.js';
import {
  planCampaign,
  planSummary,
  type PlannedCampaign,
  type PlanOptions,
} from '../../../client/plans/plan-campaign.js';
import { planForecast, type PlanForecast } from '../../../client/plans/plan-forecast.js';
import type { CheckedCampaign } from '../../../client/plans/read-campaign.js';
import { withEngine } from '../../../client/with-engine.js';
import { snakeKeys } from '../../../report/documents/snake-keys.js';
import { inFlightText } from '../../../report/text/in-flight-text.js';
import type { CommandEntry } from '../../command-entry.js';
import { EXIT, type ExitCode } from '../../exit-code.js';
import { showEnd } from '../../format/campaign-end.js';
import { missingLines, planText } from '../../format/plan-text.js';
import { reattachText } from '../../format/reattach-text.js';
import { givenReason } from '../../options/given-reason.js';
import { nameList } from '../../options/name-list.js';
import { mayGoOn } from '../../options/may-go-on.js';
import { readWholeNumber } from '../../options/whole-number.js';
import type { Session } from '../../session.js';
import { watchToEnd } from './watch-campaign.js';

/** `durabench run FILE` */
export const run: CommandEntry = {
  declare: (program) =>
    program
      .command('run')
      .description('start a campaign from a file, watch it to its end, print the result')
      .argument('<file>', CAMPAIGN_FILE)
      .option('--limit <n>', 'so many tasks at most, in turn from each group: a smoke run, and a question of its own')
      .option('--system <ids>', 'only these systems, separated by commas')
      .option('--task <ids>', 'only these tasks, separated by commas: ids, or unique beginnings of them')
      .option('--tag <tags>', 'further tags, separated by commas; `list --tag` finds it by them')
      .option('--detach', 'return as soon as the campaign is started')
      .option('--id <id>', 'campaign id: a new one, or an existing campaign that asks the same question')
      .option('--revises <campaign>', 'a new campaign linked to this one; says what differs and what that invalidates')
      .option('--reason <text>', 'why it is revised; kept in both records')
      .option('--dry-run', 'only say what would be started')
      .option('-y, --yes', 'start without asking, also where models cost money'),
  action: async (session, [file = ''], options) => {
    const { readCampaign } = await import('../../../client/plans/read-campaign.js');
    const campaign = await readCampaign(session, file);
    return withConnection(session, async (connection) => {
      const asked = {
        ...{ id: textOf(options.id), revises: textOf(options.revises), reason: givenReason(options) },
        ...{
          limit: readLimit(options.limit),
          systems: nameList(options.system),
          tasks: nameList(options.task),
          tags: nameList(options.tag),
        },
      };
      const { code } = await runAsked(session, connection, campaign, { asked, options, answer: 'run' });
      return code;
    });
  },
};

/** Argument of commands that start a campaign. */
export const CAMPAIGN_FILE = 'campaign file (YAML)';

/**
 * What a command that runs a campaign answers under --json: its status at the end, or a document of its own, which the command
 * prints. `run` says before that the campaign is recorded. One that is left to run is answered with that alone.
 */
type Answer = 'run' | 'status' | 'own';

/** What came of a campaign that was asked for. */
interface Ran {
  /** Null: nothing was started. */
  id: string | null;
  code: ExitCode;
  /** False: it was not started, or is left to run. */
  hasEnded: boolean;
}

/**
 * Plans a campaign that was read already, shows the plan, asks where models cost money, and runs it to its end or, detached,
 * starts it.
 */
export async function runAsked(
  session: Session,
  connection: Connection,
  campaign: CheckedCampaign,
  {
    asked,
    options,
    answer,
    onPlanned,
  }: { asked: PlanOptions; options: Record<string, unknown>; answer: Answer; onPlanned?: (id: string) => void },
): Promise<Ran> {
  const planned = await planCampaign(session, connection, campaign, asked);
  const summary = planSummary(planned);
  const forecast = await planForecast(connection, planned.plan, campaign.suite.manifest);
  const parts = { suite: campaign.suite, blobs: connection.blobs };
  const missing = await missingForRun(session, planned.plan, parts);
  if (options.dryRun === true) return { id: null, code: sayPlan(session, summary, forecast, missing), hasEnded: false };
  session.output.say([planText(summary, forecast, session.output.width), ...missingLines(missing)].join('\n'));
  await readyForRun(session, planned.plan, parts);
  if (options.yes !== true && !(await mayStart(session, summary)))
    return { id: null, code: EXIT.usage, hasEnded: false };
  onPlanned?.(planned.plan.id);
  return runPlan(session, connection, { ...planned, detach: options.detach === true, answer });
}

const readLimit = (given: unknown): number | undefined =>
  given === undefined
    ? undefined
    : readWholeNumber('--limit', given, { least: 1, most: 999_999_999, fix: 'leave --limit out for all tasks' });

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** `--dry-run` */
function sayPlan({ output }: Session, plan: PlannedCampaign, forecast: PlanForecast, missing: MissingForRun): ExitCode {
  const { name, suite, dataset, trials, tight, experiment, revision } = plan;
  if (output.flags.json)
    output.json('planned-campaign', {
      ...{ dry_run: true, command: 'run', campaign: { name, suite, dataset }, trials, tight, experiment, missing },
      forecast: {
        ...forecast,
        all: snakeKeys(forecast.all),
        systems: forecast.systems.map((system) => snakeKeys(system)),
      },
      revision: revision === null ? null : { ...revision, trials: snakeKeys(revision.trials) },
    });
  else output.data([planText(plan, forecast, output.width), ...missingLines(missing)].join('\n'));
  return EXIT.ok;
}

/** Runs a campaign whose models cost nothing to its end, once its plan is shown. */
export async function runCampaign(
  session: Session,
  connection: Connection,
  campaign: CheckedCampaign,
): Promise<ExitCode> {
  const planned = await planCampaign(session, connection, campaign);
  session.output.say(planText(planSummary(planned), null, session.output.width));
  return (await runPlan(session, connection, { ...planned, detach: false, answer: 'status' })).code;
}

/** Starts the campaign of a plan and, unless detached, watches it to its end. */
async function runPlan(
  session: Session,
  connection: Connection,
  asked: StartRequest & { detach: boolean; answer: Answer },
): Promise<Ran> {
  // From here on a campaign may be recorded, and run: whoever stops watching is told its id.
  const interrupt = session.onInterrupt();
  try {
    return await startAndWatch(session, connection, asked, interrupt.signal);
  } finally {
    interrupt.release();
  }
}

async function startAndWatch(
  session: Session,
  connection: Connection,
  { detach, answer, ...request }: StartRequest & { detach: boolean; answer: Answer },
  signal: AbortSignal,
): Promise<Ran> {
  const { id, spec } = request.plan;
  const { output } = session;
  return withEngine(session, connection, async (engine) => {
    const sayStarted = (): void => (output.flags.json ? output.jsonLine('started', { campaign_id: id }) : undefined);
    const isSaidAtOnce = answer === 'run' || detach;
    const { state, status, temporalUi } = await startPlan(session, connection, engine, {
      ...request,
      ...(isSaidAtOnce && { onRecorded: sayStarted }),
    });
    const link = temporalUi === null ? '' : `; Temporal UI: ${temporalUi}`;
    if (state === 'started') output.say(`started ${id}${link}`);
    else if (state === 'running') output.say(`${id} is already running${link}`);
    else output.say(`${id} already finished (${status.replace('_', ' ')})${link}`);
    if (state !== 'ended') output.say(inFlightText(spec.concurrency, await workerLimits(connection, engine)));
    if (!detach && !signal.aborted) {
      const show = answer === 'own' ? showEndToPeople : showEnd;
      const watched = await watchToEnd(session, connection, { id, engine }, show);
      if (!watched.hasEnded && !isSaidAtOnce) sayStarted();
      return { id, ...watched };
    }
    const text = reattachText(id, await inBackground(session, connection, { id, engine }));
    if (detach) output.say(text);
    else output.warn(`detached; ${text}`);
    if (!isSaidAtOnce) sayStarted();
    if (detach && !output.flags.json) output.data(id);
    return { id, code: EXIT.ok, hasEnded: false };
  });
}

const showEndToPeople: typeof showEnd = (output, subject) => (output.flags.json ? undefined : showEnd(output, subject));

/** Asks on a terminal before money may be spent. */
async function mayStart(session: Session, { models }: PlannedCampaign): Promise<boolean> {
  return models !== 'priced' || mayGoOn(session, 'start?', true);
}
