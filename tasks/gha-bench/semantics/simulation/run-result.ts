import type { Job, Step } from '../model/model.js';
import type { Leg } from './legs.js';

export type Result = 'success' | 'failure' | 'cancelled' | 'skipped';

export interface StepResult {
  step: Step;
  /** Before `continue-on-error`. */
  outcome: Result;
  conclusion: Result;
  outputs: Record<string, string>;
  /** Variables the step sees, as far as they are known. */
  env: Record<string, string>;
  /** Forms of its script, as far as the run knows it. */
  forms: string[];
  /** Of a composite action. */
  inner: StepResult[];
}

export interface LegResult {
  leg: Leg;
  result: Result;
  steps: StepResult[];
}

export interface JobResult {
  job: Job;
  /** As `needs` sees it: a job that may fail has succeeded. */
  result: Result;
  legs: LegResult[];
  outputs: Record<string, string>;
  /** Name of its environment; of a job with a matrix that of the first leg. */
  environment?: string;
  /** Of a reusable workflow. */
  called?: RunResult;
  /** What GitHub would stop at: a matrix that is empty, an expression without a value. */
  problem?: string;
}

export interface RunResult {
  fired: boolean;
  jobs: JobResult[];
  conclusion: Result;
  outputs: Record<string, string>;
  problem?: string;
}

/** Of the run and of the workflows it calls. */
export function allJobResults(run: RunResult): JobResult[] {
  return run.jobs.flatMap((job) => [job, ...(job.called ? allJobResults(job.called) : [])]);
}

export function allStepResults(job: JobResult): StepResult[] {
  const deep = (results: StepResult[]): StepResult[] => results.flatMap((result) => [result, ...deep(result.inner)]);
  return job.legs.flatMap(({ steps }) => deep(steps));
}
