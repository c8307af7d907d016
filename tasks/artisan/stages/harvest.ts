import type { StageFunction } from '../../../src/suite/stage.js';
import type { Harvested } from '../results.js';
import { methodRuns } from '../runs/artifact-of.js';
import { loadTask } from './load-task.js';

/** Verifies the task, and says which runs judge its method. */
export const harvest: StageFunction = async (context) => {
  const result: Harvested = { runs: methodRuns(await loadTask(context)) };
  return { result };
};
