import type { CampaignLock } from '../../contract/campaign.js';
import type { LockChange } from '../../contract/revision.js';
import { graderChanges } from '../../domain/campaign/grader-changes.js';
import { inTurn } from '../../domain/campaign/in-turn.js';
import { lockChanges } from '../../domain/campaign/lock-changes.js';
import { sha256Hex } from '../../domain/text/content-hash.js';
import type { TaskOutcome } from '../../ports/records.js';

/** Tasks that a system is known to pass, by id and hash, and the lock they were graded under. */
export interface GoldenSet {
  version: 1;
  suite: string;
  /** As reports name it. */
  dataset: string;
  /** Id of the system that passed them. */
  system: string;
  /** Of the campaign in which it did. */
  lock: CampaignLock;
  tasks: GoldenTask[];
  /** Tasks that passed and failed under one lock; they are no part of the set any more. */
  quarantined: QuarantinedTask[];
}

/** A task with a trial that passed it. */
export interface GoldenTask {
  id: string;
  group: string;
  /** Of the task's content. */
  sha256: string;
  trial: string;
}

/** The two trials are the evidence. */
export interface QuarantinedTask extends GoldenTask {
  failed: string;
}

/**
 * What became of a task that is known to pass: `passed`; `regressed`: it fails, and the lock is another one; `flipped`: it fails
 * under the same lock, so nothing that was changed explains it; `ungraded`: not graded, by no fault of what is checked;
 * `changed`: the task asks something else now; `missing`: it was not asked.
 */
export type GoldenOutcome = 'passed' | 'regressed' | 'flipped' | 'ungraded' | 'changed' | 'missing';

/** A task with what became of it, and the trial to look at; null where there is none. */
export interface CheckedTask extends GoldenTask {
  outcome: GoldenOutcome;
  now: string | null;
}

export interface GoldenCheck {
  campaign: string;
  system: string;
  tasks: CheckedTask[];
  /** In which parts the locks differ, as far as the tasks of the system depend on them. */
  changes: LockChange[];
  /** Ids that were out of the set before. */
  quarantined: string[];
}

/**
 * Tasks that passed in every repeat, in turn from each group; within a group in the order of a hash of their ids, so that the same
 * outcomes give the same set. @param count of tasks at most
 */
export function chosenTasks(outcomes: readonly TaskOutcome[], count: number): GoldenTask[] {
  const drawn = outcomes
    .flatMap(knownToPass)
    .map((task) => ({ ...task, place: sha256Hex(task.id) }))
    .toSorted((one, other) => (one.place < other.place ? -1 : 1));
  const chosen = inTurn(drawn, count).map(({ place: _, ...task }) => task);
  return chosen.toSorted((one, other) => (one.id < other.id ? -1 : 1));
}

function knownToPass({ taskId, group, sha256, passed, passedTrial, failedTrial }: TaskOutcome): GoldenTask[] {
  if (passed === 0 || failedTrial !== null || passedTrial === null || sha256 === null) return [];
  return [{ id: taskId, group, sha256, trial: passedTrial }];
}

/** What is held against a golden set: one system of one campaign. */
export interface GradedOutcomes {
  campaign: string;
  suite: string;
  lock: CampaignLock;
  system: string;
  outcomes: readonly TaskOutcome[];
}

/** @returns the check, and the set without what flipped; the same set where nothing did */
export function checkedSet(set: GoldenSet, graded: GradedOutcomes): { check: GoldenCheck; left: GoldenSet } {
  const { campaign, system, outcomes } = graded;
  const changes = changesFor(set, graded);
  const byTask = new Map(outcomes.map((outcome) => [outcome.taskId, outcome]));
  const tasks = set.tasks.map((task) => checked(task, byTask.get(task.id), changes.length === 0));
  const quarantined = set.quarantined.map(({ id }) => id);
  return { check: { campaign, system, tasks, changes, quarantined }, left: withoutFlipped(set, tasks) };
}

function withoutFlipped(set: GoldenSet, tasks: readonly CheckedTask[]): GoldenSet {
  const flipped = tasks.flatMap(({ outcome, now, ...task }) =>
    outcome === 'flipped' && now !== null ? [{ ...task, failed: now }] : [],
  );
  if (flipped.length === 0) return set;
  const out = new Set(flipped.map(({ id }) => id));
  return {
    ...set,
    tasks: set.tasks.filter(({ id }) => !out.has(id)),
    quarantined: [...set.quarantined, ...flipped],
  };
}

/** Parts of the lock that a verdict on this system depends on: the grader's, and its own. */
function changesFor(set: GoldenSet, { suite, lock, system }: GradedOutcomes): LockChange[] {
  const ofGrader = graderChanges(set, { suite, lock });
  if (set.system !== system)
    return [...ofGrader, { part: 'system', before: set.system, after: system, invalidates: [set.system] }];
  const own = lockChanges(set.lock, lock).filter(
    ({ invalidates }) => Array.isArray(invalidates) && invalidates.includes(system),
  );
  return [...ofGrader, ...own];
}

function checked(task: GoldenTask, found: TaskOutcome | undefined, isSameLock: boolean): CheckedTask {
  const ends = (outcome: GoldenOutcome, now: string | null): CheckedTask => ({ ...task, outcome, now });
  if (found === undefined) return ends('missing', null);
  const { sha256, failedTrial, passedTrial, graded } = found;
  if (sha256 !== task.sha256) return ends('changed', failedTrial ?? passedTrial);
  if (graded === 0) return ends('ungraded', null);
  if (failedTrial === null) return ends('passed', passedTrial);
  // Repeats of one campaign that end in both ways have one lock as well.
  return ends(isSameLock || passedTrial !== null ? 'flipped' : 'regressed', failedTrial);
}
