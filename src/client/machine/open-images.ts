import { join } from 'node:path';
import type { Images, ImageState } from '../../adapters/docker/images/images.js';
import { nearest } from '../../config/nearest.js';
import { UserError } from '../../domain/failure/user-error.js';
import { duration } from '../../report/text/number-text.js';
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
  return createImages({ docker: connectDocker(), packageRoot: context.packageRoot, cacheFolder, variable });
}

/** How images of recipes stand; of all where none are named. @throws UserError for a name of no recipe */
export async function imageStates(context: Context, names: readonly string[]): Promise<ImageState[]> {
  await checkImageNames(context, names);
  const images = await openImages(context);
  return names.length > 0 ? Promise.all(names.map((name) => images.check(name))) : images.list();
}

/** Builds images that are not there, one after the other; all where none are named. @throws UserError for a name of no recipe */
export async function buildImages(context: Context, names: readonly string[]): Promise<ImageState[]> {
  await checkImageNames(context, names);
  const images = await openImages(context);
  const built: ImageState[] = [];
  const say = (message: string): void => context.notify({ type: 'notice', message });
  for (const name of names.length > 0 ? names : (await images.list()).map((state) => state.name)) {
    const startedAt = Date.now();
    built.push(await images.ensure(name, (line) => say(`  ${line}`)));
    say(`${name} is there (${duration((Date.now() - startedAt) / 1000)})`);
  }
  return built;
}

async function checkImageNames(context: Context, names: readonly string[]): Promise<void> {
  const { listRecipes } = await import('../../adapters/docker/images/image-recipe.js');
  const known = await listRecipes(join(context.packageRoot, 'deploy', 'images'));
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
