import type { Problem } from '../../../contract/problem.js';
import { answeredTrial, stepDiffs, type TrialDetail } from '../../../client/inspect/trial-detail.js';
import type { TrialRow } from '../../../client/index.js';
import type { Connection } from '../../../client/connection.js';
import { plainLine } from '../../../domain/text/plain-text.js';
import { trialDocument } from '../../../report/documents/detail-reports.js';
import { columnTable, detailTable, type TableColumn } from '../../../report/result-table.js';
import { dollars, duration, grouped } from '../../../report/text/number-text.js';
import { withOwnCommands } from '../../../report/text/own-commands.js';
import { answerLines } from '../../format/answer-lines.js';
import { attemptLines, stepName } from '../../format/attempt-lines.js';
import { diffLines } from '../../format/diff-lines.js';
import { evidenceLines, replayText } from '../../format/evidence-lines.js';
import { labelledMessage } from '../../format/labelled-message.js';
import type { Output } from '../../format/output.js';
import { taskLines } from '../../format/task-lines.js';
import type { Session } from '../../session.js';

/** `durabench show TRIAL`: what was asked and how it is tested, what came of it, and the commands that read more and run it again. */
export async function showTrial(session: Session, connection: Connection, id: string): Promise<void> {
  const { output } = session;
  const detail = await answeredTrial(connection, id);
  if (output.flags.json) return output.json('trial', trialDocument(detail, detail));
  const { trial, runs, explanation, failureClass, task, answer, temporalUi } = detail;
  output.data(`trial        ${trial.id}, run ${trial.n}${runs.length > 1 ? ` of ${runs.length}` : ''}`);
  output.data(`outcome      ${outcomeText(trial)}`);
  for (const line of labelledMessage('message', problemOf(trial))) output.data(line);
  for (const line of labelledMessage('because', explanation)) output.data(line);
  if (failureClass !== null && failureClass !== trial.reason)
    output.data(`class        ${failureClass}: durabench explain ${failureClass}`);
  if (task !== null) for (const line of taskLines(trial.id, task)) output.data(line);
  if (answer !== null) for (const line of answerLines(trial.id, answer)) output.data(line);
  output.data(`group        ${trial.group}${trial.category === null ? '' : `, ${trial.category}`}`);
  output.data(`spent        ${dollars(trial.costMicroUsd / 1_000_000)}, ${grouped(trial.tokens)} tokens`);
  const metrics = Object.entries(trial.metrics).map(([name, value]) => `${name} ${shortNumber(value)}`);
  output.data(`metrics      ${metrics.join(', ') || '–'}`);
  if (temporalUi !== null) output.data(`Temporal UI  ${temporalUi}`);
  if (runs.length > 1) showRuns(output, detail);
  for (const table of detail.tables) output.data(`\n${detailTable(table, output.width)}`);
  showSteps(session, detail);
  await showDiffs(output, connection, detail);
  showVotes(output, detail);
  for (const line of attemptLines(session, detail.attempts)) output.data(line);
  showCommands(output, detail);
}

/** What to ask next: what its steps left (prompts, answers, output), and the same trial once more. */
function showCommands(output: Output, { trial, steps, attempts, again }: TrialDetail): void {
  const hasEvidence = [...steps, ...attempts].some(({ evidence = [] }) => evidence.length > 0);
  const lines = [
    ...(hasEvidence ? [`read it      durabench logs ${trial.id}`] : []),
    ...(again === null ? [] : [`run again    ${again}`]),
  ];
  if (lines.length > 0) output.data(`\n${lines.join('\n')}`);
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

/** Of a metric: as many digits as anybody reads. */
const shortNumber = (value: number | null): string => (value === null ? '–' : String(Math.round(value * 1000) / 1000));

function outcomeText({ outcome, state, blame, reason }: TrialRow): string {
  const why = [reason, blame === null ? null : `blame ${blame}`].filter((part) => part !== null).join(', ');
  return `${outcome?.replace('_', ' ') ?? state}${why === '' ? '' : ` (${why})`}`;
}

function problemOf({ id, message, advice }: Pick<TrialRow, 'id' | 'message' | 'advice'>): Problem | null {
  return message === null ? null : withOwnCommands({ message, ...advice }, id);
}
