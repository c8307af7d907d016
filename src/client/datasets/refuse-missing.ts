import { suiteFolder } from '../../config/suite-folder.js';
import type { Problem } from '../../contract/problem.js';
import { UserError } from '../../domain/failure/user-error.js';
import type { MissingForCandidate } from '../../suite/suite.js';
import type { Context } from '../context.js';
import { unbuiltImages } from '../machine/ready-for-run.js';
import type { CheckedCampaign } from '../plans/read-campaign.js';
import { withDatasetTools } from './dataset-tools.js';

/**
 * Refuses candidates made elsewhere that cannot do without what they are graded without: how they are written or where they
 * came from is no fault of theirs. Says nothing where an image to look into is not built yet.
 * @param allowed names that are counted against the candidate all the same
 * @throws UserError naming everything that is missing, and the ways out
 */
export async function refuseMissing(
  context: Context,
  { suite, spec, snapshots }: CheckedCampaign,
  allowed: readonly string[] = [],
): Promise<void> {
  const look = suite.missingForCandidate?.bind(suite);
  if (look === undefined || snapshots.size === 0) return;
  if ((await unbuiltImages(context, suite.images(spec)))?.length !== 0) return;
  const { tasks } = await suite.dataset.select(spec.dataset, spec.seed, suiteFolder(context.packageRoot, suite));
  const projects = [...new Set(tasks.map(({ group }) => group))];
  const { createFileBlobs } = await import('../../adapters/blobs/file-blobs.js');
  const blobs = createFileBlobs({ folder: context.environment().blobsDir });
  const missing = await withDatasetTools(context, { suite, blobs }, async (tools) => {
    const found: MissingForCandidate[] = [];
    for (const [id, { tar, files }] of snapshots) {
      const ref = await blobs.put(tar, { name: `${id}.tar`, mediaType: 'application/x-tar' });
      found.push(...(await look({ ...ref, files, provenance: 'generated' }, projects, tools)));
    }
    return found;
  });
  const problems = missingProblems(missing, allowed);
  if (problems.length > 0) throw new UserError('usage', problems);
}

/** What is missing and not allowed to be. Each names all of it: the command is run once more, not once for each. */
export function missingProblems(missing: readonly MissingForCandidate[], allowed: readonly string[]): Problem[] {
  const refused = missing.filter(({ name }) => !allowed.includes(name));
  const names = [...new Set([...allowed, ...refused.map(({ name }) => name)])].join(',');
  return refused.map(({ message, expected, fix }) => ({
    message: `grade: ${message}`,
    ...(expected === undefined ? {} : { expected }),
    fix: `${fix === undefined ? '' : `${fix}; or `}count what needs it as failed: --allow-missing ${names}`,
  }));
}
