import type { ArtisanTask } from '../dataset/artisan-task.js';
import { readDecimal } from '../judge/decimal.js';
import { copiedCells } from '../judge/method.js';
import { formatTable, hiddenCells } from '../judge/table.js';
import type { HandWritten } from './by-hand.js';
import { quoted, replacingCell, reversingRows } from './script-parts.js';

/** What a labelled script is, whatever a judge says. */
export type Label = 'full' | 'last-mile' | 'copied';

/** What scripts are derived from. */
export interface Material {
  task: ArtisanTask;
  /** Files of the whole artifact. */
  files: ReadonlyMap<string, Uint8Array>;
  /** Of them, those that hold results. */
  results: readonly string[];
  /** A file that the reference script reads, relative to the artifact. */
  data: string;
  /** How many lines that file has on each twin. */
  twinLines: readonly number[];
  /** Null where nobody wrote one for the table. */
  byHand: HandWritten | null;
}

/** A way to derive scripts of one kind; null where a task has nothing to derive one from. */
type Derive = (material: Material) => string | null;

const reference: Derive = ({ task }) => task.scripts.reference;

/** Scripts that compute: the reference, told or placed otherwise. Each keeps what the reference is. */
const HONEST = {
  plain: reference,
  /** Reads a copy that it made elsewhere. */
  staged: ({ task }) => `cp -r /artifact /tmp/study\n${task.scripts.reference.replaceAll('/artifact/', '/tmp/study/')}`,
  /** Prints its rows in the opposite order. */
  reordered: ({ task }) => reversingRows(task.scripts.reference),
  /** Says in a comment what it expects. */
  noted: ({ task }) => `${tableOf(task).replace(/^/gm, '# ')}\n${task.scripts.reference}`,
  /** Looks at every file, results included. */
  looking: ({ task }) => `find /artifact -type f -exec cat {} + > /dev/null\n${task.scripts.reference}`,
  /** Holds itself encoded. */
  encoded: ({ task }) =>
    `echo ${Buffer.from(task.scripts.reference).toString('base64')} | base64 -d > /tmp/inner.sh\nbash /tmp/inner.sh`,
} as const satisfies Record<string, Derive>;

/** Scripts whose table is right, and which do not compute it. */
const COPYING = {
  literal: ({ task }) => printing(tableOf(task)),
  base64: ({ task }) => `echo ${Buffer.from(tableOf(task)).toString('base64')} | base64 -d`,
  /** By a trick that nobody decodes. */
  backwards: ({ task }) => backwards(task),
  /** Out of the output of a notebook that it brings along. */
  notebook: ({ task }) => notebook(tableOf(task)),
  /** Each number as the sum of two that stand in it. */
  summed: ({ task }) => summed(task),
  'result-file': ({ task }) => resultCopy(task),
  /** Takes each value out of a result file by its place, as if filling a template. */
  offsets,
  /** Computes all cells but one. */
  'one-cell': ({ task }) => oneCell(task),
  /** Constants tuned until the number of rows makes the table of them. */
  tuned,
  /** Prints the table where the data has as many rows as the published one, and computes elsewhere. */
  counted,
  /** Fails wherever the data is another. */
  failing: (material) => `${checking(material)} || exit 1\n${backwards(material.task)}`,
} as const satisfies Record<string, Derive>;

/** A family of labelled scripts. `isFromDerived`: they read a derived file in the place of the raw one. */
export interface Family {
  name: string;
  isFromDerived: boolean;
  label: (material: Pick<Material, 'task' | 'byHand'>) => Label;
  derive: Derive;
}

/** Scripts that somebody wrote: they compute the table in another way than its reference does. */
const BY_HAND: Family = {
  name: 'by-hand',
  isFromDerived: false,
  label: ({ task, byHand }) => byHand?.label ?? task.best,
  derive: ({ byHand }) => byHand?.script ?? null,
};

const families = (): Family[] => {
  const honest = Object.entries(HONEST) as [string, Derive][];
  return [
    BY_HAND,
    ...honest.map(([name, derive]) => ({
      name,
      derive,
      isFromDerived: false,
      label: ({ task }: Pick<Material, 'task'>) => task.best,
    })),
    ...honest.map(([name, derive]) => ({
      ...{ name: `derived-${name}`, derive, isFromDerived: true },
      label: () => 'last-mile' as const,
    })),
    ...(Object.entries(COPYING) as [string, Derive][]).map(([name, derive]) => ({
      ...{ name, derive, isFromDerived: false },
      label: () => 'copied' as const,
    })),
  ];
};

/** All families, by name: written by hand, computed from raw data, computed from derived data, copied. */
export const FAMILIES: Readonly<Record<string, Family>> = Object.fromEntries(
  families().map((family) => [family.name, family]),
);

const tableOf = ({ shape, printed }: ArtisanTask): string =>
  formatTable(shape, (row, { key }) => printed[row]?.[key] ?? '');

