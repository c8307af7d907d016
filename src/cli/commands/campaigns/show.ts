import type { Problem } from '../../../contract/problem.js';
import { plainLine } from '../../../domain/text/plain-text.js';
import { trialDocument } from '../../../report/documents/detail-reports.js';
import { reportJson } from '../../../report/report-files.js';
import { messageLines } from '../../../report/text/message-lines.js';
import { columnTable, resultTable, type TableColumn } from '../../../report/result-table.js';
import { dollars, duration, grouped } from '../../../report/text/number-text.js';
import { reasonLines, revisionLines, spendLines } from '../../format/campaign-end.js';
import { campaignSubject } from '../../../client/campaigns/campaign-subject.js';
import type { CommandEntry } from '../../command-entry.js';
import { diffLines } from '../../format/diff-lines.js';
import { eventLines } from '../../format/event-lines.js';
import { evidenceLines, replayText } from '../../format/evidence-lines.js';
import { EXIT, type ExitCode } from '../../exit-code.js';
import { campaignNamed } from '../../../client/campaigns/campaign-named.js';
import { graphPicture } from '../../../client/control/generation-graph.js';
import type { TrialRow } from '../../../client/index.js';
import { campaignTrials } from '../../../client/inspect/campaign-state.js';
import { stepDiffs, trialDetail, type TrialDetail } from '../../../client/inspect/trial-detail.js';
import { labelledMessage } from '../../format/labelled-message.js';
import type { Output } from '../../format/output.js';
import type { Session } from '../../session.js';
import { showGeneration } from './show-generation.js';
import { trialOrGenerationNamed } from '../../../client/campaigns/trial-named.js';
import { withConnection, type Connection } from '../../../client/connection.js';
import { UserError } from '../../../domain/failure/user-error.js';

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
      .option('--graph [format]', 'only the graph of a generation, or of the one a campaign has: mermaid or svg'),
  action: (session, [wanted = 'latest'], options) =>
    withConnection(session, async (connection) => {
      if (options.graph !== undefined) return showGraph(session, connection, wanted, options.graph);
      const [head = '', ...tail] = wanted.split('/');
      const id = await campaignNamed(connection, head);
      if (tail.length === 0) await showCampaign(session, connection, id);
      else {
        const named = await trialOrGenerationNamed(connection, id, tail);
        await (named.kind === 'trial' ? showTrial : showGeneration)(session, connection, named.id);
      }
      return EXIT.ok;
    }),
};

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

