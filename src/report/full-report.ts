import { integrityMarks } from '../domain/campaign/integrity-marks.js';
import { jsonText, printable } from '../domain/text/json-text.js';
import type { CampaignLock } from '../contract/campaign.js';
import type { CandidateFlag, CandidateIntegrity } from '../contract/candidate.js';
import type { Json } from '../contract/json.js';
import type { StatusReport } from '../contract/status.js';
import type { Outcome } from '../contract/verdict.js';
import type { CampaignUsage, EventRow, TrialRow } from '../ports/records.js';
import { failureRows, type FailureRow } from './failure-rows.js';
import { createFailureAnalyser, NO_FAILURES, type FailureAnalysis } from './failures/failure-analysis.js';
import { intervalNotes } from './figures/figure-tables.js';
import type { ReportDetails } from './report-details.js';
import type { ReportSubject } from './report-subject.js';
import { sharedSpend } from './shared-spend.js';
import { scoreRows, type ScoreRow } from './score-rows.js';
import { statusReport } from './status-report.js';
import { versioned, type DOCUMENT_VERSION } from './documents/versioned.js';
import { deepSnakeKeys } from './documents/snake-keys.js';

/** `report.json`: the contract of `status --json`, and everything a reader needs to check it. */
export interface FullReport extends StatusReport {
  version: typeof DOCUMENT_VERSION;
  created_at: string;
  ended_at: string | null;
  /** How the intervals of `results` were computed; each row has it as data. */
  interval_method: string;
  results: ScoreRow[];
  failures: FailureRow[];
  /** What is held against the shared candidates; verdicts are as the tests said all the same. */
  integrity: IntegrityReport[];
  provenance: CampaignLock;
  /** Null: not limited. */
  budget: Record<'usd' | 'tokens' | 'wall_hours' | 'trials' | 'soft', number | null>;
  /** What counts against the budget beside `spend`: hours it ran, pauses left out, and trials that were ever started. */
  used: { wall_hours: number; trials: number };
  /** What requests came to above what was reserved for them; part of `spend`. */
  overshoot: { usd: number; tokens: number; requests: number };
  /** Spent on making shared candidates; part of `spend`, not of any trial. */
  shared_spend: { usd: number; tokens: number };
  trial_rows: TrialReport[];
  /** The suite's own metrics, by system; null for suites without any. */
  suite_metrics: Json;
  /** Figures of the suite that are not of one system, such as what it compares; null for suites without any. */
  suite_figures: Json;
  usage: UsageReport;
  /** Failed trials by class, and what to try. */
  failure_analysis: FailureAnalysis;
  /** What operators asked of the campaign, oldest first. */
  events: EventRow[];
}

/** Where tokens, money and time went; seconds are of attempts, failed ones included. */
interface UsageReport {
  calls: {
    system: string;
    /** Of a trial its task's group, of a shared candidate its scope. */
    group: string;
    stage: string;
    purpose: string;
    model: string;
    calls: number;
    /** Of these, answered without usage: they count at their estimate. */
    calls_without_usage: number;
    /** Requests whose usage cannot be: they count at their estimate. */
    requests_with_implausible_usage: number;
    tokens: number;
    usd: number;
    /** Answered with what other campaigns got; not among the calls. */
    reused_calls: number;
    /** What sending those would have cost. */
    saved_usd: number;
  }[];
  stages: { system: string; group: string; of: string; stage: string; attempts: number; wall_seconds: number }[];
}

/** One shared candidate in `report.json`. */
interface IntegrityReport {
  system: string;
  scope: string;
  repeat: number;
  candidate: string;
  /** `forged`, `suspect`, then its flags; empty where nothing is held against it. */
  marks: string[];
  flags: CandidateFlag[];
  forged_trials: number;
  vacuous_trials: number;
  copied_trials: number;
  /** Passed trials whose test was run again, altered so that it had to fail. */
  negative_controls: number;
}

/** A run of a trial beside the one that counts. */
interface OtherRun {
  run: number;
  outcome: Outcome | null;
  reason: string | null;
}

/** One trial in `report.json`. */
export interface TrialReport {
  id: string;
  task: string;
  system: string;
  repeat: number;
  group: string;
  category: string | null;
  state: string;
  outcome: string | null;
  blame: string | null;
  reason: string | null;
  message: string | null;
  /** What was expected and how to fix it, where that is known. */
  advice: TrialRow['advice'];
  metrics: Record<string, number | null>;
  /** Which run of the trial this is, from 1: the one that counts. */
  run: number;
  /** How many runs there are. */
  runs: number;
  /** The last run of a trial that was graded before; not part of any score. */
  again: OtherRun | null;
  /** The verdict before it was regraded. */
  regraded: OtherRun | null;
  started_at: string | null;
  ended_at: string | null;
  usd: number;
  tokens: number;
  /** Model calls of all its runs that were answered with what other campaigns got. */
  reused_calls: number;
}

/**
 * The report as data, its trials left out: there may be 100,000, which {@link writeFullReport} puts in one by one.
 * @param failures what their analysis came to; left out where it comes with them
 */
