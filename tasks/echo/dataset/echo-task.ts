import { jsonHash } from '../../../src/domain/text/content-hash.js';
import type { TaskSummary } from '../../../src/contract/task.js';

/** One thing to repeat. */
export type EchoTask = {
  id: string;
  group: 'authored' | 'numbers' | 'words';
  /** What the system is told. */
  prompt: string;
  /** The one line that has to be in its answer. */
  expected: string;
};

/** Written by hand: what is easy to get wrong. */
const AUTHORED: readonly [id: string, text: string][] = [
  ['plain', 'hello world'],
  ['spaces', 'two  spaces and a trailing dot .'],
  ['quotes', '"quoted", \'single\' and `ticks`'],
  ['unicode', 'naïve café, 東京, ✓'],
  ['digits', '0001 10 1e3 0x1f'],
];

const WORDS = ['amber', 'birch', 'cedar', 'delta', 'ember', 'fjord', 'grove', 'heath', 'inlet', 'jetty', 'knoll'];

/** Task number `index` (from 0): the authored ones first, then as many as one likes, made by rule. */
export function echoTask(index: number): EchoTask {
  const authored = AUTHORED[index];
  if (authored) return task(`authored-${authored[0]}`, 'authored', authored[1]);
  const number = String(index).padStart(4, '0');
  if (index % 2 === 0) return task(`numbers-${number}`, 'numbers', `${index} ${index * index} ${index ** 3}`);
  const words = [1, 7, 13].map((step) => WORDS[(index * step) % WORDS.length]);
  return task(`words-${number}`, 'words', `${words.join(' ')} ${index}`);
}

/** Which number a task has, by its id; undefined when no rule makes such an id. */
export function echoIndex(id: string): number | undefined {
  const index = id.startsWith('authored-')
    ? AUTHORED.findIndex(([name]) => id === `authored-${name}`)
    : Number(/^(?:numbers|words)-(\d{4,})$/.exec(id)?.[1] ?? -1);
  return index >= 0 && echoTask(index).id === id ? index : undefined;
}

/** The first `count` tasks. */
export function echoTasks(count: number): EchoTask[] {
  return Array.from({ length: count }, (_, index) => echoTask(index));
}

/** What plans and records know of a task. With `share`, the tasks of a group share one candidate. */
export function summaryOf(task: EchoTask, share: boolean): TaskSummary {
  const { id, group } = task;
  return { id, sha256: jsonHash(task), group, category: null, candidateScope: share ? group : null };
}

function task(id: string, group: EchoTask['group'], expected: string): EchoTask {
  return { id, group, prompt: `Repeat this line exactly, after "Answer: ":\n${expected}`, expected };
}
