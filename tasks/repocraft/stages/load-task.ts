import { DomainFailure } from '../../../src/domain/failure/domain-failure.js';
import type { Blobs } from '../../../src/ports/blobs.js';
import type { StageContext } from '../../../src/suite/stage.js';
import type { AskedTask, TaskText } from '../../../src/suite/suite.js';
import { taskSchema } from '../dataset/lock/lock-schema.js';
import type { RepocraftTask } from '../dataset/repocraft-task.js';

/** The trial's task, its bytes checked against the hash it was planned with. Fails with `dataset.missing` or `task.broken`. */
export async function loadTask(context: StageContext): Promise<RepocraftTask> {
  const summary = context.task;
  if (summary === null) throw new DomainFailure('harness.bug', 'a trial of repocraft without a task');
  if (!(await context.blobs.has(summary.sha256))) {
    throw new DomainFailure('dataset.missing', {
      message: `task ${summary.id} is not in the blob store`,
      expected: 'a task whose text was made from the pinned release by "dataset fetch"',
      fix: `durabench dataset fetch repocraft --project ${summary.group}`,
    });
  }
  const task = parsed(summary.id, (await context.blobs.get(summary.sha256)).toString('utf8'));
  if (task.id !== summary.id) throw new DomainFailure('task.broken', `task ${summary.id}: its text says ${task.id}`);
  return task;
}

/** For people: the capability, and the test file without what is put beside it. */
export async function repocraftTaskText({ id, sha256 }: AskedTask, blobs: Blobs): Promise<TaskText | null> {
  if (!(await blobs.has(sha256))) return null;
  const task = parsed(id, (await blobs.get(sha256)).toString('utf8'));
  return { asked: task.description, test: { name: task.functions.join(', '), text: task.test_code } };
}

function parsed(id: string, text: string): RepocraftTask {
  try {
    const task: unknown = JSON.parse(text);
    taskSchema.parse(task);
    return task as RepocraftTask;
  } catch (error) {
    const why = error instanceof Error ? error.message.slice(0, 300) : String(error);
    throw new DomainFailure('task.broken', `task ${id} does not read as one: ${why}`);
  }
}
