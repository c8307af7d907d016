import { existsSync } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { jsonHash, sha256Hex } from '../../../domain/text/content-hash.js';
import { DomainFailure } from '../../../domain/failure/domain-failure.js';
import { UserError } from '../../../domain/failure/user-error.js';
import { shapedYaml } from '../../../domain/shape/shape-problems.js';
import { readDebLock } from './deb-packages.js';

const name = z.string().regex(/^[a-z0-9][a-z0-9-]*$/);
const env = z.record(z.string(), z.string());

const debianRecipe = z.strictObject({
  name,
  kind: z.literal('debian'),
  /** Reference of the ordinary image; tried first. */
  pull: z.string(),
  bootstrap: z.strictObject({ suite: z.string(), packages: z.array(z.string()), exclude: z.array(z.string()) }),
  env,
});

const pythonRecipe = z.strictObject({
  name,
  kind: z.literal('python'),
  /** Recipe this one is built on. */
  base: name,
  python: z.string(),
  /** Paths (shell globs) taken out after the installation. */
  remove: z.array(z.string()),
  /** pytest plugins whose rewritten bytecode is made at build time. */
  warm: z.array(z.string()),
  env,
});

const composedRecipe = z.strictObject({
  name,
  kind: z.literal('composed'),
  /** Recipe this one is built on. */
  base: name,
  /** The only machine type it can be built for, as `uname -m` says it, where its downloads hold programs. */
  machine: z.string().optional(),
  /**
   * Debian packages, put in by apt in a container with the engine's network; where `debian.lock.txt` lies beside the recipe, these and
   * all they need from that lock alone, without a network.
   */
  debian: z.array(z.string()).default([]),
  /** Python of the base, for the wheels of `requirements.lock.txt`. */
  python: z.string().optional(),
  /** A Go module and all it needs, checked by their sums. `toolchain`: a pinned wheel of `requirements.lock.txt` that is a Go toolchain. */
  go: z
    .strictObject({ module: z.string(), version: z.string(), sum: z.string().startsWith('h1:'), toolchain: z.string() })
    .optional(),
  /**
   * Run by `sh -e` as root in `/build`, without a network. There: `wheels/`, `npm/node_modules/` (of `package-lock.json`),
   * `go/` (a GOPROXY folder) and `files/`, a copy of the folder beside the recipe. `/build` is removed afterwards.
   */
  build: z.string(),
  user: z.string().default('65534:65534'),
  command: z.array(z.string()).default([]),
  entrypoint: z.array(z.string()).default([]),
  /** Ports the image says it serves. */
  expose: z.array(z.number()).default([]),
  env: env.default({}),
});

const anyRecipe = z.discriminatedUnion('kind', [debianRecipe, pythonRecipe, composedRecipe]);

/** A recipe as `deploy/images/<name>/recipe.yaml` says it. */
export type ImageRecipe = z.infer<typeof debianRecipe> | z.infer<typeof pythonRecipe> | ComposedRecipe;

/** A recipe of Debian packages, wheels, npm packages, a Go module and files, put together by a script. */
export type ComposedRecipe = z.infer<typeof composedRecipe>;

/** A recipe with what it depends on: its locks and files, and a digest that is alike on every machine. */
export interface LoadedRecipe {
  recipe: ImageRecipe;
  /** `requirements.lock.txt` beside the recipe; null where there is none. */
  lock: string | null;
  /** `debian.lock.txt` beside the recipe; null where there is none. */
  debianLock: string | null;
  /** `package.json` and `package-lock.json` beside the recipe; null where there are none. */
  npm: { manifest: string; lock: string } | null;
  /** What is below `files/` beside the recipe, path → bytes. */
  files: Record<string, Buffer>;
  /** sha-256 over recipe, locks, files and the digest of the recipe below. Image ids differ from machine to machine; this does not. */
  digest: string;
  /** `durabench/<name>:<first 12 of the digest>`. */
  tag: string;
}

/** Raised with the recipe format when an old image must not be taken for a new one. */
const FORMAT = 1;

/** Where recipes lie: those that come along, then those that a user has brought into an installation. */
export const recipeFolders = (packageRoot: string, stateFolder?: string): string[] => [
  join(packageRoot, 'deploy', 'images'),
  ...(stateFolder === undefined ? [] : [join(stateFolder, 'images')]),
];

