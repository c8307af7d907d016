import { z } from 'zod';
import { programImages } from '../../../src/agents/program-system.js';
import type { SystemSpec } from '../../../src/contract/campaign.js';
import { AGENT_SECONDS } from '../suite.js';

const image = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]*$/)
  .describe('the name of an image recipe: where the program, or what the agent runs, finds its tools');

/** `systems[].options` of the generators `command` and `agent`, among others. */
export const agentOptions = {
  image: image.optional(),
  command: z
    .array(z.string())
    .min(1)
    .refine(([program]) => program === undefined || program.trim() !== '', { message: 'names no program' })
    .optional()
    .describe('a list of texts: the program and its arguments, run in a folder with PURPOSE.md and DEPENDENCIES.txt'),
  wall_seconds: z
    .int()
    .min(1)
    .max(AGENT_SECONDS)
    .optional()
    .describe(`a whole number from 1 to ${AGENT_SECONDS}: seconds the program may run, beside waiting for its model`),
  turns: z.int().min(1).max(100).optional().describe('a whole number from 1 to 100: turns of the agent'),
  turn_seconds: z
    .int()
    .min(1)
    .max(3600)
    .optional()
    .describe('a whole number from 1 to 3600: seconds one command of the agent may take'),
  work_seconds: z
    .int()
    .min(1)
    .max(AGENT_SECONDS)
    .optional()
    .describe(`a whole number from 1 to ${AGENT_SECONDS}: seconds that all commands of the agent may take together`),
};

/** What a program of somebody's own is run by. */
export const programSettings = z.object({
  image: z.string(),
  command: z.array(z.string()).min(1),
  wall_seconds: z.number().default(3600),
});

/** What our own loop is held to. */
export const loopSettings = z.object({
  image: z.string().default('base'),
  turns: z.number().default(30),
  turn_seconds: z.number().default(300),
  work_seconds: z.number().default(AGENT_SECONDS),
});

/** Images of recipes that a system names for itself. */
export const ownImages = (system: SystemSpec): string[] =>
  system.generator === 'agent' ? [loopSettings.parse(system.options).image] : programImages(system);
