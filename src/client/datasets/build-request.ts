import type { Suite } from '../../suite/suite.js';
import type { CampaignPlan } from '../../contract/plan.js';

/** A model that describes the tasks of a dataset anew. */
export interface Describing {
  /** The version of the dataset that this makes. */
  version: string;
  /** The campaign without trials that holds its books. */
  books: CampaignPlan;
  /** The options that name it, to be typed again. */
  words: string;
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
  const words = describing === null ? '' : ` ${describing.words}`;
  return `durabench dataset ${action} ${suite.manifest.id}${chosen}${sample}${words}`;
}