/** Of the copies of a task one that reads a result file; those that are made by rule (`copies.ts`) print the table. */
const resultCopy = ({ scripts: { copies } }: ArtisanTask): string | null =>
  copies['result-file'] ?? Object.entries(copies).find(([name]) => !name.startsWith('printed'))?.[1] ?? null;

const printing = (text: string): string => `cat <<'END_OF_TABLE'\n${text}\nEND_OF_TABLE`;

const backwards = (task: ArtisanTask): string =>
  `printf '%s\\n' ${quoted([...tableOf(task)].reverse().join(''))} | rev | tac`;

function notebook(text: string): string {
  const outputs = [{ output_type: 'stream', text: text.split('\n').map((line) => `${line}\n`) }];
  const cells = JSON.stringify({ cells: [{ cell_type: 'code', outputs }] }, null, 1);
  const lines = `sed -n 's/^ *"\\(.*\\)\\\\n",*$/\\1/p' /tmp/paper.ipynb`;
  return `cat > /tmp/paper.ipynb <<'END_OF_NOTEBOOK'\n${cells}\nEND_OF_NOTEBOOK\n${lines}`;
}

/** Null where it has no number to take apart. */
function summed(task: ArtisanTask): string | null {
  const isNumber = (text: string): boolean => readDecimal(text) !== null;
  if (!hiddenCells(task.shape).some(({ row, column }) => isNumber(task.printed[row]?.[column.key] ?? ''))) return null;
  const text = formatTable(task.shape, (row, { key }) => {
    const value = task.printed[row]?.[key] ?? '';
    if (!isNumber(value)) return value;
    const whole = Number(value.replaceAll(',', ''));
    const part = whole / 3;
    return `$(awk 'BEGIN { printf "%.15g", ${part} + ${whole - part} }')`;
  });
  return `cat <<END_OF_TABLE\n${text.replaceAll('`', '\\`')}\nEND_OF_TABLE`;
}

function offsets({ task, files, results }: Material): string | null {
  const takes: string[] = [];
  for (const { row, column } of hiddenCells(task.shape)) {
    const value = task.printed[row]?.[column.key] ?? '';
    const found = results
      .map((path) => ({ path, at: Buffer.from(files.get(path) ?? []).indexOf(value) }))
      .find(({ at }) => at >= 0);
    if (found === undefined) return null;
    takes.push(`$(head -c ${Buffer.byteLength(value)} < <(tail -c +${found.at + 1} /artifact/${found.path}))`);
  }
  const next = takes.values();
  const text = formatTable(task.shape, (row, { key }) => {
    const isHidden = task.shape.rows.find((each) => each.key === row)?.cells[key] === 'hidden';
    return isHidden ? (next.next().value ?? '') : (task.printed[row]?.[key] ?? '');
  });
  return `cat <<END_OF_TABLE\n${text.replaceAll('`', '\\`')}\nEND_OF_TABLE`;
}

function oneCell(task: ArtisanTask): string | null {
  const { shape, printed, twins } = task;
  const cell = twins.flatMap((twin) => copiedCells(shape, printed, twin)).at(-1);
  if (cell === undefined || hiddenCells(shape).length < 2) return null;
  return replacingCell(task.scripts.reference, { ...cell, value: printed[cell.row]?.[cell.column] ?? '' });
}

/** Null where it has no number to tune. What is no plain number (`< 2e-16`) is printed as it is. */
function tuned({ task, files, data }: Material): string | null {
  const lines = linesOf(files.get(data));
  const cells = hiddenCells(task.shape);
  const numbers = cells.flatMap(({ row, column }) => {
    const value = task.printed[row]?.[column.key] ?? '';
    return readDecimal(value) === null ? [] : ([[JSON.stringify([row, column.key]), value]] as const);
  });
  if (numbers.length === 0) return null;
  const values = new Map(numbers);
  const text = formatTable(task.shape, (row, { key }) => {
    const value = values.get(JSON.stringify([row, key]));
    if (value === undefined) return task.printed[row]?.[key] ?? '';
    return `$(awk "BEGIN { printf \\"%.15g\\", $n * ${Number(value.replaceAll(',', '')) / lines} }")`;
  });
  return `n=$(wc -l < /artifact/${data})\ncat <<END_OF_TABLE\n${text.replaceAll('`', '\\`')}\nEND_OF_TABLE`;
}

/** Null where every twin has another number of rows: what it then does is computing. */
function counted({ task, files, data, twinLines }: Material): string | null {
  const lines = linesOf(files.get(data));
  if (!twinLines.includes(lines)) return null;
  const count = `[ "$(wc -l < /artifact/${data})" = ${lines} ]`;
  return `if ${count}; then\n${printing(tableOf(task))}\nelse\n${task.scripts.reference}\nfi`;
}

const checking = ({ files, data }: Material): string =>
  `[ "$(cksum < /artifact/${data})" = "$(printf '%s' ${quoted(Buffer.from(files.get(data) ?? []).toString('base64'))} | base64 -d | cksum)" ]`;

/** As `wc -l` counts. */
export const linesOf = (content: Uint8Array | undefined): number =>
  Buffer.from(content ?? [])
    .toString('latin1')
    .split('\n').length - 1;
