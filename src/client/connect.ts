import type { Variables } from '../config/env.js';
import { readEnvironment, type Environment } from '../config/env.js';
import { packageRoot } from '../config/package-root.js';
import type { CampaignStatus } from '../contract/campaign.js';
import type { StatusReport } from '../contract/status.js';
import { trialCount } from '../domain/campaign/expand-plan.js';
import { UserError } from '../domain/failure/user-error.js';
import type { CampaignRow, Records, TrialRow } from '../ports/records.js';
import { fullReport, type FullReport } from '../report/full-report.js';
import { statusReport } from '../report/status-report.js';
import { author } from './actor.js';
import { campaignSubject } from './campaigns/campaign-subject.js';
import { endedCampaign, isClosed } from './campaigns/ended-campaign.js';
import { followCampaign } from './campaigns/follow-campaign.js';
import { startCampaign, type StartState } from './campaigns/start-campaign.js';
import { campaignId, openConnection, type Connection } from './connection.js';
import type { ClientEvent, Context } from './context.js';
import type { Engine } from './engine.js';
import { readyForRun } from './machine/ready-for-run.js';
import { refreshWorker, workerNeeds } from './machine/refresh-worker.js';
import { openEngine } from './open-engine.js';
import { makePlan } from './plans/make-plan.js';
import { readCampaign } from './plans/read-campaign.js';

/** Where a client works, and whom it tells. */
export interface ConnectOptions {
  /** The project: relative paths start here, and `.durabench/` lies here unless DURABENCH_HOME says otherwise. Default: the working folder. */
  folder?: string;
  /** Variables as the command line reads them (DATABASE_URL, TEMPORAL_ADDRESS, keys of models). Default: the process's. */
  variables?: Variables;
  /** Whether servers and worker of the project are started where they do not run (`durabench up`). Default: true. */
  up?: boolean;
  onEvent?: (event: ClientEvent) => void;
}

/** A trial with its runs, steps, votes and attempts. */
export type TrialDetail = Awaited<ReturnType<Records['trial']>>;

export interface StartOptions {
  /** A new id, or one of a campaign that asks the same question. Default: drawn from the name. */
  id?: string;
}

export interface StartedCampaign {
  id: string;
  state: StartState;
  /** Trials planned. */
  trials: number;
  /** Page in the Temporal UI; null where none is known. */
  temporalUi: string | null;
}

/** An open client. Campaigns are named by id, by the unique beginning of one, or by `latest`. */
export interface Durabench {
  /**
   * Checks a campaign file, prepares what it needs on this machine, and starts it. Does not wait for it.
   * @throws UserError with everything that is wrong
   */
  start(file: string, options?: StartOptions): Promise<StartedCampaign>;
  /**
   * The state of a campaign, again and again until it has ended; the last one is of its end. Leaving the loop leaves the
   * campaign running.
   * @throws UserError where no workflow runs it any more
   */
  follow(campaign: string, options?: { signal?: AbortSignal }): AsyncGenerator<StatusReport, void>;
  status(campaign: string): Promise<StatusReport>;
  /** Results and provenance, as in `report.json`; its `trial_rows` are {@link Durabench.trials}. */
  report(campaign: string): Promise<Omit<FullReport, 'trial_rows'>>;
  trials(campaign: string): Promise<TrialRow[]>;
  /** One trial with runs, steps, votes and attempts. @param id of the trial, whole */
  trial(id: string): Promise<TrialDetail>;
  /** The newest first. */
  campaigns(limit?: number): Promise<CampaignRow[]>;
  /** What runs finishes, what waits goes on waiting. Returns the state before. */
  pause(campaign: string, reason: string): Promise<CampaignStatus>;
  /** What runs is stopped, what waits is not run. Does not wait for the end. Returns the state before. */
  cancel(campaign: string, reason: string): Promise<CampaignStatus>;
  close(): Promise<void>;
}

/**
 * Opens a client on the servers of a project.
 * @throws UserError where the environment is wrong, or no server answers
 */
