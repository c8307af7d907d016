import type { Generated, JSONColumnType, Kysely } from 'kysely';
import type { EvidenceRef } from '../../../contract/evidence.js';
import type { CallOwner } from '../../../contract/stage.js';
import type { Tables } from './tables.js';

/** One logical call (`migrations/002-ledger.ts`), of a campaign or of a build (`021-accounts.ts`). */
interface CallsTable {
  key: string;
  campaign_id: string | null;
  build_id: string | null;
  owner_kind: CallOwner['kind'];
  owner_id: string;
  stage: string;
  step: string;
  purpose: string;
  model: string;
  request_ref: JSONColumnType<EvidenceRef, string, string>;
  response_ref: JSONColumnType<EvidenceRef | null, string, string>;
  state: Generated<'open' | 'answered'>;
  created_at: Generated<string>;
  answered_at: string | null;
  scopes: string[] | null;
  is_replayed: Generated<boolean>;
  question: string | null;
  reused_from: string | null;
  saved_micro_usd: number | null;
  saved_tokens: number | null;
}

/** One reservation and, if it went out, one request. */
interface SendsTable {
  key: string;
  attempt: number;
  state: Generated<'reserved' | 'sent' | 'settled' | 'released' | 'ambiguous'>;
  estimate_micro_usd: number;
  estimate_tokens: number;
  actual_micro_usd: number | null;
  actual_tokens: number | null;
  usage_reported: boolean | null;
  provider_request_id: string | null;
  worker: string;
  reason: string | null;
  completion_id: string | null;
  is_recovered: Generated<boolean>;
  usage_claim: JSONColumnType<object | null, string | null, string | null>;
  reserved_at: Generated<string>;
  sent_at: string | null;
  ended_at: string | null;
}

/** Admission counters of one scope. */
interface BudgetsTable {
  scope: string;
  limit_micro_usd: number | null;
  limit_tokens: number | null;
  reserved_micro_usd: Generated<number>;
  reserved_tokens: Generated<number>;
  settled_micro_usd: Generated<number>;
  settled_tokens: Generated<number>;
  soft_micro_usd: number | null;
  soft_tokens: number | null;
}

/** The ledger's tables. */
export interface LedgerTables {
  calls: CallsTable;
  sends: SendsTable;
  budgets: BudgetsTable;
}

/** The same connection or transaction, for what the ledger keeps beside the records. */
export const ledgerTables = (kysely: Kysely<Tables>): Kysely<LedgerTables> => kysely as unknown as Kysely<LedgerTables>;
