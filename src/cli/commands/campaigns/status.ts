import { resultTable } from '../../../report/result-table.js';
import { statusReport } from '../../../report/status-report.js';
import { reasonLines, revisionLines, spendLines } from '../../format/campaign-end.js';
import { campaignSubject } from '../../../client/campaigns/campaign-subject.js';
import type { CommandEntry } from '../../command-entry.js';
import type { Engine } from '../../../client/engine.js';
import { EXIT } from '../../exit-code.js';
import { plainLine } from '../../../domain/text/plain-text.js';
import { isClosed } from '../../../client/campaigns/ended-campaign.js';
import { generationLines, generationStatuses } from '../../../client/campaigns/generation-status.js';
import { inFlightWords } from '../../../report/words/in-flight-words.js';
import { installationLines } from '../../format/installation-lines.js';
import { waitLines } from '../../../report/words/wait-lines.js';
import { watchToEnd } from './run.js';
import type { Session } from '../../session.js';
import { isTemporalAway } from '../../../client/open-temporal.js';
import { stackProblem } from '../../../client/stack-problem.js';
import { withEngine } from '../../../client/with-engine.js';
import { workflowProblem, workflowState, type WorkflowState } from '../../../client/campaigns/workflow-state.js';
import { campaignId, withConnection, type Connection } from '../../../client/connection.js';
import type { ReportSubject } from '../../../report/report-subject.js';

/** `durabench status [CAMPAIGN] [--watch]` */
export const status: CommandEntry = {
  declare: (program) =>
    program
      .command('status')
      .description('where a campaign stands; --watch follows it to its end')
      .argument('[campaign]', 'id, unique beginning of an id, or latest', 'latest')
      .option('-w, --watch', 'follow it as `run` does'),
  action: (session, [wanted = 'latest'], options) =>
    withConnection(session, async (place) => {
      const id = await campaignId(place.records, wanted);
      if (options.watch === true) {
        const { openEngine } = await import('../../../client/open-engine.js');
        const { engine, close } = await openEngine(session, place);
        try {
          return await watchToEnd(session, place, { id, engine });
        } finally {
          await close();
        }
      }
      const subject = await campaignSubject(session, place, id);
      const generations = await generationStatuses(place, id);
      // The contract's keys alone, where no generation plans with a graph.
      const planned = generations.length === 0 ? {} : { generations };
      const isOpen = !isClosed(subject.campaign.status);
      const problem = isOpen ? await problemOf(session, place, subject) : undefined;
      const troubled = problem === undefined ? {} : { problem };
      if (session.output.flags.json)
        session.output.json('status', { ...statusReport(subject), ...planned, ...troubled });
      else {
        const waits = isOpen ? await place.records.waits(id) : [];
        const ofAll = installationLines(await place.records.installationBudget());
        const { server, spec } = subject.campaign;
        // Temporal may be away: the record knows where it runs.
        const runs = isOpen && server !== null;
        const workers = runs ? await place.records.workerLimits(server) : [];
        const lines = [
          ...(problem === undefined ? [] : [`problem      ${problem}`]),
          ...takeOverLines(subject),
          ...stuckLines(subject),
          ...revisionLines(subject),
          ...waitLines(waits),
          ...(runs ? [inFlightWords(spec.concurrency, workers)] : []),
          ...spendLines(subject),
          ...ofAll,
          ...generationLines(generations),
        ];
        show(session, subject, lines);
      }
      return EXIT.ok;
    }),
};

/** A server that is up answers sooner; one that is not must not keep anybody from the records. */
const ASK_MS = 3_000;

/** What is wrong with the workflows of an open campaign; undefined where nothing is known to be. */
async function problemOf(
  session: Session,
  place: Connection,
  { campaign }: ReportSubject,
): Promise<string | undefined> {
  const down = stackProblem(session);
  if (down !== undefined) return down;
  try {
    const look = (engine: Engine): Promise<WorkflowState> => workflowState(session, place, engine, campaign.id);
    return workflowProblem(campaign, await withEngine(session, place, look, { deadlineMs: ASK_MS }));
  } catch (error) {
    if (!isTemporalAway(error)) throw error;
    return 'Temporal does not answer: whether anything runs is not known';
  }
}

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

function show({ output }: Session, subject: ReportSubject, lines: readonly string[]): void {
  const { campaign } = subject;
  const { planned, done, passed, failed, errored, not_run } = campaign.trials;
  output.data(`campaign     ${campaign.id}: ${campaign.dataset}`);
  output.data(
    `status       ${campaign.status.replace('_', ' ')}${campaign.desiredState === 'run' ? '' : ` (asked to ${campaign.desiredState})`}`,
  );
  output.data(
    `trials       ${done} of ${planned} done: ${passed} passed, ${failed} failed, ${errored} errored, ${not_run} not run`,
  );
  for (const line of [...lines, ...reasonLines(subject)]) output.data(line);
  output.data(`\n${resultTable(subject, output.width)}\n`);
  for (const line of reportLines(subject)) output.data(line);
  if (subject.temporalUi !== null) output.data(`Temporal UI  ${subject.temporalUi}`);
  const next = campaign.status === 'paused' ? `resume ${campaign.id}` : `status ${campaign.id} --watch`;
  if (!isClosed(campaign.status)) output.data(`next         durabench ${next}`);
}

/** Where the report is; never one that is older than the record. */
function reportLines({ campaign, report }: ReportSubject): string[] {
  const writing = `durabench report ${campaign.id}`;
  if (report?.isCurrent === true) return [`report       ${report.path} (written ${report.at})`];
  if (report !== null) return [`report       out of date (written ${report.at}): ${writing}`];
  return isClosed(campaign.status) ? [`report       none on this machine: ${writing}`] : [];
}
