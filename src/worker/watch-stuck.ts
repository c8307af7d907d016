import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { stuckWorkflows } from '../adapters/temporal/campaign-workflow.js';
import { runningBuilds, stuckBuild } from '../adapters/temporal/dataset-workflow.js';
import type { OwnNamespace } from '../adapters/temporal/open-client.js';
import type { StuckWorkflow } from '../adapters/temporal/workflow-tree.js';
import type { JsonObject } from '../contract/json.js';
import type { Records } from '../ports/records.js';
import type { WorkerLog } from './worker-log.js';

/** Twice within the minute in which it is to be told. */
const PAUSE_MS = 20_000;

/** What watching needs. */
export interface StuckWatch {
  own: OwnNamespace;
  records: Pick<Records, 'campaignsOnCode' | 'noteStuck'>;
  /** Id of the Temporal namespace. */
  server: () => Promise<string>;
  log: Pick<WorkerLog, 'error' | 'info' | 'debug'>;
  /** Ends it. */
  signal: AbortSignal;
}

/**
 * Watches what runs on this worker's workflow code until the signal: where workflows stand still because each try at their
 * next task fails (TMPRL1100), the record and the log say so, whether or not anybody looks at the campaign. Never throws.
 */
export async function watchStuck(parts: StuckWatch): Promise<void> {
  const { log, signal } = parts;
  const told = new Set<string>();
  while (!signal.aborted) {
    await look(parts, told).catch((error: unknown) =>
      log.debug({ error: String(error) }, 'workflows could not be looked at'),
    );
    await sleep(PAUSE_MS, undefined, { signal, ref: false }).catch(() => undefined);
  }
}

/** @param told workflows of dataset builds that the log has named */
async function look(parts: StuckWatch, told: Set<string>): Promise<void> {
  const { own, records } = parts;
  const code = await own.code();
  for (const { id, epoch } of await records.campaignsOnCode(await parts.server(), code))
    await note(parts, { id, epoch }, await stuckWorkflows(own, id));
  for (const build of await runningBuilds(own)) {
    if (build.queue !== own.names.workflowQueue(code)) continue;
    const stuck = await stuckBuild(own, build.workflowId);
    tellBuild(parts, { id: build.workflowId, stuck, told });
  }
}

async function note(
  { records, log }: StuckWatch,
  { id, epoch }: { id: string; epoch: number },
  [first, ...others]: StuckWorkflow[],
): Promise<void> {
  const author = `worker@${hostname()}`;
  const reason = first?.message ?? null;
  const details: JsonObject = first === undefined ? {} : { workflow: first.workflowId, workflows: others.length + 1 };
  if (!(await records.noteStuck({ campaignId: id, epoch, author, reason, details }))) return;
  if (reason === null) log.info({ campaign: id }, 'goes on');
  else log.error({ campaign: id, ...details, error: reason }, `cannot go on: durabench resume ${id}`);
}

function tellBuild(
  { log }: StuckWatch,
  { id, stuck: [first], told }: { id: string; stuck: StuckWorkflow[]; told: Set<string> },
): void {
  if (first === undefined) told.delete(id);
  else if (!told.has(id)) {
    told.add(id);
    log.error({ build: id, error: first.message }, 'cannot go on: cancel the build, then start it again');
  }
}
