import type { Suite } from '../../../suite/suite.js';
import { duration } from '../../../report/text/number-text.js';
import { rejectUnusedOptions, type OptionRules } from '../../options/action-options.js';
import { buildDataset, buildOf, cancelBuild } from '../../../client/datasets/build-dataset.js';
import type { BuildRequest, Describing } from '../../../client/datasets/build-request.js';
import { suiteNamed } from '../../../suite/registry.js';
import type { CommandEntry } from '../../command-entry.js';
import { exportDataset } from '../../../client/datasets/export-dataset.js';
import { UserError } from '../../../domain/failure/user-error.js';
import { fetchDataset } from '../../../client/datasets/dataset-tools.js';
import { showCosts } from './costs.js';
import { showPublished } from './published.js';
import { describedBy } from '../../../client/datasets/describing.js';
import { knownNames } from '../../../client/known-names.js';
import { EXIT } from '../../exit-code.js';
import { createBuildProgress } from '../../format/build-lines.js';
import { MODEL_OPTIONS, modelOptions, needsModel, readModel } from '../../options/model-options.js';
import { nameList } from '../../options/name-list.js';
import type { Session } from '../../session.js';
import { unknownAction } from '../../options/unknown-action.js';

const DESCRIBING = ['descriptions', ...MODEL_OPTIONS];

const OPTIONS = {
  actions: {
    fetch: ['project', 'verify', 'datasetVersion', 'published', 'dryRun'],
    export: ['project', 'datasetVersion', 'out'],
    build: ['project', 'detach', 'newSample', ...DESCRIBING],
    cancel: DESCRIBING,
    costs: [],
  },
  needs: { ...needsModel('descriptions'), dryRun: 'published' },
  conflictsWith: { descriptions: ['newSample'], published: ['verify', 'datasetVersion'] },
} satisfies OptionRules;

const ACTIONS = Object.keys(OPTIONS.actions);

/** `durabench dataset fetch|export|build|cancel|costs SUITE` */
export const dataset: CommandEntry = {
  declare: (program) => {
    const command = program
      .command('dataset')
      .description(
        'fetch: the locked tasks of a suite; export: write them to a folder, licences beside them; build: rebuild them and rewrite the lock (maintainers); cancel: end a build; costs: what models that described its tasks have cost',
      )
      .argument('<action>', ACTIONS.join(', '))
      .argument('<suite>', 'see `durabench suites`')
      .option('--project <names>', 'fetch, export, build: only these, separated by commas')
      .option('--verify', 'fetch: run the reference against every task as well')
      .option(
        '--published <folder>',
        'fetch: pin and download the benchmark as others published it, from its checkout in this folder; --project names theirs',
      )
      .option('--dry-run', 'fetch --published: only say which tasks; ask no server')
      .option('--out <folder>', 'export: the folder to make')
      .option('--dataset-version <id>', 'fetch, export: a version whose descriptions a model wrote')
      .option('--detach', 'build: return as soon as it is started')
      .option(
        '--new-sample',
        'build: draw all tasks again by the seed; without it locked tasks keep their place and id, and only missing ones are drawn',
      )
      .option('--descriptions <model>', 'build, cancel: this model describes the locked tasks, as another version');
    return rejectUnusedOptions(modelOptions(command, 'the descriptions'), OPTIONS);
  },
  action: async (session, [action = '', name = ''], options) => {
    if (!ACTIONS.includes(action))
      throw unknownAction('dataset', action, { actions: ACTIONS, example: 'durabench dataset fetch SUITE' });
    const suite = await suiteNamed(name, session.environment());
    if (action === 'costs') {
      await showCosts(session, suite.manifest.id);
      return EXIT.ok;
    }
    if (typeof options.published === 'string') {
      const projects = nameList(options.project) ?? [];
      return showPublished(session, {
        ...{ suite, folder: options.published, projects, dryRun: options.dryRun === true },
      });
    }
    const describing = action === 'fetch' || action === 'export' ? null : await describingOf(session, suite, options);
    if (action === 'cancel') {
      const isEnding = await cancelBuild(session, { suite, describing });
      if (session.output.flags.json) session.output.json('build', { suite: name, state: isEnding ? 'ending' : 'none' });
      return EXIT.ok;
    }
    const known = action === 'build' ? buildOf(suite).projects : suite.dataset.projects;
    const projects = knownNames(nameList(options.project), {
      option: '--project',
      noun: `a project of ${name}`,
      known,
    });
    const startedAt = Date.now();
    if (action === 'export') {
      const made = await exportDataset(session, { suite, projects, version: versionOf(options), out: outOf(options) });
      showExport(session, { suite: name, projects, ...made });
      return EXIT.ok;
    }
    const result = await (action === 'fetch'
      ? fetchInto(session, suite, { projects, verify: options.verify === true, version: versionOf(options) })
      : build(session, {
          suite,
          projects,
          detach: options.detach === true,
          newSample: options.newSample === true,
          describing,
        }));
    if (result === null) {
      if (session.output.flags.json) session.output.json('build', { suite: name, state: 'running' });
    } else show(session, { suite: name, projects, seconds: (Date.now() - startedAt) / 1000, ...result });
    return EXIT.ok;
  },
};

/** What `--descriptions` and the options of its model ask for; null where they are left out. */
async function describingOf(
  session: Session,
  suite: Suite,
  options: Record<string, unknown>,
): Promise<Describing | null> {
  const build = buildOf(suite);
  const model = readModel(options.descriptions, options);
  return model === undefined ? null : describedBy(session, suite, { build, model });
}

/** What an action ended with. */
interface Shown {
  suite: string;
  projects: string[];
  seconds: number;
  tasks: number;
  digest: string;
  lock_path?: string;
}

function show({ output }: Session, { seconds, ...result }: Shown): void {
  if (output.flags.json) return output.json('dataset', result);
  const { suite, projects, tasks, digest, lock_path: path } = result;
  output.data(`${suite} ${projects.join(', ')}: ${tasks} tasks, digest ${digest} (${duration(seconds)})`);
  if (path !== undefined) output.data(`lock: ${path}`);
}

function showExport(
  { output }: Session,
  made: { suite: string; projects: string[]; tasks: number; digest: string; files: number; folder: string },
): void {
  if (output.flags.json) return output.json('dataset', made);
  const { suite, projects, tasks, files, folder } = made;
  output.data(`${suite} ${projects.join(', ')}: ${tasks} tasks in ${files} files`);
  output.data(`folder: ${folder}`);
}

function outOf({ out }: Record<string, unknown>): string {
  if (typeof out === 'string' && out !== '') return out;
  throw new UserError('usage', {
    message: 'dataset export: the folder is missing',
    expected: '--out FOLDER, one that is not there yet',
    fix: 'durabench dataset export SUITE --out FOLDER',
  });
}

const versionOf = ({ datasetVersion: version }: Record<string, unknown>): string | undefined =>
  typeof version === 'string' ? version : undefined;

async function fetchInto(
  session: Session,
  suite: Suite,
  options: { projects: string[]; verify: boolean; version: string | undefined },
) {
  return fetchDataset(session, { suite, ...options });
}

async function build(
  session: Session,
  request: BuildRequest,
): Promise<Pick<Shown, 'tasks' | 'digest' | 'lock_path'> | null> {
  const built = await buildDataset(session, request, createBuildProgress(session.output));
  session.output.settle();
  return built && { tasks: built.tasks, digest: built.digest, lock_path: built.paths.join(', ') };
}
