import type { Kysely } from 'kysely';
import { sql } from '../query-builder.js';
import type { EvidenceRef } from '../../../contract/evidence.js';
import { storableJson, storableText } from '../../../domain/text/storable.js';
import type { Amount, Settlement } from '../../../ports/ledger.js';
import type { LedgerTables } from '../schema/ledger-tables.js';

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
  isRecovered?: boolean;
  implausible?: Settlement['implausible'];
  /** Stored with the end; the call's first answer stands. */
  responseRef?: EvidenceRef;
}

/**
 * Ends a send, once, and moves its money (`end_send`, as migration 012 left it).
 * @returns the answer that stands, where one was given
 */
export async function endSend(tables: Kysely<LedgerTables>, end: SendEnd): Promise<EvidenceRef | null> {
  return end.isRecovered || end.implausible ? endMarked(tables, end) : endOnce(tables, end);
}

async function endOnce(tables: Kysely<LedgerTables>, end: SendEnd): Promise<EvidenceRef | null> {
  const answer = end.responseRef === undefined ? null : JSON.stringify(end.responseRef);
  // That a soft limit is reached is seen by whoever admits (`IS_OUT_OF_BUDGET`).
  const { rows } = await sql<{ standing: EvidenceRef | null }>`
    select standing from end_send(${end.key}, ${end.attempt}, ${end.to}, ${end.actual?.microUsd ?? null},
      ${end.actual?.tokens ?? null}, ${end.usageReported}, ${storedText(end.providerRequestId)}, ${storedText(end.reason)},
      ${answer}::jsonb)`.execute(tables);
  return rows[0]?.standing ?? null;
}

async function endMarked(tables: Kysely<LedgerTables>, end: SendEnd): Promise<EvidenceRef | null> {
  return tables.transaction().execute(async (transaction) => {
    const standing = await endOnce(transaction, end);
    // Only what this transaction has ended: the lost answer may have come by itself before it was fetched.
    await sql`
      update sends set is_recovered = ${end.isRecovered ?? false},
        usage_claim = ${end.implausible === undefined ? null : storableJson(end.implausible)}::jsonb
      where key = ${end.key} and attempt = ${end.attempt} and ended_at = now()`.execute(transaction);
    return standing;
  });
}

const storedText = (text: string | null): string | null => (text === null ? null : storableText(text));

/** Ends what dead workers left of a call or of an account (`end_abandoned_sends`, as migration 027 left it). */
export async function endAbandonedSends(
  tables: Kysely<LedgerTables>,
  what: { key: string; worker: string } | { accountId: string },
): Promise<void> {
  const [key, accountId, worker] = 'key' in what ? [what.key, null, what.worker] : [null, what.accountId, null];
  await sql`select end_abandoned_sends(${key}, ${accountId}, ${worker})`.execute(tables);
}
