import { NoValue, type Surroundings } from '../expressions/evaluate.js';
import { ancestorsOf, calledWorkflow } from '../model/lookup.js';
import type { Job, Semantics, Workflow } from '../model/model.js';
import { environmentName } from '../model/selector.js';
import { child, entriesOf, textOf } from '../nodes/node.js';
import { everyRun, type Choices } from './choices.js';
import { eventContexts } from './event-context.js';
import { fires } from './fires.js';
import { filled, filledText, legsOf, type Leg } from './legs.js';
import { repositoryHash } from './repository-hash.js';
import type { JobResult, LegResult, Result, RunResult } from './run-result.js';
import type { Scenario } from './scenario.js';
import { runSteps } from './run-steps.js';
import { environment, flag, holds, stepContexts, type Json, type Run } from './run.js';
import { secretsOf } from './secrets.js';

/** Steps of one run, those of called workflows included. */
const MOST_STEPS = 5_000;
const DEEPEST_CALL = 10;

class TooLarge extends Error {}

const known = new WeakMap<Workflow, Map<string, RunResult[]>>();

/**
 * What GitHub would do with a workflow: which jobs, legs and steps run, and how each ends. Nothing is executed: steps succeed
 * but for those the scenario names. Equal questions are answered once. Never throws.
 */
export function simulate(semantics: Semantics, workflow: Workflow, scenario: Scenario): RunResult {
  return simulateAll(semantics, workflow, scenario)[0] ?? nothing('no run');
}

/** One run for every way in which outputs that only an execution shows may turn out, as far as conditions ask for them. */
export function simulateAll(semantics: Semantics, workflow: Workflow, scenario: Scenario): RunResult[] {
  const answers = known.get(workflow) ?? new Map<string, RunResult[]>();
  known.set(workflow, answers);
  const key = JSON.stringify(scenario);
  const answer = answers.get(key) ?? everyRun((choices) => oneRun(semantics, workflow, scenario, choices), stepsOf);
  answers.set(key, answer);
  return answer;
}

const stepsOf = ({ jobs }: RunResult): number =>
  jobs.flatMap(({ legs }) => legs).reduce((sum, { steps }) => sum + steps.length, 0);

function oneRun(semantics: Semantics, workflow: Workflow, scenario: Scenario, choices: Choices): RunResult {
  const { fires: fired, because } = fires(workflow, scenario.on, semantics);
  if (!fired) return { ...nothing(because), fired: false };
  const contexts = eventContexts(workflow, scenario.on, semantics);
  const secrets = secretsOf(semantics, scenario);
  const budget = { steps: MOST_STEPS, cancelled: false };
  try {
    return runWorkflow({ semantics, workflow, scenario, ...contexts, secrets, budget, choices, level: 0 });
  } catch (error) {
    return nothing(error instanceof Error ? error.message : String(error));
  }
}

function nothing(problem: string | undefined): RunResult {
  return { fired: true, jobs: [], conclusion: 'failure', outputs: {}, ...(problem === undefined ? {} : { problem }) };
}

function runWorkflow(run: Run): RunResult {
  const results = new Map<string, JobResult>();
  const waiting = [...run.workflow.jobs];
  while (waiting.length > 0) {
    const ready = waiting.filter((job) => job.needs.every(({ text }) => results.has(text)));
    if (ready.length === 0) return nothing('needs form a cycle or name no job');
    for (const job of ready) {
      results.set(job.id, runJob(run, job, results));
      waiting.splice(waiting.indexOf(job), 1);
    }
  }
  const jobs = [...results.values()];
  return {
    fired: true,
    jobs,
    conclusion: conclusionOf(jobs.map(({ result }) => result)),
    outputs: workflowOutputs(run, jobs),
  };
}

function conclusionOf(results: Result[]): Result {
  if (results.includes('failure')) return 'failure';
  if (results.includes('cancelled')) return 'cancelled';
  return results.length > 0 && results.every((result) => result === 'skipped') ? 'skipped' : 'success';
}

