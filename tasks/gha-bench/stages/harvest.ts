import type { StageFunction } from '../../../src/suite/stage.js';
import type { Harvested } from '../results.js';
import { optionsOf } from '../settings.js';
import { loadTask } from './load-task.js';

/** Verifies the task, and says which of its requirements the prompt of this condition states. */
export const harvest: StageFunction = async (context) => {
  const task = await loadTask(context);
  const { prompt } = optionsOf(context.system);
  const stated = task.spec.requirements.filter(({ stated_in: variants }) => variants.includes(prompt));
  return { result: { question: null, stated: stated.map(({ id }) => id) } satisfies Harvested };
};
