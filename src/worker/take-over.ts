import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  describeCampaign,
  restartCampaign,
  runningCampaigns,
  stuckWorkflows,
  terminateCampaign,
} from '../adapters/temporal/campaign-workflow.js';
import { restartBuild, runningBuilds } from '../adapters/temporal/dataset-workflow.js';
import type { OwnNamespace } from '../adapters/temporal/open-client.js';
import type { Records } from '../ports/records.js';
import type { WorkerLog } from './worker-log.js';

/** As often as leases are renewed: a dead worker is known by its lease. */
const PAUSE_MS = 10_000;
const REASON = 'no living worker has the workflow code it ran on';

/** What taking over needs. */
export interface TakeOver {
  own: OwnNamespace;
  records: Records;
  /** Writes a campaign's report, unless there is one of its record as it is. */
  writeReport: (campaignId: string) => Promise<void>;
  /** Ids of the suites that this worker has. */
  suites: ReadonlySet<string>;
  /** Id of the Temporal namespace. */
  server: () => Promise<string>;
  log: Pick<WorkerLog, 'info' | 'warn' | 'debug'>;
  /** Ends it. */
  signal: AbortSignal;
}

/**
 * Takes over what runs on a workflow code that no living worker has, at once and again and again until the signal: after
 * an upgrade, and where the last worker of another code has ended for good. What is of a suite that this worker lacks waits
 * for one that has it. Ends what is cancelled and has nobody else to end it. Never throws.
 */
export async function runTakeOver(parts: TakeOver): Promise<void> {
  const { log, signal } = parts;
  let stranded: ReadonlySet<string> | null = null;
  let isWorking = true;
  while (!signal.aborted) {
    try {
      stranded = await takeOverPass(parts, stranded);
      isWorking = true;
    } catch (error) {
      log[isWorking ? 'warn' : 'debug']({ error: String(error) }, 'nothing can be taken over now: tried again');
      isWorking = false;
    }
    await sleep(PAUSE_MS, undefined, { signal, ref: false }).catch(() => undefined);
  }
}

/**
 * One pass. A worker that has just started takes over at once; later only what was stranded at the pass before as well:
 * another worker may only be on its way up again.
 * @param before null: the first pass
 * @returns what is stranded now
 */
async function takeOverPass(parts: TakeOver, before: ReadonlySet<string> | null): Promise<Set<string>> {
  const { own, records, suites, log } = parts;
  const server = await parts.server();
  const seen = new Set<string>();
  const isDue = (id: string): boolean => {
    seen.add(id);
    return before === null || before.has(id);
  };
  for (const { id, suite, code, epoch } of await records.strandedCampaigns(server)) {
    if (!suites.has(suite)) continue;
    // What was terminated by hand waits for `resume`.
    if (!(await describeCampaign(own, id))?.isRunning || !isDue(id)) continue;
    if (!(await supersede(parts, id, epoch))) continue;
    await restartCampaign(own, id, REASON);
    log.info({ campaign: id, from: code, to: await own.code() }, 'taken over');
  }
  const living = (await records.polledCodes(server)).filter(({ isLiving }) => isLiving);
  const polled = new Set(living.map(({ code }) => own.names.workflowQueue(code)));
  for (const build of await runningBuilds(own)) {
    if (polled.has(build.queue) || !suites.has(build.input.suite) || !isDue(build.workflowId)) continue;
    await restartBuild(own, build);
    log.info({ build: build.workflowId, from: build.queue, to: await own.code() }, 'taken over');
  }
  for (const { id, queue } of await runningCampaigns(own))
    if (!polled.has(queue) && (await records.campaign(id)).endedAt !== null && isDue(id)) await finish(parts, id);
  for (const id of await records.cancelledCampaigns(server))
    if (isDue(`cancel ${id}`) && !(await endsByItself(own, id))) await endCancelled(parts, id);
  return seen;
}

async function endsByItself(own: OwnNamespace, id: string): Promise<boolean> {
  return (await describeCampaign(own, id))?.isRunning === true && (await stuckWorkflows(own, id)).length === 0;
}

/** A cancel whose command had to leave, or was killed, before the campaign was closed. */
async function endCancelled(parts: TakeOver, id: string): Promise<void> {
  const { own, records, log } = parts;
  const epoch = await records.supersede(id);
  if (epoch === null) return;
  await terminateCampaign(own, id, 'it is cancelled, and cannot end by itself');
  for (let status = null; status === null;)
    ({ status } = await records.closeCampaign({ campaignId: id, epoch, cancelled: true }));
  await report(parts, id);
  log.info({ campaign: id }, 'cancelled');
}

/** What a campaign that has ended has left to do: its report, and the end of its workflow. */
async function finish(parts: TakeOver, id: string): Promise<void> {
  const { own, log } = parts;
  await report(parts, id);
  await terminateCampaign(own, id, `it has ended, and ${REASON}`);
  log.info({ campaign: id }, 'finished');
}

async function report({ writeReport, log }: TakeOver, id: string): Promise<void> {
  await writeReport(id).catch((error: unknown) =>
    log.warn({ campaign: id, error: String(error) }, 'the report was not written'),
  );
}

async function supersede({ own, records }: TakeOver, campaignId: string, epoch: number): Promise<boolean> {
  const author = `worker@${hostname()}`;
  return records.takeOver({ campaignId, epoch, code: await own.code(), author, reason: REASON });
}
