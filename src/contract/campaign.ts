import type { Json, JsonObject } from './json.js';
import type { LoosenedLimits } from './sandbox-limits.js';

/** US dollars per million tokens. `cachedInput` defaults to `input`. */
export interface Price {
  input: number;
  output: number;
  cachedInput?: number;
}

/** A model endpoint as the campaign names it. */
export interface ModelSpec {
  /** The name sent to the provider. */
  name: string;
  /** OpenAI-compatible base URL, ending before `/chat/completions`. */
  baseUrl: string;
  /** Absolute path of the rules of a scripted model, which the stack serves at `baseUrl`. Absent: a model of somebody else. */
  rules?: string;
  /** Name of the environment variable that holds the key, read only in the worker; null for endpoints without one. */
  apiKeyEnv: string | null;
  price: Price | 'free';
  /** Output cap per call in tokens, thinking included: used for the estimate and sent to the provider. */
  maxOutputTokens: number;
  temperature: number | null;
  /** Tokens of thinking that a question which caps its own answer allows on top of it. Absent: none. */
  reasoningTokens?: number;
  /** Further parameters of the request as the API names them (`top_p`, `seed`, `reasoning_effort`, …); sent as they stand. Absent: none. */
  parameters?: JsonObject;
  /** Seconds one request may take, connection to last byte. */
  timeoutSeconds: number;
  /** The provider keeps answers and gives them out by their ids, so that a lost one is fetched instead of asked again. Absent: it does not. */
  stored?: true;
  /** It is asked through its provider's Batch API. Absent: each call by itself, at once. */
  batchApi?: BatchApiSpec;
}

/** How a model is asked through its provider's Batch API. */
export interface BatchApiSpec {
  /** What a call costs there, as a share of `price`. */
  priceFactor: number;
  /** How long the first request of a provider batch waits for others. */
  collectSeconds: number;
}

/** What is evaluated. */
export interface SystemSpec {
  id: string;
  /** A generator of the suite: `gold`, `null`, `snapshot`, `single-prompt`, … */
  generator: string;
  /** Key into `models`: default for every purpose; null for systems without a model. */
  model: string | null;
  /** Purpose → key into `models`. */
  purposes: Record<string, string>;
  /** Folder or archive for `snapshot`; replaced by `snapshot` when the plan is made. */
  path: string | null;
  /** The packed candidate for `snapshot`, as a blob; set when the plan is made. */
  snapshot: { sha256: string; sizeBytes: number; files: number } | null;
  /** The system's own vote settings; overrides `judge.vote`. Suite-defined. */
  vote: JsonObject | null;
  /** Anything else the suite's system schema allows. */
  options: JsonObject;
  /** Limits on what its generator may spend; part of the system, so changing them makes another one. Absent = none. */
  limits?: SystemLimits;
}

/** A limit as a person writes it: US dollars and tokens; null = none. */
export type SpendLimit = {
  usd: number | null;
  tokens: number | null;
};

/** Limits of a system on its `generate` stage: for the making of one candidate (a generation, or a trial that makes its own), and in `total` over the campaign. Grading never counts. */
export type SystemLimits = SpendLimit & { total: SpendLimit };

/** Campaign limits. null or absent = none. Money in US dollars here (what a person writes); micro-dollars everywhere else. */
export interface BudgetSpec extends SpendLimit {
  /** Hours the campaign may run; pauses, and the time after it ended, do not count. Then no further step begins. */
  wallHours?: number | null;
  /** Trials that may be started; running one again does not count. */
  trials?: number | null;
  /** Share (0..1) of the limits in dollars, tokens and hours at which no further trial is admitted; those running go on to the limit. Absent or null = off. */
  soft?: number | null;
  /** What to do after a request that brought nothing back and may have been billed. Absent: it is sent once more. */
  onAmbiguous?: 'retry' | 'fail';
}

/** The operator's limit over all campaigns of an installation. */
export type InstallationBudget = SpendLimit & { soft: number | null };

/** Windows and slots; never part of the lock. */
export interface ConcurrencySpec {
  /** Batches at once, in each of the two windows (generating, grading). */
  batches: number;
  /** Trials at once within a batch. */
  trials: number;
  /** Model calls at once per worker and provider key. */
  model: number;
  /** Sandbox executions at once per worker. */
  sandbox: number;
}

/** What is decided once all is graded; fixed before the first trial. */
export interface ExperimentSpec {
  /** Id of the system that the others are variants of. */
  baseline: string;
  /** The gain that a variant is adopted for at least, as a share of tasks. */
  smallestEffect: number;
}

/** A campaign file after parsing, with defaults filled in. */
export interface CampaignSpec {
  name: string;
  /** To find it by; no part of the question. Absent: none. */
  tags?: string[];
  /** Whom it tells what; no part of the question. Absent: nobody. */
  notify?: NotifySpec[];
  suite: string;
  /** Suite-defined selection, such as `{projects, limit, tasks}`. */
  dataset: JsonObject;
  models: Record<string, ModelSpec>;
  systems: SystemSpec[];
  /** Suite-defined judge settings. */
  judge: JsonObject;
  repeats: number;
  budget: BudgetSpec;
  concurrency: ConcurrencySpec;
  /** Every sandbox run in a container of its own. Absent: runs of one candidate may share one, wiped between them. */
  isolation?: 'container';
  /** Questions that another campaign of the installation got an answer to are answered with it, repeat by repeat. Absent: they are not. */
  reuseAnswers?: true;
  /** Whether its systems are a baseline and its variants. Absent: they are not. */
  experiment?: ExperimentSpec;
  seed: number;
}

/** What the operator wants. */
export type DesiredState = 'run' | 'pause' | 'cancel' | 'stop';

/** The campaign's status as users see it. */
export type CampaignStatus = 'planned' | 'running' | 'paused' | 'completed' | 'budget_exhausted' | 'cancelled';

/** What pins a campaign's meaning; two campaigns with equal locks ask the same question. */
export interface CampaignLock {
  /** sha-256 of the canonical JSON of all the other fields. */
  sha256: string;
  /** The spec without concurrency, budget, endpoints, keys and prices. */
  spec: Json;
  datasetDigest: string;
  /** Image name → recipe digest. */
  imageDigests: Record<string, string>;
  suiteVersion: string;
  /** Digest of grader code, prompts and plans, from `dist/digests.json`. */
  graderDigest: string;
  prices: Json;
  /** What the suite loosens of the sandbox; left out where it loosens nothing. */
  sandboxLimits?: LoosenedLimits;
  seed: number;
}

/** What a campaign tells of itself. */
export const NOTIFICATION_EVENTS = ['end', 'soft_budget', 'stall'] as const;
export type NotificationEvent = (typeof NOTIFICATION_EVENTS)[number];

/** One whom a campaign tells: a webhook (its address, or the variable that holds it) or a command. No part of the question. */
export interface NotifySpec {
  webhook?: string;
  /** Name of the environment variable with the address. */
  webhookEnv?: string;
  /** Name of the environment variable with the value of the header `authorization`. */
  authorizationEnv?: string;
  /** Program and arguments. */
  command?: string[];
  on: NotificationEvent[];
  /** Minutes without progress that are a stall. */
  stallMinutes: number;
}

/** Something that a campaign has to tell to some of those it names. */
export interface NotificationInput {
  campaignId: string;
  event: NotificationEvent;
  /** What tells it from others of the same event: told once for each. */
  key: string;
  /** Places in `notify` of the campaign file. */
  targets: number[];
}

/** The same for one of them. */
export type NotificationCall = Omit<NotificationInput, 'targets'> & { target: number };
