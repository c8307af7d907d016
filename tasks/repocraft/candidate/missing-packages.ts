import type { CandidateRef } from '../../../src/contract/candidate.js';
import { DomainFailure } from '../../../src/domain/failure/domain-failure.js';
import type { SandboxResult } from '../../../src/ports/sandbox.js';
import type { StageContext } from '../../../src/suite/stage.js';
import { projectImage, readDependencies } from '../dataset/project-settings.js';
import { printed, readOnce } from './tree-reader.js';

/** Package → `file:line` of the first import of it. */
export type MissingPackages = Record<string, string>;

/**
 * Packages that a candidate imports whenever its modules are, and that the image of its project has not, or that the project
 * does not declare: what imports them fails, whatever it is worth. The list is evidence.
 */
export async function missingPackages(context: StageContext, candidate: CandidateRef): Promise<MissingPackages> {
  if (candidate.provenance === 'reference' || context.scope === null) return {};
  const label = { name: 'missing-packages.json', mediaType: 'application/json' };
  const declared = (await readDependencies(context.scope, context.suiteFolder)) ?? [];
  const files = ['missing_imports.py', 'layout.py'];
  const reader = { name: 'missing', files, image: projectImage(context.scope), arguments: declared, label, told };
  const ref = await readOnce(context, candidate, reader);
  const text = (await context.blobs.get(ref.sha256)).toString('utf8');
  const missing = JSON.parse(text) as MissingPackages;
  if (Object.keys(missing).length > 0) await context.attach(text, label);
  return missing;
}

/** A tree that cannot be read in the time there is says nothing. */
function told(result: SandboxResult): MissingPackages {
  const missing = printed<MissingPackages>(result);
  if (missing === null && result.timeLimit === 'wall')
    throw new DomainFailure('sandbox.lost', 'the look for missing packages ran out of time');
  return missing ?? {};
}
