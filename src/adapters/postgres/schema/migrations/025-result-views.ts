import { sql } from '../../query-builder.js';
import type { Migration } from './migration.js';

/**
 * Views for whoever asks the record in SQL: one row a trial with the run that counts and what it cost, one a task and system
 * with its repeats together, one a call with its price. docs/reference/sql.md has examples.
 */
export const resultViewsMigration: Migration = {
  version: 25,
  name: '025-result-views',
  async up(transaction) {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(transaction);
  },
};

const STATEMENTS = [
  `create view trial_results as
    select t.id as trial_id, t.campaign_id, t.system_id, t.task_id, t.repeat, k.task_group, k.category, t.state,
      coalesce(s.n, t.n) as run, t.n as runs,
      case when s.n is null then t.outcome else s.outcome end as outcome,
      case when s.n is null then t.blame else s.blame end as blame,
      case when s.n is null then t.reason else s.reason end as reason,
      case when s.n is null then t.message else s.message end as message,
      case when s.n is null then t.metrics else s.verdict -> 'metrics' end as metrics,
      case when s.n is null then t.started_at else s.started_at end as started_at,
      case when s.n is null then t.ended_at else s.ended_at end as ended_at
    from trials t
    left join campaign_tasks k on k.campaign_id = t.campaign_id and k.task_id = t.task_id
    left join scored_runs s on s.campaign_id = t.campaign_id and s.trial_id = t.id`,
  `create view task_results as
    select campaign_id, system_id, task_id, task_group, category, count(*) as repeats,
      count(*) filter (where outcome in ('passed', 'failed')) as graded,
      count(*) filter (where outcome = 'passed') as passed
    from trial_results group by campaign_id, system_id, task_id, task_group, category`,
  `create view call_results as
    select c.key as call_key, c.campaign_id, c.build_id, c.owner_kind, c.owner_id, c.stage, c.step, c.purpose, c.model,
      c.created_at, c.answered_at, c.is_replayed, count(s.key) as sends,
      coalesce(sum(s.actual_micro_usd), 0) / 1e6 as usd, coalesce(sum(s.actual_tokens), 0)::bigint as tokens
    from calls c left join sends s on s.key = c.key and s.state in ('settled', 'ambiguous') group by c.key`,
];
