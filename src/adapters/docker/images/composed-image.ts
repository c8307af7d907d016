import type Docker from 'dockerode';
import { jsonHash, sha256Hex } from '../../../domain/text/content-hash.js';
import { indexVariables } from '../../../domain/program-variables.js';
import { UserError } from '../../../domain/failure/user-error.js';
import { packFolder, packTar } from '../engine/tar-archive.js';
import { runBuild } from './build-container.js';
import { INSTALL_DEBS, obtainDebs } from './deb-packages.js';
import { obtainGoModules } from './go-modules.js';
import type { ComposedRecipe, LoadedRecipe } from './image-recipe.js';
import { obtainNpmPackages } from './npm-packages.js';
import { engineMachine, obtainWheels } from './wheelhouse.js';

interface ComposeOptions {
  docker: Docker;
  base: { tag: string; recipeDigest: string };
  loaded: LoadedRecipe;
  recipe: ComposedRecipe;
  cacheFolder: string;
  variable: (name: string) => string | undefined;
  onProgress: (line: string) => void;
  commit: (container: Docker.Container) => Promise<void>;
}

/** Where the downloads stand while the script of a recipe runs. */
const BUILD_FOLDER = '/build';

/** Downloads what a composed recipe names, puts it together in a container without a network, and commits that. */
export async function composeImage(options: ComposeOptions): Promise<void> {
  const { docker, recipe, onProgress } = options;
  await checkMachine(docker, recipe);
  const parts = await obtainParts(options);
  const from = await withDebianPackages(options);
  onProgress(`putting ${recipe.name} together`);
  await runBuild({
    docker,
    imageName: recipe.name,
    from,
    workingDir: '/',
    script: `mkdir -p ${BUILD_FOLDER} && cd ${BUILD_FOLDER}\n${recipe.build}\ncd / && rm -rf ${BUILD_FOLDER} /tmp/* /root/.cache`,
    async fill(container) {
      for (const [below, folder] of parts) {
        const archive = await packFolder(folder, `${BUILD_FOLDER.slice(1)}/${below}`);
        await container.putArchive(archive, { path: '/' });
      }
      const files = Object.entries(options.loaded.files).map(
        ([path, bytes]) => [`build/files/${path}`, bytes] as const,
      );
      if (files.length > 0) await container.putArchive(await packTar(Object.fromEntries(files)), { path: '/' });
    },
    commit: options.commit,
    fix: `correct the script of the recipe ${recipe.name}, then build it again`,
  });
}

async function checkMachine(docker: Docker, recipe: ComposedRecipe): Promise<void> {
  const machine = await engineMachine(docker);
  if (recipe.machine === undefined || machine === recipe.machine) return;
  throw new UserError('environment', {
    message: `image ${recipe.name}: its programs are for ${recipe.machine}, and the Docker engine runs on ${machine}`,
    expected: `a Docker engine on ${recipe.machine}`,
    fix: `set DOCKER_HOST to an engine on ${recipe.machine}, then run "durabench images build ${recipe.name}"`,
  });
}

/** Folders of the host by where they go below the build folder. */
async function obtainParts(options: ComposeOptions): Promise<Map<string, string>> {
  const { docker, base, loaded, recipe, cacheFolder, variable, onProgress } = options;
  const { lock, npm } = loaded;
  const parts = new Map<string, string>();
  if (lock !== null) {
    const wheels = { imageName: recipe.name, python: recipe.python ?? '3.11', lock, cacheFolder, variable, onProgress };
    parts.set('wheels', await obtainWheels({ docker, baseImage: base.tag, ...wheels }));
  }
  const shared = { imageName: recipe.name, cacheFolder, variable, onProgress };
  if (npm !== null) parts.set('npm', await obtainNpmPackages({ ...shared, ...npm }));
  if (recipe.go !== undefined) {
    const wheels = parts.get('wheels') ?? '';
    parts.set('go', await obtainGoModules({ ...shared, ...recipe.go, toolchainFolder: wheels }));
  }
  return parts;
}

/** The base with the Debian packages of a recipe, kept under a name of its own: most changes of a recipe are not in them. */
async function withDebianPackages(options: ComposeOptions): Promise<string> {
  const { docker, base, recipe, variable, onProgress } = options;
  if (recipe.debian.length === 0) return base.tag;
  const { debianLock } = options.loaded;
  const repo = `durabench/${recipe.name}-debian`;
  const packages = debianLock === null ? recipe.debian : [sha256Hex(debianLock)];
  const tag = jsonHash({ base: base.recipeDigest, packages }).slice(0, 12);
  const found = await docker
    .getImage(`${repo}:${tag}`)
    .inspect()
    .catch((error: { statusCode?: number }) => {
      if (error.statusCode === 404) return null;
      throw error;
    });
  if (found !== null) return `${repo}:${tag}`;
  const debs = debianLock === null ? null : await obtainDebs({ ...options, ...baseOf(options), lock: debianLock });
  onProgress(`installing the Debian packages of ${recipe.name}`);
  await runBuild({
    docker,
    imageName: recipe.name,
    from: base.tag,
    workingDir: '/',
    script: APT_SCRIPT.replace('INSTALL', () => (debs === null ? installNamed(recipe.debian) : INSTALL_DEBS)),
    hasNetwork: debs === null,
    env: { ...indexVariables(variable), DEBIAN_FRONTEND: 'noninteractive', HOME: '/root' },
    async fill(container) {
      if (debs === null) return;
      await container.putArchive(await packFolder(debs, `${BUILD_FOLDER.slice(1)}/debs`), { path: '/' });
    },
    commit: async (container) => {
      await container.commit({ repo, tag });
    },
    fix: `check that containers reach a Debian mirror ("docker run --rm -u 0 ${base.tag} apt-get update"), then run "durabench images build ${recipe.name}"`,
  });
  return `${repo}:${tag}`;
}

/** Without documentation, and without starting any of the services that come along. */
const APT_SCRIPT = `
printf 'path-exclude=/usr/share/%s/*\\n' doc man info locale >/etc/dpkg/dpkg.cfg.d/durabench
printf '#!/bin/sh\\nexit 101\\n' >/usr/sbin/policy-rc.d; chmod +x /usr/sbin/policy-rc.d
INSTALL
rm -rf /usr/sbin/policy-rc.d /var/lib/apt/lists/* /var/cache/apt/*.bin /var/cache/apt/archives/*.deb /var/log/*`;

const installNamed = (names: readonly string[]): string =>
  `apt-get -q update\napt-get -q -y --no-install-recommends install ${names.join(' ')}`;

const baseOf = ({ base, recipe }: ComposeOptions): { baseImage: string; imageName: string } => ({
  baseImage: base.tag,
  imageName: recipe.name,
});