async function showCampaign(session: Session, connection: Connection, id: string): Promise<void> {
  const { output } = session;
  const subject = await campaignSubject(session, connection, id);
  if (output.flags.json) return output.pieces(reportJson(subject));
  const { campaign, events } = subject;
  output.data(`campaign     ${id}: ${campaign.dataset}, ${campaign.status.replace('_', ' ')}`);
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

const TRIAL_COLUMNS: readonly TableColumn<TrialRow>[] = [
  { title: 'trial', cell: ({ id }) => id, align: 'left' },
  { title: 'state', cell: ({ outcome, state }) => outcome?.replace('_', ' ') ?? state, align: 'left' },
  { title: 'reason', cell: ({ reason }) => reason ?? '', align: 'left', rank: 1 },
  { title: 'run', cell: ({ n }) => String(n), align: 'left', rank: 3 },
  { title: 'cost', cell: ({ costMicroUsd }) => dollars(costMicroUsd / 1_000_000), align: 'left', rank: 2 },
];

async function showTrial(session: Session, connection: Connection, id: string): Promise<void> {
  const { output } = session;
  const detail = await trialDetail(connection, id);
  if (output.flags.json) return output.json('trial', trialDocument(detail, detail));
  const { trial, runs, explanation, temporalUi } = detail;
  output.data(`trial        ${trial.id}, run ${trial.n}${runs.length > 1 ? ` of ${runs.length}` : ''}`);
  output.data(`outcome      ${outcomeText(trial)}`);
  for (const line of labelledMessage('message', problemOf(trial))) output.data(line);
  for (const line of labelledMessage('because', explanation)) output.data(line);
  output.data(`group        ${trial.group}${trial.category === null ? '' : `, ${trial.category}`}`);
  output.data(`spent        ${dollars(trial.costMicroUsd / 1_000_000)}, ${grouped(trial.tokens)} tokens`);
  const metrics = Object.entries(trial.metrics).map(([name, value]) => `${name} ${shortNumber(value)}`);
  output.data(`metrics      ${metrics.join(', ') || '–'}`);
  if (temporalUi !== null) output.data(`Temporal UI  ${temporalUi}`);
  if (trial.outcome !== null) output.data(`run again    ${retryCommand(trial)}`);
  if (runs.length > 1) showRuns(output, detail);
  showSteps(session, detail);
  await showDiffs(output, connection, detail);
  showVotes(output, detail);
  showFailedAttempts(session, detail);
}

function showSteps(session: Session, { steps }: TrialDetail): void {
  const { output } = session;
  output.data('\nsteps');
  for (const step of steps) {
    const seconds = (Date.parse(step.endedAt) - Date.parse(step.startedAt)) / 1000;
    output.data(
      `  ${stepName(step)}, ${duration(seconds)}${replayText(step)}: ${plainLine(JSON.stringify(step.result), 160)}`,
    );
    for (const line of evidenceLines(session, step.evidence)) output.data(line);
  }
}

const VOTE_COLUMNS: readonly TableColumn<TrialDetail['votes'][number]>[] = [
  { title: 'match', cell: ({ match }) => String(match), align: 'left' },
  { title: 'round', cell: ({ round }) => String(round), align: 'left', rank: 2 },
  { title: 'voter', cell: ({ voter }) => String(voter), align: 'left' },
  { title: 'model', cell: ({ model }) => plainLine(model, 30), align: 'left', rank: 1 },
  { title: 'answer', cell: ({ answer }) => answer, align: 'left' },
  { title: 'reason', cell: ({ reason }) => plainLine(reason, 90), align: 'left', rank: 3 },
];

function showVotes(output: Output, { votes }: TrialDetail): void {
  if (votes.length === 0) return;
  output.data('\nvotes');
  output.data(columnTable(VOTE_COLUMNS, votes, output.width));
}

function showFailedAttempts(session: Session, { attempts }: TrialDetail): void {
  const { output } = session;
  const failed = attempts.filter(({ failure }) => failure !== null);
  if (failed.length > 0) output.data('\nattempts that failed');
  for (const { failure, ...attempt } of failed) {
    const message = messageLines(failure!, 160).join('\n    ');
    output.data(`  ${stepName(attempt)}, attempt ${attempt.attempt}: ${failure!.type}: ${message}`);
    for (const line of evidenceLines(session, attempt.evidence ?? [])) output.data(line);
  }
}

/** What steps made of something, line by line. */
async function showDiffs(output: Output, connection: Connection, { steps }: TrialDetail): Promise<void> {
  for (const { step, evidence, text } of await stepDiffs(connection, steps)) {
    output.data(`\n${stepName(step)}: ${evidence.name}`);
    for (const line of diffLines(text)) output.data(`  ${line}`);
  }
}

/** Earlier and later runs stay visible; the one that counts is marked. */
function showRuns(output: Output, { trial, runs }: TrialDetail): void {
  output.data('\nruns');
  for (const { n, kind, outcome, reason, startedAt } of runs) {
    const end = [outcome?.replace('_', ' '), reason].filter(Boolean).join(': ') || 'open';
    const counts = n === trial.n ? ' (counts)' : '';
    output.data(`  ${n} ${kind}, ${startedAt ?? 'not started'}: ${plainLine(end, 100)}${counts}`);
  }
}

function stepName({ stage, step, n }: { stage: string; step: string; n: number }): string {
  return `${stage}${step === '' ? '' : ` ${step}`}${n > 1 ? ` (run ${n})` : ''}`;
}

/** Of a metric: as many digits as anybody reads. */
const shortNumber = (value: number | null): string => (value === null ? '–' : String(Math.round(value * 1000) / 1000));

/** A further run of the same candidate: shown beside this one, and never the score of a trial that has one. */
function retryCommand({ id, outcome }: TrialRow): string {
  const [campaign = '', ...trial] = id.split('/');
  const reason = outcome === 'passed' || outcome === 'failed' ? ' --reason "a second look"' : '';
  return `durabench retry ${campaign} --trial ${trial.join('/')}${reason}`;
}

function outcomeText({ outcome, state, blame, reason }: TrialRow): string {
  const why = [reason, blame === null ? null : `blame ${blame}`].filter((part) => part !== null).join(', ');
  return `${outcome?.replace('_', ' ') ?? state}${why === '' ? '' : ` (${why})`}`;
}

function problemOf({ message, advice }: Pick<TrialRow, 'message' | 'advice'>): Problem | null {
  return message === null ? null : { message, ...advice };
}
