import type { CandidateRef } from '../../../src/contract/candidate.js';
import type { MadeCandidate } from '../../../src/contract/trial.js';
import { allEnded } from '../../../src/domain/all-ended.js';
import { DomainFailure } from '../../../src/domain/failure/domain-failure.js';
import type { StageContext, StageFunction } from '../../../src/suite/stage.js';
import { coverageOfCode } from '../coverage/code-coverage.js';
import { coverageOfPlan } from '../coverage/plan-coverage.js';
import { voteSettings } from '../settings.js';
import { readIndex, type CandidateIndex, type Prepared } from '../candidate/candidate-index.js';
import { codeStats } from '../candidate/code-stats.js';
import { missingPackages } from '../candidate/missing-packages.js';
import { scanIntegrity } from '../candidate/integrity-scan.js';
import { embedEntries } from '../search/vectors.js';
import { parseCandidate } from '../candidate/parse-candidate.js';

/** Once for a shared candidate: parse it, look for what is not honest in it and for packages it lacks, and embed every entry unless the oracle will hand the targets over. */
export const prepareCandidate: StageFunction = async (context) => {
  if (context.candidate === null) throw new DomainFailure('harness.bug', 'prepare was called without a candidate');
  const { candidate } = context;
  // Of the same tree, each in a container, and none knows of another.
  const [read, seen, code, missing] = await allEnded([
    readEntries(context, candidate),
    scanIntegrity(context, candidate),
    codeStats(context, candidate),
    missingPackages(context, candidate),
  ]);
  const { index } = read;
  const coverage = await coverageOfPlan(context, candidate);
  const codeCoverage = await coverageOfCode(context, read);
  const prepared: Prepared = {
    ...{ index: read.sha256, vectors: read.vectors },
    roots: index.roots,
    packages: index.packages.length,
    files: index.files,
    entries: index.entries.length,
    problems: index.problems.length,
    code,
    ...figuresOf(candidate),
    ...(coverage === null ? {} : { coverage }),
    ...(codeCoverage === null ? {} : { codeCoverage }),
    flags: seen.flags,
    suspicions: seen.suspicions.length,
    ...(Object.keys(missing).length > 0 && { missing: Object.keys(missing).length }),
  };
  return { result: prepared };
};

/** Its index by the hash of the blob, and the vectors of the entries where it is searched. */
async function readEntries(
  context: StageContext,
  candidate: CandidateRef,
): Promise<{ index: CandidateIndex; sha256: string; vectors: string | null }> {
  const { sha256 } = await parseCandidate(context, candidate);
  const index = await readIndex(context, sha256);
  // Evidence, so that a garbage collection keeps what the trials of a campaign that is resumed in a month will read.
  const label = { name: 'candidate-index.json', mediaType: 'application/json' };
  await context.attach(await context.blobs.get(sha256), label);
  if (index.problems.length > 0) {
    const text = JSON.stringify(index.problems.slice(0, 1000), null, 1);
    await context.attach(text, { ...label, name: 'parse-problems.json' });
  }
  const isSearched = voteSettings(context.campaign.spec, context.system).voter !== 'oracle';
  return { index, sha256, vectors: isSearched ? await embedEntries(context, sha256, index) : null };
}

/** What its generator says of it, handed over with the candidate. */
const figuresOf = ({ figures }: MadeCandidate): Pick<Prepared, 'figures'> => (figures === undefined ? {} : { figures });
