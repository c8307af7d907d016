import type { Problem } from '../../contract/problem.js';
import { UserError } from '../failure/user-error.js';
import { jsonHash, sha256Hex } from '../text/content-hash.js';

/** A task that is known to pass, as far as a golden set may depend on it. */
export interface GoldenTask {
  id: string;
  group: string;
  difficulty: string;
  /** Of the task's content, hex. */
  sha256: string;
}

/** What a golden set is made of: tasks by id and hash, and the parts of the lock under which they passed. */
export interface GoldenContent {
  suite: string;
  /** Hash or version by the name of the part: `grader`, `suite version`, `images.NAME`. */
  lock: Record<string, string>;
  tasks: GoldenTask[];
}

/** A golden set as it is committed. Its seals say whether, and where, somebody edited it. */
export interface GoldenSet extends Omit<GoldenContent, 'tasks'> {
  /** Of everything but the tasks, hex. */
  seal: string;
  tasks: (GoldenTask & { seal: string })[];
  /** Of the whole, hex. */
  sha256: string;
}

/**
 * As many tasks of each group, its difficulties in turn, so that each is there where the group has it and room is left.
 * Within a difficulty the hash of the id decides: the order of the candidates says nothing, and a dataset that gains or
 * loses a few tasks keeps most of the choice.
 * @throws UserError where a group has too few
 */
export function chooseGolden(known: readonly GoldenTask[], perGroup: number): GoldenTask[] {
  const groups = [...new Set(known.map(({ group }) => group))].sort();
  return groups.flatMap((group) => {
    const tasks = known.filter((task) => task.group === group);
    if (tasks.length < perGroup) throw tooFew(group, tasks.length, perGroup);
    return inTurn(tasks)
      .slice(0, perGroup)
      .sort((one, other) => (one.id < other.id ? -1 : 1));
  });
}

function inTurn(tasks: readonly GoldenTask[]): GoldenTask[] {
  const rank = (task: GoldenTask): string => sha256Hex(task.id);
  const difficulties = [...new Set(tasks.map(({ difficulty }) => difficulty))].sort();
  const placed = difficulties.flatMap((difficulty, column) =>
    tasks
      .filter((task) => task.difficulty === difficulty)
      .sort((one, other) => (rank(one) < rank(other) ? -1 : 1))
      .map((task, row) => ({ task, row, column })),
  );
  return placed.sort((one, other) => one.row - other.row || one.column - other.column).map(({ task }) => task);
}

/** The set with its seals. */
export function sealGolden({ suite, lock, tasks }: GoldenContent): GoldenSet {
  const sealed = {
    ...{ suite, lock, seal: jsonHash({ suite, lock }) },
    tasks: tasks.map(({ id, group, difficulty, sha256 }) => {
      const task = { id, group, difficulty, sha256 };
      return { ...task, seal: jsonHash(task) };
    }),
  };
  return { ...sealed, sha256: jsonHash(sealed) };
}

/** Where somebody edited a golden set by hand; null where nobody did. */
export function editedByHand(set: GoldenSet): Problem | null {
  const made = sealGolden(set);
  const at = made.tasks.findIndex(({ seal }, index) => seal !== set.tasks[index]?.seal);
  const place =
    at >= 0
      ? `tasks[${at}] (${set.tasks[at]?.id ?? ''})`
      : made.seal !== set.seal
        ? 'suite or lock'
        : 'the list of tasks: one was added, left out or moved';
  if (at < 0 && made.seal === set.seal && made.sha256 === set.sha256) return null;
  return {
    message: `the golden set was edited by hand, in ${place}`,
    expected: 'a set whose seals fit its content',
    fix: 'take it from version control again, or make it anew',
  };
}

function tooFew(group: string, known: number, wanted: number): UserError {
  return new UserError('usage', {
    message: `${group} has ${known} tasks that are known to pass, and ${wanted} are wanted`,
    expected: `at least ${wanted} of each group`,
    fix: 'ask for fewer, or run more of its tasks',
  });
}
