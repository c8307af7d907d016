import { z } from 'zod';
import { programProblems } from '../../src/agents/program-system.js';
import type { CampaignSpec, SystemSpec } from '../../src/contract/campaign.js';
import type { Problem } from '../../src/contract/problem.js';
import { FAMILIES } from './calibration/families.js';
import { ARTISAN_LIMITS, WORK_SECONDS } from './suite.js';

/** `systems[].options`. */
export const optionsSchema = z.strictObject({
  copy: z
    .string()
    .default('result-file')
    .describe('of the generator copy: which of the copies of a task; the first where it has none of that name'),
  family: z
    .enum(Object.keys(FAMILIES) as [string, ...string[]])
    .optional()
    .describe('of the generator derived: which family of labelled scripts'),
  turns: z.int().min(1).max(100).default(30).describe('of an agent: a whole number from 1 to 100; 30 by default'),
  turn_seconds: z
    .int()
    .min(1)
    .max(ARTISAN_LIMITS.script.wallSeconds - 60)
    .default(300)
    .describe(
      `of an agent: a whole number from 1 to ${ARTISAN_LIMITS.script.wallSeconds - 60}, seconds that one command may take; 300 by default`,
    ),
  work_seconds: z
    .int()
    .min(1)
    .max(WORK_SECONDS)
    .default(WORK_SECONDS)
    .describe(`of an agent: a whole number from 1 to ${WORK_SECONDS}, seconds that all its commands may take together`),
  submissions: z
    .int()
    .min(1)
    .max(20)
    .default(5)
    .describe('of an agent: a whole number from 1 to 20, how often it may submit; 5 by default'),
  feedback: z
    .enum(['none', 'status', 'cells'])
    .default('cells')
    .describe(
      'of an agent, what it is told of a submission: none (the first ends the work), status (whether it is right), cells (which of them are; the default)',
    ),
  method_feedback: z
    .boolean()
    .default(true)
    .describe('of an agent: whether it is told that a table which is right counts as copied; true by default'),
  tools: z
    .enum(['all', 'bash'])
    .default('all')
    .describe('of an agent: all (the default), or bash alone, without get and format'),
  image: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]*$/)
    .optional()
    .describe('of a command: the name of an image recipe in which it is found'),
  command: z
    .array(z.string())
    .min(1)
    .refine(([program]) => program === undefined || program.trim() !== '', { message: 'names no program' })
    .optional()
    .describe('of a command: a list of texts, the program and its arguments, run in a folder with TASK.md'),
  wall_seconds: z
    .int()
    .min(1)
    .max(WORK_SECONDS)
    .default(3600)
    .describe(
      `of a command: a whole number from 1 to ${WORK_SECONDS}, seconds it may run, beside waiting for its model; 3600 by default`,
    ),
});

export type ArtisanOptions = z.infer<typeof optionsSchema>;

/** `judge`. */
export const judgeSchema = z.strictObject({
  remember: z
    .boolean()
    .default(true)
    .describe('whether what this installation has run before is taken as it was (the default); false runs all again'),
  opinion: z
    .strictObject({
      model: z
        .string()
        .describe('a key of models: says of a right table, by the text of its script, how it came to be'),
    })
    .optional()
    .describe('who says by the text alone how a right table came to be: { model }; shown, and decides nothing'),
});

/** The options of a system, defaults filled in. */
export const optionsOf = ({ options }: Pick<SystemSpec, 'options'>): ArtisanOptions => optionsSchema.parse(options);

/** Whether runs of the same script that are known are not repeated. */
export const isRemembering = ({ judge }: Pick<CampaignSpec, 'judge'>): boolean => judgeSchema.parse(judge).remember;

/** The key of the model that gives opinions; null where none is asked. */
export const opinionModel = ({ judge }: Pick<CampaignSpec, 'judge'>): string | null =>
  judgeSchema.parse(judge).opinion?.model ?? null;

/** A model that gives opinions and is none of the file. */
export function judgeProblems(spec: Pick<CampaignSpec, 'judge' | 'models'>): Problem[] {
  const [model, known] = [opinionModel(spec), Object.keys(spec.models)];
  if (model === null || known.includes(model)) return [];
  return [
    {
      path: ['judge', 'opinion', 'model'],
      message: `"${model}" is not in models`,
      expected:
        known.length > 0
          ? `one of the models of this file: ${known.join(', ')}`
          : 'a key of models (there is none yet)',
      fix: `write opinion: { model: ${known[0] ?? 'NAME'} }, or leave opinion out`,
    },
  ];
}

/** What a program of somebody's own lacks, or a labelled script. */
export function systemProblems(system: SystemSpec, index: number): Problem[] {
  const { generator, options } = system;
  if (generator === 'derived' && options.family === undefined)
    return [
      {
        path: ['systems', index],
        message: 'the generator derived has no family',
        expected: `options: { family: NAME }, out of ${Object.keys(FAMILIES).join(', ')}`,
        fix: 'name one, or let durabench calibrate artisan do it',
      },
    ];
  return programProblems(system, index);
}
