import { DomainFailure } from '../../../src/domain/failure/domain-failure.js';
import type { StageContext } from '../../../src/suite/stage.js';
import { readJsonBlob } from '../../../src/suite-kit/json-blobs.js';
import type { ArtisanTask } from '../dataset/artisan-task.js';

/** The trial's task as it was planned. @throws DomainFailure `dataset.missing` */
export async function loadTask({ task: pinned, blobs }: Pick<StageContext, 'task' | 'blobs'>): Promise<ArtisanTask> {
  if (pinned === null) throw new DomainFailure('harness.bug', 'a trial of artisan without a task');
  if (await blobs.has(pinned.sha256)) return readJsonBlob<ArtisanTask>(blobs, pinned.sha256);
  throw new DomainFailure('dataset.missing', {
    message: `task ${pinned.id} is not in the blob store`,
    expected: 'a task that was put there by "dataset fetch"',
    fix: 'durabench dataset fetch artisan',
  });
}

/** sha-256 of the artifact that a run of a trial finds: `whole`, `withheld`, `underived` or `twin/ID`. */
export function artifactOf({ id, artifacts, twins }: ArtisanTask, run: string): string {
  const found = run.startsWith('twin/')
    ? twins.find((twin) => `twin/${twin.id}` === run)?.artifact
    : artifacts[run as keyof ArtisanTask['artifacts']];
  if (found) return found.sha256;
  throw new DomainFailure('harness.bug', `task ${id} has no artifact for the run ${run}`);
}
