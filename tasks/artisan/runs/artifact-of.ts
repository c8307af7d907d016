import { DomainFailure } from '../../../src/domain/failure/domain-failure.js';
import type { Blobs } from '../../../src/ports/blobs.js';
import { readTarEntries } from '../../../src/suite-kit/tar-entries.js';
import type { ArtisanTask } from '../dataset/artisan-task.js';

/** sha-256 of the artifact that a run of a trial finds: `whole`, `withheld`, `underived` or `twin/ID`. */
export function artifactOf({ id, artifacts, twins }: ArtisanTask, run: string): string {
  const found = run.startsWith('twin/')
    ? twins.find((twin) => `twin/${twin.id}` === run)?.artifact
    : artifacts[run as keyof ArtisanTask['artifacts']];
  if (found) return found.sha256;
  throw new DomainFailure('harness.bug', `task ${id} has no artifact for the run ${run}`);
}

/** The runs that a right table is followed by, in their order. */
export const methodRuns = ({ twins, artifacts }: Pick<ArtisanTask, 'twins' | 'artifacts'>): string[] => [
  ...(artifacts.withheld === null ? [] : ['withheld']),
  ...(artifacts.underived === null ? [] : ['underived']),
  ...twins.map(({ id }) => `twin/${id}`),
];

/** The result files of an artifact: those that are withheld. */
export async function resultFiles(
  { artifacts: { whole, withheld } }: Pick<ArtisanTask, 'artifacts'>,
  blobs: Pick<Blobs, 'get'>,
): Promise<string[]> {
  if (withheld === null) return [];
  const namesIn = async ({ sha256 }: { sha256: string }): Promise<string[]> =>
    (await readTarEntries(await blobs.get(sha256))).map(({ name }) => name);
  const left = new Set(await namesIn(withheld));
  return (await namesIn(whole)).filter((name) => !left.has(name));
}
