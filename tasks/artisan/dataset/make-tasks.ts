import canonicalize from 'canonicalize';
import type { TaskSummary } from '../../../src/contract/task.js';
import { DomainFailure } from '../../../src/domain/failure/domain-failure.js';
import { UserError } from '../../../src/domain/failure/user-error.js';
import { sha256Hex } from '../../../src/domain/text/content-hash.js';
import type { DatasetTools } from '../../../src/suite/dataset.js';
import { packFiles } from '../../../src/suite-kit/packed-files.js';
import { copiedCells } from '../judge/method.js';
import { withIntervals } from '../judge/table.js';
import type { ArtisanTask } from './artisan-task.js';
import { twinProblems } from './check-twins.js';
import { copiesByRule } from './copies.js';
import { maskPaper, readPrinted, type PrintedTable } from './paper.js';
import { placeOf, wrong } from './read-study.js';
import { checkScripts, differing, methodOfReference, referenceOn, type MakingTools } from './reference-runs.js';
import { studyFiles } from './study-files.js';
import type { StudySource } from './study-schema.js';
import { altered } from './twins.js';

type Table = StudySource['tables'][number] & { printed: PrintedTable };
type Files = Map<string, Uint8Array>;

/**
 * Makes the tasks of a study: reads the tables out of the pinned paper, packs the artifact and its twins, and runs each reference
 * script on all of them. Everything is put into the blob store.
 * @throws UserError for what its authors can correct, DomainFailure where the package, the image or the sandbox is not there
 */
export async function makeTasks(source: StudySource, tools: MakingTools): Promise<TaskSummary[]> {
  const { id, study } = source;
  const release = await studyFiles(source, tools);
  const paper = linesOf(pinnedPaper(source, release), study.paper.lines);
  const tables = readTables(source, paper);
  const masked = maskPaper(
    paper,
    tables.map(({ printed }) => printed),
  );
  const files = artifactFiles(source, release);
  const artifacts = await packArtifacts(source, files, tools);
  const twins = await packTwins(source, files, tools);
  const summaries: TaskSummary[] = [];
  for (const table of tables) {
    tools.onProgress(`${table.id}: running its scripts`);
    const chance = Object.entries(table.table.columns).flatMap(([key, column]) => (column.monte_carlo ? [key] : []));
    const task: ArtisanTask = {
      ...{ version: 1, id: table.id, study: id, title: study.title, reference: study.reference },
      ...{ caption: table.table.caption, meanings: meaningsOf(table), shape: table.printed.shape },
      ...{
        printed: table.printed.values,
        disagreements: [],
        paper: masked,
        best: table.table.best,
        image: study.image,
      },
      limits: { seconds: table.table.limits.seconds, memoryMib: table.table.limits.memory_mib },
      files: [...files].map(([path, bytes]) => ({ path, bytes: bytes.byteLength })),
      artifacts,
      twins: [],
      scripts: { reference: table.reference, copies: table.copies },
    };
    await settleCells(task, { table, chance }, tools);
    await checkScripts(task, { 'reference.sh': table.reference, ...filesOf(table.copies) }, tools);
    await checkMethod(task, tools);
    for (const { id: twin, artifact } of twins) {
      const made = { artifact: artifact.sha256, chance, what: `the twin ${twin}` };
      const { values, intervals } = await referenceOn(task, made, tools);
      task.twins.push({ id: twin, artifact, expected: values, ...(intervals === undefined ? {} : { intervals }) });
    }
    const twinsToChange = twinProblems(source.id, task);
    if (twinsToChange.length > 0) throw new UserError('environment', twinsToChange);
    const cell = movedCell(task);
    const byRule = copiesByRule(task, { reference: table.reference, cell });
    await checkScripts(task, filesOf(byRule), tools);
    task.scripts.copies = { ...task.scripts.copies, ...byRule };
    summaries.push(await store(task, tools));
  }
  return summaries;
}

/** Copies by where they stand below their table. */
const filesOf = (copies: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(copies).map(([name, script]) => [`copies/${name}.sh`, script]));

function pinnedPaper({ id, study }: StudySource, release: ReadonlyMap<string, Buffer>): string {
  const bytes = release.get(study.paper.from);
  const found = bytes === undefined ? null : sha256Hex(bytes);
  if (bytes !== undefined && found === study.paper.sha256) return bytes.toString('utf8');
  const what = found === null ? 'is not in the package' : `has the sha-256 ${found}`;
  throw new UserError(
    'environment',
    wrong(`${id}/study.yaml`, `paper: ${study.paper.from} ${what}`, 'pin another one'),
  );
}

function readTables({ id, study, tables }: StudySource, paper: string): Table[] {
  const read = tables.map((table) => {
    const place = `${placeOf({ id: table.id, study: id })}/table.yaml`;
    const printed = readPrinted(paper, table.table, { place, first: study.paper.lines[0] });
    return { ...table, printed };
  });
  const problems = read.flatMap(({ printed }) => ('problems' in printed ? printed.problems : []));
  if (problems.length > 0) throw new UserError('environment', problems);
  return read as Table[];
}

