import { upsertSearchAttributes } from '@temporalio/workflow';
import type { TrialEnd } from '../src/contract/verdict.js';
import { SEARCH_ATTRIBUTE_TYPES } from '../src/domain/campaign/search-attributes.js';

/** What the Temporal UI can filter by once a workflow has ended; null = does not apply. */
export interface EndInUi {
  /** Key of the owner in Postgres; begins with the campaign's id. */
  ownerId: string;
  suite: string;
  system: string | null;
  task: string | null;
  outcome: string;
  blame: string | null;
  costUsd: number | null;
}

type Pair = Extract<Parameters<typeof upsertSearchAttributes>[0], unknown[]>[number];

/** Upserts the search attributes: one event, at close. */
export function showEnd(end: EndInUi): void {
  const pair = (name: keyof typeof SEARCH_ATTRIBUTE_TYPES, value: string | number | null): Pair[] =>
    value === null ? [] : [{ key: { name, type: SEARCH_ATTRIBUTE_TYPES[name] }, value } as Pair];
  upsertSearchAttributes([
    ...pair('DurabenchCampaign', end.ownerId.split('/')[0] ?? end.ownerId),
    ...pair('DurabenchSuite', end.suite),
    ...pair('DurabenchSystem', end.system),
    ...pair('DurabenchTask', end.task),
    ...pair('DurabenchOutcome', end.outcome),
    ...pair('DurabenchBlame', end.blame),
    ...pair('DurabenchCostUsd', end.costUsd),
  ]);
}

/** Verdict and reasons of a trial for its page: codes and figures, nothing that a model or candidate has written. */
export function trialMarkdown(trialId: string, { outcome, reason, blame, verdict }: TrialEnd, costUsd: number): string {
  const further = (verdict?.reasons ?? []).filter((code) => code !== reason);
  const metrics = Object.entries(verdict?.metrics ?? {}).map(([name, value]) => `${name} ${shortFigure(value)}`);
  return [
    `**${trialId}**: ${outcome.replace('_', ' ')}`,
    '',
    ...(reason === null ? [] : [`- reason: \`${reason}\`${blame === null ? '' : `, blame ${blame}`}`]),
    ...(further.length === 0 ? [] : [`- also: ${further.map((code) => `\`${code}\``).join(', ')}`]),
    ...(metrics.length === 0 ? [] : [`- metrics: ${metrics.join(', ')}`]),
    `- cost: $${costUsd.toFixed(4)}`,
    `- its steps and evidence: \`durabench show ${trialId}\``,
  ].join('\n');
}

const shortFigure = (value: number | null): string => (value === null ? '–' : String(Math.round(value * 1000) / 1000));
