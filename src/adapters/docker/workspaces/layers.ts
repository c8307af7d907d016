import { gunzipSync, gzipSync } from 'node:zlib';
import { WORKSPACE_MEDIA_TYPE } from '../../../contract/sandbox-result.js';
import type { EvidenceRef } from '../../../contract/evidence.js';
import { sha256Hex } from '../../../domain/text/content-hash.js';
import type { Blobs } from '../../../ports/blobs.js';
import type { TreeChange } from './tree.js';

/** What one run, or several in one, added to a workspace. */
export interface Layer {
  /** Blob: what it changes, as gzipped JSON. */
  index: string;
  /** Blob: a tar of the files whose bytes no layer below has; null where there are none. */
  content: string | null;
  /** Of that tar. */
  bytes: number;
  /** sha-256 of the files in the tar, in its order. */
  files: readonly string[];
}

/** A workspace as it is stored. */
interface Manifest {
  format: 1;
  /** The lowest first. */
  layers: Omit<Layer, 'files'>[];
}

/** A blob of one layer: what it changes, and which files are in its tar. */
interface LayerIndex extends TreeChange {
  files: readonly string[];
}

/** Reads the layers of a workspace. @throws DomainFailure `blobs.…` */
export async function readLayers(blobs: Blobs, manifest: string): Promise<{ layers: Layer[]; changes: TreeChange[] }> {
  const { layers } = JSON.parse((await blobs.get(manifest)).toString('utf8')) as Manifest;
  const indices = await Promise.all(layers.map(({ index }) => readIndex(blobs, index)));
  return { layers: layers.map((layer, at) => ({ ...layer, files: indices[at]!.files })), changes: indices };
}

/** What one layer changes. */
export async function readIndex(blobs: Blobs, index: string): Promise<LayerIndex> {
  return JSON.parse(gunzipSync(await blobs.get(index)).toString('utf8')) as LayerIndex;
}

/** Stores what a layer changes. */
export async function storeIndex(blobs: Blobs, index: LayerIndex): Promise<EvidenceRef> {
  return store(blobs, gzipSync(JSON.stringify(index), { level: 3 }), 'index');
}

/** Stores a list of layers, which is all a workspace is. */
export async function storeManifest(blobs: Blobs, layers: readonly Layer[]): Promise<EvidenceRef> {
  const stored = layers.map(({ index, content, bytes }) => ({ index, content, bytes }));
  return store(blobs, JSON.stringify({ format: 1, layers: stored } satisfies Manifest), 'manifest');
}

async function store(blobs: Blobs, bytes: Buffer | string, what: string): Promise<EvidenceRef> {
  return blobs.put(bytes, workspaceLabel(what, sha256Hex(bytes)));
}

/** A name no other blob of the step has. */
export function workspaceLabel(what: string, unique: string): { name: string; mediaType: string } {
  return { name: `workspace-${what}-${unique.slice(0, 16)}`, mediaType: WORKSPACE_MEDIA_TYPE };
}

/**
 * More than so many are put together: a trial of thirty turns stores nothing twice, and its last workspace is restored from thirty
 * small files. With ten it stored 2.3 times what it wrote.
 */
const MOST_LAYERS = 32;

/**
 * How many of the lowest layers stay as they are when another is to be added: all, until there are too many. Then the upper ones become
 * one, and with them each that is not twice as large as all above it, so that a large first layer is not stored again and again.
 */
export function layersKept(layers: readonly Pick<Layer, 'bytes'>[]): number {
  if (layers.length < MOST_LAYERS) return layers.length;
  let kept = layers.length;
  let above = 0;
  while (kept > 0 && (kept > MOST_LAYERS / 2 || layers[kept - 1]!.bytes < 2 * above)) {
    kept -= 1;
    above += layers[kept]!.bytes;
  }
  return kept;
}
