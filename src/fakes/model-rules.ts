import { z } from 'zod';

const count = z.number().int().nonnegative();
/** What an endpoint may claim of its tokens: also what no count can be. */
const claim = z.union([z.number(), z.string(), z.null()]).optional();
const textList = z.union([z.string(), z.array(z.string()).min(1)]).transform((value) => [value].flat());

/** When a rule applies. Every condition that is given must hold; texts are matched as they stand, case included. */
const matchSchema = z.strictObject({
  /** What the harness asks for: `vote`, `adapt`, `generate`, … (header x-durabench-purpose). */
  purpose: z.string().optional(),
  model: z.string().optional(),
  /** Text, or all of several, in the last message of the user or of a tool. */
  contains: textList.optional(),
  /** Text, or all of several, in the system messages. */
  system: textList.optional(),
  /** Regular expression over the same message, `.` matches line ends; its groups fill `template` and arguments of `toolCall`. */
  regex: z.string().optional(),
  /** The nth turn (1, 2, …) of a conversation: so many answers less one stand in its messages. */
  turn: z.number().int().positive().optional(),
  /** The name of a tool that the request offers. */
  tool: z.string().optional(),
  /** The share of what is asked, by that message and `seed`: the same ones every time. */
  share: z.number().min(0).max(1).optional(),
  /** Another seed draws other ones; 0 where not given. */
  seed: count.optional(),
  /** The nth request (1, 2, …) for which everything else of this rule holds. */
  nth: z.number().int().positive().optional(),
  /** The nth time this very call is sent (same call label, or same body where there is none): `1` fails every call once. */
  attempt: z.number().int().positive().optional(),
});

/**
 * What the server does to a reply. `error-in-200`: the rule's `error` stands in a reply that began as an answer does, as routers
 * tell what their own provider refused.
 */
const faultSchema = z.enum(['broken-json', 'not-json', 'no-choices', 'error-in-200']);

/** How the player answers, and for which symbols of its library; for all where none is named. */
const playSchema = z.union([
  z.string().transform((as) => ({ as, units: undefined })),
  z.strictObject({
    as: z.string(),
    units: z.array(z.string()).min(1).optional(),
    skill: z.number().min(0).max(1).optional(),
    seed: z.int().min(0).optional(),
  }),
]);

const replyShape = {
  /** The whole answer. */
  answer: z.string().optional(),
  /** A file with the answer, relative to the rules file; `{{1}}`, `{{name}}` in it are filled as in `template`, and name one file inside its folder. */
  file: z.string().optional(),
  /** What a `file` with groups can name, as it is then written → text: filled in where rules are read. The rule matches where it names one. */
  answers: z.record(z.string(), z.string()).optional(),
  /** The answer with `{{1}}`, `{{name}}` filled from the groups of `match.regex`. */
  template: z.string().optional(),
  /** Has the player answer what is asked (`library`): `competent`, or in a manner that shows a fault. */
  plays: playSchema.optional(),
  /** Token counts to report, be they true or not; `none` leaves them out; counted from the texts where not given. */
  usage: z
    .union([z.literal('none'), z.strictObject({ input: claim, cached: claim, output: claim, reasoning: claim })])
    .optional(),
  /** Tokens spent on thinking before the answer, of this reply; in the place of the endpoint's. */
  reasoningTokens: count.optional(),
  /** The words of a refusal (`message.refusal`), without content. */
  refusal: z.string().optional(),
  /** Calls this tool with this text as its arguments, without content; `{{1}}` in it is filled as in `template`. */
  toolCall: z.strictObject({ name: z.string(), arguments: z.string().default('{}') }).optional(),
  finishReason: z.string().optional(),
  /** Milliseconds before the first byte. */
  delayMs: count.max(3_600_000).optional(),
  /** Milliseconds between two events of a stream. */
  chunkDelayMs: count.max(60_000).optional(),
  /** An error status: 400 … 599. */
  status: z.number().int().min(400).max(599).optional(),
  /** Message and code of the error. */
  error: z
    .strictObject({
      message: z.string(),
      code: z.union([z.string(), z.int()]).optional(),
      type: z.string().optional(),
    })
    .optional(),
  headers: z.record(z.string(), z.union([z.string(), z.number()]).transform(String)).optional(),
  /** Breaks the connection: `before-reply`, or after so many bytes of the body. */
  cut: z.union([z.literal('before-reply'), z.strictObject({ afterBytes: count })]).optional(),
  malformed: faultSchema.optional(),
  /** Replies with one JSON document even where a stream was asked for, as some endpoints do. */
  plain: z.boolean().optional(),
  /** `false`: the answer is not kept although the request asks for it (`store`). */
  kept: z.boolean().optional(),
};

