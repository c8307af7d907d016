import type { SuitePlans } from '../../src/contract/suite.js';
import { runAgent } from '../../src/agents/loop/run-agent.js';
import type { AgentLimits } from '../../src/agents/loop/turns.js';
import type { GenerationPlan, GenerationStages, TrialSpec, TrialPlan, TrialStages } from '../../src/contract/trial.js';
import type { CandidateRef } from '../../src/contract/candidate.js';
import type { JsonObject } from '../../src/contract/json.js';
import type { Verdict } from '../../src/contract/verdict.js';
import { DomainFailure } from '../../src/domain/failure/domain-failure.js';
import { buildProject, describeProject } from './dataset/plan.js';
import type {
  AdaptResult,
  ControlResult,
  FurtherResult,
  Located,
  LookResult,
  RewriteResult,
  RunResult,
  ScoreInput,
  TestFailure,
  VoteResult,
} from './results.js';
import { repocraftManifest } from './suite.js';

/** A shared candidate is one `generate` step, the turns of an agent, or the work of the generator's own workflow. */
const makeCandidate: GenerationPlan = (generation, stages) => {
  const { workflow, step, agent } = generation.settings;
  if (typeof workflow === 'string') return stages.inWorkflow(workflow);
  if (agent !== undefined) return makeInTurns(agent as unknown as AgentLimits, stages);
  return stages.generate<CandidateRef & JsonObject>({
    step: typeof step === 'string' ? step : 'candidate',
    summary: `make the candidate of ${generation.systemId} for ${generation.scope}`,
  });
};

/** An agent works turn by turn; what its folder then holds is the candidate. */
async function makeInTurns(limits: AgentLimits, stages: GenerationStages): Promise<CandidateRef> {
  const { because, turns, workspace } = await runAgent(stages, limits);
  const input = { because, turns, workspace: workspace && { ...workspace } };
  return stages.generate<CandidateRef & JsonObject>({ step: 'collect', input, summary: 'take the repository' });
}

/** One trial: is the capability in the candidate (localize), is it the right one (vote), does it work (execute)? */
const gradeTask: TrialPlan = async (trial, stages) => {
  await stages.harvest({ summary: 'load the task' });
  await stages.generate({ summary: 'verify the candidate' });
  const located = await locate(trial, stages);
  const votes = await voteUntilAccepted(trial, located, stages);
  const accepted = votes.find((vote) => vote.accepted) ?? null;
  const isLookedAtAgain = trial.settings.second_look === true && located.searched && located.localized;
  if (accepted === null && !isLookedAtAgain)
    stages.skip('execute', votes.length === 0 ? 'nothing to vote on' : 'no match was accepted');
  const executed =
    accepted === null
      ? { adapted: null, run: null, control: null }
      : await execute(accepted, stages, rewritesOf(trial));
  const graded: ScoreInput = { located, votes, ...executed };
  if (isLookedAtAgain && isWorthALook(graded)) {
    const looks = await lookAgain(trial, { graded, accepted }, stages);
    // Of those that failed the records have all there is to know: some twenty of them do not fit into a step's input.
    graded.looks = looks.filter(({ passed }) => passed);
  }
  return stages.score<Verdict & JsonObject>({ input: graded, summary: 'score' });
};

/** It failed, and not for what the candidate did to its process or its judges. */
const isWorthALook = ({ run, control }: ScoreInput): boolean =>
  run === null || (!run.passed && run.reason?.startsWith('test.') === true && control?.vacuous !== true);

/**
 * Runs the test on the matches that were not accepted, one after the other, and on what a further search finds, until it passes on one:
 * then the candidate has what is asked for, and search or voters lost it. Names beside the target that nothing answers to are guessed,
 * on the accepted match too: where the test then passes, adaptation lost it. It says whose failure it is and nothing else.
 */
