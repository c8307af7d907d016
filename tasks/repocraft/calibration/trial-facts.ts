import type { CampaignSpec, SystemSpec } from '../../../src/contract/campaign.js';
import type { Blobs } from '../../../src/ports/blobs.js';
import type { CalibrationInput } from '../../../src/suite/calibration.js';
import type { StepRow } from '../../../src/ports/records.js';
import type { DeriveKind } from '../generators/derived/derive-settings.js';
import {
  imageOf,
  isDocumented,
  isRightEntry,
  TRUTH_FILE,
  type DerivedNames,
  type Expected,
  type Truth,
} from '../generators/derived/truth.js';
import type { AdaptResult, Located, VoteResult } from '../results.js';
import { voteSettings, votingModels } from '../settings.js';
import { BINDINGS_FILE, type Binding } from '../adaptation/bind.js';
import { readJsonBlob } from '../../../src/suite-kit/json-blobs.js';

/** One graded trial beside the truth. */
export interface TrialFacts {
  task: string;
  project: string;
  kind: DeriveKind;
  /** As the campaign said it: `partial-30`. */
  word: string;
  voter: string;
  expected: Expected;
  /** Null where nothing was executed. */
  passed: boolean | null;
  /** Why it did not pass; null when it did. */
  reason: string | null;
  /** Where the main target lies in the candidate; null where it is gone. */
  target: string | null;
  /** False where the candidate has no docstring of the target: only told of `reworded`. */
  documented: boolean;
  /** The matches in order, and whether each is the target, its class or a method of it. */
  matches: { name: string; right: boolean }[];
  /** The votes that were held. */
  decisions: { right: boolean; accepted: boolean }[];
  /** Null where nothing was accepted. `wrong`: reference path → what it was bound to, where that is not what became of it. */
  adaptation: { refused: string | null; message: string | null; wrong: string[] } | null;
}

/** The facts of every trial that was graded, and how many were not. */
export async function readFacts(input: CalibrationInput): Promise<{ facts: TrialFacts[]; ungraded: number }> {
  const truths = await readTruths(input);
  const facts: TrialFacts[] = [];
  for (const { trial, steps } of input.trials) {
    const truth = truths.get(`${trial.systemId}/${trial.group}`);
    const isGraded = trial.outcome === 'passed' || trial.outcome === 'failed';
    if (!isGraded || truth === undefined) continue;
    const own = { task: trial.taskId, passed: trial.outcome === 'passed', reason: trial.reason };
    const voter = voterOf(input.spec, trial.systemId);
    facts.push({ ...own, voter, ...(await factsOf(truth, trial.taskId, steps, input.blobs)) });
  }
  return { facts, ungraded: input.trials.length - facts.length };
}

async function readTruths({ generations, blobs }: CalibrationInput): Promise<Map<string, Truth>> {
  const truths = new Map<string, Truth>();
  for (const { generation, steps } of generations) {
    const kept = steps.flatMap(({ evidence }) => evidence).findLast(({ name }) => name === TRUTH_FILE);
    if (kept === undefined) continue;
    const truth = await readJsonBlob<Truth>(blobs, kept.sha256);
    truths.set(`${generation.systemId}/${generation.scope}`, truth);
  }
  return truths;
}

/** The rule that voted, or the names of the models. */
function voterOf(spec: CampaignSpec, systemId: string): string {
  const system = spec.systems.find(({ id }) => id === systemId) as SystemSpec;
  const settings = voteSettings(spec, system);
  const names = votingModels(settings).flatMap((key) => spec.models[key]?.name ?? []);
  return settings.voter === 'model' && names.length > 0 ? names.join(' + ') : settings.voter;
}

async function factsOf(truth: Truth, task: string, steps: readonly StepRow[], blobs: Blobs) {
  const known = truth.tasks[task];
  const target = known?.target ?? '';
  const located = last<Located>(steps, 'localize')?.result;
  const matches = markedMatches(truth.names, target, located?.matches ?? []);
  const votes = steps.filter(({ stage }) => stage === 'vote').map(({ result }) => result as unknown as VoteResult);
  const decisions = votes.map(({ match, accepted }) => ({ right: matches[match - 1]?.right ?? false, accepted }));
  const { project, kind, word } = truth;
  return {
    ...{ project, kind, word, matches, decisions, expected: known?.expected ?? ('unsound' as const) },
    target: imageOf(truth.names, target),
    documented: isDocumented(truth.names, target),
    adaptation: await adaptationOf(truth, steps, blobs),
  };
}

async function adaptationOf(truth: Truth, steps: readonly StepRow[], blobs: Blobs): Promise<TrialFacts['adaptation']> {
  const adapt = last<AdaptResult>(steps, 'execute', 'adapt');
  if (adapt === undefined) return null;
  const kept = adapt.evidence.find(({ name }) => name === BINDINGS_FILE);
  // Without a list the candidate had every name as it stands.
  const bindings = kept === undefined ? [] : await readJsonBlob<Binding[]>(blobs, kept.sha256);
  const { refused, message } = adapt.result;
  return { refused, message, wrong: wrongBindings(truth.names, bindings) };
}

/** Matches, and whether each is the target, its class or a method of it. */
export const markedMatches = (
  names: DerivedNames,
  target: string,
  matches: readonly { name: string }[],
): TrialFacts['matches'] => matches.map(({ name }) => ({ name, right: isRightEntry(names, target, name) }));

/** Bindings to something else than what became of the name, in words. */
export function wrongBindings(names: DerivedNames, bindings: readonly Binding[]): string[] {
  return bindings.flatMap(({ reference, module, name, absent }) => {
    const found = name === '' ? module : `${module}.${name}`;
    const bound = absent === true ? null : found;
    const meant = imageOf(names, reference);
    return bound === meant ? [] : [`${reference} → ${bound ?? 'nothing'}, not ${meant ?? 'anything'}`];
  });
}

function last<Result>(steps: readonly StepRow[], stage: string, step?: string) {
  const found = steps.findLast((row) => row.stage === stage && (step === undefined || row.step === step));
  return found === undefined ? undefined : { ...found, result: found.result as unknown as Result };
}
