import { campaignNamed } from '../../../client/campaigns/campaign-named.js';
import { campaignSubject } from '../../../client/campaigns/campaign-subject.js';
import { trialOrGenerationNamed } from '../../../client/campaigns/trial-named.js';
import { withConnection, type Connection } from '../../../client/connection.js';
import { graphPicture } from '../../../client/control/generation-graph.js';
import type { TrialRow } from '../../../client/index.js';
import { campaignTrials } from '../../../client/inspect/campaign-state.js';
import { filterTrials, trialsOf, type FilterCounts, type TrialFilter } from '../../../client/inspect/trial-filter.js';
import { UserError } from '../../../domain/failure/user-error.js';
import { plainLine } from '../../../domain/text/plain-text.js';
import type { ReportSubject } from '../../../report/report-subject.js';
import { reportJson } from '../../../report/report-files.js';
import { columnTable, resultTable, type TableColumn } from '../../../report/result-table.js';
import { counted, dollars, grouped } from '../../../report/text/number-text.js';
import type { CommandEntry } from '../../command-entry.js';
import { EXIT, type ExitCode } from '../../exit-code.js';
import { reasonLines, revisionLines, spendLines } from '../../format/campaign-end.js';
import { eventLines } from '../../format/event-lines.js';
import { nameList } from '../../options/name-list.js';
import { readWholeNumber } from '../../options/whole-number.js';
import type { Session } from '../../session.js';
import { showGeneration } from './show-generation.js';
import { showTrial } from './show-trial.js';

/** `durabench show CAMPAIGN|TRIAL|GENERATION` */
export const show: CommandEntry = {
  declare: (program) =>
    program
      .command('show')
      .description('one campaign with its trials, or one trial or generation with its steps, evidence and attempts')
      .argument(
        '<id>',
        'campaign (id, unique prefix or latest), trial (<campaign>/<task>/<system>/<repeat>) or generation (<campaign>/<system>/<scope>/<repeat>)',
      )
      .option('--failed', 'of a campaign: only trials that failed')
      .option('--errored', 'only trials that errored; with --failed both')
      .option('--not-run', 'only trials that were not run')
      .option('--system <ids>', 'only trials of these systems, separated by commas')
      .option('--reason <code>', 'only trials with this reason, or one that begins so')
      .option('--limit <n>', 'so many trials at most, the first in plan order')
      .option('--graph [format]', 'only the graph of a generation, or of the one a campaign has: mermaid or svg'),
  action: (session, [wanted = 'latest'], options) =>
    withConnection(session, async (connection) => {
      if (options.graph !== undefined) return showGraph(session, connection, wanted, options.graph);
      const [head = '', ...tail] = wanted.split('/');
      const id = await campaignNamed(connection, head);
      const filter = readFilter(options);
      if (tail.length === 0) await showCampaign(session, connection, id, filter);
      else {
        if (filter !== null) throw notOfTrials(id);
        const named = await trialOrGenerationNamed(connection, id, tail);
        await (named.kind === 'trial' ? showTrial : showGeneration)(session, connection, named.id);
      }
      return EXIT.ok;
    }),
};

/** Null where nothing is asked for. */
function readFilter(options: Record<string, unknown>): TrialFilter | null {
  const { failed, errored, notRun, system, reason, limit } = options;
  const outcomes = [
    ...(failed === true ? (['failed'] as const) : []),
    ...(errored === true ? (['errored'] as const) : []),
    ...(notRun === true ? (['not_run'] as const) : []),
  ];
  const systems = nameList(system);
  const filter: TrialFilter = {
    ...(outcomes.length > 0 && { outcomes }),
    ...(systems !== undefined && { systems }),
    ...(typeof reason === 'string' && { reason }),
    ...(limit !== undefined && {
      limit: readWholeNumber('--limit', limit, { least: 1, most: 999_999_999, fix: 'leave --limit out for all' }),
    }),
  };
  return Object.keys(filter).length === 0 ? null : filter;
}

