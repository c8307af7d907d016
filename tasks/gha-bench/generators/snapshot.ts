import { DomainFailure } from '../../../src/domain/failure/domain-failure.js';
import type { StageContext } from '../../../src/suite/stage.js';
import type { Tree } from '../../../src/suite-kit/packed-files.js';
import { readTarEntries } from '../../../src/suite-kit/tar-entries.js';

/** The files that a packed snapshot has for a task: those below the folder of its id. None where there is no such folder. */
export async function snapshotFiles(task: string, { system, blobs }: StageContext): Promise<Tree> {
  if (system.snapshot === null) throw new DomainFailure('harness.bug', `system ${system.id} was planned unpacked`);
  const entries = await readTarEntries(await blobs.get(system.snapshot.sha256));
  const own = entries.filter(({ name }) => name.startsWith(`${task}/`));
  return new Map(own.map(({ name, content }) => [name.slice(task.length + 1), content]));
}
