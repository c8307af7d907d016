/** The suite-independent shape of a campaign file: what a person writes, in snake_case, before defaults and references. */
import { z } from 'zod';
import { isNoKey, isPlainAddress, notifySchema, VARIABLE_NAME } from './secret-settings.js';

/** Far above any campaign, and far below what micro-dollars in a 64-bit integer can hold. */
const dollars = z.number().min(0).max(1_000_000_000);
/** A dollar a token. */
const dollarsPerMillion = z.number().min(0).max(1_000_000);
const count = z.int().min(1);

/** `price` of a model: dollars per million tokens, or the word `free`. */
const priceSchema = z
  .union([
    z.literal('free'),
    z.strictObject({
      input: dollarsPerMillion.describe('US dollars per million input tokens, from 0 to 1,000,000'),
      output: dollarsPerMillion.describe('US dollars per million output tokens, from 0 to 1,000,000'),
      cached_input: dollarsPerMillion
        .optional()
        .describe('US dollars per million cached input tokens, from 0 to 1,000,000'),
    }),
  ])
  .describe('the word free, or { input: N, output: N } in US dollars per million tokens')
  .meta({ examples: ['{ input: 1.10, output: 4.40 }'] });

/** Parameters of a request that a model can be given by its own settings, as the API names them. */
export const SAMPLING = ['reasoning_effort', 'top_p', 'seed', 'frequency_penalty', 'presence_penalty'] as const;

/** What `extra_body` may not name: what has a setting, and what would change how an answer is read, kept or paid. */
const OWN_PARAMETERS: readonly string[] = [
  ...SAMPLING,
  ...['model', 'messages', 'temperature', 'max_tokens', 'max_completion_tokens', 'n', 'stream', 'stream_options'],
  ...['store', 'response_format'],
];

const modelSchema = z.strictObject({
  name: z
    .string()
    .min(1)
    .describe('the model name the provider knows')
    .meta({ examples: ['gpt-4o-mini'] }),
  base_url: z
    .url({ protocol: /^https?$/ })
    .refine(isPlainAddress, { message: 'holds more than an address' })
    .refine((url) => !/\/chat\/completions\/?$/.test(url), { message: 'goes too far' })
    .describe(
      'the http(s) address of an OpenAI-compatible endpoint, ending before /chat/completions, without user name, password, query (?) and fragment (#)',
    )
    .optional()
    .meta({ examples: ['https://api.openai.com/v1'] }),
  rules: z
    .string()
    .min(1)
    .optional()
    .describe(
      'in the place of base_url: the file of rules that a scripted model answers from, relative to this file; the stack serves it (docs/guides/mock-model.md)',
    )
    .meta({ examples: ['rules.yaml'] }),
  api_key_env: z
    .string()
    .regex(VARIABLE_NAME)
    .refine(isNoKey, { message: 'looks like a key' })
    .nullable()
    .default(null)
    .describe(
      'the NAME of the environment variable that holds the key (never the key), or nothing for endpoints without one',
    )
    .meta({ examples: ['OPENAI_API_KEY'] }),
  price: priceSchema,
  max_output_tokens: count
    .max(10_000_000)
    .default(4096)
    .describe('a whole number of tokens from 1 to 10,000,000: the output cap of one call, reasoning included'),
  reasoning_tokens: count
    .max(10_000_000)
    .optional()
    .describe(
      'a whole number of tokens from 1 to 10,000,000: room for reasoning on top of what a question caps its own answer at (a vote at 300), within max_output_tokens',
    )
    .meta({ examples: [4000] }),
  reasoning_effort: z
    .string()
    .regex(/^[a-z]{1,20}$/)
    .optional()
    .describe('how much a reasoning model thinks, as its provider names it: minimal, low, medium, high')
    .meta({ examples: ['low'] }),
  temperature: z.number().min(0).max(2).nullable().default(null).describe('a number from 0 to 2'),
  top_p: z.number().gt(0).max(1).optional().describe('a number above 0 and up to 1'),
  seed: z.int().optional().describe('a whole number: the sampling seed sent to the provider'),
  frequency_penalty: z.number().min(-2).max(2).optional().describe('a number from -2 to 2'),
  presence_penalty: z.number().min(-2).max(2).optional().describe('a number from -2 to 2'),
  extra_body: z
    .record(z.string(), z.unknown())
    .refine((extra) => !OWN_PARAMETERS.some((name) => Object.hasOwn(extra, name)), {
      message: 'names what is set elsewhere',
    })
    .optional()
    .describe(
      'further parameters of the request as the endpoint names them; none that has its own setting here or that Durabench sets (model, messages, stream, store, …)',
    )
    .meta({ examples: ['{ top_k: 40 }'] }),
  timeout_seconds: z
    .number()
    .positive()
    .max(86_400)
    .default(300)
    .describe('seconds one request may take, above 0 and up to 86,400'),
  stored: z
    .boolean()
    .default(false)
    .describe(
      'true where the provider keeps answers for you (`store` of OpenAI’s chat completions): one that is lost is then fetched by its id instead of asked and paid again; off by default',
    ),
  batch_api: z
    .strictObject({
      price_factor: z
        .number()
        .gt(0)
        .max(1)
        .describe(
          'what a call costs there as a share of price, above 0 and up to 1: 0.5 where the provider takes half',
        ),
      collect_seconds: z
        .number()
        .min(0)
        .max(3_600)
        .default(60)
        .describe('seconds from 0 to 3,600 that the first request of a batch waits for others; 60 by default'),
    })
    .optional()
    .describe(
      'asks the model through the Batch API of its provider (OpenAI’s: /files and /batches below base_url): cheaper, and answered within a day; programs in containers ask it directly, at the whole price',
    )
    .meta({ examples: ['{ price_factor: 0.5 }'] }),
});

