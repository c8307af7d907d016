import { isUtf8 } from 'node:buffer';
import type { SandboxLimits } from '../../../contract/sandbox-limits.js';
import type { WorkspaceLoss } from '../../../contract/sandbox-result.js';
import { depthOf, limitPassed } from '../../../domain/limits/workspace-limits.js';
import { inOrder, type Entry } from './tree.js';

/** What stays the same of a file as long as nobody has changed it: nobody in a container can set the second. */
interface Seen {
  inode: string;
  ctime: string;
}

/** A name in a workspace as the container's kernel tells it; of a file `value` is not known yet. */
export type Listed = Entry & Seen;

/** Beyond it, tools meet PATH_MAX. */
const LONGEST_PATH = 3_900;
const KINDS: Record<string, Entry['kind'] | undefined> = { f: 'file', d: 'folder', l: 'link' };

/**
 * Reads what `READER` lists: first the names it had to open with their modes, an empty word, then two words a name.
 * A name cannot forge another, since no name has a NUL in it. @returns why it cannot be kept, where it cannot
 */
export function readListing(
  words: readonly Buffer[],
  limits: Readonly<SandboxLimits>,
): Map<string, Listed> | Exclude<WorkspaceLoss, 'killed' | 'processes'> {
  const found = new Map<string, Listed>();
  const firstNames = new Map<string, string>();
  const locks = new Map<string, number>();
  const start = words.findIndex((word) => word.length === 0);
  for (let at = 0; at < start; at += 2)
    locks.set(nameOf(words[at]!).slice(2), Number.parseInt(nameOf(words[at + 1]!), 8));
  let depth = 0;
  for (let at = start + 1; at + 1 < words.length; at += 2) {
    const [word, target] = [words[at]!, words[at + 1]!];
    if (!isUtf8(word) || !isUtf8(target)) return 'names';
    const fields = /^(\S) (\d+) (\d+) (\S+) (\S+) (\d+) ([^]*)$/.exec(nameOf(word));
    if (fields === null) throw new TypeError('a name in a workspace was listed in another form');
    const [, type = '', mode = '', size = '', mtime = '', ctime = '', inode = '', path = ''] = fields;
    const kind = KINDS[type];
    if (kind === undefined) return 'kinds';
    if (word.length > LONGEST_PATH) return 'names';
    depth = Math.max(depth, depthOf(path));
    found.set(path, {
      ...{ kind, mtime: nanoseconds(mtime), ctime, inode },
      mode: kind === 'link' ? 0o777 : Number.parseInt(mode, 8),
      size: kind === 'file' ? Number(size) : 0,
      value: kind === 'link' ? nameOf(target) : '',
    });
  }
  const tree = inOrder(withLocks(found, locks));
  let bytes = 0;
  for (const [path, entry] of tree) {
    if (entry.kind !== 'file') continue;
    const first = firstNames.get(entry.inode);
    if (first === undefined) {
      firstNames.set(entry.inode, path);
      bytes += entry.size;
    } else tree.set(path, { ...entry, kind: 'twin', value: first });
  }
  return limitPassed({ bytes, files: tree.size, depth }, limits) ?? tree;
}

/** With the modes as they were: of a file with several names the first that was met was opened, and all with it. */
function withLocks(found: ReadonlyMap<string, Listed>, locks: ReadonlyMap<string, number>): Map<string, Listed> {
  const modes = new Map([...locks].map(([path, mode]) => [found.get(path)?.inode ?? '', mode]));
  return new Map([...found].map(([path, entry]) => [path, { ...entry, mode: modes.get(entry.inode) ?? entry.mode }]));
}

const nameOf = (word: Buffer): string => word.toString('utf8');

/** `find` prints ten digits, the last of which means nothing. */
function nanoseconds(time: string): string {
  const [seconds = '', fraction = ''] = time.split('.');
  return `${seconds}.${fraction.padEnd(9, '0').slice(0, 9)}`;
}
