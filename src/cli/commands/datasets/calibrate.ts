import { nearest } from '../../../config/nearest.js';
import type { SuiteCalibration } from '../../../suite/calibration.js';
import type { Suite } from '../../../suite/suite.js';
import { rejectUnusedOptions } from '../../options/action-options.js';
import { suiteNamed } from '../../../suite/registry.js';
import { showCalibration } from './calibration-page.js';
import type { CommandEntry } from '../../command-entry.js';
import { EXIT, type ExitCode } from '../../exit-code.js';
import { asNumber, judgeModel, judgeModelOptions, needsModel, readMadeCampaign } from '../../options/made-campaign.js';
import { makePlan } from '../../../client/plans/make-plan.js';
import { knownWords, namedWords } from '../../options/named-words.js';
import { planText } from '../../format/plan-text.js';
import { allDone, machineSteps } from '../../../client/machine/prepare-machine.js';
import type { CheckedCampaign } from '../../../client/plans/read-campaign.js';
import { checkSandbox } from '../../../client/machine/ready-for-run.js';
import { runPlan } from '../campaigns/run.js';
import type { Session } from '../../session.js';
import { campaignId, withConnection } from '../../../client/connection.js';
import { UserError } from '../../../domain/failure/user-error.js';
import { allSuites } from '../../../suite/registry.js';

/** What is measured anew; the figures of a calibration that ran are what they are. */
const MEASURING = ['project', 'tasks', 'seed', 'kind', 'voter', 'withoutExecution', 'model'];

/** `durabench calibrate SUITE` */
export const calibrate: CommandEntry = {
  declare: (program) => {
    const command = program
      .command('calibrate')
      .description('measure grader accuracy on candidates with known outcomes')
      .argument('<suite>', 'see `durabench suites`')
      .option('--project <names>', 'only these, separated by commas')
      .option('--tasks <n>', 'at most so many tasks a project, spread over the categories; all where left out')
      .option('--seed <s>', 'what is drawn: tasks, names, mutants', '1')
      .option(
        '--kind <names>',
        'kinds of candidates, separated by commas: renamed, moved, partial-30, mutated, stubbed, decoys, constant-object, constant-error, constant-none',
      )
      .option('--voter <names>', 'who votes, separated by commas: truth, heuristic', 'truth,heuristic')
      .option('--without-execution', 'search, vote and adaptation alone, in this process: no server, no test is run')
      .option('--model <name>', 'a model that votes as well');
    judgeModelOptions(command, 'the votes').option(
      '--campaign <id>',
      'only show the figures of a calibration that ran before',
    );
    return rejectUnusedOptions(command, { needs: needsModel('model'), conflictsWith: { campaign: MEASURING } });
  },
  action: async (session, [name = ''], options) => {
    const { suite, calibration } = await calibratedSuite(session, name);
    if (typeof options.campaign === 'string') return figuresOf(session, calibration, options.campaign);
    if (options.withoutExecution && options.model !== undefined) throw modelNeedsCampaign();
    const campaign = await calibrationCampaign(session, { suite, calibration, options });
    await checkSandbox(session, []);
    if (options.withoutExecution) {
      const { calibrateWithoutExecution } = await import('./calibrate-without-execution.js');
      return calibrateWithoutExecution(session, calibration, campaign);
    }
    await allDone(machineSteps(session, campaign));
    return runIt(session, calibration, campaign);
  },
};

async function calibratedSuite(
  session: Session,
  name: string,
): Promise<{ suite: Suite; calibration: SuiteCalibration }> {
  const suite = await suiteNamed(name, session.environment());
  if (suite.calibration !== undefined) return { suite, calibration: suite.calibration };
  const suites = await allSuites(session.environment());
  const able = suites.filter(({ calibration }) => calibration !== undefined).map(({ manifest }) => manifest.id);
  throw new UserError('usage', {
    message: `calibrate: ${name} does not support calibration`,
    expected: `one of ${able.join(', ')}`,
    fix: `durabench calibrate ${able[0] ?? 'SUITE'}`,
  });
}

/** What the options become in the campaign file. */
const IN_FILE = [
  [/dataset\.limit/g, '--tasks'],
  [/systems\[\d+\]\.derive/g, '--kind'],
] as const;

