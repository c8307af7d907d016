import type { StatusReport } from '../contract/status.js';
import type { ProjectProgress } from '../contract/dataset-build.js';
import type { CampaignRow, GenerationRow, TrialChoice, TrialRow } from '../ports/records.js';
import type { FullReport } from '../report/full-report.js';
import type { ChangedVerdict } from '../report/later-runs.js';
import type { WrittenReport } from '../report/report-subject.js';
import type { StartedCampaign } from './campaigns/start-campaign.js';
import type { BudgetChange, BudgetOwner } from './control/budget-limits.js';
import type { CancelAnswer, CancelOptions } from './control/cancel-campaign.js';
import type { BudgetReport } from './control/change-budget.js';
import type { DeletedCampaign } from './control/delete-campaign.js';
import type { GenerationPlan, GraphImport, GraphImportOptions } from './control/generation-graph.js';
import type { OperatorOptions } from './control/operator-options.js';
import type { PauseAnswer } from './control/pause-campaign.js';
import type { RunsAnswer, RunsOptions } from './control/plan-runs.js';
import type { RegradeOptions } from './control/regrade-trials.js';
import type { ReviewedTrial } from './control/review-trial.js';
import type { RetryOptions } from './control/retry-trials.js';
import type { BuildCosts } from './datasets/build-costs.js';
import type { CalibrationRequest } from './datasets/calibration-campaign.js';
import type { CalibrationFigures } from './datasets/calibration-figures.js';
import type { GradeRequest } from './datasets/grading-campaign.js';
import type { BuiltDataset } from './datasets/hand-over-build.js';
import type { LoadedSet } from './datasets/published-set.js';
import type { GoldenCheck, GoldenSet } from '../report/results/golden.js';
import type { Comparison } from './results/compare-systems.js';
import type { ExportedCandidate } from './results/export-candidate.js';
import type { ExportedFile } from './results/write-whole.js';
import type { ExplainedCode } from './explain.js';
import type { CampaignStanding } from './inspect/campaign-state.js';
import type { GenerationDetail } from './inspect/generation-detail.js';
import type { SuiteSummary } from './inspect/suite-list.js';
import type { AnsweredTrial } from './inspect/trial-detail.js';
import type { TrialFilter } from './inspect/trial-filter.js';
import type { LogEntry, LogOptions } from './inspect/trial-logs.js';
import type { CallTexts } from './view/call-texts.js';
import type { ListPart } from './view/view-source.js';
import type { Unused } from './machine/clean.js';
import type { MadeModel } from './plans/made-campaign.js';
import type { PlannedCampaign, PlanOptions } from './plans/plan-campaign.js';
import type { ValidCampaign } from './plans/validate-campaign.js';

/**
 * An open client. Campaigns are named by id, by a unique prefix of one, or by `latest`; relative paths start at its
 * folder. What a user can do something about is thrown as `UserError`: a name that nothing has, a file with problems, a
 * server that is unavailable.
 */
export interface Durabench {
  /** Checks a campaign file without starting anything. @throws UserError with everything that is wrong */
  validate(file: string): Promise<ValidCampaign>;
  /** Says what a campaign file would start, and what that changes of the campaign it revises. Nothing is started. */
  plan(file: string, options?: PlanOptions): Promise<PlannedCampaign>;
  /**
   * Checks a campaign file, prepares what it needs on this machine, and starts it. Does not wait for it.
   * @throws UserError with everything that is wrong
   */
  start(file: string, options?: PlanOptions): Promise<StartedCampaign>;
  /**
   * The state of a campaign, again and again until it has ended; the last one is of its end. Leaving the loop leaves the
   * campaign running.
   * @throws UserError where no workflow runs it any more
   */
  follow(campaign: string, options?: { signal?: AbortSignal }): AsyncGenerator<StatusReport, void>;

