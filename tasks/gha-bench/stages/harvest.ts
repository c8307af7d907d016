import type { StageFunction } from '../../../src/suite/stage.js';
import { GENERATORS } from '../generators/generators.js';
import { composeQuestion } from '../generators/question.js';
import type { Harvested } from '../results.js';
import { optionsOf } from '../settings.js';
import { scenariosOf } from '../runs/asked-runs.js';
import { loadTask } from './load-task.js';

/** Verifies the task, composes the question of this condition, and says which requirements it states. */
export const harvest: StageFunction = async (context) => {
  const task = await loadTask(context);
  const options = optionsOf(context.system);
  const stated = task.spec.requirements
    .filter(({ stated_in: variants }) => variants.includes(options.prompt))
    .map(({ id }) => id);
  const scenarios = scenariosOf(task, stated).map(({ id }) => id);
  if (GENERATORS[context.system.generator]?.needsModel !== true)
    return { result: { question: null, stated, scenarios } satisfies Harvested };
  const question = await composeQuestion(task, options, context.suiteFolder);
  const label = { name: 'question.json', mediaType: 'application/json' };
  const { sha256 } = await context.attach(JSON.stringify(question, null, 1), label);
  return { result: { question: sha256, stated, scenarios } satisfies Harvested };
};
