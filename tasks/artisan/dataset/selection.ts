import { z } from 'zod';

/** What a campaign may name as projects. */
export const STUDIES: readonly string[] = ['employment', 'ozone', 'silicon', 'silver'];

/** A task is graded once a repeat, however often it is named. */
const isDistinct = (words: readonly string[]): boolean => new Set(words).size === words.length;

/** `dataset` of a campaign. */
export const selectionSchema = z.strictObject({
  projects: z
    .array(z.enum(STUDIES as [string, ...string[]]))
    .min(1)
    .refine(isDistinct, { message: 'names one twice' })
    .default([...STUDIES])
    .describe(`a list of studies, each once, out of ${STUDIES.join(', ')}`),
  limit: z.int().min(1).optional().describe('a whole number, 1 or more: tables a study, by id; leave it out for all'),
  tasks: z
    .array(z.string())
    .min(1)
    .refine(isDistinct, { message: 'names one twice' })
    .optional()
    .describe('a list of task ids, each once; leave it out for all'),
});
