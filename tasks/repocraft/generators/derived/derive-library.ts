import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { jsonHash, sha256Hex } from '../../../../src/domain/text/content-hash.js';
import type { Json } from '../../../../src/contract/json.js';
import { packFiles } from '../../../../src/suite-kit/packed-files.js';
import { answerOf, sandboxRun } from '../../dataset/trusted-python.js';
import type { ProjectSettings } from '../../dataset/project-settings.js';
import type { RepocraftTask } from '../../dataset/repocraft-task.js';
import { referencePackage } from '../../dataset/task-blobs.js';
import type { TreeContext } from '../../candidate/tree-reader.js';
import { readTarEntries } from '../../../../src/suite-kit/tar-entries.js';
import { benchTools } from './bench-tools.js';
import { WATCHED_KINDS, type DeriveSettings } from './derive-settings.js';
import type { DerivedNames } from './truth.js';
import { recallJson, rememberJson } from '../../../../src/suite-kit/json-blobs.js';
import { unwatchedNote, watchTests, type WatchedTests } from './watch-tests.js';

/** A derived library, stored, and what its derivation knows. */
export interface DerivedLibrary {
  candidate: { sha256: string; sizeBytes: number; files: number };
  /** Its top package. */
  package: string;
  names: DerivedNames;
  altered: string[];
  /** Task → its test under the candidate's names, by what renamed the candidate. */
  tests: Record<string, string>;
  /** What was not seen of the tests it was made by; null when there is nothing to say. */
  note: string | null;
}

/** What `python/derive` prints. */
interface Answer extends DerivedNames {
  texts: Record<string, string>;
  moves: Record<string, string>;
  tests: Record<string, string>;
  package: string;
  altered: string[];
}

/**
 * Derives a library from the pinned reference with `python/derive`, in a container: the same bytes for the same settings
 * and tasks. Kept by what made it.
 */
export async function deriveLibrary(
  context: TreeContext,
  project: ProjectSettings,
  { settings, tasks }: { settings: DeriveSettings; tasks: readonly RepocraftTask[] },
): Promise<DerivedLibrary> {
  const { blobs, suiteFolder } = context;
  const reference = await referencePackage(blobs, project);
  const tool = await deriveTool(suiteFolder);
  const prelude = await preludeOf(project, suiteFolder);
  const mount = { sha256: sha256Hex(reference), load: async () => reference };
  const watched = WATCHED_KINDS.includes(settings.kind)
    ? await watchTests(benchTools(context), project, { library: mount, tasks })
    : NOTHING_WATCHED;
  const request = { ...requestOf(project, settings, tasks, tool), prelude, ran: watched.ran };
  const key = `repocraft.derive@${jsonHash([tool, request]).slice(0, 32)}/${mount.sha256}`;
  const note = unwatchedNote(watched);
  const known = await recallJson<Omit<DerivedLibrary, 'note'>>(blobs, key);
  if (known !== null) return { ...known, note };
  const run = {
    ...sandboxRun(project, context, [{ ...mount, path: '/candidate' }]),
    command: ['python3', '-s', '-E', '-B', '/work/derive', '/candidate', '/work/request.json'],
    files: { ...tool, 'request.json': JSON.stringify(request) },
    env: { PYTHONHASHSEED: '0' },
    owner: { campaignId: context.campaign.id, ownerId: context.owner.id },
    onProgress: () => context.heartbeat(),
  };
  const answer = (await answerOf(context, run)) as unknown as Answer;
  const { texts, moves, modules, symbols, deleted, undocumented, ...rest } = answer;
  const tree = await derivedTree(reference, texts, moves);
  const label = { name: 'candidate.tar', mediaType: 'application/x-tar' };
  const { sha256, sizeBytes } = await blobs.put(await packFiles(tree), label);
  const derived = {
    candidate: { sha256, sizeBytes, files: tree.size },
    names: { modules, symbols, deleted, ...(undocumented?.length ? { undocumented } : {}) },
    ...{ package: rest.package, altered: rest.altered, tests: rest.tests },
  };
  await rememberJson(blobs, { key, name: 'derived-library.json' }, derived);
  return { ...derived, note };
}

const NOTHING_WATCHED: WatchedTests = { ran: {}, unwatched: {} };

function requestOf(
  project: ProjectSettings,
  settings: DeriveSettings,
  tasks: readonly RepocraftTask[],
  tool: Record<string, string>,
): Record<string, Json> {
  const known = JSON.parse(tool['derive/projects.json'] ?? '{}') as Record<string, Json>;
  const own = known[project.project];
  if (own === undefined) throw new TypeError(`python/derive/projects.json does not know ${project.project}`);
  return {
    ...{ kind: settings.kind, seed: settings.seed, share: settings.share, settings: own },
    tasks: tasks.map(({ id, targets, test_code }) => ({ id, targets, test_code })),
  };
}

/** What the project's tests begin with; null where they need nothing. */
function preludeOf(
  { settings: { prelude, shimFolder } }: ProjectSettings,
  suiteFolder: string,
): Promise<string | null> {
  if (typeof prelude !== 'string') return Promise.resolve(null);
  return readFile(path.join(suiteFolder, 'shims', shimFolder, prelude), 'utf8');
}

/** The files of `python/derive` and what they import, by their paths under /work. */
export async function deriveTool(suiteFolder: string): Promise<Record<string, string>> {
  const python = path.join(suiteFolder, 'python');
  const own = (await readdir(path.join(python, 'derive'))).filter((name) => /\.(py|json)$/.test(name)).sort();
  const files = [...own.map((name) => `derive/${name}`), 'candidate/adapt.py'];
  const texts = files.map(async (name) => [name, await readFile(path.join(python, name), 'utf8')] as const);
  return Object.fromEntries(await Promise.all(texts));
}

/** The reference's files where they go, with the texts that changed. */
async function derivedTree(
  reference: Buffer,
  texts: Record<string, string>,
  moves: Record<string, string>,
): Promise<Map<string, Uint8Array>> {
  const tree = new Map<string, Uint8Array>();
  for (const { name, content } of await readTarEntries(reference)) tree.set(moves[name] ?? name, content);
  for (const [name, text] of Object.entries(texts)) tree.set(name, Buffer.from(text));
  return tree;
}
