import type { TrialTally } from '../../client/index.js';
import { outcomeCounts } from '../../report/outcome-counts.js';
import type { ReportSubject } from '../../report/report-subject.js';
import { dollars, duration, grouped } from '../../report/text/number-text.js';

const BAR_WIDTH = 20;

/** One line a system and one for the campaign, for a terminal that is redrawn. */
export function progressLines(subject: ReportSubject, perSecond: number): string[] {
  const { campaign, totals } = subject;
  const width = Math.max(...campaign.spec.systems.map(({ id }) => id.length), campaign.suite.length);
  const lines = campaign.spec.systems.map(({ id }) => {
    const own = totals.tallies.filter(({ systemId }) => systemId === id);
    return `${id.padEnd(width)} ${bar(own)} ${counts(own)}`;
  });
  return [...lines, totalLine(subject, perSecond)];
}

/** The same in one line, for logs. */
export function progressLine(subject: ReportSubject, perSecond: number): string {
  const systems = subject.campaign.spec.systems.map(({ id }) => {
    const own = subject.totals.tallies.filter(({ systemId }) => systemId === id);
    return `${id} ${trialsIn(own, 'done')}/${outcomeCounts(own).trials}`;
  });
  return `${systems.join(' · ')} · ${totalLine(subject, perSecond)}`;
}

function totalLine({ campaign, totals }: ReportSubject, perSecond: number): string {
  const { planned, done } = campaign.trials;
  const { usd } = campaign.spec.budget;
  const limit = usd === null ? '' : ` of ${dollars(usd)}`;
  // Where every trial that is left waits for its candidate, past trials say nothing of when it is made.
  const isRunning = perSecond > 0 && done < planned && trialsIn(totals.tallies, 'running') > 0;
  const left = isRunning
    ? `, ${perSecond.toFixed(1)} trials/s, about ${duration((planned - done) / perSecond)} left`
    : '';
  const state = campaign.status === 'running' ? '' : `${campaign.status.replace('_', ' ')}: `;
  return `${state}${grouped(done)} of ${grouped(planned)} done, ${dollars(campaign.spend.microUsd / 1_000_000)}${limit}, ${grouped(campaign.spend.tokens)} tokens${left}`;
}

function bar(tallies: readonly TrialTally[]): string {
  const { trials } = outcomeCounts(tallies);
  const full = trials === 0 ? 0 : Math.round((trialsIn(tallies, 'done') / trials) * BAR_WIDTH);
  return `[${'#'.repeat(full)}${'.'.repeat(BAR_WIDTH - full)}]`;
}

function counts(tallies: readonly TrialTally[]): string {
  const { trials, passed, failed, errored, not_run: notRun } = outcomeCounts(tallies);
  const retries = tallies.reduce((sum, { earlierRuns }) => sum + earlierRuns, 0);
  const parts = [
    `${trialsIn(tallies, 'done')}/${trials}`,
    `${trialsIn(tallies, 'running')} running`,
    `${passed} passed`,
    `${failed} failed`,
    `${errored} errored`,
    ...(notRun > 0 ? [`${notRun} not run`] : []),
    ...(retries > 0 ? [`${retries} run again`] : []),
  ];
  return parts.join(', ');
}

function trialsIn(tallies: readonly TrialTally[], state: TrialTally['state']): number {
  return outcomeCounts(tallies.filter((tally) => tally.state === state)).trials;
}
