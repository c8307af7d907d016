import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DomainFailure } from '../../../domain/failure/domain-failure.js';
import { downloadVariables, indexVariables } from '../../../domain/program-variables.js';
import type { PackageIndex, PinnedPackage } from '../../../ports/package-index.js';
import { connectDocker } from '../engine/connect-docker.js';
import { DownloadError } from './download-error.js';
import { DebDownloadError, downloadDebs } from '../images/deb-packages.js';
import { createImages } from '../images/images.js';
import { makeScratch } from '../sandbox/scratch.js';
import type { PipContainer } from './pip-container.js';
import { platformArguments } from '../engine/platform-arguments.js';
import { pipDownload } from './pip-download.js';

/** Where the adapter finds what it needs. */
export interface PackageIndexOptions {
  /** Holds `deploy/images/`. */
  packageRoot: string;
  /** For making the base image, should it have to be made. */
  cacheFolder: string;
  /** A variable of the environment: where the index is, for pip here and in a container. */
  variable: (name: string) => string | undefined;
  /** Python whose pip is tried first; `python3` when absent. */
  hostPython?: string;
}

/** Package index by pip: the host's, else that of a container of the base image; of Debian by apt in such a container. Touches none before the first download. */
export function createPackageIndex(options: PackageIndexOptions): PackageIndex {
  return {
    async download(wanted, { signal, onProgress = () => undefined } = {}) {
      if (wanted.kind === 'deb') return debFile(wanted, options, { signal, onProgress });
      const files = await pipDownload({
        requirements: `${wanted.name}==${wanted.version} --hash=sha256:${wanted.sha256}\n`,
        kind: wanted.kind === 'sdist' ? ['--no-binary', wanted.name] : ['--only-binary=:all:'],
        ...(wanted.fits ? { hostOptions: platformArguments(wanted.fits.python, wanted.fits.machine) } : {}),
        hostPython: options.hostPython ?? 'python3',
        hostVariables: downloadVariables(options.variable),
        container: () => baseContainer(options, onProgress),
        onProgress,
        ...(signal ? { signal } : {}),
      }).catch((error: unknown) => {
        throw error instanceof DownloadError ? failureOf(wanted, error) : error;
      });
      const [bytes] = files.values();
      if (bytes === undefined) throw new Error('a checked download without a file');
      return bytes;
    },
  };
}

async function debFile(
  wanted: PinnedPackage,
  options: PackageIndexOptions,
  { signal, onProgress }: { signal: AbortSignal | undefined; onProgress: (line: string) => void },
): Promise<Buffer> {
  const from = await baseContainer(options, onProgress);
  const scratch = await makeScratch(options.cacheFolder);
  try {
    await downloadDebs([wanted], scratch, { ...from, signal }).catch((error: unknown) => {
      throw error instanceof DebDownloadError ? debFailure(wanted, error) : error;
    });
    const [name = ''] = await readdir(scratch);
    return await readFile(join(scratch, name));
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

function debFailure({ name, version, sha256, byHand }: PinnedPackage, error: DebDownloadError): DomainFailure {
  return new DomainFailure(
    error.isOther ? 'dataset.hash-mismatch' : 'dataset.missing',
    {
      message: `${name} ${version} cannot be downloaded: ${error.message}`,
      expected: error.isOther
        ? `the file with sha-256 ${sha256}`
        : 'a Docker engine whose containers reach a Debian mirror that has this version, or the file itself',
      fix: `take it from snapshot.debian.org, which keeps every version: ${byHand}`,
    },
    { cause: error },
  );
}

async function baseContainer(options: PackageIndexOptions, onProgress: (line: string) => void): Promise<PipContainer> {
  const docker = connectDocker();
  const base = await createImages({ ...options, docker }).ensure('base', onProgress);
  return { docker, image: base.tag, variables: indexVariables(options.variable) };
}

function failureOf({ name, version, sha256, byHand }: PinnedPackage, error: DownloadError): DomainFailure {
  const wrong = error.mismatch !== null;
  const expected = wrong
    ? `the file with sha-256 ${sha256}`
    : 'a python3 with pip that reaches a package index, or a Docker engine whose containers reach one, or the file itself';
  const fix = wrong
    ? `check which package index pip uses ("python3 -m pip config list"), then run the command again, or ${byHand}`
    : `make "python3 -m pip download ${name}==${version}" work, or start Docker and let containers reach the index, or ${byHand}`;
  return new DomainFailure(
    wrong ? 'dataset.hash-mismatch' : 'dataset.missing',
    { message: `${name} ${version} cannot be downloaded: ${error.message}`, expected, fix },
    { cause: error },
  );
}
