import type { QueueName } from '../../contract/stage.js';

/** Hex digits of an installation's id that its names carry: ten thousand in one namespace would meet once in 10^6 cases. */
const TAG_LENGTH = 12;
/** Temporal's own limit, in characters. */
const LONGEST_WORKFLOW_ID = 255;

/**
 * What an installation (a database) calls its task queues and workflows. Servers and namespaces may be shared: every name
 * begins with the installation's tag, so that no worker is handed what stands in another database.
 */
export interface TemporalNames {
  /** The task queue of a role: `<tag>/<role>`. */
  queue(role: Exclude<QueueName, 'workflows'>): string;
  /**
   * The task queue of workflows that run on one workflow code: `<tag>/workflows/<digest>`, so that a history is only ever
   * replayed by the code that wrote it.
   */
  workflowQueue(code: string): string;
  campaign(campaignId: string): string;
  batch(batchId: string): string;
  generation(generationId: string): string;
  trial(trialId: string): string;
  dataset(suite: string, version: number | string): string;
  /** Any workflow: `<tag>/<kind>/<key>`; for the owners above the key is that of their row in Postgres. */
  workflow(kind: string, key: string): string;
}

/** The names of an installation, by its id (`Leases.installation`). */
export const temporalNames = (installation: string): TemporalNames =>
  namesWith(installation.replaceAll('-', '').slice(0, TAG_LENGTH));

/** The names of the installation that a workflow belongs to, by the workflow's id. */
export const namesBeside = (workflowId: string): TemporalNames =>
  namesWith(workflowId.slice(0, workflowId.indexOf('/')));

function namesWith(tag: string): TemporalNames {
  const workflow = (kind: string, key: string): string => `${tag}/${kind}/${key}`;
  return {
    queue: (role) => `${tag}/${role}`,
    workflowQueue: (code) => `${tag}/workflows/${code}`,
    campaign: (id) => workflow('campaign', id),
    batch: (id) => workflow('batch', id),
    generation: (id) => workflow('generation', id),
    trial: (id) => workflow('trial', id),
    dataset: (suite, version) => workflow('dataset', `${suite}/${version}`),
    workflow,
  };
}

/** Longest id of a trial that still makes a workflow id. */
export const LONGEST_TRIAL_ID = LONGEST_WORKFLOW_ID - namesWith('0'.repeat(TAG_LENGTH)).trial('').length;
