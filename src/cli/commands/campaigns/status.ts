import { campaignNamed } from '../../../client/campaigns/campaign-named.js';
import { isClosed } from '../../../client/campaigns/is-closed.js';
import { withConnection } from '../../../client/connection.js';
import { campaignState, type CampaignState } from '../../../client/inspect/campaign-state.js';
import type { UnderWay } from '../../../client/inspect/under-way.js';
import { withEngine } from '../../../client/with-engine.js';
import { plainLine } from '../../../domain/text/plain-text.js';
import type { ReportSubject } from '../../../report/report-subject.js';
import { resultTable } from '../../../report/result-table.js';
import { inFlightText } from '../../../report/text/in-flight-text.js';
import { durationRange } from '../../../report/text/number-text.js';
import { temporalLines } from '../../../report/text/temporal-queries.js';
import type { CommandEntry } from '../../command-entry.js';
import { EXIT } from '../../exit-code.js';
import { nextCommand, reasonLines, revisionLines, spendLines } from '../../format/campaign-end.js';
import { generationLines, makingLines, waitingLines } from '../../../client/inspect/generation-lines.js';
import { installationLines } from '../../format/installation-lines.js';
import type { Session } from '../../session.js';
import { watchToEnd } from './watch-campaign.js';

/** `durabench status [CAMPAIGN] [--watch]` */
export const status: CommandEntry = {
  declare: (program) =>
    program
      .command('status')
      .description('where a campaign stands; --watch follows it to its end')
      .argument('[campaign]', 'id, unique prefix of an id, or latest', 'latest')
      .option('-w, --watch', 'follow it as `run` does'),
  action: (session, [wanted = 'latest'], options) =>
    withConnection(session, async (connection) => {
      const id = await campaignNamed(connection, wanted);
      if (options.watch === true) {
        const watched = await withEngine(session, connection, (engine) =>
          watchToEnd(session, connection, { id, engine }),
        );
        if (watched.hasEnded || !session.output.flags.json) return watched.code;
      }
      const state = await campaignState(session, connection, id);
      if (session.output.flags.json) session.output.json('status', state.standing);
      else show(session, state);
      return EXIT.ok;
    }),
};

function linesOf({ subject, problem, underWay, workers, installation, generations }: CampaignState): string[] {
  return [
    ...(problem === undefined ? [] : [`problem      ${problem}`]),
    ...takeOverLines(subject),
    ...stuckLines(subject),
    ...(subject.campaign.tags.length === 0 ? [] : [`tags         ${subject.campaign.tags.join(' ')}`]),
    ...notifyLines(subject),
    ...revisionLines(subject),
    ...(underWay?.secondsLeft == null
      ? []
      : [`time left    ${durationRange(underWay.secondsLeft)}, nineteen times in twenty`]),
    ...(underWay === null ? [] : waitingLines(underWay)),
    ...(workers === null ? [] : [inFlightText(subject.campaign.spec.concurrency, workers)]),
    ...spendLines(subject),
    ...installationLines(installation),
    ...generationLines(generations),
    ...(underWay === null ? [] : makingLines(withoutGraph(underWay, generations))),
    ...reasonLines(subject),
  ];
}

/** Those that plan with a graph have lines of their own. */
const withoutGraph = (now: UnderWay, told: CampaignState['generations']): UnderWay => ({
  ...now,
  generations: now.generations.filter(({ id }) => told.every((each) => each.id !== id)),
});

/** The last time that it was taken over by other workflow code. */
function takeOverLines({ events }: ReportSubject): string[] {
  const last = events.findLast(({ action }) => action === 'take-over');
  if (last === undefined) return [];
  const { from, to } = last.details as { from?: string; to?: string };
  return [`taken over   ${last.at.slice(0, 19).replace('T', ' ')} UTC by workflow code ${to}, from ${from || 'none'}`];
}

/** What a worker has seen, also where nobody can be asked now. */
function stuckLines({ campaign, events }: ReportSubject): string[] {
  const told = campaign.stuck === null ? undefined : events.findLast(({ action }) => action === 'stuck');
  if (told === undefined) return [];
  const at = told.at.slice(0, 19).replace('T', ' ');
  return [
    `stuck        since ${at} UTC, told by ${told.author}: ${plainLine(told.reason, 160)}: durabench resume ${campaign.id}`,
  ];
}

const TOLD: Readonly<Record<string, string>> = {
  notified: 'told',
  'notify-waiting': 'not told yet, tried again for an hour:',
  'notify-failed': 'not told:',
};

/** Whom it told what, the last of each; a try that failed only as long as nothing else came of it. */
function notifyLines({ events }: ReportSubject): string[] {
  const last = new Map<string, ReportSubject['events'][number]>();
  for (const event of events) {
    const { event: what, key, target } = event.details;
    if (event.action in TOLD) last.set(JSON.stringify([what, key, target]), event);
  }
  return [...last.values()].map(
    ({ at, action, reason }) =>
      `notify       ${at.slice(0, 19).replace('T', ' ')} UTC ${TOLD[action]} ${plainLine(reason, 160)}`,
  );
}

function show({ output }: Session, state: CampaignState): void {
  const { subject, isOpen } = state;
  const { campaign } = subject;
  const { planned, done, passed, failed, errored, not_run } = campaign.trials;
  output.data(`campaign     ${campaign.id}: ${campaign.dataset}`);
  output.data(`status       ${campaign.status.replace('_', ' ')}${askedText(campaign)}`);
  output.data(
    `trials       ${done} of ${planned} done: ${passed} passed, ${failed} failed, ${errored} errored, ${not_run} not run`,
  );
  for (const line of linesOf(state)) output.data(line);
  output.data(`\n${resultTable(subject, output.width)}\n`);
  for (const line of reportLines(state)) output.data(line);
  for (const line of temporalLines(subject)) output.data(line);
  output.data(`next         ${isOpen ? nextOfOpen(campaign) : nextCommand(subject)}`);
}

const nextOfOpen = ({ id, status }: ReportSubject['campaign']): string =>
  status === 'paused' ? `durabench resume ${id}` : `durabench status ${id} --watch`;

/** What was asked of it, as long as it has not come to that. */
function askedText({ status, desiredState }: CampaignState['subject']['campaign']): string {
  const isDone = isClosed(status) || (status === 'paused' && desiredState === 'pause');
  return desiredState === 'run' || isDone ? '' : ` (asked to ${desiredState})`;
}

/** Where the report is; never one that is older than the record. */
function reportLines({ subject: { campaign, report }, isOpen }: CampaignState): string[] {
  const writing = `durabench report ${campaign.id}`;
  if (report?.isCurrent === true) return [`report       ${report.page} (written ${report.at})`];
  if (report !== null) return [`report       out of date (written ${report.at}): ${writing}`];
  return isOpen ? [] : [`report       none on this machine: ${writing}`];
}
