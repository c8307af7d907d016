import type { Blobs } from '../../../src/ports/blobs.js';
import { packFiles, unpackFiles } from '../../../src/suite-kit/packed-files.js';
import type { ArtisanTask } from '../dataset/artisan-task.js';
import { handWritten } from './by-hand.js';
import { linesOf, type Family, type Label, type Material } from './families.js';

type Files = Map<string, Uint8Array>;
type Content = Pick<Blobs, 'get' | 'put'>;

/** A labelled script; empty, without a label, where the family has none for the task. */
interface LabelledScript {
  script: string;
  label: Label | null;
}

/** A task as a family means it. */
interface FamilyTask extends ArtisanTask {
  /** The file that was added for the family, relative to the artifact; missing where none was. */
  added?: string;
}

/** The script of a family for a task. */
export async function labelledScript(
  task: FamilyTask,
  family: Family,
  { blobs, suiteFolder }: { blobs: Content; suiteFolder: string },
): Promise<LabelledScript> {
  const made = await familyTask(task, family, blobs);
  // Where a study ships derived files of its own none is added: the script would be that of the family that reads none, once more.
  const isLabelled = !family.isFromDerived || made.added !== undefined;
  const found = isLabelled ? await materialOf(made, blobs) : null;
  if (found === null) return { script: '', label: null };
  const material = { ...found, byHand: await handWritten(task.id, suiteFolder) };
  const script = family.derive(material);
  return script === null ? { script: '', label: null } : { script, label: family.label(material) };
}

/**
 * The task as a family means it. Of those that read derived data the artifact has a derived file: the rows of the data in the opposite
 * order, as a study might ship them sorted; on a twin, those of its data. The reference reads it, and brings the rows back into their
 * order: some tables (of time series) depend on it.
 */
export async function familyTask(task: FamilyTask, { isFromDerived }: Family, blobs: Content): Promise<FamilyTask> {
  if (!isFromDerived) return task;
  const material = await materialOf(task, blobs);
  if (material === null || task.artifacts.underived !== null) return task;
  const { data } = material;
  if (!reads(task, data)) return task;
  const path = `derived/${data.split('/').at(-1)}`;
  const withDerived = async (sha256: string): Promise<{ sha256: string }> => {
    const files = await unpackFiles(blobs, sha256);
    const text = Buffer.from(files.get(data) ?? []).toString('utf8');
    return packed(files.set(path, Buffer.from(sorted(text))), blobs);
  };
  const { whole, withheld } = task.artifacts;
  const [shipped, ordered] = [`/artifact/${path}`, `/tmp/${data.split('/').at(-1)}`];
  const ordering = `head -n 1 ${shipped} > ${ordered} && tail -n +2 ${shipped} | tac >> ${ordered} || exit 1`;
  const reference = `${ordering}\n${task.scripts.reference.replaceAll(`/artifact/${data}`, ordered)}`;
  const underived = withheld ?? whole;
  const twins = [];
  for (const twin of task.twins) twins.push({ ...twin, artifact: await withDerived(twin.artifact.sha256) });
  return {
    ...{ ...task, added: path, twins, scripts: { ...task.scripts, reference } },
    artifacts: {
      whole: await withDerived(whole.sha256),
      withheld: withheld === null ? null : await withDerived(withheld.sha256),
      underived,
    },
  };
}

/** Whether the reference names the file. */
const reads = ({ scripts }: ArtisanTask, path: string): boolean => scripts.reference.includes(`/artifact/${path}`);

/** Its data is the file that the reference names; of one that puts paths together, a file that twins alter. Null without either. */
async function materialOf(task: ArtisanTask, blobs: Content): Promise<Omit<Material, 'byHand'> | null> {
  const files = await unpackFiles(blobs, task.artifacts.whole.sha256);
  const left = task.artifacts.withheld === null ? files : await unpackFiles(blobs, task.artifacts.withheld.sha256);
  const results = [...files.keys()].filter((path) => !left.has(path));
  const twins: Files[] = [];
  for (const { artifact } of task.twins) twins.push(await unpackFiles(blobs, artifact.sha256));
  const isAltered = (path: string): boolean =>
    twins.some((twin) => Buffer.compare(twin.get(path) ?? Buffer.of(), files.get(path) ?? Buffer.of()) !== 0);
  const paths = [...left.keys()];
  const data = paths.find((path) => reads(task, path)) ?? paths.find(isAltered);
  if (data === undefined) return null;
  return { task, files, results, data, twinLines: twins.map((twin) => linesOf(twin.get(data))) };
}

/** Below the header, the rows from last to first. */
function sorted(text: string): string {
  const [header = '', ...rows] = text.split('\n').filter((line) => line.trim() !== '');
  return [header, ...rows.reverse(), ''].join('\n');
}

async function packed(files: Files, blobs: Content): Promise<{ sha256: string }> {
  const label = { name: 'artifact.tar', mediaType: 'application/x-tar' };
  return { sha256: (await blobs.put(await packFiles(files), label)).sha256 };
}
