import { z } from 'zod';
import type { Semantics } from '../../model/model.js';
import { isJob, isStep, scriptsOf } from '../../model/selector.js';
import { selectorSchema, type Selector } from '../../model/selector-fields.js';
import { unconditionalText } from '../../model/shell-text.js';
import { firing } from '../../simulation/fires.js';
import { probeSchema, probeText, type Probe } from '../../simulation/probe.js';
import {
  allJobResults,
  allStepResults,
  type JobResult,
  type RunResult,
  type StepResult,
} from '../../simulation/run-result.js';
import { scenarioSchema, type Scenario } from '../../simulation/scenario.js';
import { simulate, simulateAll } from '../../simulation/simulate.js';
import type { Finding } from './detector.js';

/** Runs of every workflow that the event starts. */
export function runsOf(semantics: Semantics, scenario: Scenario): RunResult[] {
  return firing(semantics, scenario.on).map((workflow) => simulate(semantics, workflow, scenario));
}

export function jobResults(semantics: Semantics, selector: Selector, scenario: Scenario): JobResult[] {
  return jobsIn(semantics, selector, runsOf(semantics, scenario));
}

function jobsIn(semantics: Semantics, selector: Selector, runs: RunResult[]): JobResult[] {
  const { environment } = (typeof selector === 'string' ? semantics.facts.roles[selector] : selector) ?? {};
  return runs.flatMap(allJobResults).filter((result) => {
    if (!isJob(semantics, result.job, selector)) return false;
    if (environment !== undefined && result.environment !== undefined) return result.environment === environment;
    const steps = allStepResults(result).filter(({ forms }) => forms.length > 0);
    if (steps.length === 0 || !isAboutSteps(semantics, selector)) return true;
    return allStepResults(result).some((each) => isStep(semantics, each.step, selector, formsOf(semantics, each)));
  });
}

/** Of a step that was skipped all that it may be. */
function formsOf(semantics: Semantics, { step, forms, outcome }: StepResult): string[] {
  return outcome === 'skipped' ? scriptsOf(semantics, step) : forms;
}

/** Whether something runs: only an execution shows it where a script decides, or an output that a program makes. */
type Running = 'always' | 'never' | 'perhaps';

/** Whether a step of the role runs; for a role that is no step, whether such a job does. */
function running(semantics: Semantics, selector: Selector, scenario: Scenario): Running {
  const found = firing(semantics, scenario.on).map((workflow) => {
    return together(simulateAll(semantics, workflow, scenario).map((run) => inRun(semantics, selector, scenario, run)));
  });
  if (found.includes('always')) return 'always';
  return found.includes('perhaps') ? 'perhaps' : 'never';
}

function together(found: Running[]): Running {
  const [first = 'never'] = found;
  return found.every((each) => each === first) ? first : 'perhaps';
}

function inRun(semantics: Semantics, selector: Selector, scenario: Scenario, run: RunResult): Running {
  const steps = allJobResults(run).flatMap(allStepResults);
  const own = steps.filter(
    (each) => each.outcome !== 'skipped' && isStep(semantics, each.step, selector, formsOf(semantics, each)),
  );
  if (own.length > 0) return own.some((each) => surely(semantics, selector, scenario, each)) ? 'always' : 'perhaps';
  if (isAboutSteps(semantics, selector)) return 'never';
  return jobsIn(semantics, selector, [run]).some(({ result }) => result !== 'skipped') ? 'always' : 'never';
}

/** Its script neither decides itself nor has something before it that fails. */
function surely(semantics: Semantics, selector: Selector, { fails }: Scenario, { step, forms }: StepResult): boolean {
  if (!step.run) return true;
  if (!isStep(semantics, step, selector, forms.map(unconditionalText))) return false;
  const failing = (fails ?? []).map((rule) => (typeof rule === 'object' && 'step' in rule ? rule.step : rule));
  return !failing.some((rule) => rule !== selector && isStep(semantics, step, rule, forms));
}

/** An execution may show it. */
export function mayRun(semantics: Semantics, selector: Selector, scenario: Scenario): boolean {
  return running(semantics, selector, scenario) !== 'never';
}

/** Whatever a script finds. */
export function surelyRuns(semantics: Semantics, selector: Selector, scenario: Scenario): boolean {
  return running(semantics, selector, scenario) === 'always';
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
    if (asked === undefined) return [];
    const isWrong = runs ? !mayRun(semantics, asked, scenario) : surelyRuns(semantics, asked, scenario);
    if (!isWrong) return [];
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
