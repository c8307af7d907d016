import type { Advice } from '../../../contract/problem.js';
import type { EvidenceRef } from '../../../contract/evidence.js';
import type { Generated, JSONColumnType } from 'kysely';
import type {
  CampaignLock,
  CampaignSpec,
  CampaignStatus,
  DesiredState,
  InstallationBudget,
  ModelSpec,
  SpendLimit,
} from '../../../contract/campaign.js';
import type { CandidateRef } from '../../../contract/candidate.js';
import type { Failure } from '../../../contract/failure.js';
import type { Json, JsonObject } from '../../../contract/json.js';
import type { OwnerRef, StepStage } from '../../../contract/stage.js';
import type { Outcome, SkippedStage, Verdict } from '../../../contract/verdict.js';
import type { BatchPhase, RunKind, VoteRecord } from '../../../ports/records.js';

/** Times arrive as ISO 8601 text in UTC and are written as text; bigint arrives as a safe number (`database.ts`). */
type Time = string;
/** jsonb: read as a value, written as JSON text (the driver would turn an array into a Postgres array). */
type Jsonb<Value extends object | null> = JSONColumnType<Value, string, string>;
type State = 'planned' | 'running' | 'done';

interface CampaignsTable {
  id: string;
  name: string;
  suite: string;
  spec: Jsonb<CampaignSpec>;
  lock: Jsonb<CampaignLock>;
  lock_sha256: string;
  dataset_label: string;
  dataset_digest: string;
  epoch: Generated<number>;
  desired_state: Generated<DesiredState>;
  budget_exhausted_at: Time | null;
  created_at: Generated<Time>;
  opened_at: Time | null;
  ended_at: Time | null;
  ended_as: 'completed' | 'budget_exhausted' | 'cancelled' | null;
  server: string | null;
  code: Generated<string>;
  ran_seconds: Generated<number>;
  running_since: Time | null;
  admits_until: Time | null;
  works_until: Time | null;
  revises: string | null;
}

/** What graders of a campaign draw by; nothing but `ownerContext` reads it. */
interface CampaignSecretsTable {
  campaign_id: string;
  secret: string;
}

interface CampaignTasksTable {
  campaign_id: string;
  task_id: string;
  sha256: string;
  task_group: string;
  category: string | null;
  scope: string | null;
}

interface GenerationsTable {
  id: string;
  campaign_id: string;
  system_id: string;
  scope: string;
  repeat: number;
  settings: Jsonb<JsonObject>;
  n: Generated<number>;
  state: Generated<State>;
  claimed_epoch: number | null;
  workflow_run_id: string | null;
  failure: Jsonb<Failure | null>;
  started_at: Time | null;
  ended_at: Time | null;
}

interface CandidatesTable {
  generation_id: string;
  sha256: string;
  size_bytes: number;
  files: number;
  provenance: CandidateRef['provenance'];
  created_at: Generated<Time>;
}

interface BatchesTable {
  id: string;
  campaign_id: string;
  ordinal: number;
  phase: BatchPhase;
  generation_id: string | null;
  closed_at: Time | null;
}

interface TrialsTable {
  id: string;
  campaign_id: string;
  batch_id: string;
  ordinal: number;
  task_id: string;
  system_id: string;
  repeat: number;
  settings: Jsonb<JsonObject>;
  n: Generated<number>;
  state: Generated<State>;
  claimed_epoch: number | null;
  workflow_run_id: string | null;
  outcome: Outcome | null;
  blame: string | null;
  reason: string | null;
  message: string | null;
  advice: Jsonb<Advice | null>;
  metrics: Jsonb<Verdict['metrics'] | null>;
  started_at: Time | null;
  ended_at: Time | null;
  scored_n: number | null;
}

interface TrialRunsTable {
  trial_id: string;
  n: number;
  epoch: number | null;
  workflow_id: string | null;
  workflow_run_id: string | null;
  outcome: Outcome | null;
  blame: string | null;
  reason: string | null;
  message: string | null;
  advice: Jsonb<Advice | null>;
  verdict: Jsonb<Verdict | null>;
  skipped: Jsonb<SkippedStage[] | null>;
  planned_at: Generated<Time>;
  started_at: Time | null;
  ended_at: Time | null;
  kind: Generated<RunKind>;
  of_run: number | null;
  editions: JSONColumnType<Record<string, number>, string | undefined, string>;
  fresh: Generated<number>;
}

interface StepKeyColumns {
  owner_kind: OwnerRef['kind'];
  owner_id: string;
  n: number;
  stage: StepStage;
  step: string;
}

interface StepsTable extends StepKeyColumns {
  input_hash: string;
  edition: Generated<number>;
  attempt: number;
  result: Jsonb<Extract<Json, object>>;
  started_at: Time;
  ended_at: Time;
}

interface AttemptsTable extends StepKeyColumns {
  epoch: number;
  attempt: number;
  worker: string;
  started_at: Time;
  ended_at: Time;
  failure: Jsonb<Failure | null>;
  evidence: Jsonb<EvidenceRef[]>;
}

interface EvidenceTable extends StepKeyColumns {
  input_hash: string;
  edition: Generated<number>;
  attempt: number;
  name: string;
  sha256: string;
  size_bytes: number;
  media_type: string;
  truncated: boolean;
}

interface VotesTable extends StepKeyColumns, VoteRecord {
  input_hash: string;
  edition: Generated<number>;
}

interface WorkersTable {
  instance: string;
  host: string;
  pid: number;
  started_at: Generated<Time>;
  beat_at: Generated<Time>;
  lease_until: Time;
  retired_at: Time | null;
  server: string | null;
  code: Generated<string | null>;
}

interface InstallationTable {
  id: Generated<string>;
  budget: JSONColumnType<InstallationBudget, string | undefined, string>;
}

interface ContentUsesTable {
  volume: string;
  instance: string;
  used_at: Generated<Time>;
}

/** Accounts of dataset builds (`migrations/021-accounts.ts`). */
interface BuildAccountsTable {
  id: string;
  suite: string;
  version: string;
  model: Jsonb<ModelSpec>;
  budget: Jsonb<SpendLimit>;
  epoch: Generated<number>;
  created_at: Generated<Time>;
  opened_at: Time | null;
}

interface EventsTable {
  id: Generated<number>;
  /** Both null: of the installation. */
  campaign_id: string | null;
  build_id: string | null;
  at: Generated<Time>;
  author: string;
  action: string;
  reason: string;
  details: JSONColumnType<JsonObject, string | undefined, string>;
}

/** The records' tables (`migrations/001-records.ts`); the ledger types its own with `kysely.withTables<…>()`. */
export interface Tables {
  campaigns: CampaignsTable;
  campaign_status: { id: string; status: CampaignStatus };
  campaign_secrets: CampaignSecretsTable;
  campaign_tasks: CampaignTasksTable;
  generations: GenerationsTable;
  candidates: CandidatesTable;
  batches: BatchesTable;
  trials: TrialsTable;
  trial_runs: TrialRunsTable;
  steps: StepsTable;
  attempts: AttemptsTable;
  evidence: EvidenceTable;
  votes: VotesTable;
  workers: WorkersTable;
  installation: InstallationTable;
  content_uses: ContentUsesTable;
  events: EventsTable;
  build_accounts: BuildAccountsTable;
}
