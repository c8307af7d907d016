import type { ZodType } from 'zod';
import type { CampaignSpec } from '../contract/campaign.js';
import type { Problem } from '../contract/problem.js';

/** What checking a campaign file needs of a suite; every `Suite` of `tasks/suites.ts` fits it. */
export interface SuiteRules {
  manifest: { id: string };
  schemas: { dataset: ZodType; judge: ZodType; vote: ZodType; options: ZodType };
  generators: Record<string, { needsModel: boolean; needsPath: boolean; description: string }>;
  dataset: { projects: readonly string[] };
  campaignProblems(spec: CampaignSpec): Problem[];
}
