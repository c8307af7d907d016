import { DomainFailure } from '../../../src/domain/failure/domain-failure.js';
import type { StageFunction } from '../../../src/suite/stage.js';
import { selectionSchema } from '../dataset/selection.js';
import type { Harvested } from '../results.js';
import { pinnedTask } from './pinned-task.js';

/** Loads and verifies the task; the prompt is evidence, the history gets its hash. */
export const harvest: StageFunction = async (context) => {
  const { task, index } = pinnedTask(context);
  const { brokenEvery } = selectionSchema.parse(context.campaign.spec.dataset);
  if (brokenEvery > 0 && index % brokenEvery === brokenEvery - 1)
    throw new DomainFailure('task.broken', `task ${task.id} is broken on purpose (brokenEvery)`);
  const prompt = await context.attach(task.prompt, { name: 'prompt.txt', mediaType: 'text/plain; charset=utf-8' });
  return { result: { task: prompt.sha256, lines: task.prompt.split('\n').length } satisfies Harvested };
};
