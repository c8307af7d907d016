import { describeSpec } from '../../config/describe.js';
import type { Problem } from '../../contract/problem.js';
import type { Context } from '../context.js';
import { readCampaign } from './read-campaign.js';

/** A campaign file that is in order. */
export interface ValidCampaign {
  name: string;
  suite: string;
  /** Ids of its systems. */
  systems: string[];
  /** What need not stop it, as a variable of a key that is not set: it may be checked where it does not run. */
  warnings: readonly Problem[];
  /** The file with every default filled in, as YAML. */
  config: string;
}

/**
 * Checks a campaign file without starting anything. Relative paths start at the context's folder.
 * @throws UserError with everything that is wrong
 */
export async function validateCampaign(context: Context, file: string): Promise<ValidCampaign> {
  const { spec, suite, warnings } = await readCampaign(context, file, { missingKeys: 'warning' });
  const systems = spec.systems.map(({ id }) => id);
  return { name: spec.name, suite: suite.manifest.id, systems, warnings, config: describeSpec(spec) };
}
