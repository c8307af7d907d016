import type { StageCall, StageReply, StepStage } from '../src/contract/stage.js';
import { createDatasetActivities, type DatasetActivities } from './dataset.js';
import type { ActivityDependencies } from './dependencies.js';
import { createRecordActivities, type RecordActivities } from './records.js';
import { createStageActivities } from './stages.js';

/** Every activity by its type name. Names are in every history: never rename. */
export type Activities = RecordActivities &
  DatasetActivities &
  Record<StepStage, (call: StageCall) => Promise<StageReply>>;

/** The activities of a worker over its ports; built once, in the composition root. */
export function createActivities(dependencies: ActivityDependencies): Activities {
  return {
    ...createRecordActivities(dependencies),
    ...createStageActivities(dependencies),
    ...createDatasetActivities(dependencies),
  };
}
