import { DomainFailure } from '../../../src/domain/failure/domain-failure.js';
import type { StageContext } from '../../../src/suite/stage.js';
import { readJsonBlob } from '../../../src/suite-kit/json-blobs.js';
import type { Blobs } from '../../../src/ports/blobs.js';
import type { AskedTask, TaskText } from '../../../src/suite/suite.js';
import { optionsOf } from '../settings.js';
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

/** For people: the request in the variant of this system, and the requirements that it states with their checks. */
export async function ghaTaskText({ sha256, system }: AskedTask, blobs: Blobs): Promise<TaskText | null> {
  if (!(await blobs.has(sha256))) return null;
  const parsed = taskSchema.safeParse(await readJsonBlob(blobs, sha256));
  if (!parsed.success) return null;
  const { prompt } = optionsOf(system);
  const { prompts, spec } = parsed.data;
  const stated = spec.requirements.filter(({ stated_in: variants }) => variants.includes(prompt));
  const lines = stated.map(({ sentence, checks }) => `${sentence} [${checks.join(', ')}]`);
  return { asked: prompts[prompt].trim(), test: { name: `requirements stated (${prompt})`, text: lines.join('\n') } };
}
