import { UserError } from '../../../src/domain/failure/user-error.js';
import type { DatasetTools } from '../../../src/suite/dataset.js';
import { recallJson, rememberJson } from '../../../src/suite-kit/json-blobs.js';
import { isRight } from '../judge/cell.js';
import { hiddenCells, judgeTable, readTable, withIntervals, type Intervals, type Values } from '../judge/table.js';
import { outputOf, runKey, runScript, type ScriptRun } from '../runs/run-script.js';
import type { ArtisanTask } from './artisan-task.js';
import { intervalOf, meanOf, rounded } from './rounding.js';
import { placeOf, wrong } from './read-study.js';

/** `isRemembering`: what this installation has run before is not run again. */
export type MakingTools = DatasetTools & { isRemembering?: boolean };

/** With so many seeds a reference with Monte Carlo cells is run. */
const SEEDS = Array.from({ length: 10 }, (_, index) => index + 1);

/** What the reference makes of a version of the artifact. */
interface ReferenceTable {
  values: Values;
  /** Of its Monte Carlo cells; absent where there are none. */
  intervals?: Intervals;
}

type MadeFrom = { artifact: string; chance: readonly string[] };

/**
 * The reference's table on an artifact, to as many digits as are compared: so it is the same on every machine. Where some columns
 * depend on chance (`chance`), it is run with ten seeds, and they have the mean and the bounds of another run.
 */
export async function referenceOn(
  task: ArtisanTask,
  { artifact, chance, what }: MadeFrom & { what: string },
  tools: MakingTools,
): Promise<ReferenceTable> {
  const scripts =
    chance.length === 0
      ? [task.scripts.reference]
      : SEEDS.map((seed) => `export SEED=${seed}\n${task.scripts.reference}`);
  const tables: Values[] = [];
  for (const script of scripts) {
    const table = readTable(await outputAt({ name: 'reference.sh', script }, task, artifact, tools));
    const values = typeof table === 'string' ? null : textsOf(task, table);
    if (values === null)
      throw new UserError('environment', wrong(`${placeOf(task)}/reference.sh`, `leaves cells out on ${what}`));
    tables.push(values);
  }
  const values: Record<string, Record<string, string>> = {};
  const intervals: Record<string, Record<string, { low: string; high: string }>> = {};
  for (const { row, column } of hiddenCells(task.shape)) {
    const texts = tables.map((table) => table[row]?.[column.key] ?? '');
    const printed = task.printed[row]?.[column.key] ?? '';
    const isChance = chance.includes(column.key);
    (values[row] ??= {})[column.key] = rounded(isChance ? meanOf(texts) : (texts[0] ?? ''), { column, printed });
    if (isChance) (intervals[row] ??= {})[column.key] = intervalOf(texts, printed);
  }
  return chance.length === 0 ? { values } : { values, intervals };
}

function textsOf({ shape }: ArtisanTask, table: Exclude<ReturnType<typeof readTable>, string>): Values | null {
  const values: Record<string, Record<string, string>> = {};
  for (const { row, column } of hiddenCells(shape)) {
    const text = table.cells(row, column.key);
    if (text === undefined || text === '') return null;
    (values[row] ??= {})[column.key] = text;
  }
  return values;
}

/** A dataset whose own scripts give another table measures nothing: the reference computes it, the copies print it. */
export async function checkScripts(
  task: ArtisanTask,
  scripts: Readonly<Record<string, string>>,
  tools: MakingTools,
): Promise<void> {
  const { shape, printed, artifacts } = task;
  for (const [name, script] of Object.entries(scripts)) {
    const output = await outputAt({ name, script }, task, artifacts.whole.sha256, tools);
    const { cells, problem } = judgeTable(shape, printed, output);
    const bad = cells.filter(({ outcome }) => !isRight(outcome));
    if (bad.length === 0) continue;
    const what = problem ?? bad.map(({ row, column, outcome }) => `${row}, ${column}: ${outcome}`).join('; ');
    throw new UserError('environment', wrong(`${placeOf(task)}/${name}`, `gives another table: ${what}`));
  }
}

/** The cells of the reference's table that are not as printed. */
export const differing = (
  task: ArtisanTask,
  { values, intervals }: ReferenceTable,
): { row: string; column: string }[] =>
  hiddenCells(withIntervals(task.shape, intervals))
    .filter(({ row, column }) => {
      const one = { columns: [column], rows: [{ key: row, cells: { [column.key]: 'hidden' as const } }] };
      const block = [
        '```table',
        `| | ${column.key} |`,
        '|-|-|',
        `| ${row} | ${values[row]?.[column.key] ?? ''} |`,
        '```',
      ];
      return !judgeTable(one, task.printed, block.join('\n')).right;
    })
    .map(({ row, column }) => ({ row, column: column.key }));

/**
 * What the judge will call the reference: `last-mile` where it needs the derived files.
 * @throws UserError where it needs the result files, which hold the table
 */
export async function methodOfReference(task: ArtisanTask, tools: MakingTools): Promise<ArtisanTask['best']> {
  const { withheld, underived } = task.artifacts;
  const isRightOn = async ({ sha256 }: { sha256: string }): Promise<boolean> => {
    const output = outputOf(await runAt(task.scripts.reference, task, sha256, tools));
    return output !== null && judgeTable(task.shape, task.printed, output).right;
  };
  if (withheld !== null && !(await isRightOn(withheld)))
    throw new UserError('environment', wrong(`${placeOf(task)}/reference.sh`, 'needs the result files'));
  return underived === null || (await isRightOn(underived)) ? 'full' : 'last-mile';
}

/** What one of our scripts prints on an artifact. */
async function outputAt(
  { name, script }: { name: string; script: string },
  task: ArtisanTask,
  artifact: string,
  tools: MakingTools,
): Promise<string> {
  const run = await runAt(script, task, artifact, tools);
  const output = outputOf(run);
  if (output !== null) return output;
  const last = run.stderr.trim().split('\n').at(-1) ?? '';
  const what = `ends with ${run.ended === 'exit' ? `exit status ${run.exitCode}` : run.ended}: ${last}`;
  throw new UserError('environment', wrong(`${placeOf(task)}/${name}`, what));
}

async function runAt(
  script: string,
  task: ArtisanTask,
  artifact: string,
  { blobs, sandbox, signal, isRemembering = false }: MakingTools,
): Promise<ScriptRun> {
  const owner = { campaignId: 'dataset', ownerId: task.id };
  const key = runKey(script, { artifact, image: await sandbox.imageDigest(task.image), limits: task.limits });
  const known = isRemembering ? await recallJson<ScriptRun>(blobs, key) : null;
  const run = known ?? (await runScript(script, { task, artifact, blobs, sandbox, signal, owner }));
  if (known === null && outputOf(run) !== null) await rememberJson(blobs, { key, name: 'run.json' }, run);
  return run;
}
