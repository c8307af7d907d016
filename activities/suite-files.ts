import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { sha256Hex } from '../src/domain/text/content-hash.js';
import { DomainFailure } from '../src/domain/failure/domain-failure.js';
import type { ActivityDependencies } from './dependencies.js';

/** What stages never read while they run: code, which is loaded when a worker starts, tests, and the dataset, whose tasks have hashes. */
const LEFT = /(^|\/)(dataset|node_modules|__pycache__|\.[^/]*)(\/|$)|\.(ts|js|mjs|cjs|map|pyc)$|^README\.md$/;

/** By path: what `stat` says of it, and of a file its hash. */
type Known = Map<string, { stamp: string; sha256?: string }>;

/**
 * Scripts and prompts are read of a suite's folder when a step needs them, and code when the worker starts: once the folder is
 * another one (`git pull`, an upgrade), the two belong to different versions, and so would the verdicts.
 * @returns throws where a file of the suite is no more what it was when this was made: DomainFailure `suite.changed`. It looks at
 * times and sizes, and reads what differs in these; before and after a step it finds whatever the step may have read.
 */
export function createSuiteFiles({
  suites,
  suiteFolder,
}: Pick<ActivityDependencies, 'suites' | 'suiteFolder'>): (suiteId: string) => void {
  const known = new Map(suites.map(({ manifest: { id } }) => [id, knownOf(suiteFolder(id))]));
  return (suiteId) => {
    const before = known.get(suiteId);
    const other = before && changedIn(before, suiteFolder(suiteId));
    if (other === undefined) return;
    throw new DomainFailure('suite.changed', {
      message: `${other} is not what it was when this worker started`,
      expected: `the files of ${suiteId} that belong to the code this worker runs`,
      fix: 'durabench up, which starts the worker again (a clone is built first: npm ci)',
    });
  };
}

function knownOf(root: string): Known {
  const { folders, files } = pathsIn(root);
  return new Map([
    ...folders.map((path) => [path, { stamp: stampOf(path) }] as const),
    ...files.map((path) => [path, { stamp: stampOf(path), sha256: sha256Hex(readFileSync(path)) }] as const),
  ]);
}

/** The first path that is another one. New times of what is the same are kept. */
function changedIn(known: Known, root: string): string | undefined {
  let hasOther = false;
  for (const [path, before] of known) {
    const stamp = stampOf(path);
    if (stamp === before.stamp) continue;
    if (before.sha256 === undefined) hasOther = true;
    else if (stamp === '' || sha256Hex(readFileSync(path)) !== before.sha256) return path;
    else before.stamp = stamp;
  }
  if (!hasOther) return undefined;
  const { folders, files } = pathsIn(root);
  const added = files.find((path) => !known.has(path));
  // A folder has new times as well where what it holds came and went, or is left out here.
  if (added === undefined) for (const path of folders) known.set(path, { stamp: stampOf(path) });
  return added;
}

/** Empty: it is gone. */
function stampOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? '' : `${stat.size} ${stat.mtimeMs} ${stat.ino}`;
}

function pathsIn(root: string, folder = root): { folders: string[]; files: string[] } {
  const found = { folders: [folder], files: [] as string[] };
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    const name = relative(root, path).split(sep).join('/');
    if (LEFT.test(entry.isDirectory() ? `${name}/` : name)) continue;
    if (entry.isFile()) found.files.push(path);
    if (!entry.isDirectory()) continue;
    const below = pathsIn(root, path);
    found.folders.push(...below.folders);
    found.files.push(...below.files);
  }
  return found;
}
