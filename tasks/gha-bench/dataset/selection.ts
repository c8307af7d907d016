import { z } from 'zod';

/** What a campaign may name as projects: from one feature to whole pipelines. */
export const TIERS = ['tier-1', 'tier-2', 'tier-3', 'tier-4'] as const;

/** A task is graded once a repeat, however often it is named. */
const isDistinct = (words: readonly string[]): boolean => new Set(words).size === words.length;

/** `dataset` of a campaign. */
export const selectionSchema = z.strictObject({
  projects: z
    .array(z.enum(TIERS))
    .min(1)
    .refine(isDistinct, { message: 'names one twice' })
    .default([...TIERS])
    .describe(`a list of tiers, each once, out of ${TIERS.join(', ')}`),
  limit: z.int().min(1).optional().describe('a whole number, 1 or more: tasks a tier, by id; leave it out for all'),
  tasks: z
    .array(z.string())
    .min(1)
    .refine(isDistinct, { message: 'names one twice' })
    .optional()
    .describe('a list of task ids, each once; leave it out for all'),
});
