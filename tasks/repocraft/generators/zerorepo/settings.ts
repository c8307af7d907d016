import { z } from 'zod';
import type { SystemSpec } from '../../../../src/contract/campaign.js';

/** Nested objects, lists of names, or names: how published feature trees are written. */
const tree: z.ZodType<unknown> = z.lazy(() =>
  z.union([z.string(), z.null(), z.array(tree), z.record(z.string(), tree)]),
);

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
    repairs: z.int().min(0).max(20).describe('a whole number from 0 to 20: repairs of a unit'),
    mutants: z
      .int()
      .min(0)
      .max(500)
      .describe('a whole number from 0 to 500: functions mutated to see whether tests notice'),
    knowledge: tree.optional().describe('a feature tree of the field: nested names, to choose features from'),
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
  repairs: 8,
  mutants: 30,
};

/** Settings of one ZeroRepo system. */
export type ZeroRepoOptions = typeof DEFAULTS & { knowledge?: unknown };

/** The options of a system with their defaults. */
export const optionsOf = (system: Pick<SystemSpec, 'options'>): ZeroRepoOptions => ({
  ...DEFAULTS,
  ...zerorepoOptions.parse(system.options),
});

/** Paths to the leaves of a feature tree, from wide to narrow. */
export function knowledgePaths(node: unknown, above: readonly string[] = []): string[][] {
  if (typeof node === 'string') return [[...above, node]];
  const children = Array.isArray(node)
    ? node.map((child: unknown) => knowledgePaths(child, above))
    : Object.entries(node ?? {}).map(([name, child]) => knowledgePaths(child, [...above, name]));
  // Nothing, an empty object and an empty list are leaves alike.
  return children.length === 0 && above.length > 0 ? [[...above]] : children.flat();
}
