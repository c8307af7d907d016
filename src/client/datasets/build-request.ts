import type { Suite } from '../../suite/suite.js';
import type { ModelSpec } from '../../contract/campaign.js';
import type { BuildAccount } from '../../ports/build-accounts.js';

/** A model that describes the tasks of a dataset anew. */
export interface Describing {
  /** The version of the dataset that this makes. */
  version: string;
  /** The account that pays for it, and what that may cost in dollars. */
  account: Omit<BuildAccount, 'budget'> & { usd: number | null };
}

/** What is asked of a build. */
export interface BuildRequest {
  suite: Suite;
  projects: readonly string[];
  detach: boolean;
  /** Whether the tasks are drawn anew; else those of the committed locks keep their place. */
  newSample: boolean;
  /** Null: the tasks are made; else a model describes those that are. */
  describing: Describing | null;
}

type CommandParts = Pick<BuildRequest, 'suite' | 'describing'> & Partial<Pick<BuildRequest, 'projects' | 'newSample'>>;

/** The command that starts a build, comes back to it or ends it, to be typed; all its projects where none are given. */
export function buildCommand(
  action: 'build' | 'cancel',
  { suite, projects = [], newSample = false, describing }: CommandParts,
): string {
  const chosen = projects.length === 0 ? '' : ` --project ${projects.join(',')}`;
  const sample = newSample ? ' --new-sample' : '';
  const words = describing === null ? '' : ` ${describingOptions(describing.account)}`;
  return `durabench dataset ${action} ${suite.manifest.id}${chosen}${sample}${words}`;
}

/** The options that name the model of a build, and what it may cost, to be typed again. */
export function describingOptions({ model, usd }: { model: ModelSpec; usd: number | null }): string {
  const { name, baseUrl, apiKeyEnv, price } = model;
  const key = apiKeyEnv === null ? '' : ` --api-key-env ${apiKeyEnv}`;
  const paid = price === 'free' ? price : `${price.input},${price.output}`;
  const limit = usd === null ? '' : ` --usd ${usd}`;
  return `--descriptions ${name} --base-url ${baseUrl}${key} --price ${paid}${limit}`;
}
