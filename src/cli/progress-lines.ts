import type { TrialRow } from '../ports/records.js';
import type { ReportSubject } from '../report/report-subject.js';
import { dollars, duration, grouped } from '../report/words.js';

const BAR_WIDTH = 20;

/** One line a system and one for the campaign, for a terminal that is redrawn. */
export function progressLines(subject: ReportSubject, perSecond: number): string[] {
  const { campaign, trials } = subject;
  const width = Math.max(...campaign.spec.systems.map(({ id }) => id.length), campaign.suite.length);
  const lines = campaign.spec.systems.map(({ id }) => {
    const own = trials.filter((trial) => trial.systemId === id);
    return `${id.padEnd(width)} ${bar(own)} ${counts(own)}`;
  });
  return [...lines, totalLine(subject, perSecond)];
}

/** The same in one line, for logs. */
export function progressLine(subject: ReportSubject, perSecond: number): string {
  const systems = subject.campaign.spec.systems.map(({ id }) => {
    const own = subject.trials.filter((trial) => trial.systemId === id);
    return `${id} ${own.filter(isDone).length}/${own.length}`;
  });
  return `${systems.join(' · ')} · ${totalLine(subject, perSecond)}`;
}

function totalLine({ campaign }: ReportSubject, perSecond: number): string {
  const { planned, done } = campaign.trials;
  const { usd } = campaign.spec.budget;
  const limit = usd === null ? '' : ` of ${dollars(usd)}`;
  const isRunning = perSecond > 0 && done < planned;
  const left = isRunning
    ? `, ${perSecond.toFixed(1)} trials/s, about ${duration((planned - done) / perSecond)} left`
    : '';
  const state = campaign.status === 'running' ? '' : `${campaign.status.replace('_', ' ')}: `;
  return `${state}${grouped(done)} of ${grouped(planned)} done, ${dollars(campaign.spend.microUsd / 1_000_000)}${limit}, ${grouped(campaign.spend.tokens)} tokens${left}`;
}

function bar(trials: readonly TrialRow[]): string {
  const share = trials.length === 0 ? 0 : trials.filter(isDone).length / trials.length;
  const full = Math.round(share * BAR_WIDTH);
  return `[${'#'.repeat(full)}${'.'.repeat(BAR_WIDTH - full)}]`;
}

function counts(trials: readonly TrialRow[]): string {
  const of = (outcome: TrialRow['outcome']): number => trials.filter((trial) => trial.outcome === outcome).length;
  const running = trials.filter((trial) => trial.state === 'running').length;
  const retries = trials.reduce((sum, trial) => sum + Math.max(0, trial.n - 1), 0);
  const parts = [
    `${trials.filter(isDone).length}/${trials.length}`,
    `${running} running`,
    `${of('passed')} passed`,
    `${of('failed')} failed`,
    `${of('errored')} errored`,
    ...(of('not_run') > 0 ? [`${of('not_run')} not run`] : []),
    ...(retries > 0 ? [`${retries} run again`] : []),
  ];
  return parts.join(', ');
}

function isDone(trial: TrialRow): boolean {
  return trial.state === 'done';
}