function runJob(run: Run, job: Job, results: Map<string, JobResult>): JobResult {
  const before = [...ancestorsOf(job)].flatMap((id) => results.get(id)?.result ?? []);
  const needs = Object.fromEntries(job.needs.map(({ text }) => [text, needOf(results.get(text))]));
  const surroundings: Surroundings = {
    contexts: { github: run.github, inputs: run.inputs, needs, vars: run.scenario.vars ?? {} },
    status: {
      success: !run.budget.cancelled && before.every((result) => result === 'success'),
      failure: before.includes('failure'),
      cancelled: run.budget.cancelled,
    },
  };
  const ended = (result: Result, problem?: string): JobResult => {
    return { job, result, legs: [], outputs: {}, ...(problem === undefined ? {} : { problem }) };
  };
  try {
    if (!holds(job.if, surroundings)) return ended('skipped');
    const { legs, problem } = legsOf(job, surroundings);
    if (problem !== undefined) return ended('failure', problem);
    const result = job.uses ? call(run, job, legs, surroundings) : runLegs(run, job, legs, surroundings);
    return { ...result, ...environmentOf(job, legs, surroundings) };
  } catch (error) {
    if (error instanceof NoValue) return ended('failure', error.message);
    throw error;
  }
}

function environmentOf(job: Job, [matrix = {}]: Leg[], surroundings: Surroundings): Pick<JobResult, 'environment'> {
  const name = environmentName(job);
  if (name === undefined) return {};
  return { environment: filledText(name, { ...surroundings, contexts: { ...surroundings.contexts, matrix } }) };
}

function needOf(result: JobResult | undefined): Json {
  return { result: result?.result ?? 'skipped', outputs: result?.outputs ?? {} };
}

function runLegs(run: Run, job: Job, legs: Leg[], surroundings: Surroundings): JobResult {
  const failFast = flag(child(job.node, 'strategy', 'fail-fast'), surroundings, true);
  const results: LegResult[] = legs.map((leg) => {
    run.budget.steps -= Math.max(1, job.steps.length);
    if (run.budget.steps < 0) throw new TooLarge(`more than ${MOST_STEPS} steps`);
    const within = inLeg(run, job, leg, legs.length, surroundings, failFast);
    const steps = runSteps(run, job, job.steps, within);
    const result = legResult(
      run,
      job,
      steps.map(({ conclusion }) => conclusion),
      within,
    );
    return { leg, steps, result };
  });
  if (failFast && results.some(({ result }) => result === 'failure')) cancelOthers(results);
  const result = jobResult(results);
  return { job, result, legs: results, outputs: jobOutputs(run, job, results, surroundings) };
}

function inLeg(
  run: Run,
  job: Job,
  leg: Leg,
  legs: number,
  surroundings: Surroundings,
  failFast: boolean,
): Surroundings {
  const strategy = { 'fail-fast': failFast, 'job-index': 0, 'job-total': legs, 'max-parallel': legs };
  const base: Surroundings = {
    ...surroundings,
    contexts: { ...surroundings.contexts, matrix: leg, strategy, secrets: run.secrets, runner: { os: osOf(job, leg) } },
    hashFiles: repositoryHash(run.semantics),
  };
  const env = environment(child(run.workflow.root, 'env'), base, {});
  return { ...base, contexts: { ...base.contexts, env: environment(child(job.node, 'env'), base, env) } };
}

function osOf(job: Job, leg: Leg): string {
  const label = `${textOf(child(job.node, 'runs-on')) ?? ''} ${Object.values(leg).join(' ')}`;
  return /windows/i.test(label) ? 'Windows' : /macos/i.test(label) ? 'macOS' : 'Linux';
}

function legResult(run: Run, job: Job, conclusions: Result[], surroundings: Surroundings): Result {
  if (conclusions.includes('cancelled')) return 'cancelled';
  if (!conclusions.includes('failure')) return 'success';
  return flag(child(job.node, 'continue-on-error'), surroundings, false) ? 'success' : 'failure';
}

