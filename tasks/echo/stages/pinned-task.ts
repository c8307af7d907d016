import { jsonHash } from '../../../src/domain/text/content-hash.js';
import { DomainFailure } from '../../../src/domain/failure/domain-failure.js';
import type { StageContext } from '../../../src/suite/stage.js';
import type { AskedTask, TaskText } from '../../../src/suite/suite.js';
import { echoIndex, echoTask, type EchoTask } from '../dataset/echo-task.js';

/**
 * The trial's task as the campaign pinned it.
 * @throws DomainFailure `dataset.missing`, or `dataset.hash-mismatch` when the rules changed since the campaign was planned
 */
export function pinnedTask({ task: pinned }: StageContext): { task: EchoTask; index: number } {
  const index = pinned ? echoIndex(pinned.id) : undefined;
  // Its tasks are made by rule: no other worker has one more.
  if (!pinned || index === undefined)
    throw new DomainFailure('dataset.missing', `echo has no task ${pinned?.id}`, { final: true });
  const task = echoTask(index);
  if (jsonHash(task) !== pinned.sha256)
    throw new DomainFailure('dataset.hash-mismatch', `task ${task.id} is not the one this campaign was planned with`);
  return { task, index };
}

/** For people: the line to repeat, and that it is compared in full. */
export async function echoTaskText({ id, sha256 }: AskedTask): Promise<TaskText | null> {
  const index = echoIndex(id);
  const task = index === undefined ? undefined : echoTask(index);
  if (task === undefined || jsonHash(task) !== sha256) return null;
  return { asked: task.prompt, test: { name: 'the line, compared in full', text: task.expected } };
}
