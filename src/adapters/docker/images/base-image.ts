import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type Docker from 'dockerode';
import { downloadVariables } from '../../../domain/program-variables.js';
import type { ImageRecipe } from './image-recipe.js';
import { runProgram } from '../sandbox/run-program.js';
import { makeScratch } from '../sandbox/scratch.js';
import { UserError } from '../../../domain/failure/user-error.js';

type DebianRecipe = Extract<ImageRecipe, { kind: 'debian' }>;

interface BaseImageOptions {
  docker: Docker;
  recipe: DebianRecipe;
  /** For the bootstrap's tar, which is removed again. */
  cacheFolder: string;
  /** A variable of the environment, of which the bootstrap is told what downloads need. */
  variable: (name: string) => string | undefined;
  onProgress: (line: string) => void;
}

/** A registry that says nothing for this long is taken for unreachable: the ordinary case behind a firewall. */
const PULL_SILENCE_MS = 20_000;

/** Brings a bare Debian with Python onto the engine and returns a reference to it: the ordinary image where a registry answers, else a bootstrap. */
export async function obtainDebian(options: BaseImageOptions): Promise<string> {
  const { docker, recipe, onProgress } = options;
  try {
    onProgress(`pulling ${recipe.pull}`);
    await pull(docker, recipe.pull);
    return recipe.pull;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    onProgress(
      `cannot pull ${recipe.pull} (${why.slice(0, 160)}); bootstrapping Debian ${recipe.bootstrap.suite} instead`,
    );
    return bootstrap(options, why);
  }
}

async function pull(docker: Docker, reference: string): Promise<void> {
  const stream = (await docker.pull(reference)) as NodeJS.ReadableStream & { destroy(error: Error): void };
  await new Promise<void>((resolve, reject) => {
    const silence = new Error(`the registry was silent for ${PULL_SILENCE_MS / 1000} s`);
    const expire = (): void => {
      stream.destroy(silence);
      reject(silence);
    };
    let timer = setTimeout(expire, PULL_SILENCE_MS);
    docker.modem.followProgress(
      stream,
      (error: Error | null) => {
        clearTimeout(timer);
        if (error) reject(error);
        else resolve();
      },
      () => {
        clearTimeout(timer);
        timer = setTimeout(expire, PULL_SILENCE_MS);
      },
    );
  });
}

async function bootstrap(options: BaseImageOptions, pullError: string): Promise<string> {
  const { docker, recipe, cacheFolder, variable, onProgress } = options;
  const folder = await makeScratch(cacheFolder);
  try {
    const tar = join(folder, 'base.tar');
    const { suite, packages, exclude } = recipe.bootstrap;
    const result = await runProgram({
      program: 'mmdebstrap',
      argv: [
        '--variant=minbase',
        `--include=${packages.join(',')}`,
        ...exclude.map((path) => `--dpkgopt=path-exclude=${path}`),
        suite,
        tar,
      ],
      variables: downloadVariables(variable),
      onLine: onProgress,
    });
    if (result.code !== 0) throw bootstrapError(recipe, result, pullError);
    const reference = `durabench/${recipe.name}-bootstrap:${suite}`;
    const [repo, tag] = reference.split(':');
    const stream = await docker.importImage(createReadStream(tar), { repo, tag });
    await new Promise<void>((resolve, reject) => {
      docker.modem.followProgress(stream, (error: Error | null) => (error ? reject(error) : resolve()));
    });
    return reference;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function bootstrapError(
  recipe: DebianRecipe,
  result: { code: number | null; tail: string },
  pullError: string,
): UserError {
  const how = result.code === null ? 'mmdebstrap is not installed' : `mmdebstrap failed: ${result.tail.slice(-600)}`;
  return new UserError('environment', {
    message: `image ${recipe.name}: ${recipe.pull} cannot be pulled (${pullError.slice(0, 200)}), and ${how}`,
    expected: `either a registry Docker can pull ${recipe.pull} from, or mmdebstrap run as root with a Debian mirror in reach`,
    fix: `run "docker pull ${recipe.pull}", or "apt-get install mmdebstrap" and start this command again as root`,
  });
}
