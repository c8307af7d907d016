import { nearest } from '../../domain/text/nearest.js';
import { UserError } from '../../domain/failure/user-error.js';
import { sha256Hex } from '../../domain/text/content-hash.js';
import type { SuiteCalibration } from '../../suite/calibration.js';
import { allSuites, suiteNamed } from '../../suite/registry.js';
import type { Suite } from '../../suite/suite.js';
import type { Context } from '../context.js';
import { knownNames } from '../known-names.js';
import { madeModel, readMadeCampaign, type MadeModel } from '../plans/made-campaign.js';
import type { CheckedCampaign } from '../plans/read-campaign.js';

/** A suite whose graders can be measured. */
export interface CalibratedSuite {
  suite: Suite;
  calibration: SuiteCalibration;
}

/** What is measured on which candidates; all there are where names are left out. */
export interface CalibrationRequest {
  projects?: readonly string[] | undefined;
  /** At most so many tasks a project, spread over the categories. Default: all. */
  tasks?: number | string;
  /** What is drawn by: tasks, names, mutants. From 0 to 999,999,999. */
  seed: number;
  kinds?: readonly string[] | undefined;
  /** Those without a model. */
  voters?: readonly string[] | undefined;
  /** Search, vote and adaptation alone; no test is run. Then no model votes. */
  withoutExecution?: boolean;
  /** A model that votes as well. */
  model?: MadeModel | undefined;
}

/** The suite of that id. @throws UserError for one whose graders cannot be measured */
export async function calibratedSuite(context: Context, name: string): Promise<CalibratedSuite> {
  const suite = await suiteNamed(name, context.environment());
  if (suite.calibration !== undefined) return { suite, calibration: suite.calibration };
  const suites = await allSuites(context.environment());
  const able = suites.filter(({ calibration }) => calibration !== undefined).map(({ manifest }) => manifest.id);
  throw new UserError('usage', {
    message: `${name} does not support calibration`,
    expected: `one of ${able.join(', ')}`,
    fix: `durabench calibrate ${able[0] ?? 'SUITE'}`,
  });
}

/** What options become in the campaign file. */
const IN_FILE = [
  [/dataset\.limit/g, '--tasks'],
  [/systems\[\d+\]\.derive/g, '--kind'],
] as const;

/**
 * The campaign that measures a suite's graders on candidates with known outcomes.
 * @throws UserError with everything that is wrong about the request
 */
export async function calibrationCampaign(
  context: Context,
  { suite, calibration }: CalibratedSuite,
  request: CalibrationRequest,
): Promise<CheckedCampaign> {
  const { seed, tasks, withoutExecution = false, model } = request;
  if (withoutExecution && calibration.withoutExecution === undefined)
    throw lacks(suite, 'measurement without execution');
  if (withoutExecution && model !== undefined) throw modelNeedsCampaign();
  const projects = knownNames(request.projects, {
    option: '--project',
    noun: `a project of ${suite.manifest.id}`,
    known: calibration.projects,
  });
  const kinds = request.kinds ?? [...calibration.kinds(projects, { executed: !withoutExecution })];
  const strange = kinds.filter((kind) => !calibration.isKind(kind));
  if (strange.length > 0) throw unknownKinds(calibration, strange, projects);
  const voters = votersOf(suite, calibration, request);
  const systems = kinds.flatMap((kind) => {
    const made = calibration.system(kind, seed);
    if (voters === null) return [{ id: kind, ...made }];
    return Object.entries(voters).map(([voter, vote]) => ({ id: `${kind}-${voter}`, ...made, vote }));
  });
  const campaign = {
    name: `calibrate-${projects.join('-')}`.slice(0, 40).replace(/[^a-z0-9]+$/, ''),
    ...{ suite: suite.manifest.id, seed, dataset: { projects, ...(tasks === undefined ? {} : { limit: tasks }) } },
    ...(model === undefined ? {} : madeModel(model)),
    ...(model === undefined || calibration.withModel === undefined ? {} : { judge: calibration.withModel('judge') }),
    systems,
    concurrency: { batches: 2, trials: 16, sandbox: 2 },
  };
  return readMadeCampaign(context, { command: 'calibrate', file: fileOf(projects), campaign, options: IN_FILE });
}

/** A file system takes 255 bytes at most. */
const LONGEST_FILE = 100;

/** The projects; of very many a hash, which is another one for others. */
function fileOf(projects: readonly string[]): string {
  const all = projects.join('-');
  return all.length <= LONGEST_FILE ? all : `${projects.length}-projects-${sha256Hex(all).slice(0, 12)}`;
}

/** Null where nothing is voted on. */
function votersOf(suite: Suite, calibration: SuiteCalibration, { voters, model }: CalibrationRequest) {
  const { voting } = calibration;
  const asksNobody = model !== undefined && calibration.withModel === undefined;
  if (voting === undefined) {
    if (voters !== undefined || asksNobody) throw lacks(suite, 'voters');
    return null;
  }
  const known = Object.keys(voting.voters);
  const named = knownNames(voters, { option: '--voter', noun: 'a voter', known });
  const rules = Object.fromEntries(named.map((voter) => [voter, voting.voters[voter] ?? {}]));
  return model === undefined ? rules : { ...rules, model: voting.modelVoter('judge') };
}

const lacks = ({ manifest }: Suite, what: string): UserError =>
  new UserError('usage', {
    message: `the calibration of ${manifest.id} has no ${what}`,
    expected: 'a campaign that runs its labelled candidates',
    fix: `durabench calibrate ${manifest.id}`,
  });

function unknownKinds(calibration: SuiteCalibration, kinds: readonly string[], projects: readonly string[]): UserError {
  const known = calibration.kinds(projects, { executed: true });
  return new UserError(
    'usage',
    kinds.map((kind) => ({
      message: `"${kind}" is not a kind of candidate`,
      expected: `any of ${calibration.kindRule}`,
      fix: `did you mean "${nearest(kind, known) ?? known[0] ?? ''}"?`,
    })),
  );
}

function modelNeedsCampaign(): UserError {
  return new UserError('usage', {
    message: 'without execution no model can vote: it is asked, and paid, only in a campaign',
    expected: 'either --model or --without-execution',
    fix: 'leave one of them out',
  });
}
