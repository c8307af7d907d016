import { randomUUID } from 'node:crypto';
import type { Kysely, RawBuilder } from 'kysely';
import { sql } from '../query-builder.js';
import type { ModelSpec } from '../../../contract/campaign.js';
import { DomainFailure } from '../../../domain/failure/domain-failure.js';
import { storableText } from '../../../domain/text/storable.js';
import type { BatchedSend, ProviderBatch, ProviderBatches } from '../../../ports/ledger.js';
import type { Database } from '../schema/database.js';
import { withDatabaseFailures } from '../schema/database-failure.js';
import { ledgerTables, type LedgerTables } from '../schema/ledger-tables.js';
import { endSend } from './ledger-ends.js';

/** Below what providers take (50,000 requests, 200 MB), and such that a worker holds the file in memory. */
const MOST_REQUESTS = 5_000;
const MOST_BYTES = 50_000_000;

/** Of whoever forms batches: of two workers at once, one would find nothing. */
const FORMING_LOCK = 4_027_001;

/** Of `campaigns k`: its answers are waited for. */
const IS_WANTED = sql<boolean>`(k.ended_as is null and k.desired_state in ('run', 'pause'))`;

const sinceMs = (column: string): RawBuilder<number> =>
  sql`extract(epoch from clock_timestamp() - ${sql.ref(column)})::float8 * 1000`;

/** Provider batches by rows, beside the ledger whose sends go out in them; by the database's clock. */
export function createProviderBatches(database: Database): ProviderBatches {
  const tables = ledgerTables(database.kysely);
  return withDatabaseFailures<ProviderBatches>({
    form: () => form(tables),
    take: (worker) => take(tables, worker),
    sends: (id) => sendsOf(tables, id),
    noteTry: (id, worker) =>
      tables.transaction().execute(async (transaction) => {
        const { rows } = await sql`
          update provider_batches set tried_at = clock_timestamp() where id = ${id} and worker = ${worker} returning id`.execute(
          transaction,
        );
        if (rows.length === 0)
          throw new DomainFailure('call.in-flight', `Another worker has the provider batch ${id}.`);
        await sql`
          update sends set state = 'sent', sent_at = coalesce(sent_at, now())
          where batch_id = ${id} and state = 'reserved'`.execute(transaction);
      }),
    async noteCreated(id, worker, providerId) {
      const { rows } = await sql`
        update provider_batches set provider_id = ${providerId}, problem = null
        where id = ${id} and worker = ${worker} and provider_id is null returning id`.execute(tables);
      return rows.length > 0;
    },
    async leave(id, worker, { againMs, answered = null, problem = null }) {
      await sql`
        update provider_batches set worker = null, due_at = clock_timestamp() + make_interval(secs => ${againMs / 1000}),
          answered = coalesce(${answered}, answered), problem = ${problem === null ? null : storableText(problem)},
          looked_at = clock_timestamp()
        where id = ${id} and worker = ${worker}`.execute(tables);
    },
    async end(id, worker) {
      await sql`
        update provider_batches set worker = null, ended_at = clock_timestamp()
        where id = ${id} and worker = ${worker}`.execute(tables);
    },
  });
}

async function form(tables: Kysely<LedgerTables>): Promise<void> {
  await tables.transaction().execute(async (transaction) => {
    const { rows } = await sql<{ isFree: boolean }>`
      select pg_try_advisory_xact_lock(${FORMING_LOCK}) as "isFree"`.execute(transaction);
    if (rows[0]?.isFree !== true) return;
    await releaseUnwanted(transaction);
    for (const group of await dueGroups(transaction)) await formOne(transaction, { id: randomUUID(), ...group });
  });
}

/** What waits for a batch of a campaign that is over: nothing was sent of it. */
async function releaseUnwanted(transaction: Kysely<LedgerTables>): Promise<void> {
  const { rows } = await sql<{ key: string; attempt: number }>`
    select s.key, s.attempt from sends s join calls c on c.key = s.key join campaigns k on k.id = c.campaign_id
    where s.is_batched and s.batch_id is null and s.state = 'reserved' and not ${IS_WANTED}
    order by s.key limit ${MOST_REQUESTS}`.execute(transaction);
  const nothing = { actual: null, usageReported: false, providerRequestId: null };
  for (const send of rows)
    await endSend(transaction, {
      ...send,
      ...nothing,
      to: 'released',
      reason: 'the campaign ended before it was sent',
    });
}

