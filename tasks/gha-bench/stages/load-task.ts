import { DomainFailure } from '../../../src/domain/failure/domain-failure.js';
import type { StageContext } from '../../../src/suite/stage.js';
import { readJsonBlob } from '../../../src/suite-kit/json-blobs.js';
import { taskSchema, type GhaTask } from '../dataset/task-schema.js';

/** The trial's task as it was planned. @throws DomainFailure `dataset.missing`, or `task.broken` where its text is no task */
export async function loadTask({ task: pinned, blobs }: StageContext): Promise<GhaTask> {
  if (pinned === null) throw new DomainFailure('harness.bug', 'a trial of gha-bench without a task');
  if (!(await blobs.has(pinned.sha256)))
    throw new DomainFailure('dataset.missing', {
      message: `task ${pinned.id} is not in the blob store`,
      expected: 'a task that was put there by "dataset fetch"',
      fix: 'durabench dataset fetch gha-bench',
    });
  const parsed = taskSchema.safeParse(await readJsonBlob(blobs, pinned.sha256));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new DomainFailure('task.broken', `task ${pinned.id}: ${issue?.path.join('.')}: ${issue?.message}`);
}
