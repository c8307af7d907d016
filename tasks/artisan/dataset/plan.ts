import type { BuildPlan, BuiltProject } from '../../../src/contract/dataset-build.js';

/** How the tasks of a study and their lock are made. Begun again, it finds the runs of scripts that were done before. */
export const buildStudy: BuildPlan = (project, steps) =>
  steps.step<BuiltProject>('make', { summary: `make the tasks of ${project}` });
