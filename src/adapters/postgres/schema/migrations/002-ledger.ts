import { sql } from '../../query-builder.js';
import type { Migration } from './migration.js';

/** Calls, sends and budgets: integer micro-dollars and tokens. */
export const ledgerMigration: Migration = {
  version: 2,
  name: '002-ledger',
  async up(transaction) {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(transaction);
  },
};

const CALLS = `
  -- One logical call: what a stage asked, and the one answer that stands.
  create table calls (
    key text primary key,
    campaign_id text not null references campaigns on delete cascade,
    owner_kind text not null check (owner_kind in ('trial', 'generation')),
    owner_id text not null,
    stage text not null,
    step text not null,
    purpose text not null,
    model text not null,
    -- EvidenceRefs of the prompt and of the answer.
    request_ref jsonb not null,
    response_ref jsonb,
    request_sha256 text generated always as (request_ref ->> 'sha256') stored,
    response_sha256 text generated always as (response_ref ->> 'sha256') stored,
    state text not null default 'open' check (state in ('open', 'answered')),
    created_at timestamptz not null default now(),
    answered_at timestamptz,
    check ((state = 'answered') = (response_ref is not null))
  ) with (fillfactor = 80);
  create index calls_campaign on calls (campaign_id);
  create index calls_owner on calls (owner_id);`;

const SENDS = `
  -- One reservation and, if it went out, one request. actual_* is set when it ends: what was charged, the estimate for
  -- an ambiguous one, 0 for a released one. So spend is the sum of actual_*, and what is open has none.
  create table sends (
    key text not null references calls on delete cascade,
    attempt integer not null,
    state text not null default 'reserved' check (state in ('reserved', 'sent', 'settled', 'released', 'ambiguous')),
    estimate_micro_usd bigint not null check (estimate_micro_usd >= 0),
    estimate_tokens bigint not null check (estimate_tokens >= 0),
    actual_micro_usd bigint,
    actual_tokens bigint,
    usage_reported boolean,
    provider_request_id text,
    worker text not null,
    reason text,
    reserved_at timestamptz not null default now(),
    sent_at timestamptz,
    ended_at timestamptz,
    primary key (key, attempt),
    check ((state in ('reserved', 'sent')) = (actual_micro_usd is null))
  ) with (fillfactor = 80);
  -- At most one request of a call is under way, whoever sends it.
  create unique index sends_open on sends (key) where state in ('reserved', 'sent');`;

const BUDGETS = `
  -- Admission locks only: totals are sums over sends. A null limit is none.
  create table budgets (
    scope text primary key,
    limit_micro_usd bigint,
    limit_tokens bigint,
    reserved_micro_usd bigint not null default 0,
    reserved_tokens bigint not null default 0,
    settled_micro_usd bigint not null default 0,
    settled_tokens bigint not null default 0
  ) with (fillfactor = 20);`;

const STATEMENTS = [CALLS, SENDS, BUDGETS];
