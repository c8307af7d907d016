import type Docker from 'dockerode';
import { askRegistry } from './ask-registry.js';
import { obtainDebian } from './base-image.js';
import { runBuild } from './build-container.js';
import { composeImage } from './composed-image.js';
import { dockerFailure } from '../engine/docker-failure.js';
import {
  listRecipes,
  loadRecipe,
  recipeFolders,
  type ComposedRecipe,
  type ImageRecipe,
  type LoadedRecipe,
} from './image-recipe.js';
import { currentInstance } from '../engine/instance.js';
import { LABEL, ownerLabels } from '../engine/labels.js';
import { obtainWheels, packWheels } from './wheelhouse.js';

/** Label of an image and its recipe digest; how an image is recognised whatever its id. */
const RECIPE_LABEL = 'durabench.recipe';
/** A registry that says nothing for so long is taken for unreachable; by the engine as long as where the image is pulled. */
const REGISTRY_TIMEOUT_MS = { engine: 20_000, machine: 5_000 } as const;

/** One recipe and the image made from it. */
export interface ImageState {
  name: string;
  tag: string;
  recipeDigest: string;
  /** Null when it has not been built, or only from an older recipe. */
  present: { imageId: string; sizeBytes: number } | null;
}

/** The sandbox images: recipes under `deploy/images/` and of the user, images on the Docker engine. */
export interface Images {
  /** Whether the image of this recipe, as it is now, is on the engine. Fails with `sandbox.unavailable` when Docker does not answer. */
  check(name: string): Promise<ImageState>;
  /** Builds the image, and those below it, where missing. Throws `UserError` with what to do. */
  ensure(name: string, onProgress: (line: string) => void): Promise<ImageState>;
  /**
   * Why the image that a recipe pulls cannot be had from its registry; null where it can.
   * @param by the engine, which knows the image; or this machine, where there is no engine yet
   */
  registryFailure(name: string, by: 'engine' | 'machine'): Promise<string | null>;
  /** The state of every recipe. */
  list(): Promise<ImageState[]>;
}

/**
 * `cacheFolder` keeps downloads (`<state>/cache`); `packageRoot` holds `deploy/images/`, `stateFolder` the user's own recipes;
 * `variable` reads the environment: what programs that download need, here and in a container.
 */
export function createImages(options: {
  docker: Docker;
  packageRoot: string;
  stateFolder?: string;
  cacheFolder: string;
  variable: (name: string) => string | undefined;
}): Images {
  const { docker, cacheFolder, variable } = options;
  const folders = recipeFolders(options.packageRoot, options.stateFolder);

  async function check(name: string): Promise<ImageState> {
    return stateOf(docker, await loadRecipe(folders, name));
  }

  async function ensure(name: string, onProgress: (line: string) => void): Promise<ImageState> {
    const loaded = await loadRecipe(folders, name);
    const before = await stateOf(docker, loaded);
    if (before.present) return before;
    const { recipe } = loaded;
    if (recipe.kind === 'debian') {
      await stamp(docker, await obtainDebian({ docker, recipe, cacheFolder, variable, onProgress }), loaded);
    } else if (recipe.kind === 'composed') {
      const base = await ensure(recipe.base, onProgress);
      const commitIt = (container: Docker.Container): Promise<void> => commit(container, loaded);
      await composeImage({ docker, base, loaded, recipe, cacheFolder, variable, onProgress, commit: commitIt });
    } else {
      const base = await ensure(recipe.base, onProgress);
      await install({ docker, baseTag: base.tag, loaded, recipe, cacheFolder, variable, onProgress });
    }
    onProgress(`built ${loaded.tag}`);
    return stateOf(docker, loaded);
  }

  async function registryFailure(name: string, by: 'engine' | 'machine'): Promise<string | null> {
    const { recipe } = await loadRecipe(folders, name);
    if (recipe.kind !== 'debian') return null;
    const timeoutMs = REGISTRY_TIMEOUT_MS[by];
    if (by === 'machine') return askRegistry(recipe.pull, timeoutMs);
    const signal = AbortSignal.timeout(timeoutMs);
    const asked = docker.getImage(recipe.pull).distribution({ abortSignal: signal });
    return asked.then(
      () => null,
      (error: Error) =>
        signal.aborted ? `silent for ${timeoutMs / 1000} s` : (error.message.split('\n')[0]?.slice(0, 160) ?? ''),
    );
  }

  return {
    check,
    ensure,
    registryFailure,
    list: async () => Promise.all((await listRecipes(folders)).map(check)),
  };
}

