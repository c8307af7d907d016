import { z } from 'zod';
import type { Semantics } from '../../model/model.js';
import { isJob, isStep } from '../../model/selector.js';
import { selectorSchema, type Selector } from '../../model/selector-fields.js';
import { firing } from '../../simulation/fires.js';
import { probeSchema, probeText, type Probe } from '../../simulation/probe.js';
import {
  allJobResults,
  allStepResults,
  type JobResult,
  type Result,
  type RunResult,
} from '../../simulation/run-result.js';
import { scenarioSchema, type Scenario } from '../../simulation/scenario.js';
import { simulate } from '../../simulation/simulate.js';
import type { Finding } from './detector.js';

/** Runs of every workflow that the event starts. */
export function runsOf(semantics: Semantics, scenario: Scenario): RunResult[] {
  return firing(semantics, scenario.on).map((workflow) => simulate(semantics, workflow, scenario));
}

export function jobResults(semantics: Semantics, selector: Selector, scenario: Scenario): JobResult[] {
  const all = runsOf(semantics, scenario).flatMap(allJobResults);
  return all.filter(({ job }) => isJob(semantics, job, selector));
}

/** How the steps of a role ended; nothing for those in jobs that did not run. */
function stepOutcomes(semantics: Semantics, selector: Selector, scenario: Scenario): Result[] {
  const all = runsOf(semantics, scenario).flatMap(allJobResults).flatMap(allStepResults);
  return all.filter(({ step }) => isStep(semantics, step, selector)).map(({ outcome }) => outcome);
}

/** Whether a step of the role runs; for a role that is no step, whether such a job does. */
export function ran(semantics: Semantics, selector: Selector, scenario: Scenario): boolean {
  const outcomes = stepOutcomes(semantics, selector, scenario);
  if (outcomes.some((outcome) => outcome !== 'skipped')) return true;
  if (isAboutSteps(semantics, selector)) return false;
  return jobResults(semantics, selector, scenario).some(({ result }) => result !== 'skipped');
}

function isAboutSteps({ facts }: Semantics, selector: Selector): boolean {
  const fields = typeof selector === 'string' ? facts.roles[selector] : selector;
  return (fields?.runs ?? fields?.uses ?? fields?.with) !== undefined;
}

/** One line of a truth table. */
export const rowSchema = z.strictObject({
  ...scenarioSchema.shape,
  /** The role this is about, where the table does not say. */
  target: selectorSchema.optional(),
  runs: z.boolean(),
});

export type Row = z.infer<typeof rowSchema>;

export function tableProblems(semantics: Semantics, rows: Row[], target?: Selector): Finding[] {
  return rows.flatMap(({ runs, target: own, ...scenario }) => {
    const asked = own ?? target;
    if (asked === undefined || ran(semantics, asked, scenario) === runs) return [];
    return [{ message: `${selectorText(asked)} ${runs ? 'does not run' : 'runs'} on ${scenarioText(scenario)}` }];
  });
}

/** Events that start a run, and events that do not. */
export const probesShape = { fires: z.array(probeSchema).default([]), silent: z.array(probeSchema).default([]) };

export function firesProblems(semantics: Semantics, fires: Probe[], silent: Probe[]): Finding[] {
  const starts = (probe: Probe): boolean => firing(semantics, probe).length > 0;
  const missing = fires.filter((probe) => !starts(probe)).map((probe) => `nothing runs on ${probeText(probe)}`);
  const extra = silent.filter(starts).map((probe) => `a workflow runs on ${probeText(probe)}`);
  return [...missing, ...extra].map((message) => ({ message }));
}

export function selectorText(selector: Selector): string {
  if (typeof selector === 'string') return selector;
  const fields = Object.entries(selector).map(
    ([key, value]) => `${key} ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return `what ${fields.join(' and ')}`;
}

export function scenarioText({ on, fails, cancelledAt }: Scenario): string {
  const failing = fails?.length ? ' when something before it fails' : '';
  return `${probeText(on)}${failing}${cancelledAt === undefined ? '' : ' when the run is cancelled'}`;
}

export const PUSH: Probe = { event: 'push', branch: 'main' };
