import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { nearest } from '../../domain/text/nearest.js';
import { UserError } from '../../domain/failure/user-error.js';
import { allSuites, suiteNamed } from '../../suite/registry.js';
import type { Suite } from '../../suite/suite.js';
import type { Context } from '../context.js';
import { madeModel, readMadeCampaign, type MadeModel } from '../plans/made-campaign.js';
import type { CheckedCampaign } from '../plans/read-campaign.js';
import { answeredSystems } from './answered-systems.js';
import { isPredictions } from './read-predictions.js';

/** A repository, or other candidates of a suite, made elsewhere, to be graded. */
export interface GradeRequest {
  /**
   * Folder, git checkout or archive (.zip, .whl, .tar, .tar.gz) with what the suite grades, or a file of predictions
   * (.jsonl) with the answers of one model or several; relative to the context's folder.
   */
  path: string;
  /** The project it is measured by, see {@link Suite}. Default: all of {@link suite}. */
  project?: string;
  /** The suite it is measured by. Default: the one that has {@link project}. */
  suite?: string;
  /** At most so many tasks, spread over the categories. Default: all. */
  limit?: number | string;
  /** Also the reference, with the same search and voters, as the 100 % baseline. Default: false. */
  gold?: boolean;
  /** The model that judges. Default: a keyword heuristic. */
  model?: MadeModel | undefined;
  /** It may also rewrite tests that fail at an import, a name or a signature. Default: false. */
  adapt?: boolean;
  /** What the candidate needs and has not where it is graded, by name: what needs it counts as failed. Default: refused. */
  allowMissing?: readonly string[];
}

/** What options become in the campaign file. */
const IN_FILE = [
  [/dataset\.limit/g, '--limit'],
  [/systems\[\d+\]\.path: snapshot path /g, ''],
] as const;

/**
 * The campaign that grades a repository, or the answers of models, each as a system of its own.
 * @throws UserError with everything that is wrong about the request
 */
export async function gradingCampaign(context: Context, request: GradeRequest): Promise<CheckedCampaign> {
  const { project, limit, gold = false } = request;
  const suite = await suiteFor(context, request);
  const path = resolve(context.cwd, request.path);
  if (request.path === '' || !existsSync(path)) throw nothingThere(request.path, path);
  const [generator] = Object.entries(suite.generators).find(([, needs]) => needs.needsPath) ?? [];
  const id = slug(basename(path));
  const systems = isPredictions(path)
    ? await answeredSystems(context, suite, {
        ...{ path, named: request.path, projects: project === undefined ? undefined : [project] },
        ...{ folder: join(context.environment().stateDir, 'grade', id), idOf: slug },
      })
    : [{ id, path }];
  const graded = systems.map((system) => ({ ...system, generator }));
  const ids = systems.map((system) => system.id);
  const campaign = {
    name: `grade-${id}`,
    suite: suite.manifest.id,
    dataset: { ...(project === undefined ? {} : { projects: [project] }), ...(limit === undefined ? {} : { limit }) },
    systems: gold ? [...graded, goldOf(suite, ids)] : graded,
    ...voting(suite, request),
    concurrency: { batches: 1, trials: 16, sandbox: 2 },
  };
  return readMadeCampaign(context, { command: 'grade', file: id, campaign, options: IN_FILE });
}

/** The reference as a system of the same campaign: as it is searched and voted on, nothing can do better than by chance. */
function goldOf({ manifest, referenceGenerator: generator }: Suite, graded: readonly string[]): object {
  if (generator !== undefined) return { id: graded.includes(generator) ? 'reference' : generator, generator };
  throw new UserError('usage', {
    message: `${manifest.id} has no reference to grade`,
    expected: 'a suite whose tasks come from a library',
    fix: 'leave --gold out',
  });
}

function voting({ manifest, stages }: Suite, { model, adapt = false }: GradeRequest): object {
  if (stages.vote === undefined && model === undefined) return {};
  if (stages.vote === undefined)
    throw new UserError('usage', {
      message: `${manifest.id} asks no judge`,
      expected: 'a suite whose candidates are voted on',
      fix: 'leave --model out',
    });
  if (model === undefined) return { judge: { vote: { voter: 'heuristic' } } };
  const { models, budget } = madeModel(model);
  return {
    models,
    judge: { vote: { voter: 'model', model: 'judge' }, ...(adapt ? { adapt: { model: 'judge' } } : {}) },
    budget,
  };
}

/** Told here: the file that is made of the options is none of the user's. */
function nothingThere(path: string, absolute: string): UserError {
  return new UserError('usage', {
    message: `grade: "${path}" does not exist (looked at ${absolute})`,
    expected: 'a folder, git checkout, archive (.zip, .whl, .tar, .tar.gz) or file of predictions (.jsonl)',
    fix: 'correct the path',
  });
}

/** The suite that measures by this project, or has this name, and takes candidates by path. */
async function suiteFor(context: Context, { project, suite }: GradeRequest): Promise<Suite> {
  if (suite === undefined && project === undefined)
    throw new UserError('usage', {
      message: 'grade: nothing says what it is measured by',
      expected: '--project NAME, or --suite NAME for all of its projects',
      fix: 'name one; `durabench suites` lists them',
    });
  const takesPaths = ({ generators }: Suite): boolean => Object.values(generators).some(({ needsPath }) => needsPath);
  const suites =
    suite === undefined ? await allSuites(context.environment()) : [await suiteNamed(suite, context.environment())];
  const able = suites.filter(takesPaths);
  const [named] = able;
  if (suite !== undefined && named === undefined)
    throw new UserError('usage', {
      message: `${suite} grades nothing that was made elsewhere`,
      expected: 'a suite with a generator that takes a path',
      fix: 'name another; `durabench suites` says what each is',
    });
  if (project === undefined && named !== undefined) return named;
  return suiteWith(able, project ?? '');
}

function suiteWith(able: readonly Suite[], project: string): Suite {
  const found = able.find(({ dataset }) => dataset.projects.includes(project));
  if (found !== undefined) return found;
  const known = able.flatMap(({ dataset }) => [...dataset.projects]);
  const meant = nearest(project, known);
  throw new UserError('usage', {
    message: `there is no project "${project}" to be graded by`,
    expected: `one of ${known.join(', ')}`,
    fix: meant === undefined ? 'name one of these' : `did you mean "${meant}"?`,
  });
}

/** `My Library-1.0.tar.gz` → `my-library-1.0`: fit for ids, which have 40 characters at most, with `grade-` before it. */
function slug(name: string): string {
  const plain = name.toLowerCase().replace(/(\.(tar|gz|tgz|zip|whl|jsonl|ndjson))+$/, '');
  return (
    plain
      .replace(/[^a-z0-9._-]+/g, '-')
      .replace(/^[^a-z0-9]+/, '')
      .slice(0, 30) || 'candidate'
  );
}
