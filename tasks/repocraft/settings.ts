import { z } from 'zod';
import type { CampaignSpec, SystemSpec } from '../../src/contract/campaign.js';
import { idProblem } from '../../src/domain/campaign/ids.js';
import { agentOptions } from './generators/agent-settings.js';
import { deriveSchema } from './generators/derived/derive-settings.js';
import { zerorepoOptions } from './generators/zerorepo/settings.js';

/**
 * Who votes: the oracle hands the targets over (references only), the heuristic counts words, the model is asked, `truth`
 * knows what became of the target (derived candidates only).
 */
const VOTERS = ['oracle', 'heuristic', 'model', 'truth'] as const;

/** How matches are voted on (`judge.vote`, overridden by `systems[].vote`). */
export interface VoteSettings {
  voter: (typeof VOTERS)[number];
  /** Key into `models`; the model voter needs it, or `models`. */
  model: string | null;
  /** Keys into `models` that the voters of a round take in turn; null = all are `model`. */
  models: string[] | null;
  voters: number;
  rounds: number;
  top: number;
  /** Tokens of one answer; the `reasoning_tokens` of its model come on top. Named as in the file. */
  max_output_tokens: number;
}

/** What holds where nothing is said. */
export const DEFAULT_VOTE: Readonly<VoteSettings> = {
  ...{ voter: 'heuristic', model: null, models: null },
  // A verdict and one sentence need no more.
  ...{ voters: 3, rounds: 2, top: 3, max_output_tokens: 300 },
};

const outputTokens = z.int().min(50).max(1_000_000);

const voteShape = {
  voter: z.enum(VOTERS).describe('one of oracle, heuristic, model, truth'),
  model: z.string().nullable().describe('a key of models, for the model voter'),
  models: z
    .array(z.string())
    .min(1)
    .nullable()
    .describe('keys of models that the voters take in turn, in the place of model'),
  voters: z.int().min(1).max(9).describe('a whole number from 1 to 9: voters in a round'),
  rounds: z.int().min(1).max(2).describe('1 or 2: a second round is held where the first has no majority'),
  top: z.int().min(1).max(5).describe('a whole number from 1 to 5: matches voted on, in order'),
  max_output_tokens: outputTokens.describe(
    'a whole number of tokens from 50 to 1,000,000: what one answer of a model voter may be, its reasoning_tokens on top; 300 by default',
  ),
};

/** `systems[].vote`: only what differs from the judge's. */
export const voteSchema = z.strictObject(voteShape).partial();

/** `judge.adapt`. Without it tests are adapted mechanically and by nothing else. */
const adaptSchema = z.strictObject({
  model: z.string().describe('a key of models: rewrites a test that fails at an import, a name or a signature'),
  calls: z.int().min(1).max(3).default(3).describe('a whole number from 1 to 3: calls for one task'),
  max_output_tokens: outputTokens
    .optional()
    .describe(
      'a whole number of tokens from 50 to 1,000,000: what one answer may be, its reasoning_tokens on top; 8,000 by default',
    ),
});

/** A model that may rewrite a test whose names alone could not be bound. */
export type AdaptSettings = z.infer<typeof adaptSchema>;

/** `judge.rerank`. Without it matches stand as the search found them. */
const rerankSchema = z.strictObject({
  model: z.string().describe('a key of models: orders what the search found, one call a task'),
  among: z
    .int()
    .min(5)
    .max(50)
    .default(20)
    .describe('a whole number from 5 to 50: entries that it is shown; 20 by default'),
  max_output_tokens: outputTokens
    .optional()
    .describe(
      'a whole number of tokens from 50 to 1,000,000: what its answer may be, its reasoning_tokens on top; 100 by default',
    ),
});

/** A model that orders what the search found, before it is voted on. */
export type RerankSettings = z.infer<typeof rerankSchema>;

