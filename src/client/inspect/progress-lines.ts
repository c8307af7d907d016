import type { TrialTally } from '../../ports/records.js';
import { outcomeCounts } from '../../report/outcome-counts.js';
import type { ReportSubject } from '../../report/report-subject.js';
import type { UnderWay } from './under-way.js';
import { makingLines, makingText, waitingLines } from './generation-lines.js';
import { counted, dollars, grouped, progressBar } from '../../report/text/number-text.js';
import { leftFrom } from '../../report/text/time-left.js';

/** Of what is made and waited for. */
const MOST_LINES = 12;
/** Candidates that are named in one line. */
const MOST_NAMED = 2;

/** One line a system, one for the campaign, and one for each thing that is made or waited for, for a terminal that is redrawn. */
export function progressLines(subject: ReportSubject, now?: UnderWay): string[] {
  const { campaign, totals } = subject;
  const width = Math.max(...campaign.spec.systems.map(({ id }) => id.length), campaign.suite.length);
  const lines = campaign.spec.systems.map(({ id }) => {
    const own = totals.tallies.filter(({ systemId }) => systemId === id);
    return `${id.padEnd(width)} ${bar(own)} ${counts(own)}`;
  });
  // On one screen, whatever there is of them.
  const more = now === undefined ? [] : [...makingLines(now), ...waitingLines(now)];
  const hidden = more.length - MOST_LINES;
  const shown = hidden <= 0 ? more : [...more.slice(0, MOST_LINES), `… and ${hidden} more lines: durabench status`];
  return [...lines, totalLine(subject, now), ...shown];
}

/** The same in one line, for logs. */
export function progressLine(subject: ReportSubject, now?: UnderWay): string {
  const systems = subject.campaign.spec.systems.map(({ id }) => {
    const own = subject.totals.tallies.filter(({ systemId }) => systemId === id);
    const { trials, not_run: notRun } = outcomeCounts(own);
    return `${id} ${trialsIn(own, 'done')}/${trials}${notRun > 0 ? ` (${grouped(notRun)} not run)` : ''}`;
  });
  return `${systems.join(' · ')} · ${totalLine(subject, now)}${now === undefined ? '' : making(now)}`;
}

function making({ generations }: UnderWay): string {
  const named = generations.slice(0, MOST_NAMED).map(makingText);
  const more = generations.length - named.length;
  return [...named, ...(more > 0 ? [`${counted(more, 'more candidate')} being made`] : [])]
    .map((text) => `; ${text}`)
    .join('');
}

function totalLine(subject: ReportSubject, now: UnderWay | undefined): string {
  const { campaign, totals } = subject;
  const { planned, done } = campaign.trials;
  const { usd } = campaign.spec.budget;
  const limit = usd === null ? '' : ` of ${dollars(usd)}`;
  const state = campaign.status === 'running' ? '' : `${campaign.status.replace('_', ' ')}: `;
  const sums = `${dollars(campaign.spend.microUsd / 1_000_000)}${limit}, ${grouped(campaign.spend.tokens)} tokens`;
  return `${state}${grouped(done)} of ${grouped(planned)} done${againText(totals.tallies)}: ${outcomes(totals.tallies)}, ${sums}${leftText(subject, now)}`;
}

/** Trials that have a result and are run or graded again keep it meanwhile: they are done, and not. */
function againText(tallies: readonly TrialTally[]): string {
  const { passed, failed, errored } = outcomeCounts(tallies.filter(({ state }) => state !== 'done'));
  const again = passed + failed + errored;
  return again > 0 ? `, ${grouped(again)} of them once more` : '';
}

function leftText({ campaign }: ReportSubject, now: UnderWay | undefined): string {
  if (now?.secondsLeft == null || campaign.status !== 'running' || campaign.trials.done === campaign.trials.planned)
    return '';
  return `, ${leftFrom(now.secondsLeft, now.at)}`;
}

/** What ended without a grade is never hidden behind "done". */
function outcomes(tallies: readonly TrialTally[]): string {
  const { passed, failed, errored, not_run: notRun } = outcomeCounts(tallies);
  const counts = [`${grouped(passed)} passed`, `${grouped(failed)} failed`, `${grouped(errored)} errored`];
  return [...counts, ...(notRun > 0 ? [`${grouped(notRun)} not run`] : [])].join(', ');
}

const bar = (tallies: readonly TrialTally[]): string =>
  progressBar(trialsIn(tallies, 'done'), outcomeCounts(tallies).trials);

function counts(tallies: readonly TrialTally[]): string {
  const { trials } = outcomeCounts(tallies);
  const retries = tallies.reduce((sum, { earlierRuns }) => sum + earlierRuns, 0);
  const parts = [
    `${trialsIn(tallies, 'done')}/${trials}`,
    `${trialsIn(tallies, 'running')} running`,
    outcomes(tallies),
    ...(retries > 0 ? [`${retries} run again`] : []),
  ];
  return parts.join(', ');
}

function trialsIn(tallies: readonly TrialTally[], state: TrialTally['state']): number {
  return outcomeCounts(tallies.filter((tally) => tally.state === state)).trials;
}
