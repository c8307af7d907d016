import type { EvidenceRef } from '../src/contract/evidence.js';
import type { Blobs } from '../src/ports/blobs.js';
import type { Embedder } from '../src/ports/embedder.js';
import type { Memory } from '../src/ports/memory.js';
import type { NotificationCall } from '../src/contract/campaign.js';
import type { Messenger } from '../src/ports/notifications.js';
import type { Asker, AskedAnswer, Question } from '../src/ports/model.js';
import type { Downloads } from '../src/ports/downloads.js';
import type { PackageIndex } from '../src/ports/package-index.js';
import type { Records } from '../src/ports/records.js';
import type { Sandbox } from '../src/ports/sandbox.js';
import type { Suite } from '../src/suite/suite.js';

/** What activities are built from. */
export interface ActivityDependencies {
  records: Records;
  blobs: Blobs;
  sandbox: Sandbox;
  embedder: Embedder;
  memory: Memory;
  /** Asks through the ledger: one call, paid once. Prompt and completion come back as evidence. */
  ask(asker: Asker, question: Question): Promise<{ answer: AskedAnswer; evidence: EvidenceRef[] }>;
  /** Where dataset builds get pinned releases from. */
  packages: PackageIndex;
  downloads: Downloads;
  suites: readonly Suite[];
  /** Absolute path of a suite's folder in the package. */
  suiteFolder(suiteId: string): string;
  /** Absolute path of the folder where a suite's dataset work keeps downloads. */
  downloadsFolder(suiteId: string): string;
  /** Tells people outside. */
  messenger: Messenger;
  /** What they are told, as JSON. */
  notificationBody(call: NotificationCall, campaign: Awaited<ReturnType<Records['campaign']>>): string;
  /** Writes the report of a campaign into this worker's state folder. */
  writeReport(campaignId: string): Promise<void>;
  /** This worker's instance id, for attempts and leases. */
  worker: string;
  /** Id of the Temporal namespace it polls: where the campaigns it opens run. Asked anew: its database may be deleted. */
  server: () => Promise<string>;
  /** Digest of the workflow code it runs: what the campaigns it opens run on. */
  code: string;
}
