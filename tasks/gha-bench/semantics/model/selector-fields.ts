import { z } from 'zod';
import { patternProblem } from './pattern.js';

/** A pattern of `compilePattern`; one that does not compile is refused with its reason. */
export const patternSchema = z.string().superRefine((source, context) => {
  const problem = patternProblem(source);
  if (problem !== undefined) context.addIssue({ code: 'custom', message: `the pattern does not compile: ${problem}` });
});

/** What a job or step does, instead of what it is called. All that is written must hold. */
const selectorFields = z
  .strictObject({
    /** Of its script; for jobs: of one of its steps. */
    runs: patternSchema.optional(),
    /** `owner/repo`, `owner/repo/path` or a local path, without `@ref`; several: any of them. */
    uses: z.union([z.string(), z.array(z.string()).min(1)]).optional(),
    /** Id or name, where the task fixes it. */
    named: patternSchema.optional(),
    /** Values of `with`, by input. */
    with: z.record(z.string(), patternSchema).optional(),
    /** Path of the reusable workflow a job calls. */
    calls: z.string().optional(),
    /** Of a job. */
    environment: z.string().optional(),
    /** The file it stands in. */
    file: patternSchema.optional(),
  })
  .refine((fields) => Object.keys(fields).length > 0, 'a role needs at least one of runs, uses, named, with, calls …');

/** A role of the task by its name, or what it would say. */
export const selectorSchema = z.union([z.string(), selectorFields]);

export type SelectorFields = z.infer<typeof selectorFields>;
export type Selector = z.infer<typeof selectorSchema>;
export const rolesSchema = z.record(z.string(), selectorFields);
