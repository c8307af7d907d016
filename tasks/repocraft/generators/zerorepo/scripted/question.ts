import { z } from 'zod';
import { fencedBlocks } from '../../../../../src/suite-kit/fenced-blocks.js';
import { NOTHING } from '../steps/asking/document.js';

const method = z.object({ name: z.string(), signature: z.string(), docstring: z.string() });

/** An interface as a prompt shows it. */
export const briefSchema = z.object({
  id: z.string(),
  kind: z.enum(['function', 'class']),
  name: z.string(),
  import: z.string(),
  signature: z.string(),
  docstring: z.string(),
  methods: z.array(method).default([]),
});
export type Brief = z.infer<typeof briefSchema>;

/** A feature as a prompt shows it. */
export const featureSchema = z.object({
  id: z.string(),
  path: z.array(z.string()),
  description: z.string().default(''),
});
export type Feature = z.infer<typeof featureSchema>;

/** What a conversation asks: the first user message decides, a later one can only ask for the same again. */
export interface Question {
  prompt: string;
  input: unknown;
}

/** What a prompt asks for, by its heading. */
const TASKS: Readonly<Record<string, string>> = {
  'Grow the feature tree': 'propose',
  'Judge proposed features': 'check',
  'Sort features into modules': 'refactor',
  'Lay out a module in files': 'layout',
  'Review the layout of a module': 'review-layout',
  'Say what flows between modules': 'data-flow',
  'Design shared data structures': 'base-classes',
  'Design the interfaces of a file': 'interfaces',
  'Review the interfaces of a file': 'review-interfaces',
  'Write tests': 'tests',
  'Write code': 'code',
  'Find whose fault a failed test is': 'failure-vote',
  'Find what has to be edited': 'localize',
  'Repair code': 'repair',
  'Repair tests': 'repair-tests',
  'Write integration tests': 'integration-tests',
  'Write an end-to-end test': 'end-to-end-test',
  'Write the README': 'readme',
};

/** Reads a question of ZeroRepo as a reader would: by its heading, and the sections below "Material". Null when it is none. */
export function readQuestion(messages: readonly { role: string; content: string }[]): Question | null {
  const first = messages.find(({ role }) => role === 'user')?.content ?? '';
  const task = /^# Task: (.+)$/m.exec(first)?.[1] ?? '';
  const prompt = Object.hasOwn(TASKS, task) ? TASKS[task] : undefined;
  const at = first.search(/^# Material$/m);
  if (prompt === undefined || at < 0) return null;
  return { prompt, input: readMaterial(first.slice(at)) };
}

/** A fenced block under a heading of its own. */
interface Entry {
  heading: string;
  text: string;
}

function readMaterial(text: string): Record<string, unknown> {
  const lines = text.split('\n');
  const blocks = new Map([...fencedBlocks(lines)].map((block) => [block.opensAt, block]));
  const sections = new Map<string, { plain: string[]; entries: Entry[]; blocks: { info: string; text: string }[] }>();
  let section = { plain: [] as string[], entries: [] as Entry[], blocks: [] as { info: string; text: string }[] };
  let heading: string | null = null;
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const block = blocks.get(at);
    if (block !== undefined) {
      const own = block.lines.join('\n');
      if (heading === null) section.blocks.push({ info: block.info, text: own });
      else section.entries.push({ heading, text: own });
      at = block.closesAt;
    } else if (/^## \S/.test(line)) {
      heading = null;
      section = { plain: [], entries: [], blocks: [] };
      sections.set(line.slice(3), section);
    } else if (/^### `.*`$/.test(line)) heading = line.slice(5, -1);
    else if (line.trim() !== '') section.plain.push(line);
  }
  return Object.fromEntries([...sections].map(([name, own]) => [name, valueOf(name, own)]));
}

/** Sections that hold one interface or several, and nothing else. */
const BRIEFS = ['units', 'unit', 'uses', 'available', 'interfaces'];

function valueOf(
  name: string,
  { plain, entries, blocks }: { plain: string[]; entries: Entry[]; blocks: { info: string; text: string }[] },
): unknown {
  const [block] = blocks;
  if (block !== undefined) return block.info === 'json' ? (JSON.parse(block.text) as unknown) : block.text;
  if (entries.length === 0 && plain[0] !== NOTHING) return plain.join('\n');
  if (!BRIEFS.includes(name)) return entries;
  const briefs = entries.map(briefOf);
  return name === 'unit' ? briefs[0] : briefs;
}

/** An interface as its stub shows it. */
function briefOf({ heading, text }: Entry): Brief {
  const [, from, keyword, name, signature, docstring, rest] =
    /^(from [^\n]+)\n\n\n(def|class) (\w+)(.*?):\n {4}"""(.*?)(?<!\\)"""\n?(.*)$/s.exec(text) ?? [];
  if (from === undefined) throw new TypeError(`no stub of an interface: ${text.slice(0, 200)}`);
  const methods = [...(rest ?? '').matchAll(/^ {4}def (\w+)(.*?):\n {8}"""(.*?)(?<!\\)"""/gms)];
  return {
    ...{ id: heading, kind: keyword === 'class' ? 'class' : 'function', name: name ?? '', import: from },
    signature: signature ?? '',
    docstring: unquoted(docstring ?? '', 4),
    methods: methods.map(([, own, parameters, doc]) => ({
      name: own ?? '',
      signature: parameters ?? '',
      docstring: unquoted(doc ?? '', 8),
    })),
  };
}

const unquoted = (text: string, indent: number): string =>
  text.replaceAll(new RegExp(`^ {${indent}}`, 'gm'), '').replaceAll(/\\(["\\])/g, '$1');
