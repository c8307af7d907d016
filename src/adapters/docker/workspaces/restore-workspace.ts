import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type Docker from 'dockerode';
import tar from 'tar-stream';
import type { SandboxLimits } from '../../../contract/sandbox-limits.js';
import type { WorkspaceRef } from '../../../contract/sandbox-result.js';
import { DomainFailure } from '../../../domain/failure/domain-failure.js';
import type { Blobs } from '../../../ports/blobs.js';
import { readLayers, type Layer } from './layers.js';
import type { Listed } from './listing.js';
import { readNames, type HeldWorkspace } from './read-workspace.js';
import { RESTORER } from './reader-script.js';
import { startReader } from './reader-talk.js';
import { treeOf, type Entry, type Tree } from './tree.js';

/** A file that several paths have is kept in memory up to this; larger ones are read again for each. */
const SHARED_BYTES = 1024 * 1024;

/**
 * Has a workspace in the empty `/work` of a container, exactly.
 * @throws DomainFailure `blobs.…` where it is not in the store, `sandbox.lost` where the container has another afterwards
 */
export async function restoreWorkspace(
  container: Docker.Container,
  { ref, limits, blobs }: { ref: WorkspaceRef; limits: SandboxLimits; blobs: Blobs },
): Promise<HeldWorkspace> {
  const { layers, changes } = await readLayers(blobs, ref.manifest);
  const tree = treeOf(changes);
  const talk = await startReader(container, RESTORER, String(limits.workspaceDepth + 1));
  try {
    for await (const chunk of packTree(tree, layers, blobs)) await talk.write(chunk as Buffer);
    const [listed] = await Promise.all([readNames(talk, limits), talk.end()]);
    if (typeof listed === 'string')
      throw new DomainFailure(
        'harness.bug',
        `a workspace is beyond the limits of the run that begins with it: ${listed}`,
      );
    return { ref, layers, seen: withValues(listed, tree) };
  } finally {
    talk.giveUp();
  }
}

/** What is listed, with the hashes of what was restored. @throws DomainFailure `sandbox.lost` where it is not that */
function withValues(listed: ReadonlyMap<string, Listed>, tree: Tree): Map<string, Listed> {
  const differs = (path: string): never => {
    throw new DomainFailure(
      'sandbox.lost',
      `a workspace was not restored as it was: ${JSON.stringify(path.slice(0, 200))}`,
    );
  };
  const seen = new Map<string, Listed>();
  for (const [path, entry] of tree) {
    const found = listed.get(path);
    if (found === undefined) return differs(path);
    const value = entry.kind === 'file' ? entry.value : found.value;
    seen.set(path, { ...found, value });
    const isSame = (['kind', 'mode', 'mtime', 'size'] as const).every((field) => found[field] === entry[field]);
    if (!isSame || value !== entry.value) return differs(path);
  }
  if (listed.size !== tree.size) differs([...listed.keys()].find((path) => !tree.has(path)) ?? '');
  return seen;
}

/** A tar of a whole tree: folders first, each file out of the layer that has its bytes, what points to others last. */
function packTree(tree: Tree, layers: readonly Layer[], blobs: Blobs): tar.Pack {
  const pack = tar.pack();
  void fillPack(pack, tree, layers, blobs).catch((error: Error) => pack.destroy(error));
  return pack;
}

async function fillPack(pack: tar.Pack, tree: Tree, layers: readonly Layer[], blobs: Blobs): Promise<void> {
  const add = async (path: string, content: Readable): Promise<void> => {
    await pipeline(content, pack.entry(headerOf(path, tree.get(path)!)));
  };
  const paths = new Map<string, string[]>();
  for (const [path, entry] of tree) {
    if (entry.kind === 'folder') pack.entry(headerOf(path, entry));
    if (entry.kind === 'file' && entry.size === 0) pack.entry(headerOf(path, entry), '');
    if (entry.kind === 'file' && entry.size > 0) paths.set(entry.value, [...(paths.get(entry.value) ?? []), path]);
  }
  for (const { content, files } of layers) {
    while (content !== null && files.some((sha256) => paths.has(sha256)))
      await addFrom(await blobs.open(content), { files, paths, add });
  }
  if (paths.size > 0) throw new DomainFailure('blobs.unavailable', 'a workspace lacks bytes of its files');
  for (const [path, entry] of tree)
    if (entry.kind === 'link' || entry.kind === 'twin') pack.entry(headerOf(path, entry));
  pack.finalize();
}

/** One reading of a layer's tar; what is still in `paths` afterwards wants another. */
async function addFrom(
  source: Readable,
  to: {
    files: readonly string[];
    paths: Map<string, string[]>;
    add: (path: string, content: Readable) => Promise<void>;
  },
): Promise<void> {
  let at = -1;
  const extract = source.pipe(tar.extract());
  source.once('error', (error) => extract.destroy(error));
  for await (const entry of extract) {
    const sha256 = to.files[(at += 1)] ?? '';
    const [first, ...more] = to.paths.get(sha256) ?? [];
    if (first === undefined) {
      entry.resume();
      continue;
    }
    if (more.length > 0 && (entry.header.size ?? 0) <= SHARED_BYTES) {
      const chunks: Buffer[] = [];
      for await (const chunk of hashed(entry, sha256)) chunks.push(chunk);
      const bytes = Buffer.concat(chunks);
      for (const path of [first, ...more]) await to.add(path, Readable.from([bytes]));
      to.paths.delete(sha256);
      continue;
    }
    await to.add(first, Readable.from(hashed(entry, sha256)));
    if (more.length > 0) to.paths.set(sha256, more);
    else to.paths.delete(sha256);
  }
}

async function* hashed(chunks: AsyncIterable<unknown>, sha256: string): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  for await (const chunk of chunks as AsyncIterable<Buffer>) {
    hash.update(chunk);
    yield chunk;
  }
  if (hash.digest('hex') !== sha256) throw new DomainFailure('blobs.unavailable', 'a file of a workspace is damaged');
}

const TYPES = { file: 'file', folder: 'directory', link: 'symlink', twin: 'link' } as const;

function headerOf(path: string, { kind, mode, mtime, size, value }: Entry): Partial<tar.Header> & { name: string } {
  return {
    name: path,
    type: TYPES[kind],
    // A bit that is not written: tar-stream takes a mode of 0 for none.
    mode: mode | 0o100000,
    size: kind === 'file' ? size : 0,
    // To the nanosecond, which the plain header cannot say.
    mtime: new Date(0),
    pax: { mtime: decimal(mtime) },
    ...(kind === 'link' || kind === 'twin' ? { linkname: value } : {}),
  };
}

/** The kernel counts nanoseconds upwards before 1970 as well: 0.25 s before it is -1.750000000, and -0.250000000 as a number. */
function decimal(time: string): string {
  const [seconds = '', fraction = ''] = time.split('.');
  if (!seconds.startsWith('-') || Number(fraction) === 0) return time;
  const whole = BigInt(seconds) + 1n;
  return `-${-whole}.${String(1_000_000_000 - Number(fraction)).padStart(9, '0')}`;
}
