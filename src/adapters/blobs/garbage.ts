import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';

/** What a collection did. */
export interface GarbageReport {
  removedBlobs: number;
  removedBytes: number;
  keptBlobs: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;
// Derived results (parsed candidates, indexes, extracted tasks) nobody asked for in a month are made again when needed.
const DERIVED_UNUSED_MS = 30 * DAY_MS;

/** Removes what nothing refers to; see `FileBlobs.collectGarbage`. */
export async function collectGarbage(request: {
  folder: string;
  referenced: Iterable<string>;
  olderThanMs?: number | undefined;
  /** Only counts what it would remove. */
  isDryRun?: boolean | undefined;
}): Promise<GarbageReport> {
  const { folder, isDryRun = false } = request;
  const before = Date.now() - (request.olderThanMs ?? DAY_MS);
  await removeOlder(await filesIn(join(folder, 'scratch')), before, isDryRun);
  await removeOlder(await filesInShards(join(folder, 'derived')), Date.now() - DERIVED_UNUSED_MS, isDryRun);
  const kept = new Set(request.referenced);
  for (const sha256 of await rememberedBlobs(folder)) kept.add(sha256);
  const blobs = await filesInShards(join(folder, 'sha256'));
  const removed = await removeOlder(
    blobs.filter((path) => !kept.has(basename(path))),
    before,
    isDryRun,
  );
  return { removedBlobs: removed.count, removedBytes: removed.bytes, keptBlobs: blobs.length - removed.count };
}

async function rememberedBlobs(folder: string): Promise<string[]> {
  const texts = await Promise.all((await filesInShards(join(folder, 'derived'))).map((path) => readText(path)));
  return texts.flatMap((text) => /"sha256":"([0-9a-f]{64})"/.exec(text)?.[1] ?? []);
}

async function removeOlder(
  paths: string[],
  before: number,
  isDryRun: boolean,
): Promise<{ count: number; bytes: number }> {
  const removed = { count: 0, bytes: 0 };
  for (const path of paths) {
    const found = await stat(path).catch(() => undefined);
    if (found === undefined || found.mtimeMs >= before) continue;
    if (!isDryRun) await rm(path, { force: true });
    removed.count += 1;
    removed.bytes += found.size;
  }
  return removed;
}

async function filesInShards(folder: string): Promise<string[]> {
  const shards = await filesIn(folder);
  return (await Promise.all(shards.map(filesIn))).flat();
}

async function filesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.map((name) => join(folder, name));
}

const readText = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '');
