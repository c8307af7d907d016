import { DomainFailure } from '../../../src/domain/failure/domain-failure.js';
import type { StageContext } from '../../../src/suite/stage.js';
import { readJsonBlob } from '../../../src/suite-kit/json-blobs.js';
import { familyOf } from '../calibration/family-of.js';
import { familyTask } from '../calibration/labelled-task.js';
import type { ArtisanTask } from '../dataset/artisan-task.js';

/** The trial's task as it was planned; for a labelled script as its family means it. @throws DomainFailure `dataset.missing` */
export async function loadTask(context: Pick<StageContext, 'task' | 'blobs' | 'system'>): Promise<ArtisanTask> {
  const { task: pinned, blobs, system } = context;
  if (pinned === null) throw new DomainFailure('harness.bug', 'a trial of artisan without a task');
  if (await blobs.has(pinned.sha256)) {
    const [task, family] = [await readJsonBlob<ArtisanTask>(blobs, pinned.sha256), familyOf(system)];
    return family === null ? task : familyTask(task, family, blobs);
  }
  throw new DomainFailure('dataset.missing', {
    message: `task ${pinned.id} is not in the blob store`,
    expected: 'a task that was put there by "dataset fetch"',
    fix: 'durabench dataset fetch artisan',
  });
}
