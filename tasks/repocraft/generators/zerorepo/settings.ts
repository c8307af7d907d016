import { z } from 'zod';
import type { SystemSpec } from '../../../../src/contract/campaign.js';

/** `systems[].options` of the generator `zerorepo`; the limits are the paper's where it gives them. */
export const zerorepoOptions = z
  .strictObject({
    iterations: z.int().min(1).max(200).describe('a whole number from 1 to 200: rounds that grow the feature tree'),
    patience: z
      .int()
      .min(1)
      .max(50)
      .describe('a whole number from 1 to 50: rounds without a new feature that end it early'),
    features: z
      .int()
      .min(1)
      .max(3000)
      .describe('a whole number from 1 to 3000: features at which the tree is large enough'),
    rounds: z.int().min(1).max(100).describe('a whole number from 1 to 100: rounds of sorting features into modules'),
    window: z.int().min(1).max(200).describe('a whole number from 1 to 200: units at once in a module'),
    batch: z.int().min(1).max(5).describe('a whole number from 1 to 5: functions written in one prompt'),
    reviewers: z
      .int()
      .min(0)
      .max(3)
      .describe('a whole number from 0 to 3: models that review each layout and the interfaces of each file'),
    repairs: z.int().min(0).max(20).describe('a whole number from 0 to 20: repairs of a unit'),
    seconds: z
      .int()
      .min(1)
      .max(120)
      .describe(
        'a whole number from 1 to 120: CPU seconds the tests of a unit may take; by the clock four times as many',
      ),
    mutants: z
      .int()
      .min(0)
      .max(500)
      .describe('a whole number from 0 to 500: functions mutated to see whether tests notice'),
    // What is in it is looked at by `feature-tree.ts`: a schema that follows a tree down would run out of stack.
    knowledge: z
      .union([z.string().min(1), z.array(z.unknown()), z.record(z.string(), z.unknown())])
      .describe('a feature tree to choose from: nested names, or the path of a JSON file with them'),
    shown: z
      .int()
      .min(1)
      .max(500)
      .describe('a whole number from 1 to 500: leaves of the feature tree shown in a round'),
    explore: z
      .number()
      .min(0)
      .max(1)
      .describe('a number from 0 to 1: the share of them drawn from the whole tree; the others are the nearest'),
    purpose: z
      .string()
      .trim()
      .min(1)
      .max(20_000)
      .describe('a text of 1 to 20,000 characters that says what the library is for, instead of the project’s own'),
  })
  .partial();

/** What holds where nothing is said; the limits are the paper's where it gives them. */
const DEFAULTS = {
  iterations: 30,
  patience: 3,
  features: 1200,
  rounds: 40,
  window: 8,
  batch: 1,
  reviewers: 3,
  repairs: 8,
  seconds: 30,
  mutants: 30,
  shown: 60,
  explore: 0.3,
};

/** Settings of one ZeroRepo system. */
export type ZeroRepoOptions = typeof DEFAULTS & { knowledge?: unknown; purpose?: string };

/** The options of a system with their defaults. */
export const optionsOf = (system: Pick<SystemSpec, 'options'>): ZeroRepoOptions => ({
  ...DEFAULTS,
  ...zerorepoOptions.parse(system.options),
});