function cancelOthers(results: LegResult[]): void {
  for (const leg of results) {
    if (leg.result === 'success' && !leg.steps.some(({ outcome }) => outcome === 'failure')) leg.result = 'cancelled';
  }
}

function jobResult(legs: LegResult[]): Result {
  return conclusionOf(legs.map(({ result }) => result));
}

/** Of several legs the last that says something counts. */
function jobOutputs(run: Run, job: Job, legs: LegResult[], surroundings: Surroundings): Record<string, string> {
  const outputs: Record<string, string> = {};
  for (const { leg, steps } of legs) {
    const contexts = {
      ...surroundings.contexts,
      matrix: leg,
      secrets: run.secrets,
      env: steps.at(-1)?.env ?? {},
      steps: stepContexts(steps),
    };
    for (const { key, value } of entriesOf(child(job.node, 'outputs'))) {
      const text = value.kind === 'scalar' ? filledText(value.text, { ...surroundings, contexts }) : '';
      outputs[key] = text === '' ? (outputs[key] ?? '') : text;
    }
  }
  return outputs;
}

function call(run: Run, job: Job, legs: Leg[], surroundings: Surroundings): JobResult {
  const callee = calledWorkflow(run.semantics, job.uses);
  // What stands in another repository is taken to succeed.
  if (!callee)
    return { job, result: 'success', legs: legs.map((leg) => ({ leg, result: 'success', steps: [] })), outputs: {} };
  if (run.level >= DEEPEST_CALL) throw new TooLarge(`workflows call each other more than ${DEEPEST_CALL} levels deep`);
  const runs = legs.map((leg) => {
    run.budget.steps -= 1;
    if (run.budget.steps < 0) throw new TooLarge(`more than ${MOST_STEPS} steps`);
    return runWorkflow(
      calledRun(run, job, callee, { ...surroundings, contexts: { ...surroundings.contexts, matrix: leg } }),
    );
  });
  const results = legs.map((leg, index) => ({ leg, result: runs[index]?.conclusion ?? 'failure', steps: [] }));
  const last = runs.at(-1);
  const called = last && { ...last, jobs: runs.flatMap(({ jobs }) => jobs) };
  const problem = runs.find((each) => each.problem !== undefined)?.problem;
  return {
    job,
    result: jobResult(results),
    legs: results,
    outputs: last?.outputs ?? {},
    ...(called ? { called } : {}),
    ...(problem === undefined ? {} : { problem }),
  };
}

function calledRun(run: Run, job: Job, callee: Workflow, surroundings: Surroundings): Run {
  const declared = callee.events.find(({ name }) => name === 'workflow_call')?.node;
  const inputs: Json = {};
  for (const { key, value } of entriesOf(child(declared, 'inputs'))) {
    const given = child(job.node, 'with', key) ?? child(value, 'default');
    inputs[key] = given ? filled(given, surroundings) : textOf(child(value, 'type')) === 'boolean' ? false : '';
  }
  const passed = child(job.node, 'secrets');
  const within = { ...surroundings, contexts: { ...surroundings.contexts, secrets: run.secrets } };
  const secrets =
    textOf(passed) === 'inherit'
      ? run.secrets
      : Object.fromEntries(entriesOf(passed).map(({ key, value }) => [key, String(filled(value, within))]));
  return { ...run, workflow: callee, inputs, secrets, level: run.level + 1 };
}

function workflowOutputs(run: Run, jobs: JobResult[]): Record<string, string> {
  const node = run.workflow.events.find(({ name }) => name === 'workflow_call')?.node;
  const context = Object.fromEntries(jobs.map(({ job, result, outputs }) => [job.id, { result, outputs }]));
  const contexts = { github: run.github, inputs: run.inputs, jobs: context };
  const outputs: Record<string, string> = {};
  for (const { key, value } of entriesOf(child(node, 'outputs'))) {
    outputs[key] = filledText(textOf(child(value, 'value')) ?? '', { contexts });
  }
  return outputs;
}
