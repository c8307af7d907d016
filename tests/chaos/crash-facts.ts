import type { SeenRequest } from '../../src/fakes/scripted-model-server.js';
import type { MoneyRecord, SendRecord, StepRecord, TrialRecord } from './campaign-record.js';
import type { LoadName } from './loads.js';
import type { VictimName } from './victims.js';

/** How one campaign got over one crash. */
export interface CrashFacts {
  victim: VictimName;
  load: LoadName;
  trials: number;
  /** Trials running at the moment of the crash, and those done. */
  inFlight: number;
  doneBefore: number;
  /** Finished trials that were not exactly the same afterwards. */
  lost: string[];
  /** Trials with another verdict than in the undisturbed run. */
  changed: string[];
  /** Calls that were sent again although their answer was in the ledger. */
  answeredRepeated: number;
  /** Model calls in flight at the crash; those the provider saw again; those the ledger marks. */
  callsInFlight: number;
  callsRepeated: number;
  callsMarked: number;
  /** Micro-dollars for calls that went out again. */
  spentAgain: number;
  /** Micro-dollars spent beyond that and what the undisturbed run spent; negative where less. */
  spentUnexplained: number;
  /** Sends that nobody ended, and budgets that are not the sums over theirs. */
  openSends: number;
  unbalanced: string[];
  /** Sandbox failures, which only a crash of Docker may cause: nobody takes the containers of the living. */
  sandboxFailures: string[];
  /** What was left without a living owner after one pass of the reaper. */
  left: string[];
  /** From the crash (or the server's return) to the first step that began after it, of trials a dead worker had where one of several died. */
  progressSeconds: number;
  /** From the crash to the end of the campaign. */
  endSeconds: number;
  /** Exit status of the command that watched to the end: the launching one, or `status --watch` after that was killed. */
  watchExit: number | null;
}

/** Verdicts by task and system. */
export type Verdicts = ReadonlyMap<string, string>;

/** What a load ends as when nothing is killed. */
export interface Undisturbed {
  verdicts: Verdicts;
  money: MoneyRecord;
}

/** The moments of a crash, in ms since 1970: the first signal was sent; the last process was gone. */
export interface CrashTimes {
  crashedAt: number;
  killedAt: number;
}

/** What each trial of a campaign ended as, and why. */
export function verdictsOf(trials: readonly TrialRecord[]): Verdicts {
  return new Map(
    trials.map(({ task, system, outcome, reason }) => [`${task} ${system}`, `${outcome} ${reason ?? ''}`]),
  );
}

/** Finished trials that are not what they were. */
export function lostTrials(before: readonly TrialRecord[], after: readonly TrialRecord[]): string[] {
  const now = new Map(after.map((trial) => [trial.id, JSON.stringify(trial)]));
  const done = before.filter(({ state }) => state === 'done');
  return done.filter((trial) => now.get(trial.id) !== JSON.stringify(trial)).map(({ id }) => id);
}

/** Verdicts that are not the expected ones, in words. */
export function changedVerdicts(verdicts: Verdicts, expected: Verdicts): string[] {
  const keys = new Set([...verdicts.keys(), ...expected.keys()]);
  return [...keys]
    .filter((key) => verdicts.get(key) !== expected.get(key))
    .map((key) => `${key}: ${verdicts.get(key)} instead of ${expected.get(key)}`);
}

/** Of a campaign's calls: what was in flight, and what went out again, in the ledger and as the provider saw it. */
export function repeatedCalls(
  sends: readonly SendRecord[],
  requests: readonly SeenRequest[],
  { crashedAt, killedAt }: CrashTimes,
): Pick<CrashFacts, 'answeredRepeated' | 'callsInFlight' | 'callsRepeated'> {
  const wasOpen = ({ reservedAt, endedAt }: SendRecord): boolean =>
    reservedAt <= killedAt && (endedAt === null || endedAt >= crashedAt);
  const again = ({ sentAt, answeredAt }: SendRecord): boolean =>
    sentAt !== null && answeredAt !== null && sentAt > answeredAt;
  return {
    answeredRepeated: sends.filter(again).length,
    callsInFlight: sends.filter(wasOpen).length,
    callsRepeated: requests.filter(({ attempt }) => attempt > 1).length,
  };
}

/** Of a campaign's money: what is charged, counted or held beyond what it should be. */
export function moneyFacts(
  { spent, again, open, unbalanced }: MoneyRecord,
  undisturbed: MoneyRecord,
): Pick<CrashFacts, 'spentAgain' | 'spentUnexplained' | 'openSends' | 'unbalanced'> {
  return { spentAgain: again, spentUnexplained: spent - again - undisturbed.spent, openSends: open, unbalanced };
}

/** Seconds until a step that began after this moment (in ms since 1970) was recorded. @param isProgress no other step counts */
export function secondsUntilProgress(
  steps: readonly StepRecord[],
  from: number,
  isProgress: (step: StepRecord) => boolean,
): number {
  const recorded = steps.filter((step) => step.startedAt > from && isProgress(step)).map(({ endedAt }) => endedAt);
  if (recorded.length === 0) throw new Error('no step was begun after the crash: it came too late to show anything');
  return (Math.min(...recorded) - from) / 1000;
}