function artifactFiles({ id, study }: StudySource, release: ReadonlyMap<string, Buffer>): Files {
  const missing = study.artifact.filter(({ from }) => !release.has(from));
  if (missing.length > 0)
    throw new UserError(
      'environment',
      missing.map(({ path, from }) => wrong(`${id}/study.yaml`, `artifact: ${path}: ${from} is not in the package`)),
    );
  return new Map(
    study.artifact.map(({ path, from, lines }) => {
      const bytes = release.get(from) ?? Buffer.alloc(0);
      return [path, lines === undefined ? bytes : Buffer.from(`${linesOf(bytes.toString('utf8'), lines)}\n`)];
    }),
  );
}

/** Lines of a text, first and last from 1. */
export const linesOf = (text: string, [first, last]: readonly [number, number]): string =>
  text
    .split(/\r?\n/)
    .slice(first - 1, last)
    .join('\n');

async function packArtifacts(
  { study }: StudySource,
  files: Files,
  { blobs }: DatasetTools,
): Promise<ArtisanTask['artifacts']> {
  const without = async (...roles: string[]): Promise<{ sha256: string }> => {
    const left = study.artifact.filter(({ role }) => !roles.includes(role)).map(({ path }) => path);
    return packed(new Map([...files].filter(([path]) => left.includes(path))), blobs);
  };
  const has = (role: string): boolean => study.artifact.some((file) => file.role === role);
  return {
    whole: await packed(files, blobs),
    withheld: has('result') ? await without('result') : null,
    underived: has('derived') ? await without('result', 'derived') : null,
  };
}

/** Result files stay as they are: whoever reads them repeats the original. */
async function packTwins(
  { id, study }: StudySource,
  files: Files,
  { blobs }: DatasetTools,
): Promise<{ id: string; artifact: { sha256: string } }[]> {
  const twins: { id: string; artifact: { sha256: string } }[] = [];
  for (const [twin, alterations] of Object.entries(study.twins)) {
    const changed = new Map(files);
    for (const alteration of alterations) {
      const text = Buffer.from(changed.get(alteration.file) ?? []).toString('utf8');
      try {
        changed.set(alteration.file, Buffer.from(altered(text, alteration)));
      } catch (error) {
        const what = error instanceof Error ? error.message : String(error);
        throw new UserError('environment', wrong(`${id}/study.yaml`, `twins.${twin}: ${what}`));
      }
    }
    twins.push({ id: twin, artifact: await packed(changed, blobs) });
  }
  return twins;
}

async function packed(files: Files, blobs: DatasetTools['blobs']): Promise<{ sha256: string }> {
  const label = { name: 'artifact.tar', mediaType: 'application/x-tar' };
  return { sha256: (await blobs.put(await packFiles(files), label)).sha256 };
}

const meaningsOf = ({ table }: Table): Record<string, string> =>
  Object.fromEntries(
    Object.entries(table.columns).flatMap(([key, { means }]) => (means === undefined ? [] : [[key, means]])),
  );

/** What the cells are to hold: as printed; within the bounds of chance; or as the artifact says, where a reviewer said why. */
async function settleCells(
  task: ArtisanTask,
  { table, chance }: { table: Table; chance: string[] },
  tools: MakingTools,
): Promise<void> {
  const { disagreements } = table.table;
  if (chance.length === 0 && disagreements.length === 0) return;
  const found = await referenceOn(task, { artifact: task.artifacts.whole.sha256, chance, what: 'the artifact' }, tools);
  const others = differing(task, found);
  const place = `${placeOf(task)}/table.yaml`;
  const same = disagreements.filter(
    ({ row, column }) => !others.some((cell) => cell.row === row && cell.column === column),
  );
  if (same.length > 0)
    throw new UserError(
      'environment',
      same.map(({ row, column }) =>
        wrong(place, `disagreements: ${row}, ${column} is as the paper prints it`, 'leave it out'),
      ),
    );
  const expected = structuredClone(task.printed) as Record<string, Record<string, string>>;
  for (const { row, column, reason, evidence, reviewer } of disagreements) {
    const printed = expected[row]?.[column] ?? '';
    task.disagreements.push({ row, column, printed, reason, evidence, reviewer });
    (expected[row] ??= {})[column] = found.values[row]?.[column] ?? '';
  }
  task.printed = expected;
  task.shape = withIntervals(task.shape, found.intervals);
}

/** A table that names another method than its reference uses would be expected of nobody, or of somebody else's script. */
async function checkMethod(task: ArtisanTask, tools: MakingTools): Promise<void> {
  const method = await methodOfReference(task, tools);
  if (method === task.best) return;
  const what = `best: says ${task.best}, and the reference script is ${method}`;
  throw new UserError('environment', wrong(`${placeOf(task)}/table.yaml`, what, 'name the method that is the best'));
}

/** A cell that a twin changes: a copy of it alone must show. */
function movedCell({ shape, printed, twins }: ArtisanTask): { row: string; column: string } {
  const [first] = twins.flatMap((twin) => copiedCells(shape, printed, twin));
  if (first === undefined) throw new DomainFailure('harness.bug', 'no twin changes a cell, and the check let it pass');
  return first;
}

async function store(task: ArtisanTask, { blobs }: DatasetTools): Promise<TaskSummary> {
  const text = canonicalize(task);
  if (text === undefined) throw new DomainFailure('harness.bug', `task ${task.id} is not JSON`);
  const { sha256 } = await blobs.put(text, { name: `${task.id}.json`, mediaType: 'application/json' });
  return { id: task.id, sha256, group: task.study, category: task.id, candidateScope: null };
}
