import type { CampaignSpec, SystemSpec } from '../../../src/contract/campaign.js';
import { DomainFailure } from '../../../src/domain/failure/domain-failure.js';
import type { RepocraftTask } from '../dataset/repocraft-task.js';
import { isSoundKind } from '../generators/derived/derive-settings.js';
import { imageOf, isDocumented, type DerivedNames, type Expected } from '../generators/derived/truth.js';
import { voteSettings } from '../settings.js';
import { renameTest } from '../adaptation/rename-test.js';
import type { CandidateEntry } from '../candidate/candidate-index.js';
import { heuristicVoter } from '../voting/heuristic-voter.js';
import { matchesOf, searchEntries, type Found } from '../search/closest-entries.js';
import { excerpt } from '../candidate/source-excerpt.js';
import { truthVoter } from '../voting/truth-voter.js';
import { holdVote } from '../voting/hold-vote.js';
import type { Voter } from '../voting/voter.js';
import type { OfflineContext, OfflineCandidate } from './offline-candidate.js';
import { markedMatches, wrongBindings, type TrialFacts } from './trial-facts.js';

interface OfflineTask {
  spec: CampaignSpec;
  task: RepocraftTask;
  candidate: OfflineCandidate;
}

/** One task on one candidate: searched once, then voted on and adapted for each system. */
export async function gradeTaskOffline(
  context: OfflineContext,
  { systems, ...offline }: OfflineTask & { systems: readonly SystemSpec[] },
): Promise<TrialFacts[]> {
  const { task, candidate } = offline;
  const { project, settings, names, index, table } = candidate;
  const found = await searchEntries(context.embedder, task, { entries: index.entries, table });
  const matches = matchesOf(found);
  const target = task.targets[0] ?? '';
  const known = {
    ...{ task: task.id, project, kind: settings.kind, word: settings.word, expected: expectedUntried(settings.kind) },
    ...{
      passed: null,
      reason: null,
      target: imageOf(names, target),
      documented: isDocumented(names, target),
      matches: markedMatches(names, target, matches),
    },
  };
  const facts: TrialFacts[] = [];
  for (const system of systems) {
    const votable = found.slice(0, matches.length);
    facts.push({ ...known, ...(await votedAndAdapted(context, offline, { system, votable, known })) });
  }
  return facts;
}

/** A library under other names is as good as the reference; what became of anything else shows only when it is run. */
const expectedUntried = (kind: TrialFacts['kind']): Expected => (isSoundKind(kind) ? 'passed' : 'untried');

async function votedAndAdapted(
  context: OfflineContext,
  offline: OfflineTask,
  { system, votable, known }: { system: SystemSpec; votable: readonly Found[]; known: Pick<TrialFacts, 'matches'> },
): Promise<Pick<TrialFacts, 'voter' | 'decisions' | 'adaptation'>> {
  const { spec, task, candidate } = offline;
  const settings = voteSettings(spec, system);
  const voter = ruleVoter(settings.voter, candidate.names);
  const decisions: TrialFacts['decisions'] = [];
  for (const [place, { entry, score }] of votable.slice(0, settings.top).entries()) {
    const source = excerpt(candidate.source(entry), entry.lines);
    const ballot = { task, entry, similarity: score, source };
    const { decision } = await holdVote({ voter, ballot, match: place + 1, settings });
    decisions.push({ right: known.matches[place]?.right ?? false, accepted: decision?.accepted ?? false });
    if (decision?.accepted)
      return { voter: settings.voter, decisions, adaptation: await adaptation(context, offline, entry) };
  }
  return { voter: settings.voter, decisions, adaptation: null };
}

function ruleVoter(voter: string, names: DerivedNames): Voter {
  if (voter === 'truth') return truthVoter(names);
  if (voter === 'heuristic') return heuristicVoter;
  throw new DomainFailure('harness.bug', `${voter} does not vote without a campaign`);
}

async function adaptation(
  context: OfflineContext,
  { task, candidate }: OfflineTask,
  voted: CandidateEntry,
): Promise<TrialFacts['adaptation']> {
  const { packages, names } = candidate;
  const bound = candidate.bind({ task, voted });
  if (bound.kind === 'refused') return { refused: bound.code, message: bound.message, wrong: [] };
  if (bound.kind === 'identical') return { refused: null, message: null, wrong: [] };
  const answer = await renameTest(context, task, { packages, bindings: bound.bindings });
  if ('code' in answer) return { refused: answer.code, message: answer.message, wrong: [] };
  return { refused: null, message: null, wrong: wrongBindings(names, bound.bindings) };
}
