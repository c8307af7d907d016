import { z } from 'zod';

const id = z.string().regex(/^[a-z0-9][a-z0-9-]*$/, 'is no id of small letters and digits');

/** Why its publishers leave a table out of the benchmark. */
export const LEFT_OUT = ['non-result', 'missing', 'non-deterministic', 'exceed-hardware'] as const;

/** One table of a paper. */
const table = z.looseObject({
  'non-result': z.boolean().default(false),
  missing: z.boolean().default(false),
  'non-deterministic': z.boolean().default(false),
  'exceed-hardware': z.boolean().default(false),
  'repro-kind': z.enum(['full', 'lastmile']).optional(),
  'data-collection-manual': z.boolean().default(false),
  /** Not of the release so far; taken where somebody adds it. */
  memory_gib: z.number().positive().optional(),
});

/** `metadata.json`: a list of papers. What is not named here is left alone. */
export const metadataSchema = z.array(
  z.looseObject({
    id,
    title: z.string().min(1),
    conf: z.string(),
    year: z.int(),
    paper_url: z.url(),
    artifact_url: z.url(),
    language: z.string().regex(/^[\w+#.-]{1,40}$/, 'is no name of a language'),
    topic: z.string(),
    uses_docker: z.boolean(),
    uses_api: z.boolean(),
    uses_gpu: z.boolean(),
    tables: z.record(z.string().regex(/^\d+$/, 'is no number of a table'), table),
  }),
);

/** A paper of the release. */
export type ReleasedPaper = z.infer<typeof metadataSchema>[number];
