import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { unzipSync } from 'fflate';
import type { Problem } from '../../../../src/contract/problem.js';
import { MAX_CANDIDATE_BYTES, sizeProblem, type ReadTree } from './candidate-limits.js';
import { leavingLink, NOT_CANDIDATE } from './read-folder.js';
import { readTarEntries, type ArchiveEntry } from './tar-entries.js';

/** Room for tar headers on top of the files' own limit. */
const MAX_TAR_BYTES = MAX_CANDIDATE_BYTES + 64 * 1024 * 1024;

/** Reads a zip, wheel, tar or gzipped tar. A single wrapping folder, as releases have, is taken off. */
export async function readArchive(named: string, bytes: Uint8Array): Promise<ReadTree> {
  try {
    const entries = isZip(bytes)
      ? zipEntries(named, bytes)
      : await readTarEntries(isGzip(bytes) ? gunzip(bytes) : bytes);
    if (!Array.isArray(entries)) return { files: new Map(), problems: [entries] };
    return treeOf(named, entries);
  } catch (error) {
    return { files: new Map(), problems: [unreadable(named, bytes, error)] };
  }
}

const isZip = (bytes: Uint8Array): boolean => bytes[0] === 0x50 && bytes[1] === 0x4b;
const isGzip = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;
const gunzip = (bytes: Uint8Array): Uint8Array => gunzipSync(bytes, { maxOutputLength: MAX_TAR_BYTES });

/** Sizes are summed before anything is unpacked: a bomb is refused by its own listing. */
function zipEntries(named: string, bytes: Uint8Array): ArchiveEntry[] | Problem {
  const count = { files: 0, bytes: 0 };
  unzipSync(bytes, {
    filter: (file) => {
      count.files += 1;
      count.bytes += file.originalSize;
      return false;
    },
  });
  const problem = sizeProblem(named, count);
  if (problem !== undefined) return problem;
  const files = unzipSync(bytes);
  return Object.entries(files)
    .filter(([name]) => !name.endsWith('/'))
    .map(([name, content]) => ({ name, content, link: null }));
}

function treeOf(named: string, entries: ArchiveEntry[]): ReadTree {
  const problems: Problem[] = [];
  const count = { files: 0, bytes: 0 };
  const contents = new Map<string, ArchiveEntry>();
  for (const entry of entries) {
    const name = path.posix.normalize(entry.name).replace(/^\.\//, '');
    if (name.split('/').some((part) => NOT_CANDIDATE.has(part))) continue;
    if (isOutside(name)) problems.push(leavingEntry(named, entry.name));
    else contents.set(name, entry);
    count.files += 1;
    count.bytes += entry.content.length;
  }
  const tooLarge = sizeProblem(named, count);
  if (tooLarge !== undefined) return { files: new Map(), problems: [tooLarge] };
  const files = new Map<string, Uint8Array>();
  for (const [name, entry] of contents) {
    const target = entry.link === null ? entry : contents.get(linkTarget(name, entry.link));
    if (target === undefined || target.link !== null) problems.push(leavingLink(named, name, entry.link?.to ?? null));
    else files.set(name, target.content);
  }
  return { files: unwrapped(files), problems };
}

const isOutside = (name: string): boolean => name.startsWith('/') || name === '..' || name.startsWith('../');

/** Hard links in a tar name their target from the top, symbolic ones from where they lie. */
const linkTarget = (name: string, link: { to: string; isHard: boolean }): string =>
  link.isHard
    ? path.posix.normalize(link.to)
    : path.posix.normalize(path.posix.join(path.posix.dirname(name), link.to));

function unwrapped(files: Map<string, Uint8Array>): Map<string, Uint8Array> {
  const tops = new Set([...files.keys()].map((name) => name.split('/')[0] ?? ''));
  const [top] = tops;
  const isWrapped = tops.size === 1 && top !== undefined && !files.has(top) && !files.has(`${top}/__init__.py`);
  if (!isWrapped) return files;
  return new Map([...files].map(([name, content]) => [name.slice(top.length + 1), content]));
}

const leavingEntry = (named: string, entry: string): Problem => ({
  what: `snapshot path ${named}: the entry ${entry} leaves the tree`,
  allowed: 'relative paths without ..',
  remedy: 'pack the folder again from its own top',
});

const unreadable = (named: string, bytes: Uint8Array, error: unknown): Problem =>
  error instanceof RangeError && isGzip(bytes)
    ? (sizeProblem(named, { files: 0, bytes: MAX_CANDIDATE_BYTES + 1 }) as Problem)
    : {
        what: `snapshot path ${named}: is not an archive that can be read (${String(error instanceof Error ? error.message : error)})`,
        allowed: '.zip, .whl, .tar, .tar.gz or a folder',
        remedy: 'unpack it and give the folder instead',
      };
