import { z } from 'zod';
import type { AgentTool } from '../../../../src/agents/agent-tool.js';
import { readTarEntries } from '../../../../src/suite-kit/tar-entries.js';
import type { ArtisanTask } from '../../dataset/artisan-task.js';
import { readDecimal } from '../../judge/decimal.js';
import { formatTable, type TableShape, type Values } from '../../judge/table.js';
import { fileList } from '../task-text.js';

/** Shows what there is of the study: its files, and what it says of them. */
export const getTool = (task: ArtisanTask): AgentTool<Record<string, never>> => ({
  name: 'get',
  description: 'Lists the files of the study, and shows its README where it has one.',
  input: z.strictObject({}),
  async run({ blobs }, _input, { workspace }) {
    const entries = await readTarEntries(await blobs.get(task.artifacts.whole.sha256));
    const readme = entries.find(({ name }) => /(^|\/)readme(\.\w+)?$/i.test(name));
    const text = readme === undefined ? '' : `\n\n${readme.name}:\n\n${Buffer.from(readme.content).toString('utf8')}`;
    return { observation: `${fileList(task)}${text}`, workspace, seconds: 0 };
  },
});

const valuesSchema = z.strictObject({
  values: z.record(z.string(), z.record(z.string(), z.union([z.number(), z.string()]))),
});

/** Writes raw values as a table of the precision that is asked for. The same values make the same table: no model is asked. */
export const formatTool = ({ shape, printed }: ArtisanTask): AgentTool<z.infer<typeof valuesSchema>> => ({
  name: 'format',
  description: 'Writes raw values (row → column → number) as a table of the precision that is asked for.',
  input: valuesSchema,
  run: (_context, { values }, { workspace }) =>
    Promise.resolve({ observation: formattedTable(shape, printed, values), workspace, seconds: 0 }),
});

/** Of hidden values only the form is used, as the mask shows it. */
export const formattedTable = (
  shape: TableShape,
  printed: Values,
  values: Readonly<Record<string, Readonly<Record<string, number | string>>>>,
): string =>
  formatTable(shape, (row, { key, type }) => {
    const given = values[row]?.[key];
    if (given === undefined) return '';
    const text = String(given);
    if (type === 'text' || type === 'interval') return text;
    return inForm(text, printed[row]?.[key] ?? '');
  });

/** A number with so many decimals, exponent and percent sign as the form has them; as it was given where it is none. */
function inForm(text: string, form: string): string {
  const value = Number(text.replace(/\s*%$/, ''));
  if (text.trim() === '' || Number.isNaN(value) || readDecimal(form.replace(/^<\s*|\s*%$/g, '')) === null) return text;
  const decimals = /\.(\d*)/.exec(form)?.[1]?.length ?? 0;
  const written = /e/i.test(form) ? value.toExponential(decimals) : value.toFixed(decimals);
  return form.trim().endsWith('%') ? `${written}%` : written;
}
