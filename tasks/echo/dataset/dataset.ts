import { datasetDigest } from '../../../src/domain/campaign/dataset-digest.js';
import type { SuiteDataset } from '../../../src/suite/dataset.js';
import { echoManifest } from '../suite.js';
import { echoTasks, summaryOf } from './echo-task.js';
import { selectionSchema } from './selection.js';

/**
 * Echo's tasks are made by rule from this folder, so there is nothing to fetch. A suite with real tasks keeps a lock
 * (ids and hashes) here and puts the tasks into the blob store; see `tasks/repocraft/dataset`.
 */
export const echoDataset: SuiteDataset = {
  projects: [],
  async fetch() {
    const selection = await this.select({}, 0, '');
    return { tasks: selection.tasks.length, digest: selection.digest };
  },
  async select(given) {
    const { tasks: count, share } = selectionSchema.parse(given);
    const tasks = echoTasks(count).map((task) => summaryOf(task, share));
    return {
      suite: echoManifest.id,
      label: `echo@${echoManifest.version} (${count} tasks)`,
      digest: datasetDigest(tasks),
      tasks,
    };
  },
};
