import type { CandidateRef } from '../../../src/contract/candidate.js';
import { DomainFailure } from '../../../src/domain/failure/domain-failure.js';
import type { StageContext, StageFunction, StageResult } from '../../../src/suite/stage.js';
import { packFiles, type Tree } from '../../../src/suite-kit/packed-files.js';
import type { MadeCandidate } from '../generators/generator.js';
import { GENERATORS } from '../generators/generators.js';

/** A generation makes the candidate; a trial resolves and verifies the one it was given. */
export const generateCandidate: StageFunction = (context) =>
  context.owner.kind === 'generation' ? makeCandidate(context) : verifyCandidate(context);

async function makeCandidate(context: StageContext): Promise<StageResult> {
  const { generator: name } = context.system;
  const generator = GENERATORS[name];
  if (generator === undefined || context.scope === null) {
    throw new DomainFailure('harness.bug', `a generation by ${name} without a generator or a project`);
  }
  if ('step' in generator) return generator.step(context);
  const made = await generator.make(context, context.scope);
  const candidate = { ...(await snapshotOf(context, made)), provenance: generator.provenance };
  const summary = { generator: name, project: context.scope, note: made.note, ...candidate };
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

async function verifyCandidate(context: StageContext): Promise<StageResult> {
  const { candidate } = context;
  if (candidate === null) throw new DomainFailure('harness.bug', 'a trial of repocraft without a candidate');
  if (!(await context.blobs.has(candidate.sha256))) {
    throw new DomainFailure('blobs.missing', {
      message: `the candidate ${candidate.sha256} is not in the blob store of this worker`,
      expected: 'one blob store for all workers of an installation',
      fix: 'name it for every worker (DURABENCH_BLOBS)',
    });
  }
  return { result: { ...candidate } };
}
