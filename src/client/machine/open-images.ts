import { join } from 'node:path';
import type { Images, ImageState } from '../../adapters/docker/images/images.js';
import { nearest } from '../../config/nearest.js';
import { UserError } from '../../domain/failure/user-error.js';
import type { Context } from '../context.js';

export type { Images, ImageState };

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

/** @throws UserError for names of no recipe */
export async function checkImageNames(context: Context, names: readonly string[]): Promise<void> {
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