const modelWithRoom = modelSchema
  .refine(({ reasoning_tokens: reasoning = 0, max_output_tokens: cap }) => reasoning < cap, {
    path: ['reasoning_tokens'],
    message: 'leaves no room for an answer',
  })
  .refine(({ base_url: url, rules }) => url !== undefined || rules !== undefined, {
    path: ['base_url'],
    message: 'names no endpoint',
  })
  .refine(({ base_url: url, rules }) => url === undefined || rules === undefined, {
    path: ['rules'],
    message: 'stands beside base_url',
  });

const limit = (schema: z.ZodType<number>) => schema.nullable().default(null);
const spendLimit = {
  usd: limit(dollars).describe('US dollars from 0 to 1,000,000,000; leave it out for no limit'),
  tokens: limit(z.int().min(0)).describe('a whole number of tokens, 0 or more; leave it out for no limit'),
};

const systemShape = {
  id: z
    .string()
    .describe('a name of at most 40 characters from a-z, 0-9, ".", "_" and "-"')
    .meta({ examples: ['gold'] }),
  generator: z
    .string()
    .describe('a generator of the suite')
    .meta({ examples: ['single-prompt'] }),
  model: z.string().nullable().default(null).describe('a key of models'),
  purposes: z.record(z.string(), z.string()).default({}).describe('purpose: key of models'),
  path: z.string().min(1).nullable().default(null).describe('a folder or archive, relative to this file'),
  vote: z.record(z.string(), z.unknown()).nullable().default(null).describe('vote settings of this system'),
  limits: z
    .strictObject({
      ...spendLimit,
      total: z.strictObject(spendLimit).prefault({}).describe('limits over the whole campaign: usd, tokens'),
    })
    .optional()
    .describe(
      'what making one candidate may cost: usd, tokens; and total over the campaign. Reaching it ends the candidate',
    )
    .meta({ examples: ['{ usd: 50, tokens: 5_000_000 }'] }),
  options: z.record(z.string(), z.unknown()).default({}).describe('further settings the suite knows'),
};

/** Of a tag, also on the command line. */
export const TAG = /^[a-z0-9][a-z0-9._-]{0,39}$/;
export const TAG_WORDS = '1 to 40 characters from a-z, 0-9, ".", "_" and "-", the first a letter or digit';

