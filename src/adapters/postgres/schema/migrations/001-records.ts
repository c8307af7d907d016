import { sql } from '../../query-builder.js';
import type { Migration } from './migration.js';

/** Plan, claims, results, steps and their evidence, worker leases and operator actions. Money is in the ledger's migration. */
export const recordsMigration: Migration = {
  version: 1,
  name: '001-records',
  async up(transaction) {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(transaction);
  },
};

const CAMPAIGNS = `
  create table campaigns (
    id text primary key,
    name text not null,
    suite text not null,
    spec jsonb not null,
    lock jsonb not null,
    lock_sha256 text not null,
    dataset_label text not null,
    dataset_digest text not null,
    epoch integer not null default 0,
    desired_state text not null default 'run' check (desired_state in ('run', 'pause', 'cancel', 'stop')),
    -- Set by the first reserve that found the budget spent; claims answer stop from then on. Cleared by the next open.
    budget_exhausted_at timestamptz,
    created_at timestamptz not null default now(),
    opened_at timestamptz,
    ended_at timestamptz,
    ended_as text check (ended_as in ('completed', 'budget_exhausted', 'cancelled'))
  );
  create index campaigns_created on campaigns (created_at desc);

  create view campaign_status as
    select id, case
      when ended_as is not null then ended_as
      when epoch = 0 then 'planned'
      when desired_state = 'pause' then 'paused'
      else 'running'
    end as status
    from campaigns;

  create table campaign_tasks (
    campaign_id text not null references campaigns on delete cascade,
    task_id text not null,
    sha256 text not null,
    task_group text not null,
    category text,
    scope text,
    primary key (campaign_id, task_id)
  );`;

const PLAN = `
  create table generations (
    id text primary key,
    campaign_id text not null references campaigns on delete cascade,
    system_id text not null,
    scope text not null,
    repeat integer not null,
    settings jsonb not null,
    n integer not null default 1,
    state text not null default 'planned' check (state in ('planned', 'running', 'done')),
    claimed_epoch integer,
    workflow_run_id text,
    failure jsonb,
    started_at timestamptz,
    ended_at timestamptz
  );
  create index generations_campaign on generations (campaign_id);

  -- What a generation produced. Keyed by the generation: equal bytes may come from the reference and from a model.
  create table candidates (
    generation_id text primary key references generations on delete cascade,
    sha256 text not null,
    size_bytes bigint not null,
    files integer not null,
    provenance text not null check (provenance in ('reference', 'generated')),
    created_at timestamptz not null default now()
  );

  create table batches (
    id text primary key,
    campaign_id text not null references campaigns on delete cascade,
    ordinal integer not null,
    lane text not null check (lane in ('generate', 'grade')),
    generation_id text references generations on delete cascade,
    closed_at timestamptz,
    unique (campaign_id, ordinal)
  );

  -- The run that counts stands in the trial itself; trial_runs keeps every run. No indexed column changes while a
  -- campaign runs, and the free space keeps updates on their page.
  create table trials (
    id text primary key,
    campaign_id text not null references campaigns on delete cascade,
    batch_id text not null references batches on delete cascade,
    ordinal integer not null,
    task_id text not null,
    system_id text not null,
    repeat integer not null,
    settings jsonb not null,
    n integer not null default 1,
    state text not null default 'planned' check (state in ('planned', 'running', 'done')),
    claimed_epoch integer,
    workflow_run_id text,
    outcome text check (outcome in ('passed', 'failed', 'not_run', 'errored')),
    blame text,
    reason text,
    message text,
    metrics jsonb,
    started_at timestamptz,
    ended_at timestamptz,
    check ((state = 'done') = (outcome is not null))
  ) with (fillfactor = 70);
  create index trials_batch on trials (batch_id, ordinal);
  create index trials_campaign on trials (campaign_id);

  create table trial_runs (
    trial_id text not null references trials on delete cascade,
    n integer not null,
    epoch integer,
    workflow_id text,
    workflow_run_id text,
    outcome text,
    blame text,
    reason text,
    message text,
    verdict jsonb,
    skipped jsonb,
    planned_at timestamptz not null default now(),
    started_at timestamptz,
    ended_at timestamptz,
    primary key (trial_id, n)
  ) with (fillfactor = 70);`;

const STEPS = `
  create table steps (
    owner_kind text not null check (owner_kind in ('trial', 'generation')),
    owner_id text not null,
    stage text not null,
    step text not null,
    input_hash text not null,
    n integer not null,
    attempt integer not null,
    result jsonb not null,
    started_at timestamptz not null,
    ended_at timestamptz not null,
    primary key (owner_id, owner_kind, stage, step, input_hash)
  );

  create table attempts (
    owner_kind text not null,
    owner_id text not null,
    n integer not null,
    stage text not null,
    step text not null,
    -- Temporal's attempts restart at 1 with every run of a workflow, so the epoch is part of the key.
    epoch integer not null,
    attempt integer not null,
    worker text not null,
    started_at timestamptz not null,
    ended_at timestamptz not null,
    failure jsonb,
    primary key (owner_id, owner_kind, n, stage, step, epoch, attempt)
  );

  create table evidence (
    owner_kind text not null,
    owner_id text not null,
    n integer not null,
    stage text not null,
    step text not null,
    input_hash text not null,
    attempt integer not null,
    name text not null,
    sha256 text not null,
    size_bytes bigint not null,
    media_type text not null,
    truncated boolean not null,
    primary key (owner_id, owner_kind, stage, step, input_hash, name)
  );

  create table votes (
    owner_kind text not null,
    owner_id text not null,
    n integer not null,
    stage text not null,
    step text not null,
    input_hash text not null,
    match integer not null,
    round integer not null,
    voter integer not null,
    model text not null,
    answer text not null check (answer in ('yes', 'no', 'partial', 'abstain')),
    reason text not null,
    primary key (owner_id, owner_kind, stage, step, input_hash, match, round, voter)
  );`;

const OPERATION = `
  create table workers (
    instance text primary key,
    host text not null,
    pid integer not null,
    started_at timestamptz not null default now(),
    beat_at timestamptz not null default now(),
    -- After this moment the instance counts as dead; a retired one is dead at once.
    lease_until timestamptz not null,
    retired_at timestamptz
  );

  create table events (
    id bigint generated always as identity primary key,
    campaign_id text not null references campaigns on delete cascade,
    at timestamptz not null default now(),
    author text not null,
    action text not null,
    reason text not null
  );
  create index events_campaign on events (campaign_id, id);`;

const STATEMENTS = [CAMPAIGNS, PLAN, STEPS, OPERATION];