/** Reads a recipe in one of the folders of `recipeFolders`. Fails with `sandbox.image-missing` for an unknown name, naming the known ones. */
export async function loadRecipe(folders: readonly string[], recipeName: string): Promise<LoadedRecipe> {
  const folder = folders.find((each) => existsSync(join(each, recipeName, 'recipe.yaml')));
  if (folder === undefined) {
    const known = (await listRecipes(folders)).join(', ');
    const fix = 'durabench images build NAME, with one of these names';
    throw new DomainFailure('sandbox.image-missing', {
      message: `there is no image recipe "${recipeName}"`,
      expected: known,
      fix,
    });
  }
  const beside = join(folder, recipeName);
  const { recipe, locks } = await readRecipe(beside);
  if (recipe.name !== recipeName) throw new Error(`recipe ${recipeName} calls itself ${recipe.name}`);
  const { lock, npm, debianLock } = locks;
  const files = await readFilesBelow(join(beside, 'files'));
  const below = recipe.kind === 'debian' ? null : (await loadRecipe(folders, recipe.base)).digest;
  const digest = jsonHash({
    format: FORMAT,
    recipe,
    lock: lock === null ? null : sha256Hex(lock),
    below,
    // Left out where there is nothing of it: the digests of older recipes stay as they are.
    ...(npm === null ? {} : { npm: [sha256Hex(npm.manifest), sha256Hex(npm.lock)] }),
    ...(debianLock === null ? {} : { debian: sha256Hex(debianLock) }),
    ...(Object.keys(files).length === 0 ? {} : { files: hashesOf(files) }),
  });
  return { recipe, ...locks, files, digest, tag: `durabench/${recipeName}:${digest.slice(0, 12)}` };
}

/** What lies in the folder of a recipe, beside `files/`. @throws UserError for what is no recipe */
export async function readRecipe(
  folder: string,
): Promise<{ recipe: ImageRecipe; locks: Pick<LoadedRecipe, 'lock' | 'npm' | 'debianLock'> }> {
  const path = join(folder, 'recipe.yaml');
  const { value: recipe, problems } = shapedYaml(await readFile(path, 'utf8'), path, anyRecipe);
  if (recipe === undefined) throw new UserError('usage', problems);
  const lock = await readOptional(join(folder, 'requirements.lock.txt'), recipe.kind === 'python');
  const [manifest, npmLock, debianLock] = await Promise.all(
    ['package.json', 'package-lock.json', DEBIAN_LOCK].map((name) => readOptional(join(folder, name))),
  );
  const npm = manifest == null || npmLock == null ? null : { manifest, lock: npmLock };
  const locks = { lock, npm, debianLock: debianLock ?? null };
  const problem = recipe.kind === 'composed' ? problemOf(recipe, locks) : null;
  if (problem !== null) throw wrong(path, problem);
  return { recipe, locks };
}

const DEBIAN_LOCK = 'debian.lock.txt';

/** What is wrong with a recipe beside its locks. */
function problemOf(
  recipe: ComposedRecipe,
  { debianLock, ...others }: Pick<LoadedRecipe, 'lock' | 'npm' | 'debianLock'>,
): string | null {
  const holdsPrograms = debianLock !== null || others.lock !== null || others.npm !== null || recipe.go !== undefined;
  if (holdsPrograms && recipe.machine === undefined) return 'machine: what is locked is for one type of machine';
  if (debianLock === null) return null;
  try {
    const locked = new Set(readDebLock(debianLock).map((deb) => deb.name));
    const lacking = recipe.debian.filter((wanted) => !locked.has(wanted));
    if (recipe.debian.length === 0) return `debian: names nothing of ${DEBIAN_LOCK}`;
    return lacking.length === 0 ? null : `debian: ${lacking.join(', ')} not in ${DEBIAN_LOCK}`;
  } catch (error) {
    return (error as Error).message;
  }
}

function wrong(path: string, message: string): UserError {
  return new UserError('usage', {
    message: `${path}: ${message}`,
    expected: 'a recipe as docs/guides/agents.md shows one',
    fix: 'correct it, then run this command again',
  });
}

/** Names of all recipes in these folders, sorted. */
export async function listRecipes(folders: readonly string[]): Promise<string[]> {
  const names = folders.map(async (folder) => {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  });
  return (await Promise.all(names)).flat().sort();
}

async function readOptional(path: string, isRequired = false): Promise<string | null> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' && !isRequired) return null;
    throw error;
  });
}

async function readFilesBelow(folder: string): Promise<Record<string, Buffer>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll('\\', '/'),
    );
  return Object.fromEntries(
    await Promise.all(paths.sort().map(async (path) => [path, await readFile(join(folder, path))] as const)),
  );
}

function hashesOf(files: Record<string, Buffer>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([path, bytes]) => [path, sha256Hex(bytes)]));
}
