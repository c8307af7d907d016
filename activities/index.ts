import type { StageCall, StageReply, StepStage } from '../src/contract/stage.js';
import { startHeartbeat } from './attempts.js';
import { createDatasetActivities, type DatasetActivities } from './dataset.js';
import type { ActivityDependencies } from './dependencies.js';
import { toApplicationFailure } from './failures.js';
import { createNotifyActivities, type NotifyActivities } from './notify.js';
import { createRecordActivities, type RecordActivities } from './records.js';
import { createStageActivities } from './stages.js';

/** Every activity by its type name. Names are in every history: never rename. */
export type Activities = RecordActivities &
  DatasetActivities &
  NotifyActivities & {
    /** Writes the report of a campaign where this worker is. */
    writeReport(campaignId: string): Promise<void>;
  } & Record<StepStage, (call: StageCall) => Promise<StageReply>>;

/** The activities of a worker over its ports; built once, in the composition root. */
export function createActivities(dependencies: ActivityDependencies): Activities {
  return {
    ...createRecordActivities(dependencies),
    ...createStageActivities(dependencies),
    ...createDatasetActivities(dependencies),
    ...createNotifyActivities(dependencies),
    writeReport: async (campaignId) => {
      const stopBeating = startHeartbeat();
      try {
        await dependencies.writeReport(campaignId);
      } catch (error) {
        throw toApplicationFailure(error);
      } finally {
        stopBeating();
      }
    },
  };
}
