import path from 'node:path';
import type { Problem } from '../../contract/problem.js';
import { MAX_CANDIDATE_FILES, sizeProblem, type ReadTree } from './candidate-limits.js';
import { leavingLink } from './read-folder.js';
import type { ArchiveEntry } from '../tar-entries.js';

/** Links followed on the way to one target before they are taken for a ring; Linux follows as many. */
const MAX_LINKS = 40;

interface Walk {
  named: string;
  entries: ReadonlyMap<string, ArchiveEntry>;
  /** Folder → its names, sorted. The top is ''. */
  folders: ReadonlyMap<string, string[]>;
  files: Map<string, Uint8Array>;
  problems: Problem[];
  bytes: number;
  /** Files and folders come by; links can make few entries many. */
  visits: number;
  isFull: boolean;
}

/**
 * The files of an archive by the rules of a folder: links to files inside become copies, links to folders inside are
 * followed unless they lead back up, every other link is a problem. Entries have normal paths that do not leave the tree.
 */
export function archiveTree(named: string, entries: ReadonlyMap<string, ArchiveEntry>): ReadTree {
  const walk: Walk = {
    ...{ named, entries, folders: foldersOf(entries.keys()), files: new Map(), problems: [] },
    ...{ bytes: 0, visits: 0, isFull: false },
  };
  readLevel(walk, '', '', ['']);
  return { files: walk.files, problems: walk.problems };
}

function foldersOf(names: Iterable<string>): Map<string, string[]> {
  const folders = new Map<string, Set<string>>([['', new Set()]]);
  for (const name of names) {
    for (let child = name; child !== '';) {
      const folder = parentOf(child);
      const siblings = folders.get(folder) ?? new Set();
      folders.set(folder, siblings.add(path.posix.basename(child)));
      child = folder;
    }
  }
  return new Map([...folders].map(([folder, children]) => [folder, [...children].sort()]));
}

const parentOf = (name: string): string => name.slice(0, Math.max(0, name.lastIndexOf('/')));
const joined = (folder: string, name: string): string => (folder === '' ? name : `${folder}/${name}`);

function readLevel(walk: Walk, folder: string, prefix: string, above: string[]): void {
  for (const name of walk.folders.get(folder) ?? []) {
    if (walk.isFull) return;
    readOne(walk, joined(folder, name), `${prefix}${name}`, above);
  }
}

function readOne(walk: Walk, full: string, relative: string, above: string[]): void {
  walk.visits += 1;
  const target = targetOf(walk, full);
  const entry = target === null ? undefined : walk.entries.get(target);
  const isFolder = target !== null && walk.folders.has(target);
  if (target === null || (entry === undefined && !isFolder)) {
    const kind = walk.entries.get(full)?.link?.isHard ? 'hard' : 'symbolic';
    walk.problems.push(leavingLink(walk.named, relative, target === null ? full : null, kind));
    return;
  }
  walk.bytes += entry?.content.length ?? 0;
  // Twice: a folder of files has hardly more folders than files.
  const files = Math.max(walk.files.size + 1, Math.floor(walk.visits / 2));
  const problem = sizeProblem(walk.named, { files: Math.min(files, MAX_CANDIDATE_FILES + 1), bytes: walk.bytes });
  if (problem !== undefined) {
    walk.problems.push(problem);
    walk.isFull = true;
  } else if (entry !== undefined) walk.files.set(relative, entry.content);
  else if (!above.includes(target)) readLevel(walk, target, `${relative}/`, [...above, target]);
}

/** Where a path really leads, links on the way followed: as `realpath`, but null for what leaves the tree or goes in rings. */
function targetOf({ entries }: Walk, name: string): string | null {
  const todo = name.split('/').reverse();
  const done: string[] = [];
  let links = 0;
  for (let part = todo.pop(); part !== undefined; part = todo.pop()) {
    if (part === '' || part === '.') continue;
    if (part === '..') {
      if (done.pop() === undefined) return null;
      continue;
    }
    const link = entries.get([...done, part].join('/'))?.link ?? null;
    if (link === null) {
      done.push(part);
      continue;
    }
    links += 1;
    if (links > MAX_LINKS || (link.to.startsWith('/') && !link.isHard)) return null;
    // Hard links in a tar name their target from the top, symbolic ones from where they lie.
    if (link.isHard) done.length = 0;
    todo.push(...link.to.split('/').reverse());
  }
  return done.join('/');
}
