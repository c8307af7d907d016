import type { ZodType } from 'zod';
import type { CampaignSpec } from '../contract/campaign.js';
import type { Problem } from '../contract/problem.js';
import type { GeneratorTraits } from '../suite/generation.js';

/** What checking a campaign file needs of a suite; every `Suite` of `tasks/suites.ts` fits it. */
export interface SuiteRules {
  manifest: { id: string };
  schemas: { dataset: ZodType; judge: ZodType; vote: ZodType; options: ZodType };
  generators: Record<string, Omit<GeneratorTraits, 'phase'>>;
  dataset: { projects: readonly string[] };
  campaignProblems(spec: CampaignSpec): Problem[];
}

/** What a generator needs; undefined for a name that is not one of the suite's (`constructor` is none either). */
export function needsOf(
  suite: SuiteRules | undefined,
  generator: string,
): SuiteRules['generators'][string] | undefined {
  return suite !== undefined && Object.hasOwn(suite.generators, generator) ? suite.generators[generator] : undefined;
}
