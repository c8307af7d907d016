import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { readCommitted } from '../../../../src/suite-kit/committed-json.js';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

const artifactLock = z.strictObject({
  /** As the release names it. */
  address: z.url(),
  service: z.enum(['zenodo', 'figshare', 'code']),
  /** Record, `article/version`, or commit. */
  id: z.string().min(1),
  files: z
    .array(
      z.strictObject({ name: z.string(), url: z.url(), bytes: z.int().min(0), md5: z.string().optional(), sha256 }),
    )
    .min(1),
});

/** An artifact, pinned to the byte. */
export type ArtifactLock = z.infer<typeof artifactLock>;

const lockSchema = z.strictObject({
  version: z.literal(1),
  /** By paper. */
  artifacts: z.record(z.string(), artifactLock),
  tasks: z.array(z.strictObject({ id: z.string(), sha256 })),
});

/** What pins the published set: ids and hashes of its artifacts and tasks, none of their content. */
export type PublishedLock = z.infer<typeof lockSchema>;

/** Where it belongs in the suite's folder. */
export const PUBLISHED_LOCK = 'dataset/published/published.lock.json';

/**
 * The lock; an empty one where there is none.
 * @throws DomainFailure `dataset.missing` for one that is damaged
 */
export async function readPublishedLock(suiteFolder: string): Promise<PublishedLock> {
  const path = join(suiteFolder, PUBLISHED_LOCK);
  const isThere = await access(path).then(
    () => true,
    () => false,
  );
  if (!isThere) return { version: 1, artifacts: {}, tasks: [] };
  return readCommitted({ path, noun: 'lock of the published set', schema: lockSchema });
}