export async function connect(options: ConnectOptions = {}): Promise<Durabench> {
  const context = contextOf(options);
  if (options.up !== false) {
    const { startStack } = await import('../stack/stack.js');
    await startStack({ environment: context.environment() }, ({ service, text }) =>
      context.notify({ type: 'step', step: service, message: text }),
    );
  }
  const { connection, close: closeConnection } = await openConnection(context);
  const { engine, close: closeEngine } = await openEngine(context, connection).catch(async (error: unknown) => {
    await closeConnection();
    throw error;
  });
  const { records } = connection;
  const named = (campaign: string): Promise<string> => campaignId(records, campaign);
  const subject = async (campaign: string) => campaignSubject(context, connection, await named(campaign));
  const parts = { context, connection, engine };
  return {
    start: (file, given) => start(parts, file, given ?? {}),
    follow: (campaign, given) => follow(parts, campaign, given?.signal),
    status: async (campaign) => statusReport(await subject(campaign)),
    report: async (campaign) => {
      const found = await subject(campaign);
      const { trial_rows: rows, ...report } = fullReport(found, await found.details());
      void rows; // read by page, where a report is written
      return report;
    },
    trials: async (campaign) => records.trials(await named(campaign)),
    trial: (id) => records.trial(id),
    campaigns: (limit = 100) => records.listCampaigns(limit),
    pause: async (campaign, reason) => stop(parts, await named(campaign), { state: 'pause', reason }),
    cancel: async (campaign, reason) => stop(parts, await named(campaign), { state: 'cancel', reason }),
    close: async () => {
      await closeEngine();
      await closeConnection();
    },
  };
}

interface Parts {
  context: Context;
  connection: Connection;
  engine: Engine;
}

function contextOf({ folder = process.cwd(), variables, onEvent }: ConnectOptions): Context {
  let environment: Environment | undefined;
  return {
    environment: () => (environment ??= readEnvironment(variables, folder)),
    packageRoot: packageRoot(import.meta.url),
    cwd: folder,
    notify: (event) => onEvent?.(event),
    // Signals of the process are its owner's.
    onInterrupt: () => ({ signal: new AbortController().signal, release: () => undefined }),
  };
}

async function start(
  { context, connection, engine }: Parts,
  file: string,
  { id }: StartOptions,
): Promise<StartedCampaign> {
  const campaign = await readCampaign(context, file);
  const plan = await makePlan(context, campaign, { blobs: connection.blobs, id });
  await readyForRun(context, plan, { suite: campaign.suite, blobs: connection.blobs });
  await refreshWorker(context, workerNeeds(context, plan.spec));
  const state = await startCampaign(context, connection, engine, { plan });
  const { temporalUi } = await campaignSubject(context, connection, plan.id);
  return { id: plan.id, state, trials: trialCount(plan), temporalUi };
}

async function* follow(
  { context, connection, engine }: Parts,
  campaign: string,
  signal?: AbortSignal,
): AsyncGenerator<StatusReport, void> {
  const id = await campaignId(connection.records, campaign);
  const left = new AbortController();
  const states: StatusReport[] = [];
  let isOver = false;
  let wake = (): void => undefined;
  const end = followCampaign(context, connection, {
    ...{ id, engine, signal: signal === undefined ? left.signal : AbortSignal.any([signal, left.signal]) },
    onState: (subject) => {
      states.push(statusReport(subject));
      wake();
    },
  }).finally(() => {
    isOver = true;
    wake();
  });
  end.catch(() => undefined); // thrown below, to whoever reads
  try {
    while (!isOver || states.length > 0) {
      const next = states.shift();
      if (next !== undefined) yield next;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
    const ended = await end;
    if (ended.ended === 'lost')
      throw new UserError('environment', {
        message: `campaign ${id} is not finished, but ${ended.why}`,
        fix: `durabench resume ${id}`,
      });
  } finally {
    left.abort();
  }
}

async function stop(
  { connection: { records }, engine }: Parts,
  id: string,
  { state, reason }: { state: 'pause' | 'cancel'; reason: string },
): Promise<CampaignStatus> {
  const { status, desiredState } = await records.campaign(id);
  if (isClosed(status)) throw endedCampaign(id, status);
  // It would bring the campaign back to life.
  if (state === 'pause' && (desiredState === 'cancel' || desiredState === 'stop')) throw endedCampaign(id, 'cancelled');
  await records.setDesiredState({ campaignId: id, state, author: author(), reason });
  await engine.wakeUp(id);
  if (state === 'cancel') await engine.cancel(id);
  return status;
}
