import type { ReportSubject } from '../report-subject.js';
import { grouped } from './number-text.js';

/** What became of the judge's own models: votes withheld, and trials without a verdict because of it. */
export interface JudgeFigures {
  /** Answers of voters that could not be read, in all runs. */
  abstentions: number;
  /** Trials that ended as errored, blame judge. */
  errored: number;
}

/** Counted by what stands in the records. */
export function judgeFigures({ totals }: Pick<ReportSubject, 'totals'>): JudgeFigures {
  const ended = totals.failures.filter(({ outcome, blame }) => outcome === 'errored' && blame === 'judge');
  return { abstentions: totals.abstentions, errored: ended.reduce((sum, { trials }) => sum + trials, 0) };
}

/** A warning for people; null where the judge has answered everything. */
export function judgeText(subject: Pick<ReportSubject, 'totals' | 'campaign'>): string | null {
  const { abstentions, errored } = judgeFigures(subject);
  if (abstentions === 0 && errored === 0) return null;
  const votes = `${grouped(abstentions)} ${abstentions === 1 ? 'abstention' : 'abstentions'} of voters that were silent, cut or not clear`;
  if (errored === 0) return votes;
  const trials = errored === 1 ? '1 trial has' : `${grouped(errored)} trials have`;
  return `${votes}; ${trials} no verdict because of the judge: npx durabench retry ${subject.campaign.id}`;
}
