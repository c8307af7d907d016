/**
 * Durabench as a library: `import { connect } from 'durabench'`. Everything returns data, tells what goes on through
 * `onEvent`, and throws {@link UserError}; nothing prints.
 */
import '../domain/needs-node.js';
export { connect, type ConnectOptions } from './connect.js';
export type { ContextOptions } from './open-context.js';
export { openMachine, type Machine } from './machine/open-machine.js';
export type { Finding } from './machine/finding.js';
export type { SandboxChecks } from './machine/sandbox-checks.js';
export type { ImageState } from './machine/open-images.js';
export type { Unused } from './machine/clean.js';
export type { BuildOptions, CleanOptions, Datasets, Durabench } from './durabench.js';
export type { ClientEvent } from './context.js';
export { UserError, type UserErrorKind } from '../domain/failure/user-error.js';
export type { Problem } from '../contract/problem.js';

export type { ValidCampaign } from './plans/validate-campaign.js';
export type { PlannedCampaign, PlanOptions } from './plans/plan-campaign.js';
export type { StartedCampaign, StartState } from './campaigns/start-campaign.js';
export type { LockChange, RevisedTrials, Revision } from '../contract/revision.js';

export type { CampaignStatus } from '../contract/campaign.js';
export type { StatusReport, SystemStatus, TrialCounts } from '../contract/status.js';
export type { CampaignStanding } from './inspect/campaign-state.js';
export type { RunningGeneration, UnderWay } from './inspect/under-way.js';
export type { GenerationStatus } from './inspect/generation-status.js';
export type { FullReport } from '../report/full-report.js';
export type { WrittenReport } from '../report/report-subject.js';
export type { CampaignRow, GenerationRow, TrialRow, TrialTally } from '../ports/records.js';
export type { AnsweredTrial, TrialDetail } from './inspect/trial-detail.js';
export type { TrialFilter } from './inspect/trial-filter.js';
export type { TrialChoice } from '../ports/records.js';
export type { CallRow, SendRow } from '../ports/records.js';
export type { CallTexts, SaidPart } from './view/call-texts.js';
export type { TextHead } from './view/text-head.js';
export type { ListPart } from './view/view-source.js';
export type { LogEntry, LogOptions } from './inspect/trial-logs.js';
export type { GenerationDetail } from './inspect/generation-detail.js';
export type { ExportedCandidate } from './results/export-candidate.js';
export type { ExportedFile } from './results/write-whole.js';
export type { Comparison } from './results/compare-systems.js';
export type {
  CheckedTask,
  GoldenCheck,
  GoldenOutcome,
  GoldenSet,
  GoldenTask,
  QuarantinedTask,
} from '../report/results/golden.js';
export type { ComparedPair, ComparedSystem, Flip, TaskResult } from '../report/results/comparison.js';
export type { Figure, IntervalMethod } from '../domain/statistics/figure.js';
export type { ChangedVerdict } from '../report/later-runs.js';

export type { OperatorOptions } from './control/operator-options.js';
export type { PauseAnswer } from './control/pause-campaign.js';
export type { StopEffect } from './control/stop-effect.js';
export type { CancelAnswer, CancelOptions } from './control/cancel-campaign.js';
export type { Background } from './control/background.js';
export type { RunsAnswer, RunsOptions } from './control/plan-runs.js';
export type { ForecastRun } from './control/run-forecast.js';
export type { RetriedTrials, RetryOptions } from './control/retry-trials.js';
export type { RegradeOptions } from './control/regrade-trials.js';
export type { PlannedRun } from '../ports/records.js';
export type { ReviewedTrial } from './control/review-trial.js';
export type { TrialReview } from '../contract/verdict.js';
export type { DeletedCampaign } from './control/delete-campaign.js';
export type { BudgetChange, BudgetOwner } from './control/budget-limits.js';
export type { BudgetLimits, BudgetReport, BudgetSubject } from './control/change-budget.js';
export type { GenerationPlan, GraphImport, GraphImportOptions } from './control/generation-graph.js';

export type { GradeRequest } from './datasets/grading-campaign.js';
export type { CalibrationRequest } from './datasets/calibration-campaign.js';
export type { CalibrationFigures } from './datasets/calibration-figures.js';
export type { MadeModel } from './plans/made-campaign.js';
export type { BuildCosts } from './datasets/build-costs.js';
export type { BuiltDataset } from './datasets/hand-over-build.js';
export type { BuildAccountRow } from '../ports/build-accounts.js';
export type { SuiteSummary } from './inspect/suite-list.js';
export type { ExplainedCode } from './explain.js';
