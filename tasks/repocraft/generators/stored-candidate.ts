import type { CandidateRef } from '../../../src/contract/candidate.js';
import type { StageContext, StageResult } from '../../../src/suite/stage.js';
import { packFiles, type Tree } from '../../../src/suite-kit/packed-files.js';
import type { MadeCandidate } from './generator.js';

/** A made candidate as the result of the last step of its generation, with what is to be known of it as evidence. */
export async function storedCandidate(
  context: StageContext,
  made: MadeCandidate,
  provenance: CandidateRef['provenance'],
): Promise<StageResult> {
  const candidate = { ...(await snapshotOf(context, made)), provenance };
  const { generator } = context.system;
  const summary = { generator, project: context.scope, note: made.note, ...candidate };
  await context.attach(JSON.stringify(summary, null, 1), { name: 'generation.json', mediaType: 'application/json' });
  return { result: candidate };
}

/** The tree as a stored tar; an empty tree is a candidate like any other, which fails at localization. */
async function snapshotOf(context: StageContext, made: MadeCandidate): Promise<Omit<CandidateRef, 'provenance'>> {
  if ('sha256' in made.content) {
    const { sha256, sizeBytes, files } = made.content;
    return { sha256, sizeBytes, files };
  }
  const { tar, files } = 'tar' in made.content ? made.content : await packed(made.content);
  const { sha256, sizeBytes } = await context.blobs.put(tar, { name: 'candidate.tar', mediaType: 'application/x-tar' });
  return { sha256, sizeBytes, files };
}

const packed = async (tree: Tree) => ({ tar: await packFiles(tree), files: tree.size });
