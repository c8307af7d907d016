import type { EvidenceRef } from '../contract/evidence.js';
import type { SandboxLimits } from '../contract/sandbox-limits.js';
import {
  WORKSPACE_MEDIA_TYPE,
  type TakenFiles,
  type WorkspaceEnd,
  type WorkspaceRef,
} from '../contract/sandbox-result.js';
import { depthOf, limitPassed, lossOf } from '../domain/limits/workspace-limits.js';
import { jsonHash, sha256Hex } from '../domain/text/content-hash.js';
import type { Blobs } from '../ports/blobs.js';

/** Files by their paths below `/work`. */
type Files = ReadonlyMap<string, Buffer>;

/** The files that a run begins with. @throws DomainFailure `blobs.missing` */
export async function restoreFake(blobs: Blobs, from: WorkspaceRef | null): Promise<Map<string, Buffer>> {
  if (from === null) return new Map();
  const manifest = JSON.parse((await blobs.get(from.manifest)).toString('utf8')) as Record<string, string>;
  const files = Object.entries(manifest).map(async ([path, sha256]) => [path, await blobs.get(sha256)] as const);
  return new Map(await Promise.all(files));
}

/** Keeps what a run left, as the real sandbox does, but for modes, links and times, which nothing here has. */
export async function keepFake(
  blobs: Blobs,
  run: { from: WorkspaceRef | null; files: Files; limits: SandboxLimits; wasKilled: boolean },
): Promise<WorkspaceEnd> {
  const { from, limits } = run;
  const files = [...run.files].sort(([one], [other]) => (one < other ? -1 : 1));
  const size = {
    bytes: files.reduce((sum, [, bytes]) => sum + bytes.length, 0),
    files: files.length,
    depth: Math.max(0, ...files.map(([path]) => depthOf(path))),
  };
  const because = run.wasKilled ? 'killed' : limitPassed(size, limits);
  if (because !== null) return { ref: from, undone: lossOf(because, limits), stored: [] };
  const stored: EvidenceRef[] = [];
  const store = async (bytes: Buffer | string): Promise<string> => {
    // One step may leave several, and names of its evidence are unique.
    const name = `workspace-${sha256Hex(bytes).slice(0, 16)}`;
    const ref = await blobs.put(bytes, { name, mediaType: WORKSPACE_MEDIA_TYPE });
    stored.push(ref);
    return ref.sha256;
  };
  const manifest: Record<string, string> = {};
  for (const [path, bytes] of files) manifest[path] = await store(bytes);
  const digest = jsonHash(manifest);
  if (digest === from?.digest) return { ref: from, undone: null, stored: [] };
  const { bytes, files: count } = size;
  const kept = await store(JSON.stringify(manifest));
  return { ref: { digest, manifest: kept, bytes, files: count }, undone: null, stored };
}

/** What is in `/work` when a program has ended: what it was given, without what it removes, and what it leaves. */
export function leftBy(
  { files = {}, removes = [] }: { files?: Record<string, Uint8Array | string>; removes?: readonly string[] },
  given: Files,
): Map<string, Buffer> {
  const after = new Map(given);
  for (const path of removes) after.delete(path);
  for (const [path, bytes] of Object.entries(files)) after.set(path, Buffer.from(bytes as Uint8Array));
  return after;
}

/** Those of its files that a run asks for. */
export function takenOf(paths: readonly string[], files: Files): TakenFiles {
  const isAsked = (path: string): boolean => paths.some((asked) => path === asked || path.startsWith(`${asked}/`));
  return { files: Object.fromEntries([...files].filter(([path]) => isAsked(path))), tooLarge: false };
}