async function stateOf(docker: Docker, { recipe, digest, tag }: LoadedRecipe): Promise<ImageState> {
  const state = { name: recipe.name, tag, recipeDigest: digest };
  try {
    const image = await docker.getImage(tag).inspect();
    const fresh = image.Config.Labels?.[RECIPE_LABEL] === digest;
    return { ...state, present: fresh ? { imageId: image.Id, sizeBytes: image.Size } : null };
  } catch (error) {
    if ((error as { statusCode?: number }).statusCode === 404) return { ...state, present: null };
    throw dockerFailure(error, `looking for image ${tag}`);
  }
}

/** Gives an image from elsewhere our label, settings and tag, through a container that is never started. */
async function stamp(docker: Docker, source: string, loaded: LoadedRecipe): Promise<void> {
  const container = await docker.createContainer({
    Image: source,
    Cmd: ['true'],
    Labels: ownerLabels(currentInstance(), null),
  });
  try {
    await commit(container, loaded);
  } finally {
    await container.remove({ force: true });
  }
}

interface InstallOptions {
  docker: Docker;
  baseTag: string;
  loaded: LoadedRecipe;
  recipe: Extract<ImageRecipe, { kind: 'python' }>;
  cacheFolder: string;
  variable: (name: string) => string | undefined;
  onProgress: (line: string) => void;
}

/** Installs the locked wheels into a container without a network, and commits it. No BuildKit: Debian's engine has only the classic builder. */
async function install(options: InstallOptions): Promise<void> {
  const { docker, baseTag, loaded, recipe, onProgress } = options;
  const lock = loaded.lock ?? '';
  const { name: imageName, python } = recipe;
  const wheels = await obtainWheels({ ...options, baseImage: baseTag, imageName, python, lock });
  onProgress(`installing the wheels of ${imageName}`);
  await runBuild({
    docker,
    imageName,
    from: baseTag,
    workingDir: '/',
    script: installScript(recipe),
    fill: async (container) => {
      await container.putArchive(await packWheels(wheels), { path: '/' });
    },
    commit: (container) => commit(container, loaded),
    fix: `check that the lock fits Python ${python} on this machine type, then run "durabench images build ${imageName}"`,
  });
}

function installScript(recipe: Extract<ImageRecipe, { kind: 'python' }>): string {
  const plugins = recipe.warm.map((plugin) => `-p ${plugin}`).join(' ');
  return [
    'set -e',
    'python3 -m venv /opt/venv',
    '/opt/venv/bin/pip install --quiet --no-cache-dir --no-index --find-links /wheels --require-hashes -r /wheels/requirements.lock.txt',
    `cd /tmp && PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 PYTHONDONTWRITEBYTECODE= /opt/venv/bin/python -m pytest -c /dev/null -p no:cacheprovider ${plugins} --version >/dev/null`,
    `rm -rf /wheels /tmp/* ${recipe.remove.join(' ')}`,
    'find /opt/venv -type d -exec chmod a+rx {} + && find /opt/venv -type f -exec chmod a+r {} +',
  ].join('\n');
}

const DEFAULT_CHANGES = ['USER 65534:65534', 'WORKDIR /tmp', 'ENTRYPOINT []', 'CMD ["python3"]'];

function composedChanges({ user, entrypoint, command, expose }: ComposedRecipe): string[] {
  return [
    `USER ${user}`,
    'WORKDIR /tmp',
    `ENTRYPOINT ${JSON.stringify(entrypoint)}`,
    `CMD ${JSON.stringify(command)}`,
    ...expose.map((port) => `EXPOSE ${port}`),
  ];
}

async function commit(container: Docker.Container, { recipe, digest, tag }: LoadedRecipe): Promise<void> {
  const [repo, version] = tag.split(':');
  const changes = [
    `LABEL ${RECIPE_LABEL}=${digest}`,
    // The container it was made in had an owner; the image has none, nor has what somebody makes from it.
    `LABEL ${LABEL.instance}=""`,
    ...(recipe.kind === 'composed' ? composedChanges(recipe) : DEFAULT_CHANGES),
    ...Object.entries(recipe.env).map(([key, value]) => `ENV ${key}=${value}`),
  ];
  await container.commit({ repo, tag: version, changes: changes.join('\n') });
}
