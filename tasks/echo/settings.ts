import { z } from 'zod';

/** `systems[].options` of echo. */
export const optionsSchema = z.strictObject({
  instructions: z
    .string()
    .trim()
    .min(1)
    .max(20_000)
    .optional()
    .describe('of the generator model: a text of 1 to 20,000 characters that it is told besides; none by default'),
});
