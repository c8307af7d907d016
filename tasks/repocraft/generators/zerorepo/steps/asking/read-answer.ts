import { readJson } from '../../../../../../src/suite-kit/answer-json.js';
import { fencedBlocks } from '../../../../../../src/suite-kit/fenced-blocks.js';

/** How a prompt is answered: data as JSON, code in fenced blocks of Python, a README as it stands. */
export type AnswerForm = 'json' | 'tests' | 'units' | 'edits' | 'source' | 'markdown';

/** Text beyond which no answer is looked into. */
const MOST = 2_000_000;

/** A block of Python and the line above it. */
interface Block {
  above: string;
  text: string;
}

type Reader = (answer: string, asked: readonly string[]) => unknown;

/** Readers by form. Answers of code may also be the JSON that earlier versions of the prompts asked for. */
const READERS: Readonly<Record<AnswerForm, Reader>> = {
  json: () => undefined,
  tests: (answer, asked) => listed('tests', byUnit(pythonBlocks(answer), asked)),
  units: (answer, asked) => listed('units', byUnit(pythonBlocks(answer), asked)),
  edits: (answer, asked) => listed('edits', editsOf(pythonBlocks(answer), asked)),
  source: (answer) => {
    const source = longest(pythonBlocks(answer).map(({ text }) => text));
    return source === undefined ? undefined : { source };
  },
  markdown: markdownOf,
};

/** What an answer without anything that can be read is told. */
export const UNREADABLE: Readonly<Record<AnswerForm, string>> = {
  json: 'it holds no JSON object',
  tests: 'it holds no whole block of Python for a unit (one that is not closed was cut off)',
  units: 'it holds no whole block of Python for a unit (one that is not closed was cut off)',
  edits: 'it holds no whole block of Python (one that is not closed was cut off)',
  source: 'it holds no whole block of Python (one that is not closed was cut off)',
  markdown: 'it holds no Markdown that begins with a heading',
};

/** What is to be changed about an answer of that form. */
export const CHANGE: Readonly<Record<AnswerForm, string>> = {
  json: 'Correct each place that is named and give the whole JSON object again, in a ```json block that is closed.',
  tests: 'Give each unit that is named a heading with its id and one closed ```python block; leave the others in.',
  units: 'Give each unit that is named a heading with its id and one closed ```python block; leave the others in.',
  edits: 'Give each edit a heading with its kind and name and one closed ```python block.',
  source: 'Give the whole file again in one closed ```python block.',
  markdown: 'Give the whole README again, beginning with `# ` and its title.',
};

/** The object an answer holds; undefined where there is none. `asked`: ids of the units it is about. */
export function readAnswer(form: AnswerForm, answer: string, asked: readonly string[]): unknown {
  if (answer.length > MOST) return undefined;
  return READERS[form](answer, asked) ?? readJson(answer);
}

function pythonBlocks(answer: string): Block[] {
  const lines = answer.split('\n');
  const found: Block[] = [];
  let from = 0;
  for (const { info, lines: own, opensAt, closesAt } of fencedBlocks(lines)) {
    const text = `${own.join('\n')}\n`;
    const isPython = /^(py|python)\d*\b/i.test(info) || (info === '' && !text.trimStart().startsWith('{'));
    const above = lines.slice(from, opensAt).findLast((line) => line.trim() !== '') ?? '';
    if (isPython && text.trim() !== '') found.push({ above, text });
    from = closesAt + 1;
  }
  return found;
}

const listed = (key: string, entries: readonly unknown[]): unknown =>
  entries.length === 0 ? undefined : { [key]: entries };

/** One source a unit: what stands under its id; where one unit was asked for, all there is. */
function byUnit(blocks: readonly Block[], asked: readonly string[]): { unit: string; source: string }[] {
  const [only] = asked;
  const sources = new Map<string, string>();
  for (const { above, text } of blocks) {
    const unit = /[^\s`*#:]+::\w+/.exec(above)?.[0] ?? (asked.length === 1 ? only : undefined);
    if (unit !== undefined) sources.set(unit, [sources.get(unit), text].filter(Boolean).join('\n\n'));
  }
  return [...sources].map(([unit, source]) => ({ unit, source }));
}

function editsOf(blocks: readonly Block[], asked: readonly string[]): { kind: string; name: string; source: string }[] {
  const own = asked[0]?.split('::').at(-1) ?? '';
  return blocks.map(({ above, text }) => {
    const [, kind, name] = /\b(function|class|method|imports|assignment)\b[\s:`*]*([\w.]+)?/i.exec(above) ?? [];
    if (kind === undefined) return { kind: 'function', name: own, source: text };
    return { kind: kind.toLowerCase(), name: kind.toLowerCase() === 'imports' ? '' : (name ?? own), source: text };
  });
}

const longest = (texts: readonly string[]): string | undefined =>
  texts.reduce<string | undefined>((most, text) => (text.length > (most?.length ?? 0) ? text : most), undefined);

/** The whole answer; of one that is a single block of Markdown what is in it. */
function markdownOf(answer: string): unknown {
  const text = answer.trim();
  const inFence = /^(`{3,}|~{3,})(?:md|markdown)\n/i.exec(text);
  const bare = inFence === null ? text : text.slice(inFence[0].length, text.lastIndexOf(inFence[1] ?? ''));
  return /^# \S/.test(bare) ? { markdown: `${bare.trimEnd()}\n` } : undefined;
}
