import { isUtf8 } from 'node:buffer';
import { lstat, readFile, readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Problem } from '../../contract/problem.js';
import { sizeProblem, type ReadTree } from './candidate-limits.js';

/** Folders no library is made of; left out without a word. */
export const NOT_CANDIDATE = new Set(['.git', '.hg', '.svn', '__pycache__', '.venv', '.tox', '.nox', 'node_modules']);

/** Few folders with links among each other are more paths than anybody can read. */
const MAX_FOLLOWED = 1_000;

interface Walk {
  root: string;
  /** The root as the user named it, for messages. */
  named: string;
  /** Where each file is read: its own place, or where a link leads. */
  places: Map<string, string>;
  problems: Problem[];
  bytes: number;
  /** Folders that were read through a link. */
  followed: number;
  /** Set once a limit is passed: nothing more is looked at. */
  isFull: boolean;
}

/**
 * Reads a folder, once all of it was looked at and nothing is wrong. Links to files inside it become copies; links to
 * folders inside it are followed unless they lead back up.
 */
export async function readFolder(folder: string): Promise<ReadTree> {
  const root = await realpath(folder);
  const walk: Walk = { root, named: folder, places: new Map(), problems: [], bytes: 0, followed: 0, isFull: false };
  await orProblem(walk, 'the folder', () => lookAtLevel(walk, root, '', [root]));
  const files = new Map<string, Uint8Array>();
  for (const [relative, place] of walk.problems.length === 0 ? walk.places : [])
    await orProblem(walk, relative, async () => void files.set(relative, await readFile(place)));
  return { files, problems: walk.problems };
}

async function lookAtLevel(walk: Walk, folder: string, prefix: string, above: string[]): Promise<void> {
  const entries = await readdir(folder, { encoding: 'buffer' });
  walk.problems.push(...entries.filter((entry) => !isUtf8(entry)).map((entry) => notUtf8(walk.named, prefix, entry)));
  const names = entries.filter((entry) => isUtf8(entry)).map((entry) => entry.toString('utf8'));
  for (const name of names.sort()) {
    if (walk.isFull) return;
    if (NOT_CANDIDATE.has(name)) continue;
    const [full, relative] = [path.join(folder, name), `${prefix}${name}`];
    await orProblem(walk, relative, () => lookAt(walk, full, relative, above));
  }
}

/** What the system does not let us read, or took away meanwhile, is told; the rest is looked at all the same. */
async function orProblem(walk: Walk, what: string, look: () => Promise<void>): Promise<void> {
  try {
    await look();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    walk.problems.push(unreadable(walk.named, what, code));
  }
}

async function lookAt(walk: Walk, full: string, relative: string, above: string[]): Promise<void> {
  const own = await lstat(full);
  const link = own.isSymbolicLink();
  const target = link ? await realpath(full).catch(() => null) : full;
  if (target === null || (target !== walk.root && !target.startsWith(walk.root + path.sep))) {
    walk.problems.push(leavingLink(walk.named, relative, target));
    return;
  }
  const found = link ? await stat(target) : own;
  if (found.isDirectory()) {
    if (link && (walk.followed += 1) > MAX_FOLLOWED) {
      walk.problems.push(manyLinks(walk.named));
      walk.isFull = true;
    } else if (!above.includes(target)) await lookAtLevel(walk, target, `${relative}/`, [...above, target]);
  } else if (found.isFile()) {
    walk.bytes += found.size;
    const problem = sizeProblem(walk.named, { files: walk.places.size + 1, bytes: walk.bytes });
    if (problem !== undefined) {
      walk.problems.push(problem);
      walk.isFull = true;
    } else walk.places.set(relative, target);
  } else walk.problems.push(notRegular(walk.named, relative));
}

/** A link whose target is outside the tree, or nowhere. */
export const leavingLink = (
  named: string,
  relative: string,
  target: string | null,
  kind: 'symbolic' | 'hard' = 'symbolic',
): Problem => ({
  message: `snapshot path ${named}: the ${kind} link ${relative} ${target === null ? 'leads nowhere' : 'leaves the tree'}`,
  expected: 'links whose target is inside the tree',
  fix: 'replace the link with a copy of its target, or remove it',
});

const manyLinks = (named: string): Problem => ({
  message: `snapshot path ${named}: its links to folders lead to more than ${MAX_FOLLOWED.toLocaleString('en')} folders`,
  expected: `at most ${MAX_FOLLOWED.toLocaleString('en')} folders behind links`,
  fix: 'remove links that lead in circles or to folders that are in the tree anyway',
});

const notUtf8 = (named: string, prefix: string, name: Buffer): Problem => ({
  message: `snapshot path ${named}: ${prefix}${name.toString('latin1').replace(/[^ -~]/g, '?')} is not named in UTF-8`,
  expected: 'names of files and folders in UTF-8',
  fix: 'rename it (the place of each byte that cannot be read is shown as ?), or remove it',
});

const unreadable = (named: string, what: string, code: string): Problem => ({
  message: `snapshot path ${named}: ${what.length > 60 ? `${what.slice(0, 60)}…` : what} cannot be read (${code})`,
  expected: 'files and folders that this user may read, of paths the system takes',
  fix: 'make it readable, rename it or remove it',
});

/** @param relative null where it is the path itself */
export const notRegular = (named: string, relative: string | null): Problem => ({
  message: `snapshot path ${named}: ${relative === null ? '' : `${relative} `}is neither a file nor a folder`,
  expected: 'files, folders and links inside the tree',
  fix: 'remove it (a socket, pipe or device)',
});
