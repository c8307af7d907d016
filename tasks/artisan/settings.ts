import { z } from 'zod';
import type { CampaignSpec, SystemSpec } from '../../src/contract/campaign.js';
import { ARTISAN_LIMITS, WORK_SECONDS } from './suite.js';

/** `systems[].options`. */
export const optionsSchema = z.strictObject({
  copy: z
    .string()
    .default('result-file')
    .describe('of the generator copy: which of the copies of a task; the first where it has none of that name'),
  turns: z.int().min(1).max(100).default(30).describe('of an agent: a whole number from 1 to 100; 30 by default'),
  turn_seconds: z
    .int()
    .min(1)
    .max(ARTISAN_LIMITS.script.wallSeconds - 60)
    .default(300)
    .describe('of an agent: a whole number, seconds that one command may take; 300 by default'),
  work_seconds: z
    .int()
    .min(1)
    .max(WORK_SECONDS)
    .default(WORK_SECONDS)
    .describe(`of an agent: a whole number up to ${WORK_SECONDS}, seconds that all its commands may take together`),
});

/** `judge`. */
export const judgeSchema = z.strictObject({
  remember: z
    .boolean()
    .default(true)
    .describe('whether what this installation has run before is taken as it was (the default); false runs all again'),
});

/** The options of a system, defaults filled in. */
export const optionsOf = ({ options }: Pick<SystemSpec, 'options'>): z.infer<typeof optionsSchema> =>
  optionsSchema.parse(options);

/** Whether runs of the same script that are known are not repeated. */
export const isRemembering = ({ judge }: Pick<CampaignSpec, 'judge'>): boolean => judgeSchema.parse(judge).remember;
