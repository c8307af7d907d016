import { sql } from '../../query-builder.js';
import type { Migration } from './migration.js';

/** What the operator's verbs leave: why a run was planned, which steps count in it, who holds a campaign. */
export const verbsMigration: Migration = {
  version: 5,
  name: '005-verbs',
  async up(transaction) {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(transaction);
  },
};

const RUNS = `
  alter table trial_runs
    -- grade: to get the trial graded. again: of a trial that was graded before, shown apart. regrade: the verdict anew.
    add column kind text not null default 'grade' check (kind in ('grade', 'again', 'regrade')),
    -- The graded run that a run of the other two kinds is about.
    add column of_run integer,
    -- Stage (or all) -> edition of its steps that counts in this run; 1 where none is named.
    add column editions jsonb not null default '{}',
    -- Part of the keys of its model calls where the model was to be asked anew; 0: never.
    add column fresh integer not null default 0;

  -- The graded run that the score counts, once a later run exists that must not replace it.
  alter table trials add column scored_n integer;
  create index trials_scored on trials (campaign_id) where scored_n is not null;

  create view scored_runs as
    select t.campaign_id, t.n as last_n, r.* from trials t
    join trial_runs r on r.trial_id = t.id and r.n = t.scored_n where t.scored_n is not null;`;

// A step that is done anew for a later run stands beside the earlier one; within an edition the first one stands.
const EDITIONS = [
  ['steps', 'owner_id, owner_kind, stage, step, input_hash, edition'],
  ['evidence', 'owner_id, owner_kind, stage, step, input_hash, edition, name'],
  ['votes', 'owner_id, owner_kind, stage, step, input_hash, edition, match, round, voter'],
].map(
  ([table, key]) => `
  alter table ${table} add column edition integer not null default 1;
  alter table ${table} drop constraint ${table}_pkey, add primary key (${key});`,
);

const HOLDERS = `
  -- The Temporal namespace (its id) that a worker polls, and the one that a campaign was opened or taken over from.
  alter table workers add column server text;
  alter table campaigns add column server text;`;

const EVENTS = `
  -- What exactly was asked for: limits before and after, trials, grader.
  alter table events add column details jsonb not null default '{}';`;

const STATEMENTS = [RUNS, ...EDITIONS, HOLDERS, EVENTS];
