import pg from 'pg';
import { temporalNames, type TemporalNames } from '../../src/domain/campaign/temporal-names.js';

/** A trial as it stands in the record. */
export interface TrialRecord {
  id: string;
  task: string;
  system: string;
  n: number;
  state: 'planned' | 'running' | 'done';
  outcome: string | null;
  reason: string | null;
  endedAt: string | null;
}

/** One try of a model call; times in ms since 1970, by the database's clock. */
export interface SendRecord {
  key: string;
  /** The trial or generation that asks. */
  owner: string;
  attempt: number;
  state: string;
  reservedAt: number;
  endedAt: number | null;
  answeredAt: number | null;
  sentAt: number | null;
}

/** A step that was recorded; times in ms since 1970, by the worker's clock. */
export interface StepRecord {
  owner: string;
  stage: string;
  step: string;
  startedAt: number;
  endedAt: number;
}

/** What a campaign's calls came to: sums over its sends, in micro-dollars. */
export interface MoneyRecord {
  /** Charged in all. */
  spent: number;
  /** The part of it for sends beyond the one whose answer stands: calls that went out again. */
  again: number;
  /** Sends that are reserved or under way. */
  open: number;
  /** Budgets of its trials, generations, systems and itself with counters that are not the sums over their sends. */
  unbalanced: string[];
}

/** What the records say, read past Durabench's own code: what is checked must not check itself. */
export class CampaignRecord {
  constructor(private readonly databaseUrl: () => Promise<string>) {}

  /** Null when there is none of that name yet. */
  async campaignNamed(name: string): Promise<string | null> {
    const rows = await this.rows<{ id: string }>('select id from campaigns where name = $1', [name]);
    return rows[0]?.id ?? null;
  }

  async status(campaignId: string): Promise<string> {
    const rows = await this.rows<{ status: string }>('select status from campaign_status where id = $1', [campaignId]);
    return rows[0]?.status ?? 'absent';
  }

  async trials(campaignId: string): Promise<TrialRecord[]> {
    return this.rows(
      `select id, task_id as task, system_id as system, n, state, outcome, reason, ended_at::text as "endedAt"
       from trials where campaign_id = $1 order by id`,
      [campaignId],
    );
  }

  /** The oldest first. */
  async sends(campaignId: string): Promise<SendRecord[]> {
    return this.rows(
      `select key, owner_id as owner, attempt, sends.state, ${ms('reserved_at')} as "reservedAt", ${ms('sends.ended_at')} as "endedAt",
         ${ms('answered_at')} as "answeredAt", ${ms('sent_at')} as "sentAt"
       from sends join calls using (key) where campaign_id = $1 order by reserved_at`,
      [campaignId],
    );
  }

  async steps(campaignId: string): Promise<StepRecord[]> {
    return this.rows(
      `select owner_id as owner, stage, step, ${ms('started_at')} as "startedAt", ${ms('ended_at')} as "endedAt"
       from steps where owner_id like $1 || '/%'`,
      [campaignId],
    );
  }

  /** What its calls came to, and whether the admission counters agree. */
  async money(campaignId: string): Promise<MoneyRecord> {
    const [totals] = await this.rows<Omit<MoneyRecord, 'unbalanced'>>(
      `with own as (
         select sends.*, row_number() over (partition by key order by sends.state = 'settled' desc, attempt) as place
         from sends join calls using (key) where campaign_id = $1)
       select coalesce(sum(actual_micro_usd), 0)::float8 as spent,
         coalesce(sum(actual_micro_usd) filter (where place > 1), 0)::float8 as again,
         (count(*) filter (where state in ('reserved', 'sent')))::float8 as open
       from own`,
      [campaignId],
    );
    const unbalanced = await this.rows<{ scope: string }>(
      `with sums as (
         select scope, ${sumWhere('estimate_micro_usd', OPEN)} as reserved_micro_usd,
           ${sumWhere('estimate_tokens', OPEN)} as reserved_tokens,
           ${sumWhere('actual_micro_usd', `not ${OPEN}`)} as settled_micro_usd,
           ${sumWhere('actual_tokens', `not ${OPEN}`)} as settled_tokens
         from sends join calls using (key) cross join unnest(scopes) as scope
         where campaign_id = $1 group by scope)
       select scope from sums left join budgets using (scope)
       where (sums.reserved_micro_usd, sums.reserved_tokens, sums.settled_micro_usd, sums.settled_tokens)
         is distinct from
         (budgets.reserved_micro_usd, budgets.reserved_tokens, budgets.settled_micro_usd, budgets.settled_tokens)`,
      [campaignId],
    );
    if (totals === undefined) throw new Error('sums without a row');
    return { ...totals, unbalanced: unbalanced.map(({ scope }) => scope) };
  }

  /** Attempts that ended with a failure of the sandbox: by which worker, and which. */
  async sandboxFailures(campaignId: string): Promise<{ worker: string; type: string; message: string }[]> {
    return this.rows(
      `select worker, failure ->> 'type' as type, failure ->> 'message' as message
       from attempts where owner_id like $1 || '/%' and failure ->> 'type' like 'sandbox.%'`,
      [campaignId],
    );
  }

  /** Shared candidates, by the hash of their whole tree. */
  async candidates(campaignId: string): Promise<{ system: string; sha256: string; files: number }[]> {
    return this.rows(
      `select system_id as system, sha256, files from candidates join generations g on g.id = generation_id
       where campaign_id = $1 order by system_id`,
      [campaignId],
    );
  }

  /** Hashes of what steps attached under that name. */
  async evidence(ownerId: string, name: string): Promise<string[]> {
    const rows = await this.rows<{ sha256: string }>(
      'select distinct sha256 from evidence where owner_id = $1 and name = $2',
      [ownerId, name],
    );
    return rows.map(({ sha256 }) => sha256);
  }

  /** Content volumes that the reaper knows of. */
  async contentVolumes(): Promise<string[]> {
    return (await this.rows<{ volume: string }>('select volume from content_uses', [])).map(({ volume }) => volume);
  }

  /** Worker instances with a running lease. */
  async liveWorkers(): Promise<{ instance: string; pid: number }[]> {
    return this.rows(`select instance, pid from workers where retired_at is null and lease_until > now()`, []);
  }

  /** What the installation is called on its Temporal server. */
  async names(): Promise<TemporalNames> {
    const [installation] = await this.rows<{ id: string }>('select id from installation', []);
    return temporalNames(installation?.id ?? '');
  }

  private async rows<Row extends object>(text: string, values: string[]): Promise<Row[]> {
    const client = new pg.Client({ connectionString: await this.databaseUrl() });
    client.on('error', () => undefined); // the query under way says it too
    try {
      await client.connect();
      return (await client.query<Row>(text, values)).rows;
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}

/** A send that has not ended. */
const OPEN = `(sends.state in ('reserved', 'sent'))`;

function sumWhere(column: string, condition: string): string {
  return `coalesce(sum(${column}) filter (where ${condition}), 0)::bigint`;
}

function ms(column: string): string {
  return `(extract(epoch from ${column}) * 1000)::float8`;
}
