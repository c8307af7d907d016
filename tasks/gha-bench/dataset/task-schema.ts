import { z } from 'zod';
import { checkSchema } from '../semantics/checks/check.js';
import { scenarioSchema } from '../runs/scenario.js';
import { rolesSchema } from '../semantics/model/selector-fields.js';

/** How much of a task a prompt says. */
export const PROMPT_VARIANTS = ['minimal', 'detailed'] as const;

/** Layers of the grading: syntax, lint, features, runs. */
const LAYERS = ['syntax', 'lint', 'features', 'runs'] as const;

const id = z.string().regex(/^[a-z0-9][a-z0-9-]{0,59}$/, 'is not lower-case letters, digits and "-"');
const sentence = z.string().min(10).max(400);
const feature = z.string().regex(/^t[1-4]\.[a-z_.]+$/, 'is not a feature id such as t2.needs.dag');
/** Of a file in the tree; text only. */
const tree = z.record(z.string(), z.string());

/** `metadata.yaml`. */
export const metadataSchema = z.strictObject({
  tier: z.int().min(1).max(4),
  /** Feature family, the category of reports. */
  family: id,
  /** Of the project in `repo/`. */
  ecosystem: id,
  difficulty: z.enum(['easy', 'medium', 'hard']),
  written_by: z.string().min(1),
  reviewed_by: z.string().min(1).nullable(),
  /** A GUID that is never sent: found in an answer, the task was in somebody's training data. */
  marker: z.uuid(),
  licence: z.literal('CC-BY-4.0'),
});

/** Something the prompts ask for, and the checks that hold it. */
const requirementSchema = z.strictObject({
  id,
  sentence,
  features: z.array(feature).min(1),
  stated_in: z.array(z.enum(PROMPT_VARIANTS)).min(1),
  checks: z.array(id).min(1),
});

/** `spec.yaml`. */
export const specSchema = z.strictObject({
  /** Where a single block without a path goes, and what else may be written outside `.github/`. */
  files: z.array(z.string()).min(1),
  multiple_solutions: z.boolean(),
  features: z.array(feature).min(1),
  requirements: z.array(requirementSchema).min(1),
  /** Audits of a linter that this task asks to be broken. */
  waivers: z
    .array(z.strictObject({ tool: z.enum(['zizmor', 'actionlint', 'scorecard']), rule: z.string(), reason: sentence }))
    .default([]),
});

/** `validation/static_checks.yaml`: what the files must mean, and roles that name jobs and steps by what they do. */
export const staticChecksSchema = z.strictObject({
  roles: rolesSchema.default({}),
  checks: z.array(checkSchema).default([]),
});

/** `validation/runtime_checks.yaml`: runs of the workflow, and what must come of them. */
export const runtimeChecksSchema = z.strictObject({
  scenarios: z.array(scenarioSchema).default([]),
});

/** `mutants.yaml`: the oracle with a mistake in it. */
export const mutantsSchema = z.strictObject({
  mutants: z.array(
    z.strictObject({
      id,
      /** What is wrong with it. */
      sentence,
      edits: z.array(z.strictObject({ file: z.string(), find: z.string().min(1), replace: z.string() })).min(1),
      /** The layer that rejects it, and the check or rule there. */
      layer: z.enum(LAYERS),
      trips: z.string().min(1),
    }),
  ),
});

/** One task, whole; canonical JSON of it is the blob that campaigns are pinned to. */
export const taskSchema = z.strictObject({
  version: z.literal(1),
  id,
  metadata: metadataSchema,
  spec: specSchema,
  /** Variant → what is asked. */
  prompts: z.strictObject({ minimal: z.string().min(1), detailed: z.string().min(1) }),
  /** The project the workflow is for. */
  repo: tree,
  oracle: tree,
  alternatives: z.record(id, tree),
  mutants: z.array(z.strictObject({ id, sentence, layer: z.enum(LAYERS), trips: z.string(), tree })),
  roles: staticChecksSchema.shape.roles,
  staticChecks: staticChecksSchema.shape.checks,
  scenarios: runtimeChecksSchema.shape.scenarios,
});

export type GhaTask = z.infer<typeof taskSchema>;
