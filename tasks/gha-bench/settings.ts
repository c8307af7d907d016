import { z } from 'zod';
import type { CampaignSpec, SystemSpec } from '../../src/contract/campaign.js';
import { PROMPT_VARIANTS } from './dataset/task-schema.js';

/** `systems[].options`: the conditions an answer is made under. */
export const optionsSchema = z.strictObject({
  prompt: z
    .enum(PROMPT_VARIANTS)
    .default('detailed')
    .describe('how much the prompt says: minimal or detailed; detailed by default'),
  context: z
    .enum(['none', 'tree', 'full'])
    .default('full')
    .describe('what is shown of the project: none, tree (its paths) or full (its files); full by default'),
  skill: z
    .number()
    .min(0)
    .max(1)
    .default(0.5)
    .describe('of the generator known: the share of tasks, from 0 to 1, for which it hands out the oracle'),
});

export type GhaOptions = z.infer<typeof optionsSchema>;

/** `judge`: what of a candidate is executed. */
export const judgeSchema = z.strictObject({
  execute: z
    .enum(['act', 'none'])
    .default('act')
    .describe('act runs the workflows (the default); none: they are only read, and the layer runs is null'),
  remember: z
    .boolean()
    .default(true)
    .describe('whether what this installation has run before is taken as it was (the default); false runs all again'),
});

/** Whether workflows are run in this campaign. */
export const isExecuted = ({ judge }: Pick<CampaignSpec, 'judge'>): boolean =>
  judgeSchema.parse(judge).execute === 'act';

/** Whether runs of the same files that are known are not repeated. */
export const isRemembering = ({ judge }: Pick<CampaignSpec, 'judge'>): boolean => judgeSchema.parse(judge).remember;

/** The options of a system, defaults filled in. */
export const optionsOf = ({ options }: Pick<SystemSpec, 'options'>): GhaOptions => optionsSchema.parse(options);
