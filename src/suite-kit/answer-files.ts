import { parsedJson } from '../domain/text/parsed-json.js';
import type { Tree } from './packed-files.js';
import { fencedBlocks } from './fenced-blocks.js';

/** Files a model's answer holds, or why it holds none; `named`: it names files, and they are refused. */
export type ReadFiles = { files: Tree } | { reason: string; named?: true };

/** One answer rarely holds a tenth of this. */
const MAX_FILES = 2_000;
const MAX_PATH = 200;
/** What Linux file systems take for one name: an answer must not break the sandbox it is unpacked in. */
const MAX_PART_BYTES = 255;

/**
 * Reads files from an answer: a JSON object (`{"files": {path: text}}` or `[{path, content}]`), or fenced blocks whose path
 * stands in the line before, in the fence's info string or in a first comment. Tolerant in form; strict in what counts:
 * one path outside the tree spoils the whole answer, and a block that was cut off is no file.
 */
export function readFiles(answer: string): ReadFiles {
  if (answer.trim() === '') return { reason: 'the answer is empty' };
  const found = fromJson(answer) ?? fromFences(answer);
  if (found.length === 0)
    return { reason: 'the answer holds no file: neither a JSON object nor a fenced block with a path' };
  if (found.length > MAX_FILES) return { reason: `the answer holds more than ${MAX_FILES} files`, named: true };
  for (const [path] of found) {
    const problem = pathProblem(path);
    if (problem !== undefined)
      return { reason: `the path ${JSON.stringify(path.slice(0, MAX_PATH))} ${problem}`, named: true };
  }
  // A file shown twice was revised: the last one counts.
  const files = new Map(found.map(([path, text]) => [path, new TextEncoder().encode(text)]));
  const paths = [...files.keys()];
  const clash = fileAndFolder(paths);
  return clash === undefined ? { files } : { reason: `${clash} is a file and a folder at once`, named: true };
}

/** A path that is also a folder of another one. */
export function fileAndFolder(paths: readonly string[]): string | undefined {
  const folders = new Set(
    paths.flatMap((path) => path.split('/').flatMap((_, at, parts) => parts.slice(0, at).join('/'))),
  );
  return paths.find((path) => folders.has(path));
}

/** Why a path is not one inside the tree, or undefined. */
export function pathProblem(path: string): string | undefined {
  if (path === '' || path.length > MAX_PATH) return `must have 1 to ${MAX_PATH} characters`;
  if (/^[/~]|^[A-Za-z]:/.test(path)) return 'is absolute';
  if (/[\p{Cc}\p{Cs}\p{Bidi_Control}\\:*?"<>|]/u.test(path)) return 'has a character that is not allowed in file names';
  if (path.split('/').some((part) => part === '' || part === '.' || part === '..'))
    return 'leaves the tree or is not normal';
  if (path.split('/').some((part) => Buffer.byteLength(part) > MAX_PART_BYTES))
    return `has a name of more than ${MAX_PART_BYTES} bytes`;
  return undefined;
}

type Found = [path: string, text: string][];

function fromJson(answer: string): Found | null {
  const inFence = /^\s*```(?:json)?[ \t]*\n([\s\S]*?)\n```\s*$/.exec(answer)?.[1];
  const text = (inFence ?? answer).trim();
  return text.startsWith('{') || text.startsWith('[') ? filesOf(parsedJson(text)) : null;
}

/** A model may put `files` into `files` as deep as it likes. */
function filesOf(given: unknown): Found | null {
  let value = given;
  for (let inner = filesIn(value); inner !== undefined; inner = filesIn(value)) value = inner;
  if (Array.isArray(value)) {
    const entries = value.map((item: unknown) => {
      const { path, content } = (item ?? {}) as { path?: unknown; content?: unknown };
      return typeof path === 'string' && typeof content === 'string' ? ([path, content] as [string, string]) : null;
    });
    return entries.every((entry) => entry !== null) ? entries : null;
  }
  if (typeof value !== 'object' || value === null) return null;
  const entries = Object.entries(value);
  return entries.every(([, text]) => typeof text === 'string') ? (entries as Found) : null;
}

const filesIn = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as { files?: unknown }).files
    : undefined;

function fromFences(answer: string): Found {
  const lines = answer.split('\n');
  const found: Found = [];
  for (const { info, indent, lines: body, opensAt } of fencedBlocks(lines)) {
    const path =
      pathIn(info, true) ?? pathBefore(lines, opensAt) ?? pathIn(/^(?:#|\/\/)(.*)$/.exec(body[0] ?? '')?.[1] ?? '');
    // An indented block is part of something else, and its lines are not those of a file.
    if (path !== undefined && indent === 0) found.push([path, body.join('\n') + '\n']);
    if (found.length > MAX_FILES) break;
  }
  return found;
}

/** The last line with text before the block, when it is a heading or label that holds a path. */
function pathBefore(lines: string[], index: number): string | undefined {
  for (let at = index - 1; at >= Math.max(0, index - 2); at -= 1) {
    const line = (lines[at] ?? '').trim();
    if (line !== '') return pathIn(line);
  }
  return undefined;
}

/** A path in a label: the only word, or the one after `file:` or `path=`; it has an extension or a slash. */
function pathIn(text: string, isInfo = false): string | undefined {
  const bare = text
    .replace(/[*`"']/g, '')
    .replace(/^[\s#>-]*(?:\d+[.)]\s+)?/, '')
    .trim();
  const labelled = /(?:^|\s)(?:file(?:name)?|path|title)\s*[:=]\s*(\S+)/i.exec(bare)?.[1];
  const words = bare.split(/\s+/);
  const word = labelled ?? (isInfo ? words.at(-1) : words.length === 1 ? words[0] : undefined);
  const path = word?.replace(/:$/, '');
  return path !== undefined && /[/.]/.test(path) && /[\w-]\.\w+$/.test(path) ? path.replace(/^\.\//, '') : undefined;
}