  /** Where it stands: what `status --json` holds. */
  status(campaign: string): Promise<CampaignStanding>;
  /** Results and provenance, as in `report.json`; its `trial_rows` are {@link Durabench.trials}. */
  report(campaign: string): Promise<Omit<FullReport, 'trial_rows'>>;
  /** Writes `report.html`, `report.md` and `report.json` anew. */
  writeReport(campaign: string): Promise<WrittenReport>;
  /**
   * Systems compared on the tasks both were graded on: `CAMPAIGN` alone, two of them, `CAMPAIGN/SYSTEM`, or the
   * path of a log of Inspect on one side.
   * @throws UserError for one that has not ended, for another dataset or grader, and without a common task
   */
  compare(a: string, b?: string): Promise<Comparison>;
  /**
   * Writes tasks that a system passed, in every repeat, in turn from each group.
   * @param campaign `CAMPAIGN` with one system, or `CAMPAIGN/SYSTEM`
   * @throws UserError for one that has not ended, and where nothing passed
   */
  makeGolden(campaign: string, options: { out: string; tasks?: number }): Promise<GoldenSet>;
  /**
   * What a system makes of such a set in a campaign that has ended. What flipped under its lock leaves the file, which is written again.
   * @throws UserError for a file that is none, or was edited
   */
  checkGolden(campaign: string, options: { set: string }): Promise<GoldenCheck>;
  /**
   * Writes all trials as one file (`jsonl`, `csv`, `junit`), findings (`findings`), or a log of Inspect for each system into a folder.
   * @throws UserError where it cannot be written, and for findings of a suite that has none
   */
  export(
    campaign: string,
    options: { format: 'jsonl' | 'csv' | 'junit' | 'findings' | 'inspect'; out: string },
  ): Promise<ExportedFile[]>;
  /**
   * Writes the files of a shared candidate to a folder.
   * @param path a generation, or a trial that graded its candidate
   * @throws UserError where there is none yet, and where the folder is taken or cannot be written
   */
  exportCandidate(path: string, options: { out: string }): Promise<ExportedCandidate>;
  /** In plan order. */
  trials(campaign: string, filter?: TrialFilter): Promise<TrialRow[]>;
  /** One trial with runs, steps, votes and attempts. @param path `<campaign>/<task>/<system>/<repeat>`, or a unique prefix of it */
  trial(path: string): Promise<AnsweredTrial>;
  /** Some of its trials in plan order, and how many there are of the kind; quick also where it has 100,000. */
  trialPage(campaign: string, choice: TrialChoice, part: ListPart): Promise<{ trials: TrialRow[]; total: number }>;
  /** Model calls of a trial, or of a generation, with what was asked and answered and what each cost. @param path as of {@link Durabench.trial} */
  calls(path: string, part: ListPart): Promise<{ calls: CallTexts[]; total: number }>;
  /** What the steps of a trial, or of a generation, have left; oldest first. @param path as of {@link Durabench.trial} */
  logs(path: string, options?: LogOptions): AsyncGenerator<LogEntry, void>;
  /** Shared candidates and their making, in plan order. */
  generations(campaign: string): Promise<GenerationRow[]>;
  /** One of them with its steps and attempts. @param path `<campaign>/<system>/<scope>/<repeat>`, or a unique prefix of it */
  generation(path: string): Promise<GenerationDetail>;
  /** The newest first. @param limit how many at most, 100 where it is left out @param tag only those that have it */
  campaigns(limit?: number, tag?: string): Promise<CampaignRow[]>;
  /** The verdicts that its last regrade changed. */
  verdictChanges(campaign: string): Promise<ChangedVerdict[]>;

  /** What runs finishes, what waits goes on waiting. */
  pause(campaign: string, options?: OperatorOptions): Promise<PauseAnswer>;
  /**
   * What runs is stopped, what waits is not run; ended by the records where nobody carries it out.
   * @throws UserError where it takes longer than DURABENCH_CANCEL_SECONDS; what is left ends without us
   */
  cancel(campaign: string, options?: CancelOptions): Promise<CancelAnswer>;
  /** Goes on with what was interrupted, paused, planned or not run. Does not wait for it. */
  resume(campaign: string, options?: RunsOptions): Promise<RunsAnswer>;
  /** Runs trials again; the first graded run is the score. Does not wait for it. @throws UserError while it runs */
  retry(campaign: string, options?: RetryOptions): Promise<RunsAnswer>;
  /** Scores graded trials again from stored evidence, with the current grader. Does not wait for it. @throws UserError while it runs */
  regrade(campaign: string, options?: RegradeOptions): Promise<RunsAnswer>;
  /** Keeps what a person says of a graded trial, beside its verdict. @throws UserError for an unknown status, and a second review by the same person */
  review(path: string, review: { status: string; reason: string; dryRun?: boolean }): Promise<ReviewedTrial>;
  /** Takes an ended campaign out of the record, with its report on this machine. @throws UserError while it is open */
  delete(campaign: string, options?: OperatorOptions): Promise<DeletedCampaign>;
  /** Limits and what is used of them: of a campaign, of the account of a dataset build, or over all campaigns. */
  budget(owner: BudgetOwner): Promise<BudgetReport>;
  /** Changes some of the limits from now on; a campaign that was stopped goes on by {@link Durabench.resume}. */
  changeBudget(owner: BudgetOwner, change: BudgetChange, options?: OperatorOptions): Promise<BudgetReport>;

