import { resolve } from 'node:path';
import { allSuites } from '../suite/registry.js';
import { campaignNamed } from './campaigns/campaign-named.js';
import { followStates } from './campaigns/follow-states.js';
import { campaignSubject } from './campaigns/campaign-subject.js';
import { generationByPath, trialByPath, trialOrGenerationByPath } from './campaigns/trial-named.js';
import { startPlan, type StartedCampaign } from './campaigns/start-campaign.js';
import { openConnection, type Connection } from './connection.js';
import type { Context } from './context.js';
import { beforeDeadline, cancelCampaign } from './control/cancel-campaign.js';
import { changeBudget } from './control/change-budget.js';
import { reviewTrial } from './control/review-trial.js';
import { deleteCampaign } from './control/delete-campaign.js';
import { exportGraph, importGraph } from './control/generation-graph.js';
import { pauseCampaign } from './control/pause-campaign.js';
import { regradeTrials, verdictChanges } from './control/regrade-trials.js';
import { resumeCampaign } from './control/resume-campaign.js';
import { retryTrials } from './control/retry-trials.js';
import { calibratedSuite, calibrationCampaign } from './datasets/calibration-campaign.js';
import { campaignFigures } from './datasets/calibration-figures.js';
import { gradingCampaign } from './datasets/grading-campaign.js';
import { refuseMissing } from './datasets/refuse-missing.js';
import { openDatasets } from './datasets/open-datasets.js';
import type { Durabench } from './durabench.js';
import type { Engine } from './engine.js';
import { explainCode, explainedCodes } from './explain.js';
import { campaignReport, writeCampaignReport } from './inspect/campaign-report.js';
import { campaignState } from './inspect/campaign-state.js';
import { generationDetail } from './inspect/generation-detail.js';
import { installationList } from './inspect/installation-list.js';
import { suiteList } from './inspect/suite-list.js';
import { answeredTrial } from './inspect/trial-detail.js';
import { filterTrials, trialsOf } from './inspect/trial-filter.js';
import { trialLogs } from './inspect/trial-logs.js';
import { countUnused, removeUnused } from './machine/clean.js';
import { prepareMachine } from './machine/prepare-machine.js';
import { readyForRun } from './machine/ready-for-run.js';
import { openContext, type ContextOptions } from './open-context.js';
import { openEngine } from './open-engine.js';
import { planCampaign, planSummary, type PlanOptions } from './plans/plan-campaign.js';
import { readCampaign, type CheckedCampaign } from './plans/read-campaign.js';
import { exportCandidate } from './results/export-candidate.js';
import { exportTrials } from './results/export-trials.js';
import { compareSystems } from './results/compare-systems.js';
import { checkGolden, makeGolden } from './results/golden.js';
import { validateCampaign } from './plans/validate-campaign.js';
import { viewSource } from './view/view-source.js';

/** Where a client works, whom it tells, and whether it starts servers. */
export interface ConnectOptions extends ContextOptions {
  /** Whether servers and worker of the project are started where they do not run (`durabench up`). Default: true. */
  up?: boolean;
}

/**
 * Opens a client on the servers of a project.
 * @throws UserError where the environment is wrong, or no server answers
 */
