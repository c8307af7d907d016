import { sql } from '../../query-builder.js';
import type { Migration } from './migration.js';

/** Limits beside money: hours of work and trials started. And a place for what the operator says of the whole installation. */
export const limitsOfWorkMigration: Migration = {
  version: 7,
  name: '007-limits-of-work',
  async up(transaction) {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(transaction);
  },
};

const TIME = `
  alter table campaigns
    -- How long its status was 'running': stretches that are over, and the beginning of the one that is not.
    add column ran_seconds double precision not null default 0,
    add column running_since timestamptz,
    -- No further trial after the first, no further step after the second; null without a limit, and while it does not run.
    add column admits_until timestamptz,
    add column works_until timestamptz;
  update campaigns set ran_seconds = coalesce(extract(epoch from coalesce(ended_at, now()) - opened_at), 0);`;

// A trigger, since status changes in a dozen statements and a clock that one of them forgot would run on.
const CLOCK = `
  create function keep_working_time() returns trigger language plpgsql as $$
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
      new.running_since := null;
    end if;
    new.works_until := new.running_since + wall - make_interval(secs => new.ran_seconds);
    new.admits_until := new.running_since + wall * share - make_interval(secs => new.ran_seconds);
    return new;
  end $$;
  create trigger working_time before update on campaigns for each row execute function keep_working_time();
  update campaigns set epoch = epoch;`;

const INSTALLATION = `
  -- What the operator wrote; its counters are a row of budgets.
  alter table installation add column budget jsonb not null default '{"usd": null, "tokens": null, "soft": null}';
  -- Null: of the installation.
  alter table events alter column campaign_id drop not null;`;

const STATEMENTS = [TIME, CLOCK, INSTALLATION];
