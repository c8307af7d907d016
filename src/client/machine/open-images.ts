import { existsSync } from 'node:fs';
import { cp, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Images, ImageState } from '../../adapters/docker/images/images.js';
import { nearest } from '../../domain/text/nearest.js';
import { UserError } from '../../domain/failure/user-error.js';
import { duration } from '../../report/text/number-text.js';
import { createPlaceClock } from '../../report/text/time-left.js';
import type { Context } from '../context.js';

export type { ImageState };

/** The images of this package on the Docker engine of the environment. */
export async function openImages(context: Context): Promise<Images> {
  const [{ createImages }, { connectDocker }] = await Promise.all([
    import('../../adapters/docker/images/images.js'),
    import('../../adapters/docker/engine/connect-docker.js'),
  ]);
  const { stateDir, variable } = context.environment();
  const cacheFolder = join(stateDir, 'cache');
  return createImages({
    docker: connectDocker(),
    packageRoot: context.packageRoot,
    stateFolder: stateDir,
    cacheFolder,
    variable,
  });
}

/** How images of recipes stand; of all where none are named. @throws UserError for a name of no recipe */
export async function imageStates(context: Context, names: readonly string[]): Promise<ImageState[]> {
  await checkImageNames(context, names);
  const images = await openImages(context);
  return names.length > 0 ? Promise.all(names.map((name) => images.check(name))) : images.list();
}

/**
 * Builds images that are not there, one after the other; all where none are named. A path names a folder with a recipe of the user's
 * own, which is taken over first. @throws UserError for a name of no recipe, and a folder without one
 */
export async function buildImages(context: Context, given: readonly string[]): Promise<ImageState[]> {
  const names: string[] = [];
  for (const each of given) names.push(/[/\\]/.test(each) ? await takeRecipe(context, each) : each);
  await checkImageNames(context, names);
  const images = await openImages(context);
  const built: ImageState[] = [];
  const say = (message: string): void => context.notify({ type: 'notice', message });
  const wanted = names.length > 0 ? names : (await images.list()).map((state) => state.name);
  const lacking = (await Promise.all(wanted.map((name) => images.check(name)))).flatMap(({ name, present }) =>
    present === null ? [name] : [],
  );
  const placeText = createPlaceClock();
  for (const name of wanted) {
    const startedAt = Date.now();
    built.push(await images.ensure(name, (line) => say(`  ${line}`)));
    const place = lacking.includes(name) ? placeText({ ended: lacking.indexOf(name) + 1, of: lacking.length }) : '';
    say(`${name} is there (${duration((Date.now() - startedAt) / 1000)})${place}`);
  }
  return built;
}

async function checkImageNames(context: Context, names: readonly string[]): Promise<void> {
  const { listRecipes, recipeFolders } = await import('../../adapters/docker/images/image-recipe.js');
  const known = await listRecipes(recipeFolders(context.packageRoot, context.environment().stateDir));
  const problems = names
    .filter((name) => !known.includes(name))
    .map((name) => {
      const meant = nearest(name, known);
      return {
        message: `there is no image recipe "${name}"`,
        expected: `one of ${known.join(', ')}`,
        fix: meant === undefined ? 'durabench images check lists them' : `did you mean "${meant}"?`,
      };
    });
  if (problems.length > 0) throw new UserError('usage', problems);
}

/** What of the folder of a recipe is part of it. */
const PARTS = ['recipe.yaml', 'debian.lock.txt', 'requirements.lock.txt', 'package.json', 'package-lock.json', 'files'];

/** Keeps a recipe of the user's own in the installation, in the place of one of that name. @returns its name */
async function takeRecipe(context: Context, folder: string): Promise<string> {
  if (!existsSync(join(folder, 'recipe.yaml')))
    throw new UserError('usage', {
      message: `there is no ${join(folder, 'recipe.yaml')}`,
      expected: 'the name of a recipe that comes along, or a folder with a recipe.yaml',
      fix: 'durabench images check lists the recipes; docs/guides/agents.md shows one of your own',
    });
  const { listRecipes, loadRecipe, readRecipe, recipeFolders } =
    await import('../../adapters/docker/images/image-recipe.js');
  const { name } = (await readRecipe(folder)).recipe;
  const [shipped, own = ''] = recipeFolders(context.packageRoot, context.environment().stateDir);
  if ((await listRecipes([shipped!])).includes(name))
    throw new UserError('usage', {
      message: `${join(folder, 'recipe.yaml')}: name: "${name}" is a recipe that comes along`,
      expected: 'a name of its own',
      fix: `write another name, such as my-${name}`,
    });
  const kept = join(own, name);
  await rm(kept, { recursive: true, force: true });
  await mkdir(kept, { recursive: true });
  for (const part of PARTS)
    if (existsSync(join(folder, part))) await cp(join(folder, part), join(kept, part), { recursive: true });
  // Of a base that is not there it is told before anything is downloaded.
  await loadRecipe([shipped!, own], name);
  return name;
}