interface Group {
  campaignId: string;
  model: string;
  baseUrl: string;
  priceFactor: number;
}

async function dueGroups(transaction: Kysely<LedgerTables>): Promise<Group[]> {
  const { rows } = await sql<Group>`
    select g.campaign_id as "campaignId", g.model, g.spec ->> 'baseUrl' as "baseUrl",
      coalesce((g.spec #>> '{batchApi,priceFactor}')::float8, 1) as "priceFactor"
    from (
      select c.campaign_id, c.model, k.spec -> 'models' -> c.model as spec, count(*) as requests,
        sum((c.request_ref ->> 'sizeBytes')::bigint) as bytes, min(s.reserved_at) as since
      from sends s join calls c on c.key = s.key join campaigns k on k.id = c.campaign_id
      where s.is_batched and s.batch_id is null and s.state = 'reserved' and ${IS_WANTED}
      group by 1, 2, 3) g
    where g.spec is not null and (g.requests >= ${MOST_REQUESTS} or g.bytes >= ${MOST_BYTES}
      -- Of a model that has no Batch API any more, at once.
      or g.since <= clock_timestamp()
        - make_interval(secs => coalesce((g.spec #>> '{batchApi,collectSeconds}')::float8, 0)))`.execute(transaction);
  return rows;
}

/** Takes as many requests as a batch may have, the oldest first. */
async function formOne(
  transaction: Kysely<LedgerTables>,
  { id, campaignId, model, baseUrl, priceFactor }: Group & { id: string },
): Promise<void> {
  await sql`
    insert into provider_batches (id, campaign_id, model, base_url, price_factor)
    values (${id}, ${campaignId}, ${model}, ${baseUrl}, ${priceFactor})`.execute(transaction);
  await sql`
    update sends set batch_id = ${id} from (
      select s.key, s.attempt, row_number() over (order by s.reserved_at, s.key) as place,
        sum((c.request_ref ->> 'sizeBytes')::bigint) over (order by s.reserved_at, s.key) as bytes
      from sends s join calls c on c.key = s.key
      where c.campaign_id = ${campaignId} and c.model = ${model}
        and s.is_batched and s.batch_id is null and s.state = 'reserved') waiting
    where sends.key = waiting.key and sends.attempt = waiting.attempt
      and (waiting.place = 1 or (waiting.place <= ${MOST_REQUESTS} and waiting.bytes <= ${MOST_BYTES}))`.execute(
    transaction,
  );
}

async function take(tables: Kysely<LedgerTables>, worker: string): Promise<ProviderBatch | null> {
  const { rows } = await sql<Omit<ProviderBatch, 'model'> & { spec: ModelSpec; baseUrl: string }>`
    with taken as (
      update provider_batches set worker = ${worker} where id = (
        select b.id from provider_batches b
        where b.ended_at is null and b.due_at <= clock_timestamp()
          and (b.worker is null or b.worker = ${worker}
            or not exists (select from workers w where w.instance = b.worker and is_living(w)))
        order by b.due_at limit 1 for update skip locked)
      returning *)
    select b.id, b.campaign_id as "campaignId", b.base_url as "baseUrl", b.provider_id as "providerId",
      b.price_factor as "priceFactor",
      k.spec -> 'models' -> b.model as spec, ${IS_WANTED} as "isWanted",
      ${sinceMs('b.formed_at')} as "ageMs", ${sinceMs('b.tried_at')} as "triedForMs"
    from taken b join campaigns k on k.id = b.campaign_id`.execute(tables);
  const [row] = rows;
  if (row === undefined) return null;
  const { spec, baseUrl, ...batch } = row;
  return { ...batch, model: { ...spec, baseUrl } };
}

async function sendsOf(tables: Kysely<LedgerTables>, id: string): Promise<BatchedSend[]> {
  const { rows } = await sql<BatchedSend>`
    select s.key, s.attempt, c.request_ref as "requestRef",
      jsonb_build_object('microUsd', s.estimate_micro_usd, 'tokens', s.estimate_tokens) as estimate
    from sends s join calls c on c.key = s.key
    where s.batch_id = ${id} and s.state in ('reserved', 'sent') order by s.reserved_at, s.key`.execute(tables);
  return rows;
}