export function fullReport(subject: ReportSubject, details: ReportDetails, failures = NO_FAILURES): FullReport {
  const { campaign, totals } = subject;
  const rows = scoreRows(subject);
  return {
    ...versioned(statusReport(subject)),
    created_at: campaign.createdAt,
    ended_at: campaign.endedAt,
    interval_method: intervalNotes(rows).join(' '),
    results: rows,
    failures: failureRows(totals),
    integrity: subject.integrity.map(integrityReport),
    provenance: campaign.lock,
    ...budgetReport(campaign),
    shared_spend: sharedSpend(subject),
    trial_rows: [],
    suite_metrics: details.suite?.metrics ?? null,
    suite_figures: details.suite?.figures ?? null,
    usage: usageReport(details.usage),
    failure_analysis: failures,
    events: subject.events.map(eventReport),
  };
}

function budgetReport({
  spec,
  spend,
  work,
}: ReportSubject['campaign']): Pick<FullReport, 'budget' | 'used' | 'overshoot'> {
  const { usd, tokens, wallHours = null, trials = null, soft = null } = spec.budget;
  const { microUsd, ...over } = spend.overshoot;
  return {
    budget: { usd, tokens, wall_hours: wallHours, trials, soft },
    used: { wall_hours: work.seconds / 3600, trials: work.trials },
    overshoot: { usd: microUsd / 1_000_000, ...over },
  };
}

const usageReport = ({ calls, stages }: CampaignUsage): UsageReport => ({
  calls: calls.map(({ systemId: system, costMicroUsd, withoutUsage, implausible, tokens, savedMicroUsd, ...row }) => ({
    ...{ system, group: row.group, stage: row.stage, purpose: row.purpose, model: row.model, calls: row.calls },
    ...{ calls_without_usage: withoutUsage, requests_with_implausible_usage: implausible, tokens },
    usd: costMicroUsd / 1_000_000,
    ...{ reused_calls: row.reusedCalls, saved_usd: savedMicroUsd / 1_000_000 },
  })),
  stages: stages.map(({ systemId, group, owner, stage, attempts, wallSeconds }) => ({
    ...{ system: systemId, group, of: owner, stage, attempts },
    wall_seconds: wallSeconds,
  })),
});

function integrityReport(row: CandidateIntegrity): IntegrityReport {
  const { scope, repeat, flags, negativeControls } = row;
  const [system, candidate, marks] = [row.systemId, row.sha256, integrityMarks(row)];
  const counts = {
    forged_trials: row.forgedTrials,
    vacuous_trials: row.vacuousTrials,
    copied_trials: row.copiedTrials,
    negative_controls: negativeControls,
  };
  return { system, scope, repeat, candidate, marks, flags, ...counts };
}

/** An event as documents tell it. */
export function eventReport({ details, ...event }: EventRow): EventRow {
  return { ...event, details: deepSnakeKeys(details) as EventRow['details'] };
}

const otherRun = (run: TrialRow['again']): OtherRun | null =>
  run === null ? null : { run: run.n, outcome: run.outcome, reason: run.reason };

/** One trial as documents tell it. */
export function trialReport(row: TrialRow): TrialReport {
  const { id, repeat, group, category, state, outcome, blame, reason, message, advice, metrics, tokens } = row;
  return {
    id,
    task: row.taskId,
    system: row.systemId,
    repeat,
    group,
    category,
    state,
    outcome,
    blame,
    reason,
    message,
    advice,
    metrics,
    run: row.n,
    runs: row.runs,
    again: otherRun(row.again),
    regraded: otherRun(row.regraded),
    started_at: row.startedAt,
    ended_at: row.endedAt,
    usd: row.costMicroUsd / 1_000_000,
    tokens,
    reused_calls: row.reusedCalls,
  };
}

/**
 * Writes `report.json` piece by piece, never holding all of it. Canonical enough for people and diffs: two spaces, keys
 * as above, and a line for each trial, of which there may be 100,000.
 * @param details read beside the trials, which takes as long; nothing before the rows needs them
 * @returns the analysis of the trials that failed, made while they were read
 */
export async function writeFullReport(
  subject: ReportSubject,
  details: ReportDetails | Promise<ReportDetails>,
  write: (piece: string) => unknown,
): Promise<FailureAnalysis> {
  const read = Promise.resolve(details);
  read.catch(() => undefined); // told below
  const analyser = createFailureAnalyser(await subject.failures());
  await write(aroundTrials(fullReport(subject, NO_DETAILS))[0]!);
  let before = '';
  const trials = subject.trialPages(async (page) => {
    analyser.add(page);
    await write(`${before}${printable(page.map((row) => `\n    ${JSON.stringify(trialReport(row))}`).join(','))}`);
    before = ',';
  });
  const [known] = await Promise.all([read, trials]);
  const analysis = await analyser.analysis();
  const [, tail] = aroundTrials(fullReport(subject, known, analysis));
  await write(`${before === '' ? '' : '\n  '}${tail!}\n`);
  return analysis;
}

/** Before they are read. */
const NO_DETAILS: ReportDetails = { suite: null, usage: { calls: [], stages: [] }, rerun: [] };

/** What stands before and behind the rows. Texts hold no line feed, and deeper keys stand further in: there is one place. */
const aroundTrials = (report: FullReport): string[] =>
  jsonText(report, 2).split(/(?<=\n {2}"trial_rows": \[)(?=\],\n)/);
