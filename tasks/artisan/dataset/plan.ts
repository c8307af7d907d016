import type { BuildPlan, BuiltProject } from '../../../src/contract/dataset-build.js';
import type { FunnelStep } from './funnel/funnel-step.js';

/** How the tasks of a study and their lock are made, once the funnel lets it through. Begun again, it finds the runs of scripts that were done before. */
export const buildStudy: BuildPlan = async (project, steps) => {
  const { file, leftOut } = await steps.step<FunnelStep>('funnel', { summary: `judge ${project} by the funnel` });
  const built = await steps.step<BuiltProject>('make', { summary: `make the tasks of ${project}` });
  return { ...built, files: [...built.files, file], leftOut };
};