async function lookAgain(
  trial: TrialSpec,
  { graded, accepted }: { graded: ScoreInput; accepted: VoteResult | null },
  stages: TrialStages,
): Promise<LookResult[]> {
  const { located, adapted } = graded;
  const { looks, look } = createLooker(stages, {
    // What is searched for now was never voted on.
    top: Math.min(Number(trial.settings.top), located.matches.length),
    tried: [adapted?.adapted ?? []].flat(),
  });
  // What is called like another definition is something else, whatever passes on it.
  const places = located.matches.flatMap(({ entry, otherName }, index) =>
    otherName === true ? [] : [{ match: index + 1, entry, isAccepted: entry === accepted?.entry }],
  );
  // What was accepted comes first: a method and its class are bound alike.
  for (const { isAccepted, ...own } of places.sort((a, b) => Number(b.isAccepted) - Number(a.isAccepted))) {
    const place: Place = isAccepted ? { ...own, isAccepted } : own;
    const refused = isAccepted ? (adapted?.isOffTarget === true ? null : adapted?.refused) : (await look(place)).reason;
    for (let guess = 1; refused === UNBOUND && guess <= MOST_GUESSES; guess += 1) {
      const seen = await look({ ...place, guess });
      if (seen.passed || seen.adapted === null) break;
    }
    if (looks.at(-1)?.passed === true) return looks;
  }
  const input = { seen: located.matches.map(({ entry }) => entry) };
  const summary = 'search for more than the matches';
  const further = await stages.execute<FurtherResult>({ step: 'look-further', input, summary });
  for (const [index, { entry }] of further.matches.entries())
    if ((await look({ match: located.matches.length + index + 1, entry })).passed) break;
  return looks;
}

/** Guesses at names beside the target, each on one match. */
const MOST_GUESSES = 3;

type Place = Pick<LookResult, 'match' | 'isAccepted' | 'guess'> & { entry: number };

/** Looks at one match after the other; `tried` are the tests that have failed. */
function createLooker(
  stages: TrialStages,
  { top, tried }: { top: number; tried: readonly string[] },
): { looks: LookResult[]; look: (place: Place) => Promise<LookResult> } {
  const looks: LookResult[] = [];
  const look = async (place: Place): Promise<LookResult> => {
    const { match, guess } = place;
    const failed = [...tried, ...looks.flatMap((each) => each.adapted ?? [])];
    const seen = await stages.execute<LookResult>({
      step: guess === undefined ? `look-${match}` : `look-${match}-guess-${guess}`,
      input: { ...place, isVotedOn: match <= top, tried: failed },
      summary: `run the test on match ${match}${guess === undefined ? '' : `, guess ${guess}`}`,
    });
    looks.push(seen);
    return seen;
  };
  return { looks, look };
}

/** Calls of a model that may rewrite the test; undefined where the campaign names none. */
const rewritesOf = ({ settings: { rewrites } }: TrialSpec): number | undefined =>
  typeof rewrites === 'number' ? rewrites : undefined;

async function locate(trial: TrialSpec, stages: TrialStages): Promise<Located> {
  if (trial.settings.voter !== 'oracle') return stages.localize<Located>({ summary: 'search the candidate' });
  stages.skip('localize', 'the oracle voter hands the targets over');
  return { searched: false, localized: true, matches: [] };
}

/** The first accepted match wins; the others are not voted on. A match that nobody judged ends the trial: whatever came next would be held against the candidate. */
async function voteUntilAccepted(trial: TrialSpec, located: Located, stages: TrialStages): Promise<VoteResult[]> {
  const top = Number(trial.settings.top);
  const matches = located.searched ? located.matches.slice(0, top).map((match) => match.entry) : [null];
  if (!located.localized) {
    stages.skip('vote', 'nothing in the candidate is close to the description');
    return [];
  }
  const votes: VoteResult[] = [];
  for (const [index, entry] of matches.entries()) {
    const match = index + 1;
    const input = { match, entry };
    const vote = await stages.vote<VoteResult>({ step: `match-${match}`, input, summary: `vote match ${match}` });
    if (vote.undecided) throw noAnswer(`all ${vote.abstained} answers to the vote on match ${match} were abstentions`);
    votes.push(vote);
    if (vote.accepted) break;
  }
  return votes;
}

/**
 * What follows on an accepted match: the test bound to it, run, and run altered where a negative control is due. Where it failed at a
 * name, a model may rewrite it, `rewrites` times at most; what ran last counts.
 */
export async function execute(
  accepted: Pick<VoteResult, 'entry'>,
  stages: TrialStages,
  rewrites?: number,
): Promise<Omit<ScoreInput, 'located' | 'votes'>> {
  const bound = await adapt(accepted, stages);
  let standing: Tried = { adapted: bound, run: await runTest(bound, stages) };
  let calls = 0;
  if (rewrites !== undefined && accepted.entry !== null) {
    const rewriting = rewriteUntilItRuns({ entry: accepted.entry, standing, rewrites }, stages);
    ({ standing, calls } = await rewriting);
  }
  const { adapted, run } = standing;
  return {
    ...{ adapted, run, control: await controlOf(standing, stages) },
    ...(rewrites === undefined ? {} : { rewrites: calls }),
  };
}

