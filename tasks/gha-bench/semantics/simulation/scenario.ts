import { z } from 'zod';
import { selectorSchema } from '../model/selector-fields.js';
import { probeSchema } from './probe.js';

/** An event, and how the steps of the run it starts end. Steps that are not named succeed. */
export const scenarioSchema = z.strictObject({
  on: probeSchema,
  /** Steps that fail; with `leg`, in the legs that have these values. */
  fails: z
    .array(
      z.union([
        selectorSchema,
        z.strictObject({ step: selectorSchema, leg: z.record(z.string(), z.unknown()).optional() }),
      ]),
    )
    .optional(),
  /** Someone cancels the run while this step runs. */
  cancelledAt: selectorSchema.optional(),
  /** What steps hand on; a value that the script says itself need not be here. */
  outputs: z.array(z.strictObject({ of: selectorSchema, values: z.record(z.string(), z.string()) })).optional(),
  /** Of the repository. Without it every secret has a value; runs of forks have none. */
  secrets: z.array(z.string()).optional(),
  vars: z.record(z.string(), z.string()).optional(),
});

export type Scenario = z.infer<typeof scenarioSchema>;
