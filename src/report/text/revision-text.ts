import type { Json } from '../../contract/json.js';
import type { LockChange, Revision, RevisedTrials } from '../../contract/revision.js';
import { plainLine } from '../../domain/text/plain-text.js';
import type { ReportSubject } from '../report-subject.js';
import { grouped } from './number-text.js';

/** What a campaign revises, with what it changes, and what revises it: a label and its words each; none for most. */
export function revisionRows({ campaign, events }: Pick<ReportSubject, 'campaign' | 'events'>): [string, string][] {
  const told = events.find(({ action }) => action === 'revises')?.details as Partial<Revision> | undefined;
  const { revises, revisedBy } = campaign;
  const what = [...(told?.changes ?? []).map(changeText), ...(told?.trials ? [revisedText(told.trials)] : [])];
  const rows: [string, string][] = [];
  if (revises !== null) rows.push(['revises', [revises, what.join('; ')].filter(Boolean).join(': ')]);
  if (revisedBy.length > 0) rows.push(['revised by', revisedBy.join(', ')]);
  return rows;
}

/** `systems.big.limits.usd: 50 → 20 (invalidates big)` */
export function changeText({ part, before, after, invalidates }: LockChange): string {
  return `${plainLine(part, 100)}: ${valueText(before)} → ${valueText(after)} (${effectText(invalidates)})`;
}

/** `of its 6 trials 2 invalidated, 1 left out, 3 unchanged` */
export function revisedText({ planned, invalidated, leftOut, unchanged }: RevisedTrials): string {
  const left = leftOut === 0 ? '' : `, ${grouped(leftOut)} left out`;
  return `of its ${grouped(planned)} trials ${grouped(invalidated)} invalidated${left}, ${grouped(unchanged)} unchanged`;
}

function effectText(invalidates: LockChange['invalidates']): string {
  if (invalidates === 'all') return 'invalidates every trial';
  if (invalidates === 'tasks') return 'invalidates trials of tasks that are others now';
  return invalidates.length === 0 ? 'invalidates nothing' : `invalidates ${plainLine(invalidates.join(', '), 100)}`;
}

function valueText(value: Json): string {
  if (value === null) return 'none';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  // Digests are told apart by their beginning.
  return plainLine(/^[0-9a-f]{64}$/.test(text) ? `${text.slice(0, 12)}…` : text, 60);
}
