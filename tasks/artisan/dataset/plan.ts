import type { BuildPlan, BuiltProject } from '../../../src/contract/dataset-build.js';

/** How the tasks of a study and their lock are made. What was run before is found by the sandbox runs' own step. */
export const buildStudy: BuildPlan = (project, steps) =>
  steps.step<BuiltProject>('make', { summary: `make the tasks of ${project}` });
