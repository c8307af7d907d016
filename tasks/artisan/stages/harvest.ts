import type { StageFunction } from '../../../src/suite/stage.js';
import type { Harvested } from '../results.js';
import { loadTask } from './load-task.js';

/** Verifies the task, and says which runs judge its method. */
export const harvest: StageFunction = async (context) => {
  const { twins, artifacts } = await loadTask(context);
  const result: Harvested = {
    twins: twins.map(({ id }) => id),
    hasResults: artifacts.withheld !== null,
    hasDerived: artifacts.underived !== null,
  };
  return { result };
};
