import { sql, type Kysely } from 'kysely';
import type { EvidenceRef } from '../../contract/evidence.js';
import { storableText } from '../../domain/storable.js';
import type { Amount } from '../../ports/ledger.js';
import type { LedgerTables } from './ledger-tables.js';

/** How a send ends. */
export interface SendEnd {
  key: string;
  attempt: number;
  to: 'settled' | 'released' | 'ambiguous';
  /** null: nothing for a released send, the estimate for an ambiguous one. */
  actual: Amount | null;
  usageReported: boolean;
  providerRequestId: string | null;
  reason: string | null;
  /** Stored with the end; the call's first answer stands. */
  responseRef?: EvidenceRef;
}

/**
 * Ends a send, once, and moves its money (`end_send` of migration 004).
 * @returns the answer that stands, where one was given
 */
export async function endSend(tables: Kysely<LedgerTables>, end: SendEnd): Promise<EvidenceRef | null> {
  const answer = end.responseRef === undefined ? null : JSON.stringify(end.responseRef);
  const { rows } = await sql<{ standing: EvidenceRef | null; soft: boolean }>`
    select standing, soft from end_send(${end.key}, ${end.attempt}, ${end.to}, ${end.actual?.microUsd ?? null},
      ${end.actual?.tokens ?? null}, ${end.usageReported}, ${storedText(end.providerRequestId)}, ${storedText(end.reason)},
      ${answer}::jsonb)`.execute(tables);
  // A statement of its own: closing a campaign locks its row first and the budgets second.
  if (rows[0]?.soft) await markSoftLimit(tables, end.key);
  return rows[0]?.standing ?? null;
}

const storedText = (text: string | null): string | null => (text === null ? null : storableText(text));

/** Ends what dead workers left of a call or of a campaign (`end_abandoned_sends` of migration 004). */
export async function endAbandonedSends(
  tables: Kysely<LedgerTables>,
  what: { key: string; worker: string } | { campaignId: string },
): Promise<void> {
  const [key, campaignId, worker] = 'key' in what ? [what.key, null, what.worker] : [null, what.campaignId, null];
  await sql`select end_abandoned_sends(${key}, ${campaignId}, ${worker})`.execute(tables);
}

/** Stops admissions of a campaign whose soft limit was reached; claims answer stop, what runs goes on. */
async function markSoftLimit(tables: Kysely<LedgerTables>, key: string): Promise<void> {
  await sql`
    update campaigns set budget_exhausted_at = now()
    where id = (select campaign_id from calls where key = ${key}) and budget_exhausted_at is null`.execute(tables);
}