/** `judge.coverage`. Without it features lie where their vectors put them. */
const coverageSchema = z.strictObject({
  model: z.string().describe('a key of models: checks where features were put, and moves them'),
});

/** `judge`. */
export const judgeSchema = z.strictObject({
  vote: voteSchema.default({}).describe('how matches are voted on: { voter, model, voters, rounds, top }'),
  adapt: adaptSchema.optional().describe('who may rewrite tests: { model, calls }; leave it out for nobody'),
  rerank: rerankSchema
    .optional()
    .describe('who may order what the search found: { model, among }; leave it out for nobody'),
  second_look: z
    .boolean()
    .optional()
    .describe(
      'true: a trial that failed has its test run on other matches too, 20 runs at most and mostly a few, which tells whose failure it is and changes no verdict; left out: false',
    ),
  coverage: coverageSchema
    .optional()
    .describe('who looks at where features lie in the taxonomy: { model }; leave it out for nobody'),
});

/** Further settings of a system: ZeroRepo has them all, other generators some (`Generator.options`). */
export const optionsSchema = zerorepoOptions.extend({ derive: deriveSchema.optional(), ...agentOptions });

/** A task is graded once a repeat, however often it is named. */
const isDistinct = (words: readonly string[]): boolean => new Set(words).size === words.length;

/** `dataset`: which tasks of which projects; of `taken` where none is named. */
export const datasetSchema = (projects: readonly string[], taken: readonly string[]) =>
  z.strictObject({
    projects: z
      .array(z.enum(projects as [string, ...string[]]))
      .min(1)
      .refine(isDistinct, { message: 'names one twice' })
      .default([...taken])
      .describe(`a list of projects, each once, out of ${projects.join(', ')}`),
    version: z
      .string()
      .refine((id) => idProblem(id, 80) === undefined, { message: 'is not an id' })
      .optional()
      .describe('the id of a version whose descriptions a model wrote; leave it out for those made by rule'),
    limit: z
      .int()
      .min(1)
      .optional()
      .describe('a whole number, 1 or more: tasks a project, sampled by the seed; leave it out for all'),
    tasks: z
      .array(z.string())
      .min(1)
      .refine(isDistinct, { message: 'names one twice' })
      .optional()
      .describe('a list of task ids, each once; leave it out for all'),
  });

/** Who rewrites tests; null = nobody. */
export const adaptSettings = ({ judge }: CampaignSpec): AdaptSettings | null =>
  (judge.adapt ?? null) as AdaptSettings | null;

/** Who orders what the search found; null = nobody. */
export const rerankSettings = ({ judge }: Pick<CampaignSpec, 'judge'>): RerankSettings | null =>
  (judge.rerank ?? null) as RerankSettings | null;

/** Whether failed trials are looked at again. */
export const hasSecondLook = ({ judge }: CampaignSpec): boolean => judge.second_look === true;

/** The model that checks where features lie in the taxonomy; null = nobody. */
export const coverageSettings = ({ judge }: Pick<CampaignSpec, 'judge'>): z.infer<typeof coverageSchema> | null =>
  (judge.coverage ?? null) as z.infer<typeof coverageSchema> | null;

/** The vote settings of one system: defaults, then the judge's, then its own. */
export function voteSettings(spec: CampaignSpec, system: SystemSpec): VoteSettings {
  const judge = (spec.judge.vote ?? {}) as Partial<VoteSettings>;
  const own = (system.vote ?? {}) as Partial<VoteSettings>;
  // Whoever names voters of its own means no others.
  const nobody = own.model === undefined && own.models === undefined ? {} : { model: null, models: null };
  return { ...DEFAULT_VOTE, ...judge, ...nobody, ...own };
}

/** The keys of the models that vote, in the order of the seats; none where none is named. */
export function votingModels({ model, models }: Pick<VoteSettings, 'model' | 'models'>): string[] {
  return models ?? (model === null ? [] : [model]);
}