async function calibrationCampaign(
  session: Session,
  asked: { suite: Suite; calibration: SuiteCalibration; options: Record<string, unknown> },
): Promise<CheckedCampaign> {
  const { suite, calibration, options } = asked;
  const seed = seedOf(options.seed);
  const projects = knownWords(options.project, {
    option: '--project',
    noun: `a project of ${suite.manifest.id}`,
    known: calibration.projects,
  });
  const kinds = namedWords(options.kind) ?? [...calibration.kinds(projects, { executed: !options.withoutExecution })];
  const strange = kinds.filter((kind) => !calibration.isKind(kind));
  if (strange.length > 0) throw unknownKinds(calibration, strange, projects);
  const voters = votersOf(calibration, options);
  const systems = kinds.flatMap((kind) =>
    Object.entries(voters).map(([voter, vote]) => ({
      id: `${kind}-${voter}`,
      ...calibration.system(kind, seed),
      vote,
    })),
  );
  const limit = options.tasks === undefined ? {} : { limit: asNumber(options.tasks) };
  const campaign = {
    name: `calibrate-${projects.join('-')}`.slice(0, 40).replace(/[^a-z0-9]+$/, ''),
    ...{ suite: suite.manifest.id, seed, dataset: { projects, ...limit } },
    ...(options.model === undefined ? {} : judgeModel(options)),
    systems,
    concurrency: { batches: 2, trials: 16, sandbox: 2 },
  };
  return readMadeCampaign(session, { command: 'calibrate', file: projects.join('-'), campaign, options: IN_FILE });
}

function votersOf(calibration: SuiteCalibration, options: Record<string, unknown>) {
  const named = knownWords(options.voter, {
    option: '--voter',
    noun: 'a voter',
    known: Object.keys(calibration.voters),
  });
  const rules = Object.fromEntries(named.map((voter) => [voter, calibration.voters[voter] ?? {}]));
  return options.model === undefined ? rules : { ...rules, model: calibration.modelVoter('judge') };
}

async function runIt(session: Session, calibration: SuiteCalibration, campaign: CheckedCampaign): Promise<ExitCode> {
  return withConnection(session, async (place) => {
    const plan = await makePlan(session, campaign, { blobs: place.blobs, id: undefined });
    session.output.say(planText(plan));
    session.output.say(`interrupted, it goes on with: durabench resume ${plan.id}`);
    // Under --json the answer is the calibration; the campaign's own end is in its report.
    const { output } = session;
    const watched = output.flags.json ? { ...session, output: { ...output, json: () => undefined } } : session;
    const code = await runPlan(watched, place, { plan, detach: false });
    await showCalibration(session, place, { calibration, id: plan.id });
    return code;
  });
}

function figuresOf(session: Session, calibration: SuiteCalibration, wanted: string): Promise<ExitCode> {
  return withConnection(session, async (place) => {
    await showCalibration(session, place, { calibration, id: await campaignId(place.records, wanted) });
    return EXIT.ok;
  });
}

function unknownKinds(calibration: SuiteCalibration, kinds: readonly string[], projects: readonly string[]): UserError {
  const known = calibration.kinds(projects, { executed: true });
  return new UserError(
    'usage',
    kinds.map((kind) => ({
      message: `--kind: "${kind}" is not a kind of candidate`,
      expected: `any of ${calibration.kindRule}`,
      fix: `did you mean "${nearest(kind, known) ?? known[0] ?? ''}"?`,
    })),
  );
}

function modelNeedsCampaign(): UserError {
  return new UserError('usage', {
    message: '--model: a model is asked, and paid, in a campaign only',
    expected: 'either --model or --without-execution',
    fix: 'leave one of them out',
  });
}

function seedOf(written: unknown): number {
  if (typeof written === 'string' && /^\d{1,9}$/.test(written)) return Number(written);
  throw new UserError('usage', {
    message: `--seed: invalid seed "${String(written)}"`,
    expected: 'a whole number, 0 or more and below 1,000,000,000',
    fix: 'write --seed 2, or leave it out',
  });
}
