import type { Tree } from '../../../src/suite-kit/packed-files.js';
import { dangerousWorkflow } from './dangerous-workflow.js';
import { pinnedDependencies } from './pinned-dependencies.js';
import type { Pins } from './pins.js';
import { tokenPermissions, type CheckScore } from './token-permissions.js';
import { workflowValues } from './workflow-values.js';

/** Scorecard's three checks of workflows, each from 0 to 10. */
export interface Scorecard {
  tokenPermissions: CheckScore;
  pinnedDependencies: CheckScore;
  dangerousWorkflow: CheckScore;
}

/** Of files that GitHub takes. */
export function scorecard(tree: Tree, pins: Pick<Pins, 'pins'>): Scorecard {
  const workflows = workflowValues(tree);
  return {
    tokenPermissions: tokenPermissions(workflows),
    pinnedDependencies: pinnedDependencies(workflows, pins),
    dangerousWorkflow: dangerousWorkflow(workflows),
  };
}
