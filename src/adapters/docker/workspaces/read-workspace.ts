import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { PassThrough, type Readable } from 'node:stream';
import type Docker from 'dockerode';
import tar from 'tar-stream';
import type { EvidenceRef } from '../../../contract/evidence.js';
import type { SandboxLimits } from '../../../contract/sandbox-limits.js';
import type { WorkspaceEnd, WorkspaceRef } from '../../../contract/sandbox-result.js';
import { DomainFailure } from '../../../domain/failure/domain-failure.js';
import { sha256Hex } from '../../../domain/text/content-hash.js';
import { isFullOfProcesses } from '../engine/ask-container.js';
import { lossOf } from '../../../domain/limits/workspace-limits.js';
import type { Blobs } from '../../../ports/blobs.js';
import { layersKept, readIndex, storeIndex, storeManifest, workspaceLabel, type Layer } from './layers.js';
import { readListing, type Listed } from './listing.js';
import { READER } from './reader-script.js';
import { startReader, type ReaderTalk } from './reader-talk.js';
import { changeBetween, treeBytes, treeDigest, treeOf, type Tree } from './tree.js';

/** What is known of `/work` in a container: which workspace is in it, and how the kernel showed it. */
export interface HeldWorkspace {
  ref: WorkspaceRef | null;
  layers: readonly Layer[];
  seen: ReadonlyMap<string, Listed>;
}

/** Of a container in which nothing was yet. */
export const NOTHING_HELD: HeldWorkspace = { ref: null, layers: [], seen: new Map() };

/**
 * Ends whatever a command left running, and stores what it changed in `/work`. `held`: what is in the container now, null where it is
 * of no more use.
 */
export async function readWorkspace(
  container: Docker.Container,
  { before, limits, blobs }: { before: HeldWorkspace; limits: SandboxLimits; blobs: Blobs },
): Promise<{ end: WorkspaceEnd; held: HeldWorkspace | null }> {
  const talk = await startReader(container, READER, String(limits.workspaceDepth + 1));
  try {
    const listed = await readNames(talk, limits).catch(async (error: unknown) => {
      // No process can be started beside so many, not even what would end them.
      if (await isFullOfProcesses(container)) return 'processes' as const;
      throw error;
    });
    if (typeof listed === 'string')
      return { end: { ref: before.ref, undone: lossOf(listed, limits), stored: [] }, held: null };
    const seen = await readHashes(talk, listed, before.seen);
    const change = changeBetween(before.seen, seen);
    if (change === null && before.ref !== null) {
      await talk.end();
      return { end: { ref: before.ref, undone: null, stored: [] }, held: { ...before, seen } };
    }
    const { layers, stored } = await storeLayer(talk, { seen, before, blobs });
    const manifest = await storeManifest(blobs, layers);
    const ref = { digest: treeDigest(seen), manifest: manifest.sha256, bytes: treeBytes(seen), files: seen.size };
    return { end: { ref, undone: null, stored: [...stored, manifest] }, held: { ref, layers, seen } };
  } finally {
    talk.giveUp();
  }
}

/** All names with what the kernel tells of them, or why they cannot be kept. */
export async function readNames(talk: ReaderTalk, limits: SandboxLimits): Promise<ReturnType<typeof readListing>> {
  // Two words a name, twice as many where all were locked, and one that may be on its way.
  const most = 4 * (limits.workspaceFiles + 1) + 2;
  const words = await talk.words(most, (index) => index % 2 === 1);
  return words === null ? 'files' : readListing(words, limits);
}

