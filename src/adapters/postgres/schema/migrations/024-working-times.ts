import { sql } from '../../query-builder.js';
import type { Migration } from './migration.js';

/** When a campaign ran: what lies between is no part of the wall time of what ran. */
export const workingTimesMigration: Migration = {
  version: 24,
  name: '024-working-times',
  async up(transaction) {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(transaction);
  },
};

const TABLE = `
  -- Stretches that are over; the one that is not begins at campaigns.running_since.
  create table working_times (
    campaign_id text not null references campaigns (id) on delete cascade,
    started_at timestamptz not null,
    ended_at timestamptz not null,
    primary key (campaign_id, started_at));
  -- Of before nothing but the sum was kept: one stretch, in which all of its trials lie.
  insert into working_times (campaign_id, started_at, ended_at)
  select id, created_at, greatest(created_at, coalesce(running_since, ended_at, now())) from campaigns where epoch > 0;`;

// As of 007, which keeps the stretch as well.
const CLOCK = `
  create or replace function keep_working_time() returns trigger language plpgsql as $$
  declare
    runs boolean := new.epoch > 0 and new.ended_as is null and new.desired_state <> 'pause';
    -- Not the transaction's: it may have waited for the row.
    at timestamptz := clock_timestamp();
    wall interval := make_interval(secs => 3600 * (new.spec #>> '{budget,wallHours}')::double precision);
    share double precision := coalesce((new.spec #>> '{budget,soft}')::double precision, 1);
  begin
    if runs then
      new.running_since := coalesce(new.running_since, at);
    elsif new.running_since is not null then
      new.ran_seconds := new.ran_seconds + extract(epoch from at - new.running_since);
      insert into working_times (campaign_id, started_at, ended_at) values (new.id, new.running_since, at)
      on conflict (campaign_id, started_at) do update set ended_at = excluded.ended_at;
      new.running_since := null;
    end if;
    new.works_until := new.running_since + wall - make_interval(secs => new.ran_seconds);
    new.admits_until := new.running_since + wall * share - make_interval(secs => new.ran_seconds);
    return new;
  end $$;`;

const STATEMENTS = [TABLE, CLOCK];
