import { z } from 'zod';
import { patternProblem } from '../semantics/model/pattern.js';

const texts = z.record(z.string(), z.string());
/** In RE2 syntax; `^` and `$` stand for lines. */
const pattern = z.string().superRefine((text, context) => {
  const problem = patternProblem(text);
  if (problem !== undefined) context.addIssue({ code: 'custom', message: `is no pattern: ${problem}` });
});
/** Which jobs or steps are meant: by the key where the prompt fixes it, else by what they do. */
const role = z.strictObject({
  job: z.string().optional(),
  /** A command line that a tool of the job was run with, as a pattern: `npm test`. */
  runs: pattern.optional(),
  /** A line that one of its steps printed, as a pattern: for what no tool shows. */
  prints: pattern.optional(),
  /** Values of the matrix that the leg has. */
  matrix: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
});
const id = z.string().min(1);

/** What must come of a run; each is pure data, and judged by `judgeAssertion`. */
export const assertionSchema = z.discriminatedUnion('kind', [
  /** Every leg of the role ended so; at least one is there, unless it is to be skipped. */
  z.strictObject({ id, kind: z.literal('conclusion'), of: role, is: z.enum(['success', 'failure', 'skipped']) }),
  /** Nothing of `then` was run before all of `first` had ended. */
  z.strictObject({ id, kind: z.literal('order'), first: role, then: role }),
  /** The legs of the role: how many, or the values they have, in any order. */
  z.strictObject({
    ...{ id, kind: z.literal('legs'), of: role },
    count: z.int().min(0).optional(),
    are: z.array(z.record(z.string(), z.json())).optional(),
  }),
  /** A step of the role gave this output, whatever the step is called. */
  z.strictObject({ id, kind: z.literal('output'), of: role, name: z.string().optional(), matches: pattern }),
  z.strictObject({
    ...{ id, kind: z.literal('artifact'), name: pattern },
    /** A file in it, and what its text is like. */
    file: z.string().optional(),
    matches: pattern.optional(),
  }),
  /** A line that a step of the role printed; or none. */
  z.strictObject({ id, kind: z.literal('log'), of: role, matches: pattern, absent: z.boolean().default(false) }),
  /** The secret was used, and is nowhere in the log. */
  z.strictObject({ id, kind: z.literal('masked'), secret: z.string() }),
  /** A tool was run, told by the recorder and by the log alike; or was not. */
  z.strictObject({
    ...{ id, kind: z.literal('ran'), of: role.optional(), command: pattern, cwd: z.string().optional() },
    exit: z.number().optional(),
    absent: z.boolean().default(false),
  }),
]);

/** A run of a workflow: what happens, and what must come of it. */
export const scenarioSchema = z.strictObject({
  id,
  workflow: z.string().startsWith('.github/workflows/'),
  events: z
    .array(
      z.strictObject({
        event: z.string(),
        payload: z.record(z.string(), z.json()).default({}),
        inputs: texts.default({}),
        secrets: texts.default({}),
        vars: texts.default({}),
        branch: z.string().nullable().default(null),
        tag: z.string().nullable().default(null),
        /** Files that are changed by a commit before it, path → text. */
        changes: texts.default({}),
        seconds: z.number().positive().max(600).default(240),
        assertions: z.array(assertionSchema).min(1),
      }),
    )
    .min(1),
});

export type Role = z.infer<typeof role>;
export type Assertion = z.infer<typeof assertionSchema>;
export type Scenario = z.infer<typeof scenarioSchema>;

/** All that is asserted of runs of these scenarios. */
export const assertionsOf = (scenarios: readonly Scenario[]): Assertion[] =>
  scenarios.flatMap(({ events }) => events.flatMap(({ assertions }) => assertions));
