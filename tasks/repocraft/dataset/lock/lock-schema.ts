import { z } from 'zod';
import { idProblem } from '../../../../src/domain/campaign/ids.js';

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const count = z.int().min(0);
const isId = (text: string): boolean => idProblem(text, 80) === undefined;

/** What a lock must hold to be one. Further keys are a newer recipe's. */
export const lockSchema = z.looseObject({
  suite: z.literal('repocraft'),
  version: z.union([count, z.string().refine(isId, { message: 'is not an id' })]),
  project: z.string(),
  reference: z.looseObject({ name: z.string(), version: z.string(), sha256: hash }),
  recipe: z.string(),
  counts: z.looseObject({ functions: count, tasks: count }),
  tasks: z.array(
    z.looseObject({
      id: z.string().refine(isId, { message: 'is not an id' }),
      sha256: hash,
      category: z.string(),
      difficulty: z.enum(['easy', 'medium', 'hard']),
      file: z.string(),
      lines: z.array(z.tuple([count, count])),
      functions: z.array(z.string()).min(1),
      description: z.string().min(1).optional(),
    }),
  ),
  digest: hash,
});

const importSchema = z.looseObject({
  module: z.string(),
  name: z.string().nullable(),
  local: z.string(),
  uses: z.array(z.string()),
});

/** What a task must hold to be graded. */
export const taskSchema = z.looseObject({
  id: z.string(),
  project: z.string(),
  category: z.string(),
  description: z.string(),
  test_code: z.string(),
  imports: z.array(importSchema),
  fixtures: z.array(z.looseObject({ name: z.string(), provider: z.string() })),
  auxiliary_code: z.record(z.string(), z.string()),
  functions: z.array(z.string()),
  targets: z.array(z.string()),
  difficulty: z.enum(['easy', 'medium', 'hard']),
});
