import type { Problem } from '../../contract/problem.js';

/** What Linux file systems take for one name, and for a path below the mount of a candidate. */
const MAX_PART_BYTES = 255;
const MAX_PATH_BYTES = 4_000;

/** Paths that cannot all lie in one folder: too long, with a NUL in them, or a file where others need a folder. */
export function pathProblems(named: string, paths: Iterable<string>): Problem[] {
  const known = new Set(paths);
  return [...known].flatMap((path) => {
    const problem = lengthProblem(named, path) ?? clashProblem(named, path, known);
    return problem === undefined ? [] : [problem];
  });
}

function lengthProblem(named: string, path: string): Problem | undefined {
  const isTooLong =
    Buffer.byteLength(path) > MAX_PATH_BYTES ||
    path.split('/').some((part) => Buffer.byteLength(part) > MAX_PART_BYTES);
  if (!isTooLong && !path.includes('\0')) return undefined;
  const short = JSON.stringify(path.length > 60 ? `${path.slice(0, 60)}…` : path);
  return {
    message: `snapshot path ${named}: the path ${short} ${isTooLong ? 'is too long' : 'has a NUL in it'}`,
    expected: `file and folder names of at most ${MAX_PART_BYTES} bytes, paths of at most ${MAX_PATH_BYTES}, no NUL`,
    fix: 'rename it or leave it out',
  };
}

function clashProblem(named: string, path: string, known: ReadonlySet<string>): Problem | undefined {
  for (let slash = path.indexOf('/'); slash !== -1; slash = path.indexOf('/', slash + 1)) {
    const folder = path.slice(0, slash);
    if (!known.has(folder)) continue;
    return {
      message: `snapshot path ${named}: ${JSON.stringify(folder)} is a file or link, and the folder of ${JSON.stringify(path)}`,
      expected: 'every path either a file or a folder',
      fix: 'leave one of the two out, or unpack the archive and give the folder instead',
    };
  }
  return undefined;
}
