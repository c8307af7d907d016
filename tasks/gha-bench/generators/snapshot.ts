import { DomainFailure } from '../../../src/domain/failure/domain-failure.js';
import type { StageContext } from '../../../src/suite/stage.js';
import type { Tree } from '../../../src/suite-kit/packed-files.js';
import { readTarEntries } from '../../../src/suite-kit/tar-entries.js';

/** The text of an answer, where the folder of a task holds nothing else. */
export const ANSWER_FILE = 'answer.md';

/** What a packed snapshot has for a task: the files below the folder of its id, or its answer. No file where there is no such folder. */
export async function snapshotAnswer(
  task: string,
  { system, blobs }: StageContext,
): Promise<{ files: Tree } | { answer: string }> {
  if (system.snapshot === null) throw new DomainFailure('harness.bug', `system ${system.id} was planned unpacked`);
  const entries = await readTarEntries(await blobs.get(system.snapshot.sha256));
  const own = entries.filter(({ name }) => name.startsWith(`${task}/`));
  const files = new Map(own.map(({ name, content }) => [name.slice(task.length + 1), content]));
  const answer = files.size === 1 ? files.get(ANSWER_FILE) : undefined;
  return answer === undefined ? { files } : { answer: new TextDecoder().decode(answer) };
}
