import { upsertSearchAttributes } from '@temporalio/workflow';
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
