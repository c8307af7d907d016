import { resultTable } from '../../report/result-table.js';
import { failureRows, type FailureRow } from '../../report/failure-rows.js';
import { messageLines } from '../../report/text/message-lines.js';
import { withOwnCommands } from '../../report/text/own-commands.js';
import { sharedSpend } from '../../report/shared-spend.js';
import { statusReport } from '../../report/status-report.js';
import type { ReportSubject } from '../../report/report-subject.js';
import {
  budgetUse,
  implausibleText,
  overshootText,
  reusedText,
  unansweredText,
  usedText,
} from '../../report/text/budget-text.js';
import { judgeText } from '../../report/text/judge-text.js';
import { revisionRows } from '../../report/text/revision-text.js';
import { temporalLines } from '../../report/text/temporal-queries.js';
import { counted, dollars, grouped } from '../../report/text/number-text.js';
import type { ReportedCampaign } from '../../client/inspect/campaign-report.js';
import type { Output } from './output.js';

/** What is shown when a campaign is over: table, reasons, spend, report path, link, next command. */
export function showEnd(output: Output, subject: ReportedCampaign): void {
  if (output.flags.json) return output.json('status', statusReport(subject));
  const { status } = subject.campaign;
  output.data(`\n${resultTable(subject, output.width)}\n`);
  for (const line of reasonLines(subject)) output.data(line);
  for (const line of spendLines(subject)) output.data(line);
  output.data(`status       ${status.replace('_', ' ')}`);
  output.data(`report       ${subject.report.page}`);
  for (const line of temporalLines(subject)) output.data(line);
  output.data(`next         ${nextCommand(subject)}`);
}

/** The most frequent reasons why trials did not pass, with what was expected and how to fix it where that is known. */
export function reasonLines(subject: ReportSubject, limit = 8): string[] {
  const rows = failureRows(subject.totals);
  const lines = rows.slice(0, limit).flatMap((row) => linesOf(row, subject.campaign.id));
  if (rows.length > limit) lines.push(`… and ${counted(rows.length - limit, 'more reason')}, in the report`);
  return lines
    .map((line) => `             ${line}`)
    .map((line, index) => (index === 0 ? line.replace(/^ {11}/, 'not passed ') : line));
}

function linesOf({ system, trials, outcome, reason, message, advice }: FailureRow, campaign: string): string[] {
  const problem = message === null ? null : withOwnCommands({ message, ...advice }, campaign);
  const [first, ...more] = problem === null ? [] : messageLines(problem, 100);
  const head = `${system}: ${trials} ${outcome.replace('_', ' ')}, ${reason}`;
  return [first === undefined ? head : `${head}: ${first}`, ...more.map((line) => `  ${line}`)];
}

/** Which campaigns this one revises, and which revise it. */
export const revisionLines = (subject: ReportSubject): string[] =>
  revisionRows(subject).map(([label, words]) => `${label.padEnd(12)} ${words}`);

/** Spend in one line; where there are limits another one with what is used of each; and a warning where the judge was silent. */
export function spendLines(subject: ReportSubject): string[] {
  const { campaign } = subject;
  const { microUsd, tokens, calls, repeatedCalls, recoveredCalls, replayedCalls } = campaign.spend;
  const shared = sharedSpend(subject);
  const overshoot = overshootText(campaign.spend);
  const implausible = implausibleText(campaign.spend);
  const reused = reusedText(campaign.spend);
  const unanswered = unansweredText(campaign.spend);
  const notes = [
    ...(shared.tokens > 0 ? [`of it ${dollars(shared.usd)} for shared candidates`] : []),
    ...(recoveredCalls > 0 ? [`${grouped(recoveredCalls)} lost answers fetched again`] : []),
    ...(replayedCalls > 0 ? [`${grouped(replayedCalls)} answered again from the record`] : []),
    ...(unanswered === null ? [] : [unanswered]),
    ...(reused === null ? [] : [reused]),
    ...(overshoot === null ? [] : [`overshoot: ${overshoot}`]),
    ...(implausible === null ? [] : [implausible]),
  ];
  const sums = `${dollars(microUsd / 1_000_000)}, ${grouped(tokens)} tokens, ${grouped(calls)} calls, ${grouped(repeatedCalls)} repeated`;
  const judge = judgeText(subject);
  const used = usedText(campaign.spec.budget, budgetUse(campaign));
  return [
    `spent        ${[sums, ...notes].join('; ')}`,
    ...(used === null ? [] : [`budget       ${used}`]),
    ...(judge === null ? [] : [`judge        ${judge}`]),
  ];
}

/** The command that helps on once a campaign has ended. */
export function nextCommand({ campaign, totals }: ReportSubject): string {
  const { id } = campaign;
  if (campaign.status === 'budget_exhausted') return `durabench budget ${id}`;
  if (campaign.trials.not_run > 0) return `durabench resume ${id}`;
  // The last system's: the first ones tend to be ceiling and floor.
  const rows = failureRows(totals);
  const odd = ['errored', 'failed']
    .map((outcome) => rows.findLast((row) => row.outcome === outcome)?.examples[0])
    .find((example) => example !== undefined);
  return `durabench show ${odd ?? id}`;
}