  /** The plan of a generation that makes one, as far as it has come. @param generation or a campaign that has one such */
  exportGraph(generation: string): Promise<GenerationPlan>;
  /** Has a generation go on with an edited plan, once its campaign is resumed. */
  importGraph(generation: string, file: string, options?: GraphImportOptions): Promise<GraphImport>;

  /** Prepares what is missing on this machine and starts a campaign that grades a repository made elsewhere. Does not wait for it. */
  grade(request: GradeRequest): Promise<StartedCampaign>;
  /** The same for a campaign that measures a suite's graders on labelled candidates. */
  calibrate(suite: string, request?: Partial<CalibrationRequest>): Promise<StartedCampaign>;
  /** The figures of such a campaign, also written beside its report. */
  calibration(campaign: string): Promise<CalibrationFigures>;
  readonly datasets: Datasets;

  /**
   * Removes what nothing refers to: blobs older than a day, what dead workers left, sandbox content that no container
   * holds. @returns what was removed, or, in a dry run, would be
   */
  clean(options?: CleanOptions): Promise<Unused>;
  /** Every benchmark there is, with its generators and projects. */
  suites(): Promise<SuiteSummary[]>;
  /** What a reason, failure class, flag or error code means, once for each source that uses it; all of them where none is named. */
  explain(code?: string): Promise<ExplainedCode[]>;
  /** Ends the connections. Campaigns go on. */
  close(): Promise<void>;
}

/** What a clean is asked with. */
export interface CleanOptions {
  /** Only counts. Default: false. */
  dryRun?: boolean;
  /** Also what other stacks on this machine may use. Default: false. */
  shared?: boolean;
  /** Also the workspaces of trials and generations that have ended. Default: false. */
  workspaces?: boolean;
}

/** The tasks of suites. */
export interface Datasets {
  /** Fetches the locked tasks into the blob store; cheap where they are there. */
  fetch(
    suite: string,
    options?: { projects?: readonly string[]; verify?: boolean; version?: string },
  ): Promise<{ tasks: number; digest: string }>;
  /**
   * Writes the tasks to a folder that is not there yet, fetched first, with the licences of their tests.
   * @throws UserError where the folder is taken
   */
  export(
    suite: string,
    options: { out: string; projects?: readonly string[]; version?: string },
  ): Promise<{ tasks: number; digest: string; files: number; folder: string }>;
  /**
   * Has the tasks made anew, or described by a model, and writes their lock; or finds the build that runs. Null where the
   * signal left it to itself.
   */
  build(suite: string, options?: BuildOptions): Promise<BuiltDataset | null>;
  /** Ends the build that runs. @returns whether one did */
  cancel(suite: string, options?: Pick<BuildOptions, 'descriptions'>): Promise<boolean>;
  /**
   * Reads the benchmark as others published it, has its files downloaded and pinned, and says which tasks can be run here.
   * `projects`: as its publishers call them, all where they are left out; `dryRun`: asks no server.
   * @throws UserError where nobody else published it
   */
  published(
    suite: string,
    options: { folder: string; projects?: readonly string[]; dryRun?: boolean },
  ): Promise<LoadedSet>;
  /** What models that described its tasks have cost, newest first. */
  costs(suite: string): Promise<BuildCosts[]>;
}

/** What a build is asked with. */
export interface BuildOptions {
  /** All where they are left out. */
  projects?: readonly string[];
  /** Whether all tasks are drawn anew; else those that are locked keep their place. Default: false. */
  newSample?: boolean;
  /** The model that describes the locked tasks, as another version. */
  descriptions?: MadeModel;
  /** Leaves the build to itself. */
  signal?: AbortSignal;
  onProgress?: (projects: readonly ProjectProgress[]) => void;
}
