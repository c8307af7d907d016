import { z } from 'zod';
import { forecast, progress, trialFields } from './campaign-documents.js';
import { advice, anyJson, count, failure, hash, instant, outcome, problem, state, usd } from './fields.js';

const evidence = z.array(
  z.object({ sha256: hash, size_bytes: count, media_type: z.string(), name: z.string(), truncated: z.boolean() }),
);

const ofStep = { stage: z.string(), step: z.string(), run: count, attempt: count };
const times = { started_at: instant, ended_at: instant };

const calls = z
  .object({ answered: count, replayed: count, reused: count })
  .describe(
    'model calls of the step in all runs; those answered again from the record, and those answered with what another campaign got',
  );

const steps = z.array(z.object({ ...ofStep, result: anyJson, evidence, calls, ...times }));

const attempts = z.array(
  z.object({ ...ofStep, worker: z.string(), ...times, failure: failure.nullable(), evidence: evidence.optional() }),
);

/** `show TRIAL` */
export const trialDocument = z.object({
  trial: trialFields.extend({ campaign: z.string(), batch: z.string() }),
  runs: z.array(
    z.object({
      ...{ run: count, kind: z.enum(['grade', 'again', 'regrade']), of_run: count.nullable() },
      ...{ workflow_id: z.string().nullable(), workflow_run_id: z.string().nullable(), outcome: outcome.nullable() },
      ...{ blame: z.string().nullable(), reason: z.string().nullable(), message: z.string().nullable(), advice },
      verdict: anyJson,
      skipped: z.array(z.object({ stage: z.string(), reason: z.string() })),
      started_at: instant.nullable(),
      ended_at: instant.nullable(),
    }),
  ),
  steps,
  votes: z.array(
    z.object({
      ...{ match: count, round: count, voter: count, model: z.string() },
      ...{ answer: z.enum(['yes', 'no', 'partial', 'abstain']), reason: z.string() },
    }),
  ),
  attempts,
  task: z
    .object({ asked: z.string(), test: z.object({ name: z.string(), text: z.string() }).nullable() })
    .nullable()
    .describe('what was asked and how it is tested; null where the text is not on this machine'),
  answer: z
    .object({
      ...{ stage: z.string(), step: z.string(), purpose: z.string(), model: z.string() },
      finish_reason: z.string().nullable(),
      parts: z.array(z.object({ role: z.string(), text: z.string() })),
      evidence: evidence.element,
    })
    .nullable()
    .describe('what a model answered last, the system before its judges; null where none was asked in this trial'),
  again: z.string().nullable().describe('the command that runs it again'),
  tables: z
    .array(
      z.object({
        title: z.string(),
        columns: z.array(z.string()),
        rows: z.array(z.array(anyJson)),
        notes: z.array(z.string()),
      }),
    )
    .describe('what the grader found, part by part; of the suite'),
  explanation: problem.nullable().describe('what the suite reads in the evidence of a trial that failed'),
  failure_class: z.string().nullable().describe('of one that failed: whose failure it points to (`explain`)'),
  temporal_ui: z.string().nullable(),
});

/** `logs TRIAL`: a line for each piece of evidence. */
export const logDocument = z.object({
  ...{ owner: z.string(), stage: z.string(), step: z.string(), run: count },
  failed_attempt: count
    .nullable()
    .describe('number of an attempt that failed; null for what a step that ended has left'),
  evidence: evidence.element,
  text: z.string().nullable().describe('null of bytes that are no text, and where it is kept no more'),
});

/** `show GENERATION` */
export const generationDocument = z.object({
  generation: z.object({
    ...{
      id: z.string(),
      campaign: z.string(),
      system: z.string(),
      scope: z.string(),
      repeat: count,
      run: count,
      state,
    },
    failure: failure.nullable(),
    candidate: z
      .object({ sha256: hash, size_bytes: count, files: count, provenance: z.enum(['reference', 'generated']) })
      .nullable(),
    started_at: instant.nullable(),
    ended_at: instant.nullable(),
    ...{ usd, tokens: count },
  }),
  steps,
  attempts,
  forecast,
  progress,
  temporal_ui: z.string().nullable(),
});

/** `show GENERATION --graph` */
export const pictureDocument = z.object({
  generation: z.string(),
  format: z.enum(['mermaid', 'svg']),
  picture: z.string(),
});

/** `graph export` */
export const graphDocument = z.object({
  generation: z.string(),
  stage: z.string().nullable(),
  step: z.string(),
  graph: anyJson,
});