const notOfTrials = (campaign: string): UserError =>
  new UserError('usage', {
    message: '--failed, --errored, --not-run, --system, --reason and --limit choose trials of a campaign',
    fix: `durabench show ${campaign} with them, or leave them out`,
  });

/** A picture on stdout, for a file or a viewer. */
async function showGraph(session: Session, connection: Connection, wanted: string, format: unknown): Promise<ExitCode> {
  const as = format === true ? 'mermaid' : format;
  if (as !== 'mermaid' && as !== 'svg') {
    throw new UserError('usage', {
      message: `--graph: "${String(format)}" is not a format`,
      expected: 'mermaid, svg',
      fix: '--graph svg > graph.svg',
    });
  }
  const { generation, picture } = await graphPicture(connection, wanted, as);
  const { output } = session;
  if (output.flags.json) output.json('generation-picture', { generation, format: as, picture });
  else output.data(picture.trimEnd());
  return EXIT.ok;
}

async function showCampaign(
  session: Session,
  connection: Connection,
  id: string,
  filter: TrialFilter | null,
): Promise<void> {
  const { output } = session;
  const { subject, counts } = filterTrials(await campaignSubject(session, connection, id), filter ?? {});
  if (output.flags.json) return output.pieces(reportJson(subject));
  const { campaign, events } = subject;
  output.data(`campaign     ${id}: ${campaign.dataset}, ${campaign.status.replace('_', ' ')}`);
  if (filter !== null) {
    const chosen = await trialsOf(subject);
    output.data(`trials       ${chosenText(counts, campaign.trials.planned)}\n`);
    if (chosen.length > 0) output.data(columnTable(TRIAL_COLUMNS, chosen, output.width));
    else if (filter.reason !== undefined) output.data(`reasons      ${knownReasons(subject)}`);
    return;
  }
  output.data(`created      ${campaign.createdAt}${campaign.endedAt === null ? '' : `, ended ${campaign.endedAt}`}`);
  output.data(
    `lock         ${campaign.lock.sha256} (dataset ${campaign.lock.datasetDigest.slice(0, 12)}, grader ${campaign.lock.graderDigest.slice(0, 12)})`,
  );
  for (const line of revisionLines(subject)) output.data(line);
  if (subject.temporalUi !== null) output.data(`Temporal UI  ${subject.temporalUi}`);
  for (const line of [...spendLines(subject), ...reasonLines(subject)]) output.data(line);
  for (const line of eventLines(events)) output.data(line);
  const { trials, notes } = await campaignTrials(connection, subject);
  for (const note of notes) output.data(`note         ${plainLine(note, 300)}`);
  output.data(`\n${resultTable(subject, output.width)}\n`);
  output.data(columnTable(TRIAL_COLUMNS, trials, output.width));
}

/** What could have been meant by a reason that no trial has. */
function knownReasons({ totals }: ReportSubject): string {
  const known = [...new Set(totals.failures.map(({ reason }) => reason))];
  return known.length === 0 ? 'none: no trial failed, errored or was left out' : `there are ${known.join(', ')}`;
}

function chosenText({ shown, beyondLimit }: FilterCounts, planned: number): string {
  const more =
    beyondLimit === 0 ? '' : `, ${grouped(beyondLimit)} more ${beyondLimit === 1 ? 'is' : 'are'} left out (--limit)`;
  return `${grouped(shown)} of ${counted(planned, 'trial')}${more}`;
}

const TRIAL_COLUMNS: readonly TableColumn<TrialRow>[] = [
  { title: 'trial', cell: ({ id }) => id, align: 'left' },
  { title: 'state', cell: ({ outcome, state }) => outcome?.replace('_', ' ') ?? state, align: 'left' },
  { title: 'reason', cell: ({ reason }) => reason ?? '', align: 'left', rank: 1 },
  { title: 'run', cell: ({ n }) => String(n), align: 'left', rank: 3 },
  { title: 'cost', cell: ({ costMicroUsd }) => dollars(costMicroUsd / 1_000_000), align: 'left', rank: 2 },
];