const ruleSchema = z.strictObject({
  /** Shown in the log and in error messages; `rule 3` where not given. */
  name: z.string().optional(),
  match: matchSchema.default({}),
  ...replyShape,
  /** The rule is used so many times and then passed over. */
  times: z.number().int().positive().optional(),
});

/** What the provider admits; a refusal is a 429. */
const limitsSchema = z.strictObject({
  requestsPerMinute: z.number().positive().optional(),
  /** Counted as the reply's usage, input and output. */
  tokensPerMinute: z.number().positive().optional(),
  /** For how long what is not used is saved up. */
  burstSeconds: z.number().positive().default(60),
  /** Whether a refusal says when to come back: `sometimes` is every other time. */
  retryAfter: z.enum(['always', 'never', 'sometimes']).default('always'),
  /** Sends `x-ratelimit-…` headers with every reply. */
  headers: z.boolean().default(false),
});

/** Replies with 503 for a while, counted from the first request. */
const outageSchema = z.strictObject({ afterMs: count, forMs: count });

/** A share of the requests that were admitted fails; the same ones for the same seed. */
const errorsSchema = z.strictObject({
  share: z.number().min(0).max(1),
  status: z.number().int().min(400).max(599).default(500),
  seed: count.default(0),
});

/** How the Batch API behaves. What a request of a batch is answered with, the rules say; `cut` leaves it without a reply. */
const batchesSchema = z.strictObject({
  /** Milliseconds from the creation of a batch to its end. */
  delayMs: count.max(86_400_000).default(0),
  /** How the first, second, … batch ends; those after them are completed. Of an expired one half was answered. */
  ends: z.array(z.enum(['completed', 'expired', 'failed'])).default([]),
});

/** Parameters that some endpoints refuse with a 400. */
const REFUSABLE = ['temperature', 'top_p', 'stream_options', 'response_format', 'reasoning_effort'] as const;

/** The manners of the endpoint, which hold for every reply. Present: answers end at the cap that was asked for. */
const endpointSchema = z.strictObject({
  /** What the output cap is called here; the other name is refused. Absent: both are known. */
  outputCap: z.enum(['max_tokens', 'max_completion_tokens']).optional(),
  refuses: z.array(z.enum(REFUSABLE)).default([]),
  /** Tokens spent on thinking before each answer, within the cap; a quarter with `reasoning_effort: low`, four times with `high`. */
  reasoningTokens: count.default(0),
});

/** A rules file: the first rule that matches answers, else `default`, else an error that names the nearest rule. */
export const rulesSchema = z.strictObject({
  /** Names for GET /v1/models. */
  models: z.array(z.string()).default(['scripted']),
  /** Id of the suite whose player `plays`. Absent: the one that plays a `library`. */
  suite: z.string().optional(),
  /** Folder of the small Python library that the player knows, relative to the rules file: `<folder>/src/<package>`. */
  library: z.string().optional(),
  rules: z.array(ruleSchema).default([]),
  default: z.strictObject(replyShape).optional(),
  endpoint: endpointSchema.optional(),
  limits: limitsSchema.optional(),
  outages: z.array(outageSchema).default([]),
  errors: errorsSchema.optional(),
  batches: batchesSchema.prefault({}),
});

/** A parsed rules file. */
export type ModelRules = z.output<typeof rulesSchema>;
/** What may be written in a rules file or handed to the server by a test. */
export type ModelRulesInput = z.input<typeof rulesSchema>;
/** The manners of the endpoint. */
export type EndpointManners = z.output<typeof endpointSchema>;
/** One rule. */
export type ModelRule = ModelRules['rules'][number];
/** What a rule, or the default, does. */
export type ScriptedReply = Omit<ModelRule, 'match' | 'times' | 'name'>;
/** When a rule applies. */
export type RuleMatch = ModelRule['match'];
