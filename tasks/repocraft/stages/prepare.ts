import type { MadeCandidate } from '../../../src/contract/trial.js';
import { DomainFailure } from '../../../src/domain/domain-failure.js';
import type { StageFunction } from '../../../src/ports/suite.js';
import { coverageOfPlan } from '../coverage/plan-coverage.js';
import { voteSettings } from '../settings.js';
import type { CandidateIndex, Prepared } from '../candidate/candidate-index.js';
import { codeStats } from '../candidate/code-stats.js';
import { lookThrough } from '../candidate/look-through.js';
import { embedEntries } from '../search/vectors.js';
import { parseCandidate } from '../candidate/parse-candidate.js';

/** Once for a shared candidate: parse it, look for what is not honest in it, and embed every entry unless the oracle will hand the targets over. */
export const prepareCandidate: StageFunction = async (context) => {
  if (context.candidate === null) throw new DomainFailure('harness.bug', 'prepare was called without a candidate');
  const indexRef = await parseCandidate(context, context.candidate);
  const bytes = await context.blobs.get(indexRef.sha256);
  const index = JSON.parse(bytes.toString('utf8')) as CandidateIndex;
  // Evidence, so that a garbage collection keeps what the trials of a campaign that is resumed in a month will read.
  await context.attach(bytes, { name: 'candidate-index.json', mediaType: 'application/json' });
  const isSearched = voteSettings(context.campaign.spec, context.system).voter !== 'oracle';
  const vectors = isSearched ? await embedEntries(context, indexRef.sha256, index) : null;
  if (index.problems.length > 0) {
    const label = { name: 'parse-problems.json', mediaType: 'application/json' };
    await context.attach(JSON.stringify(index.problems.slice(0, 1000), null, 1), label);
  }
  const seen = await lookThrough(context, context.candidate);
  const coverage = await coverageOfPlan(context, context.candidate);
  const prepared: Prepared = {
    index: indexRef.sha256,
    vectors,
    roots: index.roots,
    packages: index.packages.length,
    files: index.files,
    entries: index.entries.length,
    problems: index.problems.length,
    code: await codeStats(context, context.candidate),
    ...figuresOf(context.candidate),
    ...(coverage === null ? {} : { coverage }),
    flags: seen.flags,
    suspicions: seen.suspicions.length,
  };
  return { result: prepared };
};

/** What its generator says of it, handed over with the candidate. */
const figuresOf = ({ figures }: MadeCandidate): Pick<Prepared, 'figures'> => (figures === undefined ? {} : { figures });