/** A test as adapted, and how it ran. */
interface Tried {
  adapted: AdaptResult;
  run: RunResult | null;
}

/**
 * One call after the other: what the guard refused or nobody could read is told to the model and asked again, what ran and
 * failed at a name as well. It ends with a verdict, with a model that says it cannot be done, with a second answer in a row
 * that cannot be read, or with the last call. Where what cannot be read ends it, the trial has no verdict: the adapter is the judge's.
 */
async function rewriteUntilItRuns(
  first: { entry: number; standing: Tried; rewrites: number },
  stages: TrialStages,
): Promise<{ standing: Tried; calls: number }> {
  const { entry } = first;
  let { standing } = first;
  let last = standing;
  let again: { answer: string; trouble: TestFailure } | null = null;
  let calls = 0;
  while (calls < first.rewrites && isRepairable(last)) {
    calls += 1;
    const input: JsonObject = { entry, first: failureOf(first.standing), again };
    const summary = `have the test rewritten, call ${calls}`;
    const adapted = await stages.execute<RewriteResult>({ step: `rewrite-${calls}`, input, summary });
    const isSecond = adapted.refused === UNREADABLE && last.adapted.refused === UNREADABLE;
    if (isSecond || (adapted.refused === UNREADABLE && calls === first.rewrites))
      throw noAnswer(`the adapter gave no answer in call ${calls}: ${adapted.message ?? 'nothing to read'}`);
    last = { adapted, run: await runTest(adapted, stages) };
    if (last.run !== null) standing = last;
    again = { answer: adapted.answer, trouble: failureOf(last) };
  }
  return { standing, calls };
}

/** The candidate had its turn, the judge did not take its own. */
const noAnswer = (message: string): DomainFailure =>
  new DomainFailure('judge.no-answer', {
    message,
    expected: 'one clear answer, within the output cap of its model (max_output_tokens)',
    fix: 'asked anew by: npx durabench retry ID; where answers are cut, raise max_output_tokens or lower reasoning_effort of its model: npx durabench run FILE --revises ID',
  });

const UNREADABLE = 'rewrite.unreadable';
const UNBOUND = 'adapt.unbound';

const failureOf = ({ adapted, run }: Tried): TestFailure => ({ report: run?.report ?? null, message: adapted.message });

/** It failed at an import, a name or a signature, or never ran; what was judged by an assertion stays judged. */
function isRepairable({ adapted, run }: Tried): boolean {
  if (run !== null) return !run.passed && REPAIRABLE.has(run.reason ?? '');
  const { refused } = adapted;
  return refused !== null && (REPAIRABLE.has(refused) || refused.startsWith('guard.'));
}

const REPAIRABLE: ReadonlySet<string> = new Set([
  ...['test.import', 'test.name', 'test.attribute', 'test.type', 'test.signature'],
  ...[UNBOUND, 'adapt.shadowed', 'adapt.star-import', 'adapt.string-path', 'adapt.incomplete', UNREADABLE],
]);

const adapt = (accepted: Pick<VoteResult, 'entry'>, stages: TrialStages): Promise<AdaptResult> =>
  stages.execute<AdaptResult>({
    step: 'adapt',
    input: { entry: accepted.entry },
    summary: 'bind the test to the candidate',
  });

async function runTest({ adapted }: AdaptResult, stages: TrialStages): Promise<RunResult | null> {
  if (adapted === null) return null;
  return stages.execute<RunResult>({ step: 'run', input: { adapted }, summary: 'run the test' });
}

/** Of what stands: run before the test, or due now. */
async function controlOf({ adapted: { adapted }, run }: Tried, stages: TrialStages): Promise<ControlResult | null> {
  if (run?.control !== undefined) return run.control;
  if (!run?.controlDue || adapted === null) return null;
  const input = { adapted, ...(run.passed ? {} : { passed: false }) };
  return stages.execute<ControlResult>({ step: 'control', input, summary: 'run the negative control' });
}

/** RepoCraft for the workflow side. */
export const repocraftPlans: SuitePlans = {
  manifest: repocraftManifest,
  trial: gradeTask,
  generation: makeCandidate,
  datasetBuild: buildProject,
  datasetDescribing: describeProject,
};
