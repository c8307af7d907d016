import { fencedBlocks } from '../../../src/suite-kit/fenced-blocks.js';
import { readFiles } from '../../../src/suite-kit/answer-files.js';
import type { Tree } from '../../../src/suite-kit/packed-files.js';

/** What an answer holds: files, or why they are refused; and what was noticed on the way. */
export type AnswerTree = { files: Tree; refusal: string | null; notes: string[] };

/** The form of the answer was not what was asked for, and could be read all the same. */
const NO_PATH = 'no-path';
/** Files were left out that the task does not ask for. */
const DROPPED = 'dropped';

/**
 * The files of a model's answer. A single block without a path is the file the task expects; files outside `.github/` that
 * it does not name are left out; one path outside the tree refuses the answer.
 * @param expected files the task names; the first one is where a block without a path goes
 */
export function answerTree(answer: string, expected: readonly string[]): AnswerTree {
  const read = readFiles(answer);
  const single = 'files' in read || read.named ? undefined : onlyBlock(answer);
  if (single !== undefined && expected[0] !== undefined)
    return { files: new Map([[expected[0], new TextEncoder().encode(single)]]), refusal: null, notes: [NO_PATH] };
  if (!('files' in read)) return { files: new Map(), refusal: read.reason, notes: [] };
  return { ...countedFiles(read.files, expected), refusal: null };
}

/** The files of a tree that count: those in `.github/`, and those the task names. */
export function countedFiles(files: Tree, expected: readonly string[]): { files: Tree; notes: string[] } {
  const counted = [...files].filter(([path]) => path.startsWith('.github/') || expected.includes(path));
  return { files: new Map(counted), notes: counted.length < files.size ? [DROPPED] : [] };
}

/** The text of the one block of an answer that could be a workflow. */
function onlyBlock(answer: string): string | undefined {
  const blocks = [...fencedBlocks(answer.split('\n'))].filter(({ indent }) => indent === 0);
  const yaml = blocks.filter(({ info }) => /^ya?ml\b/i.test(info));
  const [only, ...more] = yaml.length > 0 ? yaml : blocks;
  return only === undefined || more.length > 0 ? undefined : `${only.lines.join('\n')}\n`;
}
