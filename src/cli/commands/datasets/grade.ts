import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { nearest } from '../../../config/nearest.js';
import type { Suite } from '../../../suite/suite.js';
import { detailTable } from '../../../report/result-table.js';
import { rejectUnusedOptions } from '../../options/action-options.js';
import { campaignSubject } from '../../../client/campaigns/campaign-subject.js';
import type { CommandEntry } from '../../command-entry.js';
import type { ExitCode } from '../../exit-code.js';
import { asNumber, judgeModel, judgeModelOptions, needsModel, readMadeCampaign } from '../../options/made-campaign.js';
import { makePlan } from '../../../client/plans/make-plan.js';
import { planText } from '../../format/plan-text.js';
import { allDone, machineSteps } from '../../../client/machine/prepare-machine.js';
import type { CheckedCampaign } from '../../../client/plans/read-campaign.js';
import { checkSandbox } from '../../../client/machine/ready-for-run.js';
import { runPlan } from '../campaigns/run.js';
import type { Session } from '../../session.js';
import { withConnection } from '../../../client/connection.js';
import { UserError } from '../../../domain/failure/user-error.js';
import { allSuites } from '../../../suite/registry.js';

/** `durabench grade PATH --project NAME` */
export const grade: CommandEntry = {
  declare: (program) => {
    const command = program
      .command('grade')
      .description('grade a repository made elsewhere: prepare what is missing, run its tasks, print the result card')
      .argument('<path>', 'folder, git checkout or archive (.zip, .whl, .tar, .tar.gz) with a Python repository')
      .requiredOption('--project <name>', 'the project it is measured by, see `durabench suites`')
      .option('--limit <n>', 'at most so many tasks, spread over the categories')
      .option('--gold', 'also grade the reference with the same search and voters, as the 100 % baseline')
      .option('--model <name>', 'model used as judge (default: keyword heuristic)')
      .option('--adapt', 'the model may also rewrite tests that fail at an import, a name or a signature');
    return rejectUnusedOptions(judgeModelOptions(command, 'the model'), {
      needs: { ...needsModel('model'), adapt: 'model' },
    });
  },

  action: async (session, [path = ''], options) => {
    const campaign = await gradingCampaign(session, path, options);
    await checkSandbox(session, []);
    await allDone(machineSteps(session, campaign));
    return runIt(session, campaign);
  },
};

/** What the options become in the campaign file. */
const IN_FILE = [
  [/dataset\.limit/g, '--limit'],
  [/systems\[0\]\.path: snapshot path /g, ''],
] as const;

async function gradingCampaign(
  session: Session,
  path: string,
  options: Record<string, unknown>,
): Promise<CheckedCampaign> {
  const suite = await suiteWith(session, String(options.project));
  if (path === '' || !existsSync(resolve(session.cwd, path))) throw nothingThere(path, session.cwd);
  const [generator] = Object.entries(suite.generators).find(([, needs]) => needs.needsPath) ?? [];
  const id = slug(basename(resolve(session.cwd, path)));
  const campaign = {
    name: `grade-${id}`,
    suite: suite.manifest.id,
    dataset: {
      projects: [options.project],
      ...(options.limit === undefined ? {} : { limit: asNumber(options.limit) }),
    },
    systems: [
      { id, generator, path: resolve(session.cwd, path) },
      ...(options.gold === true ? [goldOf(suite, id)] : []),
    ],
    ...voting(options),
    concurrency: { batches: 1, trials: 16, sandbox: 2 },
  };
  return readMadeCampaign(session, { command: 'grade', file: id, campaign, options: IN_FILE });
}

/** The reference as a system of the same campaign: as it is searched and voted on, nothing can do better than by chance. */
function goldOf({ manifest, referenceGenerator: generator }: Suite, graded: string): object {
  if (generator !== undefined) return { id: graded === generator ? 'reference' : generator, generator };
  throw new UserError('usage', {
    message: `grade: --gold: ${manifest.id} has no reference that could be graded`,
    expected: 'a suite that measures by a library it has',
    fix: 'leave --gold out',
  });
}

function voting(options: Record<string, unknown>): object {
  if (options.model === undefined) return { judge: { vote: { voter: 'heuristic' } } };
  const { models, budget } = judgeModel(options);
  return {
    models,
    judge: {
      vote: { voter: 'model', model: 'judge' },
      ...(options.adapt === true ? { adapt: { model: 'judge' } } : {}),
    },
    budget,
  };
}

async function runIt(session: Session, campaign: CheckedCampaign): Promise<ExitCode> {
  return withConnection(session, async (place) => {
    const plan = await makePlan(session, campaign, { blobs: place.blobs, id: undefined });
    session.output.say(planText(plan));
    const code = await runPlan(session, place, { plan, detach: false });
    if (!session.output.flags.json) {
      const { details } = await campaignSubject(session, place, plan.id);
      const { suite } = await details();
      for (const table of suite?.tables ?? []) session.output.data(`\n${detailTable(table)}`);
    }
    return code;
  });
}

/** Told here: the file that is made of the options is none of the user's. */
function nothingThere(path: string, folder: string): UserError {
  return new UserError('usage', {
    message: `grade: "${path}" does not exist (looked at ${resolve(folder, path)})`,
    expected: 'a folder, git checkout or archive (.zip, .whl, .tar, .tar.gz) with a Python repository',
    fix: 'correct the path',
  });
}

/** The suite that measures by this project and takes repositories by path. */
async function suiteWith(session: Session, project: string): Promise<Suite> {
  const suites = await allSuites(session.environment());
  const able = suites.filter(({ generators }) => Object.values(generators).some(({ needsPath }) => needsPath));
  const found = able.find(({ dataset }) => dataset.projects.includes(project));
  if (found !== undefined) return found;
  const known = able.flatMap(({ dataset }) => [...dataset.projects]);
  const meant = nearest(project, known);
  throw new UserError('usage', {
    message: `--project: "${project}" is not a project that repositories are measured by`,
    expected: `one of ${known.join(', ')}`,
    fix: meant === undefined ? 'name one of these' : `did you mean "${meant}"?`,
  });
}

/** `My Library-1.0.tar.gz` → `my-library-1.0`: fit for ids, which have 40 characters at most, with `grade-` before it. */
function slug(name: string): string {
  const plain = name.toLowerCase().replace(/(\.(tar|gz|tgz|zip|whl))+$/, '');
  return (
    plain
      .replace(/[^a-z0-9._-]+/g, '-')
      .replace(/^[^a-z0-9]+/, '')
      .slice(0, 30) || 'candidate'
  );
}
