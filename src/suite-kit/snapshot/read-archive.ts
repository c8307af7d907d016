import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Problem } from '../../contract/problem.js';
import type { Tree } from '../packed-files.js';
import { archiveTree } from './archive-tree.js';
import { MAX_ARCHIVE_BYTES, MAX_CANDIDATE_BYTES, sizeProblem, type ReadTree } from './candidate-limits.js';
import { pathProblems } from './path-problems.js';
import { NOT_CANDIDATE } from './read-folder.js';
import { readTarEntries, type ArchiveEntry } from '../tar-entries.js';
import { readZipEntries } from '../zip-entries.js';

/** Reads a zip, wheel, tar or gzipped tar. A single wrapping folder, as releases have, is taken off. */
export async function readArchive(named: string, bytes: Uint8Array): Promise<ReadTree> {
  try {
    const entries = isZip(bytes)
      ? readZipEntries(bytes, (count) => sizeProblem(named, count))
      : await readTarEntries(isGzip(bytes) ? gunzip(bytes) : bytes);
    if (!Array.isArray(entries)) return { files: new Map(), problems: [entries] };
    return treeOf(named, entries);
  } catch (error) {
    return { files: new Map(), problems: [unreadable(named, bytes, error)] };
  }
}

const isZip = (bytes: Uint8Array): boolean => bytes[0] === 0x50 && bytes[1] === 0x4b;
const isGzip = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;
const gunzip = (bytes: Uint8Array): Uint8Array => gunzipSync(bytes, { maxOutputLength: MAX_ARCHIVE_BYTES });

function treeOf(named: string, entries: ArchiveEntry[]): ReadTree {
  const problems: Problem[] = [];
  const count = { files: 0, bytes: 0 };
  const contents = new Map<string, ArchiveEntry>();
  for (const entry of entries) {
    const name = path.posix.normalize(entry.name).replace(/^\.\/|\/$/g, '');
    if (name.split('/').some((part) => NOT_CANDIDATE.has(part))) continue;
    if (isOutside(name)) problems.push(leavingEntry(named, entry.name));
    else contents.set(name, entry);
    count.files += 1;
    count.bytes += entry.content.length;
  }
  const tooLarge = sizeProblem(named, count);
  if (tooLarge !== undefined) return { files: new Map(), problems: [tooLarge] };
  problems.push(...pathProblems(named, contents.keys()));
  const tree = archiveTree(named, contents);
  return { files: unwrapped(tree.files), problems: [...problems, ...tree.problems] };
}

const isOutside = (name: string): boolean => name.startsWith('/') || /^\.{0,2}$/.test(name) || name.startsWith('../');

function unwrapped(files: Tree): Tree {
  const tops = new Set([...files.keys()].map((name) => name.split('/')[0] ?? ''));
  const [top] = tops;
  const isWrapped = tops.size === 1 && top !== undefined && !files.has(top) && !files.has(`${top}/__init__.py`);
  if (!isWrapped) return files;
  return new Map([...files].map(([name, content]) => [name.slice(top.length + 1), content]));
}

const leavingEntry = (named: string, entry: string): Problem => ({
  message: `snapshot path ${named}: the entry ${entry} leaves the tree`,
  expected: 'relative paths without ..',
  fix: 'pack the folder again from its own top',
});

const unreadable = (named: string, bytes: Uint8Array, error: unknown): Problem =>
  error instanceof RangeError && isGzip(bytes)
    ? (sizeProblem(named, { files: 0, bytes: MAX_CANDIDATE_BYTES + 1 }) as Problem)
    : {
        message: `snapshot path ${named}: is not an archive that can be read (${String(error instanceof Error ? error.message : error)})`,
        expected: '.zip, .whl, .tar, .tar.gz or a folder',
        fix: 'unpack it and give the folder instead',
      };
