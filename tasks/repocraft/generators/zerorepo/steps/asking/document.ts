import type { Brief } from './brief.js';

/** Text of a prompt that stands in a fenced block. */
interface Fence {
  fence: 'python' | 'text';
  text: string;
}

/** Several fenced blocks, each under a heading of its own. */
export interface Fences {
  entries: { heading: string; block: Fence }[];
}

/** What a prompt is given to work on: one section a key. Null and undefined have none. */
export type Material = Readonly<Record<string, unknown>>;

/** Python, to be shown as it stands. */
export const python = (text: string): Fence => ({ fence: 'python', text });

/** What a program printed, to be shown as it stands. */
export const printed = (text: string): Fence => ({ fence: 'text', text });

/** Python by what it belongs to. */
export const pythonBy = (texts: Readonly<Record<string, string>>): Fences => ({
  entries: Object.entries(texts).map(([heading, text]) => ({ heading, block: python(text) })),
});

/** Interfaces as the Python they will be: the import, then name, signature and docstring. */
export const stubs = (briefs: readonly Brief[]): Fences => pythonBy(Object.fromEntries(briefs.map(stubOf)));

/** The sections of a prompt's material as Markdown: data as JSON, code and output in fenced blocks. */
export function materialText(material: Material): string {
  return Object.entries(material)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `## ${name}\n\n${shown(value)}`)
    .join('\n\n');
}

function shown(value: unknown): string {
  if (typeof value === 'string') return isPlain(value) ? value : fenced('text', value);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (isFence(value)) return fenced(value.fence, value.text);
  if (isFences(value)) {
    if (value.entries.length === 0) return NOTHING;
    const parts = value.entries.map(({ heading, block }) => `### \`${heading}\`\n\n${fenced(block.fence, block.text)}`);
    return parts.join('\n\n');
  }
  return fenced('json', jsonText(value));
}

/** What stands in a section with nothing in it. */
export const NOTHING = '(none)';

/** One line that no reader takes for anything but text. */
const isPlain = (text: string): boolean => /^[^\s#`~(][^\n]*$/.test(text);

const isFence = (value: unknown): value is Fence =>
  typeof value === 'object' && value !== null && 'fence' in value && 'text' in value;

const isFences = (value: unknown): value is Fences =>
  typeof value === 'object' && value !== null && 'entries' in value && Array.isArray(value.entries);

/** Lists with an entry a line: half the tokens of JSON that is indented throughout. */
function jsonText(value: unknown): string {
  if (!Array.isArray(value)) return JSON.stringify(value, null, 1);
  if (value.length === 0) return '[]';
  return `[\n${value.map((entry) => ` ${JSON.stringify(entry)}`).join(',\n')}\n]`;
}

/** A block whose fence is longer than any inside it. */
function fenced(language: string, text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text.replace(/\n+$/, '')}\n${fence}`;
}

function stubOf(brief: Brief): [id: string, stub: string] {
  const head = brief.kind === 'class' ? `class ${brief.name}` : `def ${brief.name}${brief.signature}`;
  const methods = brief.methods.map(
    ({ name, signature, docstring }) => `\n    def ${name}${signature}:\n        ${quoted(docstring, 8)}\n`,
  );
  return [brief.id, `${brief.import}\n\n\n${head}:\n    ${quoted(brief.docstring, 4)}\n${methods.join('')}`];
}

function quoted(text: string, indent: number): string {
  const escaped = text.replaceAll('\\', '\\\\').replaceAll('"""', '\\"\\"\\"').replace(/"$/, '\\"');
  const lines = escaped
    .split('\n')
    .map((line, index) => (index === 0 || line.trim() === '' ? line.trim() : `${' '.repeat(indent)}${line}`));
  return `"""${lines.join('\n')}"""`;
}
