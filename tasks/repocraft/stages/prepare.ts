import type { MadeCandidate } from '../../../src/contract/trial.js';
import { DomainFailure } from '../../../src/domain/domain-failure.js';
import type { StageContext, StageFunction } from '../../../src/ports/suite.js';
import { coverageOfPlan } from '../coverage/plan-coverage.js';
import { voteSettings } from '../settings.js';
import type { CandidateIndex, Prepared } from '../candidate/candidate-index.js';
import { codeStats } from '../candidate/code-stats.js';
import { lookThrough } from '../candidate/look-through.js';
import { ENTRY_VIEWS_VERSION, entryViews } from '../search/entry-text.js';
import { parseCandidate } from '../candidate/parse-candidate.js';

/** Texts embedded between two heartbeats: about a second of work. */
const EMBED_SLICE = 256;

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

type EmbedContext = Pick<StageContext, 'blobs' | 'embedder' | 'attach' | 'signal' | 'heartbeat'>;

/** Blob of the vectors of a candidate's entries, all views of one behind the other; kept by the index's hash. */
export async function embedEntries(context: EmbedContext, indexSha256: string, index: CandidateIndex): Promise<string> {
  const key = `repocraft.vectors@${context.embedder.id}.${ENTRY_VIEWS_VERSION}/${indexSha256}`;
  const label = { name: 'candidate-vectors.f32', mediaType: 'application/octet-stream' };
  const known = await context.blobs.recall(key);
  if (known !== null) return (await context.attach(await context.blobs.get(known.sha256), label)).sha256;
  const texts = index.entries.flatMap(entryViews);
  const parts: Uint8Array[] = [];
  for (let start = 0; start < texts.length; start += EMBED_SLICE) {
    if (context.signal.aborted) throw new DomainFailure('operator.cancelled', 'cancelled while embedding');
    const vectors = await context.embedder.embed(texts.slice(start, start + EMBED_SLICE));
    parts.push(...vectors.map((vector) => new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)));
    context.heartbeat();
  }
  const ref = await context.attach(Buffer.concat(parts), label);
  await context.blobs.remember(key, ref);
  return ref.sha256;
}
