import type { CandidateRef } from '../../../src/contract/candidate.js';
import type { EvidenceRef } from '../../../src/contract/evidence.js';
import type { StageContext } from '../../../src/suite/stage.js';
import { readProjectSettings } from '../dataset/project-settings.js';
import { referenceBlob } from '../dataset/task-blobs.js';
import { readIndex, type CandidateIndex } from './candidate-index.js';
import { parseCandidate } from './parse-candidate.js';
import type { TreeContext } from './tree-reader.js';

/** The reference as a candidate like any other. Fails with `dataset.missing` where it was not fetched. */
export async function referenceCandidate(context: TreeContext, project: string): Promise<CandidateRef> {
  const own = await readProjectSettings(project, context.suiteFolder);
  const { sha256, sizeBytes } = await referenceBlob(context.blobs, own);
  return { sha256, sizeBytes, files: 0, provenance: 'reference' };
}

/** The index of the reference: tells where the names a test uses are defined, and what kind they are. */
export async function parseReference(context: TreeContext, project: string): Promise<EvidenceRef> {
  return parseCandidate(context, await referenceCandidate(context, project));
}

/** The same, read. */
export async function referenceIndex(
  context: TreeContext & Pick<StageContext, 'memory'>,
  project: string,
): Promise<CandidateIndex> {
  const { sha256 } = await parseReference(context, project);
  return readIndex(context, sha256);
}
