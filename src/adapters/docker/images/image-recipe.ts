import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { jsonHash, sha256Hex } from '../../../domain/text/content-hash.js';
import { DomainFailure } from '../../../domain/failure/domain-failure.js';

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
  /** The only machine type it can be built for, as `uname -m` says it: its downloads hold programs. */
  machine: z.string(),
  /** Debian packages, put in by apt in a container with the engine's network. */
  debian: z.array(z.string()),
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
  user: z.string(),
  command: z.array(z.string()),
  entrypoint: z.array(z.string()).default([]),
  /** Ports the image says it serves. */
  expose: z.array(z.number()).default([]),
  env,
});

/** A recipe as `deploy/images/<name>/recipe.yaml` says it. */
export type ImageRecipe = z.infer<typeof debianRecipe> | z.infer<typeof pythonRecipe> | ComposedRecipe;

/** A recipe of Debian packages, wheels, npm packages, a Go module and files, put together by a script. */
export type ComposedRecipe = z.infer<typeof composedRecipe>;

/** A recipe with what it depends on: its locks and files, and a digest that is alike on every machine. */
export interface LoadedRecipe {
  recipe: ImageRecipe;
  /** `requirements.lock.txt` beside the recipe; null where there is none. */
  lock: string | null;
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

/** Reads and checks a recipe. `folder` is `<package root>/deploy/images`. Fails with `sandbox.image-missing` for an unknown name, naming the known ones. */
export async function loadRecipe(folder: string, recipeName: string): Promise<LoadedRecipe> {
  const text = await readFile(join(folder, recipeName, 'recipe.yaml'), 'utf8').catch(async (cause: unknown) => {
    const known = (await listRecipes(folder)).join(', ');
    const fix = 'durabench images build NAME, with one of these names';
    const problem = { message: `there is no image recipe "${recipeName}"`, expected: known, fix };
    throw new DomainFailure('sandbox.image-missing', problem, { cause });
  });
  const recipe = z.discriminatedUnion('kind', [debianRecipe, pythonRecipe, composedRecipe]).parse(parse(text));
  if (recipe.name !== recipeName) throw new Error(`recipe ${recipeName} calls itself ${recipe.name}`);
  const beside = join(folder, recipeName);
  const lock = await readOptional(join(beside, 'requirements.lock.txt'), recipe.kind === 'python');
  const [manifest, npmLock] = [
    await readOptional(join(beside, 'package.json')),
    await readOptional(join(beside, 'package-lock.json')),
  ];
  const npm = manifest === null || npmLock === null ? null : { manifest, lock: npmLock };
  const files = await readFilesBelow(join(beside, 'files'));
  const below = recipe.kind === 'debian' ? null : (await loadRecipe(folder, recipe.base)).digest;
  const digest = jsonHash({
    format: FORMAT,
    recipe,
    lock: lock === null ? null : sha256Hex(lock),
    below,
    // Left out where there is nothing of it: the digests of older recipes stay as they are.
    ...(npm === null ? {} : { npm: [sha256Hex(npm.manifest), sha256Hex(npm.lock)] }),
    ...(Object.keys(files).length === 0 ? {} : { files: hashesOf(files) }),
  });
  return { recipe, lock, npm, files, digest, tag: `durabench/${recipeName}:${digest.slice(0, 12)}` };
}

/** Names of the recipes the package carries, sorted. */
export async function listRecipes(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
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
