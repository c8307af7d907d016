import type { Kysely } from 'kysely';
import { sql } from '../query-builder.js';
import type { AccountRef } from '../../../contract/stage.js';
import type { ReusableAnswer, ReusedCall, ReuseResult } from '../../../ports/ledger.js';
import type { LedgerTables } from '../schema/ledger-tables.js';

/** See `Ledger.reusableAnswer`. What was taken over is offered under the call that was sent, so that it counts as one answer. */
export async function reusableAnswer(
  tables: Kysely<LedgerTables>,
  { id }: AccountRef,
  question: string,
): Promise<ReusableAnswer | null> {
  const { rows } = await sql<ReusableAnswer>`
    select coalesce(c.reused_from, c.key) as "from", c.response_ref as "responseRef"
    from calls c
    where c.question = ${question} and c.state = 'answered' and c.campaign_id <> ${id}
      and not exists (
        select from calls own where own.campaign_id = ${id} and own.reused_from = coalesce(c.reused_from, c.key))
      and not exists (
        select from calls own where own.campaign_id = ${id} and own.key = coalesce(c.reused_from, c.key))
    order by c.answered_at, c.key limit 1`.execute(tables);
  return rows[0] ?? null;
}

/** See `Ledger.reuse`: two unique indexes decide who is first, for the call and for the answer. */
export async function reuse(tables: Kysely<LedgerTables>, call: ReusedCall): Promise<ReuseResult> {
  const { key, account, epoch, owner, stage, step, purpose, model, requestRef, responseRef, saved } = call;
  const { rows } = await sql`
    insert into calls (key, campaign_id, owner_kind, owner_id, stage, step, purpose, model, request_ref, response_ref,
      state, answered_at, question, reused_from, saved_micro_usd, saved_tokens)
    select ${key}, id, ${owner.kind}, ${owner.id}, ${stage}, ${step}, ${purpose}, ${model},
      ${JSON.stringify(requestRef)}::jsonb, ${JSON.stringify(responseRef)}::jsonb,
      'answered', now(), ${call.question}, ${call.from}, ${saved.microUsd}, ${saved.tokens}
    from campaigns where id = ${account.id} and epoch = ${epoch}
    on conflict do nothing returning key`.execute(tables);
  if (rows.length > 0) return 'reused';
  const { rows: standing } = await sql<{ isBegun: boolean }>`
    select exists (select from calls where key = ${key}) as "isBegun"
    from campaigns where id = ${account.id} and epoch = ${epoch}`.execute(tables);
  const [campaign] = standing;
  if (campaign === undefined) return 'superseded';
  return campaign.isBegun ? 'in-flight' : 'taken';
}