export async function connect(options: ConnectOptions = {}): Promise<Durabench> {
  const context = openContext(options);
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
  return {
    ...openCampaigns({ context, connection, engine }),
    datasets: openDatasets(context, connection),
    clean: async ({ dryRun = false, shared = false, workspaces = false } = {}) => {
      const unused = await countUnused(context, connection);
      const what = { removesShared: shared, removesWorkspaces: workspaces };
      return dryRun ? unused : removeUnused(context, connection, unused, what);
    },
    suites: () => suiteList(context),
    explain: async (code) => {
      const suites = await allSuites(context.environment());
      return code === undefined ? explainedCodes(suites) : explainCode(code, suites);
    },
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

/** What is done to campaigns. */
function openCampaigns(parts: Parts): Omit<Durabench, 'datasets' | 'clean' | 'suites' | 'explain' | 'close'> {
  const { context, connection, engine } = parts;
  const { records } = connection;
  const named = (campaign: string): Promise<string> => campaignNamed(connection, campaign);
  const view = viewSource(context, connection);
  return {
    validate: (file) => validateCampaign(context, file),
    plan: async (file, given) =>
      planSummary(await planCampaign(context, connection, await readCampaign(context, file), given)),
    start: async (file, given) => start(parts, await readCampaign(context, file), given),
    follow: async function* (campaign, { signal } = {}) {
      yield* followStates(context, connection, { id: await named(campaign), engine, signal });
    },

    status: async (campaign) => (await campaignState(context, connection, await named(campaign), engine)).standing,
    report: async (campaign) => campaignReport(context, connection, await named(campaign)),
    writeReport: async (campaign) => (await writeCampaignReport(context, connection, await named(campaign))).report,
    trials: async (campaign, filter = {}) => {
      const { subject } = filterTrials(await campaignSubject(context, connection, await named(campaign)), filter);
      return trialsOf(subject);
    },
    compare: (a, b) => compareSystems(connection, a, { other: b, cwd: context.cwd }),
    makeGolden: (wanted, { out, tasks: count = 60 }) =>
      makeGolden(connection, { wanted, count, out: resolve(context.cwd, out) }),
    checkGolden: (wanted, { set: name }) => checkGolden(connection, { wanted, name, file: resolve(context.cwd, name) }),
    export: async (campaign, { format, out }) =>
      exportTrials(context, connection, { id: await named(campaign), format, out: resolve(context.cwd, out) }),
    exportCandidate: (path, { out }) => exportCandidate(connection, { wanted: path, out: resolve(context.cwd, out) }),
    trial: async (path) => answeredTrial(connection, await trialByPath(connection, path)),
    trialPage: async (campaign, choice, part) => view.trials(await named(campaign), choice, part),
    calls: async (path, part) => view.calls(await trialOrGenerationByPath(connection, path), part),
    logs: async function* (path, logOptions) {
      yield* trialLogs(connection, await trialOrGenerationByPath(connection, path), logOptions);
    },
    generations: async (campaign) => records.generations(await named(campaign)),
    generation: async (path) => generationDetail(connection, await generationByPath(connection, path)),
    campaigns: async (limit = 100, tag) => (await installationList(connection, limit, tag)).campaigns,
    verdictChanges: async (campaign) => verdictChanges(connection, await named(campaign)),

    pause: async (campaign, given) => pauseCampaign(connection, { ...given, id: await named(campaign) }),
    cancel: (campaign, given) =>
      beforeDeadline(context, campaign, async (progress) =>
        cancelCampaign(context, connection, { ...given, id: await named(campaign), progress }),
      ),
    resume: async (campaign, given) =>
      resumeCampaign(context, connection, engine, { ...given, id: await named(campaign) }),
    retry: async (campaign, given) => retryTrials(context, connection, engine, { ...given, id: await named(campaign) }),
    regrade: async (campaign, given) =>
      regradeTrials(context, connection, engine, { ...given, id: await named(campaign) }),
    review: async (path, given) =>
      reviewTrial(context, connection, { ...given, trial: await trialByPath(connection, path) }),
    delete: async (campaign, given) => deleteCampaign(context, connection, { ...given, id: await named(campaign) }),
    budget: (owner) => changeBudget(connection, owner),
    changeBudget: (owner, change, given) => changeBudget(connection, owner, change, given),

    exportGraph: (generation) => exportGraph(connection, generation),
    importGraph: (generation, file, given) => importGraph(context, connection, { generation, file }, given),

    grade: async (request) => {
      const campaign = await gradingCampaign(context, request);
      await prepareMachine(context, campaign);
      await refuseMissing(context, campaign, request.allowMissing);
      return start(parts, campaign);
    },
    calibrate: async (suite, request) => {
      const measured = await calibratedSuite(context, suite);
      return startMade(parts, await calibrationCampaign(context, measured, { seed: 1, ...request }));
    },
    calibration: async (campaign) => {
      const id = await named(campaign);
      const { calibration } = await calibratedSuite(context, (await records.campaign(id)).suite);
      return campaignFigures(context, connection, { calibration, id });
    },
  };
}

async function start(
  { context, connection, engine }: Parts,
  campaign: CheckedCampaign,
  options?: PlanOptions,
): Promise<StartedCampaign> {
  const planned = await planCampaign(context, connection, campaign, options);
  await readyForRun(context, planned.plan, { suite: campaign.suite, blobs: connection.blobs });
  return startPlan(context, connection, engine, planned);
}

/** Of a campaign that is made of options, everything that it needs is built and fetched. */
async function startMade(parts: Parts, campaign: CheckedCampaign): Promise<StartedCampaign> {
  await prepareMachine(parts.context, campaign);
  return start(parts, campaign);
}
