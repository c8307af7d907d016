import { DomainFailure } from '../../../domain/failure/domain-failure.js';
import type { AccountRef } from '../../../contract/stage.js';
import type { BatchRefusal, CallState, Ledger, LostSend } from '../../../ports/ledger.js';
import type { EvidenceRef } from '../../../contract/evidence.js';
import type { Failure } from '../../../contract/failure.js';
import { storableJson } from '../../../domain/text/storable.js';
import { endAbandonedSends, endSend, type SendEnd } from './ledger-ends.js';
import { setLimit } from './ledger-limits.js';
import { reserve } from './ledger-reserve.js';
import { reusableAnswer, reuse } from './reused-answers.js';
import { ledgerTables, type LedgerTables } from '../schema/ledger-tables.js';
import type { Database } from '../schema/database.js';
import { withDatabaseFailures } from '../schema/database-failure.js';
import { repeatedCallKeys } from './repeated-calls.js';
import type { Kysely } from 'kysely';
import { sql } from '../query-builder.js';

/**
 * The ledger in Postgres. Counters of `budgets` are admission locks; every lock is taken in the order call, send,
 * budget, budgets
 * narrow to wide, so that the row all callers share is held for one statement only and nothing deadlocks.
 */
export function createLedger(database: Database): Ledger {
  const tables = ledgerTables(database.kysely);
  return withDatabaseFailures<Ledger>({
    callState: (key, worker) => callState(tables, key, worker),
    reserve: (reservation) => reserve(tables, reservation),
    markSent: (key, attempt) => markSent(tables, key, attempt),
    noteCompletion: (key, attempt, completionId) => noteCompletion(tables, key, attempt, completionId),
    reusableAnswer: (account, question) => reusableAnswer(tables, account, question),
    reuse: (call) => reuse(tables, call),
    noteReplay: (key) => noteReplay(tables, key),
    settle: (key, attempt, answer) => settle(tables, { key, attempt, ...answer, to: 'settled', reason: null }),
    charge: (key, attempt, settlement, reason) =>
      endWithoutAnswer(tables, { key, attempt, ...settlement, to: 'settled', reason }),
    release: (key, attempt, reason) => endWithoutAnswer(tables, { ...silent, key, attempt, to: 'released', reason }),
    markAmbiguous: (key, attempt, reason) =>
      endWithoutAnswer(tables, { ...silent, key, attempt, to: 'ambiguous', reason }),
    noteRefusal: (key, attempt, failure) => noteRefusal(tables, key, attempt, failure),
    noteTold: (key, attempt, run) => noteTold(tables, key, attempt, run),
    setLimit: (account, limit) => setLimit(tables, account, limit),
    repeatedCalls: (account) => repeatedCalls(tables, account),
  });
}

/** What is known of a send that brought nothing back. */
const silent = { actual: null, providerRequestId: null, usageReported: false } as const;

async function settle(tables: Kysely<LedgerTables>, end: SendEnd & { responseRef: EvidenceRef }): Promise<EvidenceRef> {
  return (await endSend(tables, end)) ?? end.responseRef;
}

async function endWithoutAnswer(tables: Kysely<LedgerTables>, end: SendEnd): Promise<void> {
  await endSend(tables, end);
}

async function callState(tables: Kysely<LedgerTables>, key: string, worker: string): Promise<CallState> {
  const { rows } = await sql<{
    response_ref: EvidenceRef | null;
    ambiguous: number;
    lost: LostSend[];
    refusal: BatchRefusal | null;
    open_worker: string | null;
    batched_ms: number | null;
    abandoned: boolean;
  }>`
    select c.response_ref,
      (select count(*) from sends s where s.key = c.key and s.state = 'ambiguous') as ambiguous,
      coalesce((
        select jsonb_agg(jsonb_build_object('attempt', s.attempt, 'completionId', s.completion_id,
          'lostForMs', extract(epoch from clock_timestamp() - s.ended_at) * 1000) order by s.attempt desc)
        from sends s where s.key = c.key and s.state = 'ambiguous' and s.completion_id is not null), '[]') as lost,
      (select jsonb_build_object('attempt', s.attempt, 'failure', s.refusal, 'toldRun', s.told_run)
        from sends s where s.key = c.key and s.refusal is not null and not exists (
          select from sends later where later.key = s.key and later.attempt > s.attempt)) as refusal,
      o.worker as open_worker,
      case when o.is_batched then extract(epoch from clock_timestamp() - o.reserved_at)::float8 * 1000 end as batched_ms,
      o.worker = ${worker} or not exists (
        select 1 from workers w where w.instance = o.worker and is_living(w)
      ) as abandoned
    from calls c left join sends o on o.key = c.key and o.state in ('reserved', 'sent')
    where c.key = ${key}`.execute(tables);
  const call = rows[0];
  if (!call) return { state: 'new' };
  if (call.response_ref !== null) return { state: 'answered', responseRef: call.response_ref };
  if (call.batched_ms !== null) return { state: 'batched', waitedMs: call.batched_ms };
  const { open_worker: openWorker, ambiguous, lost, refusal } = call;
  if (openWorker === null) return { state: 'unanswered', ambiguous, lost, ...(refusal && { refusal }) };
  if (!call.abandoned) return { state: 'in-flight', worker: openWorker };
  await endAbandonedSends(tables, { key, worker });
  return callState(tables, key, worker);
}

async function markSent(tables: Kysely<LedgerTables>, key: string, attempt: number): Promise<void> {
  const { numUpdatedRows } = await tables
    .updateTable('sends')
    .set({ state: 'sent', sent_at: sql<string>`coalesce(sent_at, now())` })
    .where('key', '=', key)
    .where('attempt', '=', attempt)
    .where('state', 'in', ['reserved', 'sent'])
    .executeTakeFirst();
  if (numUpdatedRows > 0n) return;
  throw new DomainFailure('call.in-flight', 'The reservation of this call was taken away before it was sent.', {
    retryAfterMs: 1_000,
  });
}

async function noteCompletion(
  tables: Kysely<LedgerTables>,
  key: string,
  attempt: number,
  completionId: string,
): Promise<void> {
  await tables
    .updateTable('sends')
    .set({ completion_id: completionId })
    .where('key', '=', key)
    .where('attempt', '=', attempt)
    .execute();
}

/** Only of an open send: what was told of one that has ended stands. */
async function noteRefusal(
  tables: Kysely<LedgerTables>,
  key: string,
  attempt: number,
  failure: Failure,
): Promise<void> {
  await sql`
    update sends set refusal = ${storableJson(failure)}::jsonb
    where key = ${key} and attempt = ${attempt} and state in ('reserved', 'sent')`.execute(tables);
}

async function noteTold(tables: Kysely<LedgerTables>, key: string, attempt: number, run: number): Promise<void> {
  await sql`update sends set told_run = ${run} where key = ${key} and attempt = ${attempt}`.execute(tables);
}

async function noteReplay(tables: Kysely<LedgerTables>, key: string): Promise<void> {
  await tables
    .updateTable('calls')
    .set({ is_replayed: true })
    .where('key', '=', key)
    .where('is_replayed', '=', false)
    .execute();
}

async function repeatedCalls(tables: Kysely<LedgerTables>, { kind, id }: AccountRef): Promise<number> {
  const { rows } = await sql<{ repeated: number }>`
    select count(*) as repeated from (${repeatedCallKeys()}) as repeats join calls using (key)
    where ${sql.ref(`${kind}_id`)} = ${id}`.execute(tables);
  return rows[0]?.repeated ?? 0;
}
