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

/** A recipe as `deploy/images/<name>/recipe.yaml` says it. */
export type ImageRecipe = z.infer<typeof debianRecipe> | z.infer<typeof pythonRecipe>;

/** A recipe with what it depends on: its lock, and a digest that is alike on every machine. */
export interface LoadedRecipe {
  recipe: ImageRecipe;
  /** `requirements.lock.txt` beside the recipe; null for `debian`. */
  lock: string | null;
  /** sha-256 over recipe, lock and the digest of the recipe below. Image ids differ from machine to machine; this does not. */
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
  const recipe = z.discriminatedUnion('kind', [debianRecipe, pythonRecipe]).parse(parse(text));
  if (recipe.name !== recipeName) throw new Error(`recipe ${recipeName} calls itself ${recipe.name}`);
  const lock =
    recipe.kind === 'python' ? await readFile(join(folder, recipeName, 'requirements.lock.txt'), 'utf8') : null;
  const below = recipe.kind === 'python' ? (await loadRecipe(folder, recipe.base)).digest : null;
  const digest = jsonHash({ format: FORMAT, recipe, lock: lock === null ? null : sha256Hex(lock), below });
  return { recipe, lock, digest, tag: `durabench/${recipeName}:${digest.slice(0, 12)}` };
}

/** Names of the recipes the package carries, sorted. */
export async function listRecipes(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}