/** A campaign file without the parts a suite defines (`dataset`, `judge`, a system's `vote` and options stay open here). */
export const campaignFileSchema = z.strictObject({
  $schema: z.string().optional().describe('address of the JSON Schema, for editors'),
  name: z
    .string()
    .describe('a name of at most 40 characters from a-z, 0-9, ".", "_" and "-"')
    .meta({ examples: ['requests-smoke'] }),
  suite: z
    .string()
    .describe('the benchmark')
    .meta({ examples: ['repocraft'] }),
  tags: z
    .array(z.string().regex(TAG, `is not ${TAG_WORDS}`))
    .max(20)
    .optional()
    .describe(`at most 20 words to find campaigns by, each ${TAG_WORDS}; no part of the question`)
    .meta({ examples: ['[smoke, paper]'] }),
  notify: z
    .array(notifySchema)
    .max(10)
    .optional()
    .describe('at most 10 of { webhook }, { webhook_env } or { command }, each with on: whom the campaign tells what')
    .meta({ examples: ['[{ webhook_env: SLACK_WEBHOOK, on: [end, stall] }]'] }),
  dataset: z.record(z.string(), z.unknown()).default({}).describe('the selection of tasks, defined by the suite'),
  models: z.record(z.string(), modelWithRoom).default({}).describe('name used in this file: model endpoint'),
  systems: z.array(z.looseObject(systemShape)).min(1).describe('a list with at least one { id, generator } entry'),
  judge: z.record(z.string(), z.unknown()).default({}).describe('judge settings, defined by the suite'),
  repeats: count.max(1000).default(1).describe('a whole number from 1 to 1000: independent samples of every task'),
  budget: z
    .strictObject({
      ...spendLimit,
      wall_hours: z
        .number()
        .positive()
        .max(100_000)
        .optional()
        .describe(
          'hours above 0 and up to 100,000 that the campaign may run, without its pauses; leave it out for no limit',
        ),
      trials: count
        .max(10_000_000)
        .optional()
        .describe('a whole number from 1 to 10,000,000: how many trials may be started; leave it out for no limit'),
      soft: z
        .number()
        .gt(0)
        .max(1)
        .optional()
        .describe(
          'a share above 0 and up to 1: no further trial starts once so much of usd, tokens or wall_hours is used up; off by default',
        ),
      on_ambiguous: z
        .enum(['retry', 'fail'])
        .default('retry')
        .describe(
          'retry or fail: whether a request that was cut off, and may have been billed, is sent once more (retry, the default)',
        ),
    })
    .prefault({})
    .describe('limits of the whole campaign: usd, tokens, wall_hours, trials; soft; on_ambiguous')
    .meta({ examples: ['{ usd: 20, wall_hours: 24, soft: 0.9 }'] }),
  isolation: z
    .enum(['candidate', 'container'])
    .default('candidate')
    .describe(
      'candidate or container: whether the runs of one candidate may share containers, wiped between them (candidate, the default), or each gets its own',
    ),
  reuse_answers: z
    .boolean()
    .default(false)
    .describe(
      'true: a question that another campaign of this installation has an answer to (same model, endpoint, price, messages, parameters and repeat) is answered from its record, at no cost and counted apart; off by default',
    ),
  concurrency: z
    .strictObject({
      batches: count
        .max(100)
        .default(2)
        .describe('a whole number from 1 to 100: batches at once, generating and grading each'),
      trials: count.max(500).default(16).describe('a whole number from 1 to 500: trials at once in a batch'),
      model: count.max(500).default(8).describe('a whole number from 1 to 500: model calls at once per worker'),
      sandbox: count.max(100).default(2).describe('a whole number from 1 to 100: containers at once per worker'),
    })
    .prefault({})
    .describe('how much runs at once; never changes a result'),
  experiment: z
    .strictObject({
      baseline: z
        .string()
        .describe('the id of the system that the others are variants of')
        .meta({ examples: ['plain'] }),
      smallest_effect: z
        .number()
        .gt(0)
        .lt(1)
        .default(0.05)
        .describe(
          'a share of tasks above 0 and below 1: the gain that a variant is adopted for at least; 0.05 by default',
        ),
    })
    .optional()
    .describe('its systems are a baseline and variants of it, on which `durabench experiment` decides')
    .meta({ examples: ['{ baseline: plain, smallest_effect: 0.05 }'] }),
  seed: z.int().min(0).default(0).describe('a whole number, 0 or more: seed of sampling'),
});

/** What {@link campaignFileSchema} makes of a file. */
export type CampaignFile = z.output<typeof campaignFileSchema>;

/** Keys every system entry may have; all others belong to the suite's `options` schema. */
export const SYSTEM_KEYS: readonly string[] = Object.keys(systemShape);
