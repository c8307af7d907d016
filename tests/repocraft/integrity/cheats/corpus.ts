import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Tree } from '../../../../src/suite-kit/packed-files.js';
import type { Exam } from '../../../fixtures/repocraft/exam-room.js';

const FOLDER = import.meta.dirname;
const AT_ONCE = 2;
/** Who waits until its time is over has less of it, which is not counted by the clock. */
const WAITING = ['answers-stolen', 'second-draw-asleep', 'second-draw-page-cache', 'second-draw-runner-stopped'];

/** The candidates that lie beside this file, and the exams they sit. */
export interface Corpus {
  /** Files and folders, sorted. */
  names: string[];
  honest: Tree;
  /** By how the names of those begin that do not sit the usual one. */
  others: Record<string, Exam>;
  /** What satisfies the exam that a candidate sits. */
  referenceOf(name: string): Tree;
  exam: Exam;
  /** What a candidate sits. */
  examOf(name: string): Exam;
}

/** Reads it. */
export async function readCorpus(): Promise<Corpus> {
  const functions = ['test_count', 'test_title', 'test_refuses_nothing', 'TestUnit::test_both'];
  const exam = { text: await read('exam.py'), functions };
  const refusals = ['test_refuses_nothing', 'test_refuses_numbers'];
  const others: Record<string, Exam> = {
    helper: {
      text: await read('exam-helped.py'),
      functions,
      beside: { 'exam_checks.py': await read('exam_checks.py') },
    },
    early: { text: await read('exam-lib-first.py'), functions },
    raising: { text: await read('exam-raises.py'), functions: refusals },
    computed: { text: await read('exam-computed.py'), functions },
    loose: { text: await read('exam-loose.py'), functions: ['test_mean', 'test_contains', 'test_bounds'] },
  };
  const beside = await read('exam-beside.py');
  const sites = ['beside', 'message', 'warning', 'difference', 'member', 'block'];
  for (const site of sites) others[site] = { text: beside, functions: [`test_${site}`] };
  const besideReference = await treeOf('exam-beside-reference.py');
  const references: Record<string, Tree> = {
    ...Object.fromEntries(sites.map((site) => [site, besideReference])),
    raising: await treeOf('exam-raises-reference.py'),
    loose: await treeOf('exam-loose-reference.py'),
  };
  const honest = await treeOf('honest.py');
  const names = (await readdir(FOLDER)).filter((name) => !name.startsWith('exam') && !name.endsWith('.ts')).sort();
  return {
    names,
    honest,
    others,
    referenceOf: (name) => references[name.split('-', 1)[0] ?? ''] ?? honest,
    exam,
    examOf: (name) => {
      const sat = others[name.split('-', 1)[0] ?? ''] ?? exam;
      return WAITING.includes(plain(name)) ? { ...sat, wallSeconds: 5 } : sat;
    },
  };
}

/** A text of the corpus. */
export const read = (name: string): Promise<string> => readFile(join(FOLDER, name), 'utf8');

/** A candidate of the corpus: a folder, or one file that is its `lib.py`. */
export async function treeOf(name: string): Promise<Tree> {
  const folder = join(FOLDER, name);
  if (name.endsWith('.py')) return new Map([['lib.py', await readFile(folder)]]);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const file = async (path: string) => [path.slice(folder.length + 1), await readFile(path)] as const;
  return new Map(await Promise.all(paths.map(file)));
}

/** Does the work for every candidate, two at once; results by name, in the order of the names. */
export async function ofEach<Result>(names: string[], work: (name: string) => Promise<Result>) {
  const waiting = [...names];
  const results = new Map<string, Result>();
  const worker = async (): Promise<void> => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) results.set(name, await work(name));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return Object.fromEntries(names.map((name) => [plain(name), results.get(name) as Result]));
}

/** A candidate's name, as `expected.ts` lists it. */
export const plain = (name: string): string => name.replace(/\.py$/, '');
