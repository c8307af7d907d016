import canonicalize from 'canonicalize';
import type { TaskSummary } from '../../../src/contract/task.js';
import { DomainFailure } from '../../../src/domain/failure/domain-failure.js';
import { UserError } from '../../../src/domain/failure/user-error.js';
import { sha256Hex } from '../../../src/domain/text/content-hash.js';
import type { DatasetTools } from '../../../src/suite/dataset.js';
import { recallJson, rememberJson } from '../../../src/suite-kit/json-blobs.js';
import { packFiles } from '../../../src/suite-kit/packed-files.js';
import { isRight } from '../judge/cell.js';
import { changedCells } from '../judge/method.js';
import { hiddenCells, judgeTable, readTable, type TableShape, type Values } from '../judge/table.js';
import { outputOf, runKey, runScript, type ScriptRun } from '../runs/run-script.js';
import type { ArtisanTask } from './artisan-task.js';
import { maskPaper, readPrinted, type PrintedTable } from './paper.js';
import { wrong } from './read-study.js';
import type { StudySource } from './study-schema.js';
import { altered } from './twins.js';
import { wheelFiles } from './wheel-files.js';

/** Of the hidden numbers of a table, a twin changes at least this share. */
const LEAST_CHANGED = 0.8;

type Table = StudySource['tables'][number] & { printed: PrintedTable };
type Files = Map<string, Uint8Array>;
/** `isRemembering`: what this installation has run before is not run again. */
type MakingTools = DatasetTools & { isRemembering?: boolean };

/**
 * Makes the tasks of a study: reads the tables out of the pinned paper, packs the artifact and its twins, and runs each reference
 * script on all of them. Everything is put into the blob store.
 * @throws UserError for what its authors can correct, DomainFailure where the package, the image or the sandbox is not there
 */
export async function makeTasks(source: StudySource, tools: MakingTools): Promise<TaskSummary[]> {
  const { id, study } = source;
  const release = await wheelFiles(study.package, tools);
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
    const task: ArtisanTask = {
      ...{ version: 1, id: table.id, study: id, title: study.title, reference: study.reference },
      ...{ caption: table.table.caption, meanings: meaningsOf(table), shape: table.printed.shape },
      ...{ printed: table.printed.values, paper: masked, best: table.table.best, image: study.image },
      limits: { seconds: table.table.limits.seconds, memoryMib: table.table.limits.memory_mib },
      files: [...files].map(([path, bytes]) => ({ path, bytes: bytes.byteLength })),
      artifacts,
      twins: [],
      scripts: { reference: table.reference, copies: table.copies },
    };
    await checkScripts(task, tools);
    for (const twin of twins) task.twins.push({ ...twin, expected: await referenceOn(task, twin, tools) });
    checkTwins(source, task);
    summaries.push(await store(task, tools));
  }
  return summaries;
}

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

