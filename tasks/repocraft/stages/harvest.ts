import { DomainFailure } from '../../../src/domain/failure/domain-failure.js';
import type { StageFunction } from '../../../src/suite/stage.js';
import { loadTask } from './load-task.js';

/** Loads and verifies the pinned task: test, fixtures, description. */
export const harvestTask: StageFunction = async (context) => {
  const task = await loadTask(context);
  if (task.functions.length === 0 || task.test_code === '' || task.description === '') {
    throw new DomainFailure('task.broken', `task ${task.id} has no test, no selected function or no description`);
  }
  return {
    result: {
      task: task.id,
      category: task.category,
      functions: task.functions.length,
      targets: task.targets.length,
      difficulty: task.difficulty,
    },
  };
};