/** The same with the hashes of files: those of before where nobody can have changed them. */
async function readHashes(
  talk: ReaderTalk,
  listed: ReadonlyMap<string, Listed>,
  before: ReadonlyMap<string, Listed>,
): Promise<Map<string, Listed>> {
  const isUntouched = (path: string, now: Listed): boolean => {
    const then = before.get(path);
    return (
      then?.kind === 'file' && (['inode', 'ctime', 'mtime', 'size'] as const).every((one) => then[one] === now[one])
    );
  };
  const unknown = [...listed].filter(([path, entry]) => entry.kind === 'file' && !isUntouched(path, entry));
  const hashes = new Map<string, string>();
  if (unknown.length > 0) {
    await talk.writePaths(unknown.map(([path]) => path));
    for (const word of (await talk.words(unknown.length + 1, () => true)) ?? []) {
      const [, sha256 = '', path = ''] = /^([0-9a-f]{64}) [ *]\.\/([^]+)$/.exec(word.toString('utf8')) ?? [];
      hashes.set(path, sha256);
    }
  }
  const known = [...listed].map(([path, entry]): [string, Listed] => {
    if (entry.kind !== 'file') return [path, entry];
    return [path, { ...entry, value: hashes.get(path) ?? before.get(path)?.value ?? '' }];
  });
  return new Map(known);
}

/** What changed as one layer more, or in the place of the upper ones. */
async function storeLayer(
  talk: ReaderTalk,
  { seen, before, blobs }: { seen: ReadonlyMap<string, Listed>; before: HeldWorkspace; blobs: Blobs },
): Promise<{ layers: Layer[]; stored: EvidenceRef[] }> {
  const below = before.layers.slice(0, layersKept(before.layers));
  const isAll = below.length === before.layers.length;
  const base: Tree = isAll ? before.seen : treeOf(await Promise.all(below.map(({ index }) => readIndex(blobs, index))));
  const change = changeBetween(base, seen) ?? { entries: [], removed: [] };
  const has = new Set(below.flatMap(({ files }) => files));
  const wanted = new Map<string, string>();
  for (const [path, { kind, size, value }] of seen)
    if (kind === 'file' && size > 0 && !has.has(value) && !wanted.has(value)) wanted.set(value, path);
  const files = [...wanted.keys()];
  const content = files.length === 0 ? null : await storeContent(talk, wanted, blobs);
  await talk.end();
  const entries = change.entries.map(([path, { kind, mode, mtime, size, value }]): (typeof change.entries)[0] => {
    return [path, { kind, mode, mtime, size, value }];
  });
  const index = await storeIndex(blobs, { entries, removed: change.removed, files });
  const layer = { index: index.sha256, content: content?.sha256 ?? null, bytes: content?.sizeBytes ?? 0, files };
  return { layers: [...below, layer], stored: content === null ? [index] : [content, index] };
}

/** A tar of files, as it comes; each is looked at on its way. */
async function storeContent(talk: ReaderTalk, wanted: ReadonlyMap<string, string>, blobs: Blobs): Promise<EvidenceRef> {
  const bytes = await talk.bytesOf([...wanted.values()]);
  const [toStore, toCheck] = [new PassThrough(), new PassThrough()];
  const [stored] = await Promise.all([
    blobs.putStream(toStore, workspaceLabel('content', sha256Hex([...wanted.keys()].join('')))),
    // Nobody reads on where a file is another: the rest must still flow, or the copy that is stored never ends.
    checkFiles(toCheck.pipe(tar.extract()), [...wanted.keys()]).finally(() => void toCheck.unpipe().resume()),
    intoBoth(bytes, [toStore, toCheck]),
  ]);
  return stored;
}

async function intoBoth(source: Readable, sinks: readonly PassThrough[]): Promise<void> {
  for await (const chunk of source) for (const sink of sinks) if (!sink.write(chunk)) await once(sink, 'drain');
  for (const sink of sinks) sink.end();
}

/** @throws DomainFailure `sandbox.lost` where a file is another than was listed, or the tar is cut */
async function checkFiles(extract: tar.Extract, expected: readonly string[]): Promise<void> {
  let at = 0;
  for await (const entry of extract) {
    const hash = createHash('sha256');
    for await (const chunk of entry) hash.update(chunk as Buffer);
    if (hash.digest('hex') !== expected[at]) break;
    at += 1;
  }
  if (at < expected.length) throw new DomainFailure('sandbox.lost', 'a workspace changed while it was read');
}