function readTables({ id: study, tables }: StudySource, paper: string): Table[] {
  const read = tables.map((table) => {
    const printed = readPrinted(paper, table.table, `${placeOf({ id: table.id, study })}/table.yaml`);
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

const linesOf = (text: string, [first, last]: readonly [number, number]): string =>
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

/** A dataset whose own scripts give another table measures nothing: the reference computes it, the copies print it. */
async function checkScripts(task: ArtisanTask, tools: MakingTools): Promise<void> {
  const { shape, printed, artifacts, scripts } = task;
  const named = [
    ['reference.sh', scripts.reference] as const,
    ...Object.entries(scripts.copies).map(([name, script]) => [`copies/${name}.sh`, script] as const),
  ];
  for (const [name, script] of named) {
    const output = await outputAt({ name, script }, task, artifacts.whole.sha256, tools);
    const { cells, problem } = judgeTable(shape, printed, output);
    const bad = cells.filter(({ outcome }) => !isRight(outcome));
    if (bad.length === 0) continue;
    const what = problem ?? bad.map(({ row, column, outcome }) => `${row}, ${column}: ${outcome}`).join('; ');
    throw new UserError('environment', wrong(`${placeOf(task)}/${name}`, `gives another table: ${what}`));
  }
}

/** What the reference makes of altered data, to as many digits as are compared: so it is the same on every machine. */
async function referenceOn(
  task: ArtisanTask,
  { id, artifact }: { id: string; artifact: { sha256: string } },
  tools: MakingTools,
): Promise<Values> {
  const reference = { name: 'reference.sh', script: task.scripts.reference };
  const table = readTable(await outputAt(reference, task, artifact.sha256, tools));
  const values = typeof table === 'string' ? null : tableValues(task.shape, table);
  if (values !== null) return values;
  throw new UserError('environment', wrong(`${placeOf(task)}/reference.sh`, `leaves cells out on the twin ${id}`));
}

function tableValues(shape: TableShape, table: Exclude<ReturnType<typeof readTable>, string>): Values | null {
  const values: Record<string, Record<string, string>> = {};
  for (const { row, column } of hiddenCells(shape)) {
    const text = table.cells(row, column.key);
    if (text === undefined || text === '') return null;
    (values[row] ??= {})[column.key] = rounded(text, column);
  }
  return values;
}

/** Two digits more than are compared. */
function rounded(text: string, { type, tolerance }: TableShape['columns'][number]): string {
  const isLong = type === 'decimal' && tolerance !== undefined && 'significant' in tolerance;
  return isLong ? Number(text).toPrecision(tolerance.significant + 2) : text;
}

/** What one of our scripts prints on an artifact. */
async function outputAt(
  { name, script }: { name: string; script: string },
  task: ArtisanTask,
  artifact: string,
  { blobs, sandbox, signal, isRemembering = false }: MakingTools,
): Promise<string> {
  const owner = { campaignId: 'dataset', ownerId: task.id };
  const key = runKey(script, { artifact, image: await sandbox.imageDigest(task.image), limits: task.limits });
  const known = isRemembering ? await recallJson<ScriptRun>(blobs, key) : null;
  const run = known ?? (await runScript(script, { task, artifact, blobs, sandbox, signal, owner }));
  if (known === null && outputOf(run) !== null) await rememberJson(blobs, { key, name: 'run.json' }, run);
  const output = outputOf(run);
  if (output !== null) return output;
  const last = run.stderr.trim().split('\n').at(-1) ?? '';
  const what = `ends with ${run.ended === 'exit' ? `exit status ${run.exitCode}` : run.ended}: ${last}`;
  throw new UserError('environment', wrong(`${placeOf(task)}/${name}`, what));
}

/** A twin that changes little, and a cell that none changes, would let a copy pass. */
function checkTwins(source: StudySource, { id, shape, printed, twins }: ArtisanTask): void {
  const numbers = hiddenCells(shape).filter(({ column }) => column.type !== 'text');
  const changes = twins.map((twin) => ({ twin: twin.id, cells: changedCells(shape, printed, twin.expected) }));
  const problems = changes
    .filter(({ cells }) => cells.length < LEAST_CHANGED * numbers.length)
    .map(({ twin, cells }) =>
      wrong(
        `${source.id}/study.yaml`,
        `twins.${twin}: changes ${cells.length} of ${numbers.length} hidden cells of ${id}`,
        'alter more of the data: four of five cells must change',
      ),
    );
  const kept = numbers.filter(
    ({ row, column }) =>
      !changes.some(({ cells }) => cells.some((cell) => cell.row === row && cell.column === column.key)),
  );
  const same = kept.map(({ row, column }) =>
    wrong(
      `${source.id}/study.yaml`,
      `twins: none changes ${row}, ${column.key} of ${id}`,
      'add a twin that does, or tell the cell',
    ),
  );
  if (problems.length + same.length > 0) throw new UserError('environment', [...problems, ...same]);
}

const placeOf = ({ id, study }: Pick<ArtisanTask, 'id' | 'study'>): string => `${study}/${id.slice(study.length + 1)}`;

async function store(task: ArtisanTask, { blobs }: DatasetTools): Promise<TaskSummary> {
  const text = canonicalize(task);
  if (text === undefined) throw new DomainFailure('harness.bug', `task ${task.id} is not JSON`);
  const { sha256 } = await blobs.put(text, { name: `${task.id}.json`, mediaType: 'application/json' });
  return { id: task.id, sha256, group: task.study, category: task.id, candidateScope: null };
}
