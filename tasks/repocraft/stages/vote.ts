import type { CandidateRef } from '../../../src/contract/candidate.js';
import { DomainFailure } from '../../../src/domain/failure/domain-failure.js';
import type { VoteRecord } from '../../../src/ports/records.js';
import type { StageContext, StageFunction, StageResult } from '../../../src/suite/stage.js';
import { readTarFile } from '../../../src/suite-kit/tar-entries.js';
import type { VoteResult } from '../results.js';
import { voteSettings, votingModels, type VoteSettings } from '../settings.js';
import { preparedOf, readIndex, type CandidateEntry } from '../candidate/candidate-index.js';
import { runPythonTool } from '../candidate/python-tool.js';
import { entryViews } from '../search/entry-text.js';
import { heuristicVoter } from '../voting/heuristic-voter.js';
import { loadTask } from './load-task.js';
import { createTruthVoter } from '../voting/truth-voter.js';
import { createModelVoter } from '../voting/model-voter.js';
import { queryVector } from '../search/query.js';
import { closestRows, type Ranked } from '../search/rank.js';
import { excerpt } from '../candidate/source-excerpt.js';
import { holdVote } from '../voting/hold-vote.js';
import { count, type Decision } from '../voting/vote-rules.js';
import type { Ballot, Voter } from '../voting/voter.js';

/** What the plan asks: which match, and its entry in the index (null from the oracle's path). */
type VoteInput = { match: number; entry: number | null };

/** Holds the vote on one match: up to `rounds` rounds of `voters` answers. */
export const voteOnMatch: StageFunction = async (context) => {
  const { match, entry } = context.input as VoteInput;
  const settings = voteSettings(context.campaign.spec, context.system);
  if (settings.voter === 'oracle') return oracleVote(context, match);
  if (entry === null) throw new DomainFailure('harness.bug', 'a vote without a match');
  const ballot = await ballotOf(context, entry);
  const voter = voterOf(context, settings);
  const bareBallot = settings.voter === 'model' ? () => bareBallotOf(context, ballot) : undefined;
  const held = await holdVote({ voter, ballot, match, settings, bareBallot, onRound: () => context.heartbeat() });
  return resultOf({ match, entry, ...held });
};

/** Accepts without looking; only for the reference, so that the validity of execution can be measured by itself. */
function oracleVote(context: StageContext, match: number): StageResult {
  if (context.candidate?.provenance !== 'reference') {
    throw new DomainFailure('harness.bug', 'the oracle votes only on candidates whose provenance is the reference');
  }
  const vote: VoteRecord = { match, round: 1, voter: 1, model: 'oracle', answer: 'yes', reason: 'targets handed over' };
  const decision: Decision = { accepted: true, lenient: true, confidence: 'high' };
  return resultOf({ match, entry: null, votes: [vote], decision });
}

function voterOf(context: StageContext, settings: VoteSettings): Voter {
  if (settings.voter === 'heuristic') return heuristicVoter;
  if (settings.voter === 'truth') return createTruthVoter(context);
  const [first, ...others] = votingModels(settings);
  if (first === undefined) throw new DomainFailure('harness.bug', 'the model voter has no model');
  return createModelVoter(context, { models: [first, ...others], maxOutputTokens: settings.max_output_tokens });
}

async function ballotOf(context: StageContext, row: number): Promise<Ballot> {
  const task = await loadTask(context);
  const index = await readIndex(context, preparedOf(context.prepared).index);
  const entry = index.entries[row];
  if (entry === undefined || context.candidate === null) throw new DomainFailure('harness.bug', `no entry ${row}`);
  const query = await queryVector(context.embedder, task.description);
  const views = await context.embedder.embed(entryViews(entry));
  const [closest] = views.flatMap((view) => closestRows(query, view, { top: 1 })).sort(byScore);
  const source = excerpt(await textOf(context, context.candidate, entry), entry.lines);
  return { task, entry, similarity: closest?.score ?? 0, source };
}

const textOf = async ({ blobs }: StageContext, { sha256 }: CandidateRef, { file }: CandidateEntry): Promise<string> =>
  (await readTarFile(await blobs.get(sha256), file)) ?? '';

/** Without comments, docstrings and longer texts; null for code that cannot be read so. */
async function bareBallotOf(context: StageContext, ballot: Ballot): Promise<Ballot | null> {
  if (context.candidate === null) return null;
  const { entry } = ballot;
  const request = { text: await textOf(context, context.candidate, entry), lines: entry.lines };
  const run = { tool: 'bare.py', with: [], request };
  const bare = await runPythonTool<{ source: string; signature: string }>(context, run);
  if (bare.source === '') return null;
  const source = excerpt(bare.source, [1, Infinity]);
  return { ...ballot, source, entry: { ...entry, doc: '', signature: bare.signature } };
}

const byScore = (a: Ranked, b: Ranked): number => b.score - a.score;

const UNDECIDED: Decision = { accepted: false, lenient: false, confidence: 'low' };

function resultOf(ended: {
  match: number;
  entry: number | null;
  votes: VoteRecord[];
  decision: Decision | null;
  bare?: boolean;
}): StageResult {
  const answers = ended.votes.map((vote) => vote.answer);
  const result: VoteResult = {
    match: ended.match,
    entry: ended.entry,
    ...(ended.decision ?? { ...UNDECIDED, undecided: true }),
    rounds: Math.max(...ended.votes.map((vote) => vote.round)),
    yes: count(answers, 'yes'),
    partial: count(answers, 'partial'),
    no: count(answers, 'no'),
    abstained: count(answers, 'abstain'),
    ...(ended.bare ? { bare: true } : {}),
  };
  return { result, votes: ended.votes };
}
