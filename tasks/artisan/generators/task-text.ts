import type { Blobs } from '../../../src/ports/blobs.js';
import { readJsonBlob } from '../../../src/suite-kit/json-blobs.js';
import { readTarEntries } from '../../../src/suite-kit/tar-entries.js';
import type { AskedTask, TaskText } from '../../../src/suite/suite.js';
import type { ArtisanTask } from '../dataset/artisan-task.js';
import { toolsOf } from '../dataset/selection.js';
import { formatTable, masked, type Column } from '../judge/table.js';

/** What is shown of an artifact's files at most, in characters: their beginnings. */
const MOST_SHOWN = 3000;

/** The table as it is asked for: given cells as they are, `?` for the digits of hidden ones. */
export function maskedTable({ shape, printed }: Pick<ArtisanTask, 'shape' | 'printed'>): string {
  return formatTable(shape, (row, column) => {
    const value = printed[row]?.[column.key] ?? '';
    const isHidden = shape.rows.find(({ key }) => key === row)?.cells[column.key] === 'hidden';
    return isHidden ? masked(value) : value;
  });
}

/** What a system is told of a task, as the blanks of its prompt. */
export function taskValues(task: ArtisanTask): Record<string, string> {
  const { title, reference, caption, paper, limits, image } = task;
  return {
    ...{ title, reference, caption, paper: indented(paper), table: maskedTable(task), columns: columnsText(task) },
    script_seconds: String(limits.seconds),
    tools: toolsOf(image),
  };
}

/** For people: what is asked, masked as a system sees it, and what decides; null where the task is not on this machine. */
export async function artisanTaskText({ sha256 }: Pick<AskedTask, 'sha256'>, blobs: Blobs): Promise<TaskText | null> {
  if (!(await blobs.has(sha256))) return null;
  const task = await readJsonBlob<ArtisanTask>(blobs, sha256);
  const { artifacts, twins } = task;
  const runs = [
    'the whole artifact',
    ...(artifacts.withheld === null ? [] : ['without result files']),
    ...(artifacts.underived === null ? [] : ['without derived files too']),
    ...twins.map(({ id }) => `altered data: ${id}`),
  ];
  return {
    asked: `${task.caption}\n\n${maskedTable(task).replace(/^```.*\n?/gm, '')}`,
    test: {
      name: 'hidden cells by the types of their columns; where all are right, the script is run again',
      text: `${columnsText(task)}\n${runs.map((run) => `- run: ${run}`).join('\n')}`,
    },
  };
}

/** The files of the artifact, for who can look for himself. */
export const fileList = ({ files }: ArtisanTask): string =>
  files.map(({ path, bytes }) => `- /artifact/${path} (${bytes} bytes)`).join('\n');

function columnsText({ shape, meanings }: ArtisanTask): string {
  return shape.columns
    .map((column) => `- ${column.key}: ${typeText(column)}${meaningText(meanings[column.key])}`)
    .join('\n');
}

const meaningText = (meaning: string | undefined): string => (meaning === undefined ? '' : `; ${meaning}`);

function typeText({ type, tolerance }: Column): string {
  if (tolerance === undefined) return type === 'decimal' ? 'decimal, to the printed digits' : type;
  return 'significant' in tolerance ? `${type}, to ${tolerance.significant} significant digits` : type;
}

/** The beginnings of the files of the artifact, for who cannot look for himself. */
export async function shownFiles({ artifacts }: ArtisanTask, blobs: Pick<Blobs, 'get'>): Promise<string> {
  const entries = await readTarEntries(await blobs.get(artifacts.whole.sha256));
  return entries
    .map(({ name, content }) => {
      const text = Buffer.from(content).toString('utf8');
      const cut = text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}\n[…]` : text;
      return `/artifact/${name}:\n\n${indented(cut)}`;
    })
    .join('\n\n');
}

/** As a Markdown code block without a fence: whatever a text holds, it ends where it ends. */
export const indented = (text: string): string => text.replace(/\n$/, '').replace(/^/gm, '    ');
