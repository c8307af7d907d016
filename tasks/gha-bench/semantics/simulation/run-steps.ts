import { NoValue, type Surroundings } from '../expressions/evaluate.js';
import { expressionsOf } from '../expressions/template.js';
import { localAction, scriptsRun } from '../model/lookup.js';
import type { Action, Job, Step } from '../model/model.js';
import { runWrites, type RunWrite } from '../model/run-writes.js';
import { isJob, isStep } from '../model/selector.js';
import type { Selector } from '../model/selector-fields.js';
import { allScalars, child, entriesOf, textOf } from '../nodes/node.js';
import { actionNames } from '../model/uses.js';
import { filledText, sameValue } from './legs.js';
import { pathsFilterOutputs } from './paths-filter.js';
import type { Result, StepResult } from './run-result.js';
import { environment, flag, holds, stepContexts, type Run } from './run.js';

const DEEPEST_ACTION = 10;

/** Where the steps of a leg or of a composite action have come to. */
interface State {
  failed: boolean;
  /** What earlier steps wrote to GITHUB_ENV. */
  written: Record<string, string>;
  done: StepResult[];
}

/** The steps of one leg, in their order. */
export function runSteps(run: Run, job: Job, steps: Step[], surroundings: Surroundings, level = 0): StepResult[] {
  const state: State = { failed: false, written: {}, done: [] };
  for (const step of steps) {
    const result = runStep(run, job, step, within(run, surroundings, state), state, level);
    state.done.push(result);
    if (result.conclusion === 'failure') state.failed = true;
  }
  return state.done;
}

function within(run: Run, surroundings: Surroundings, state: State): Surroundings {
  const { failed, done, written } = state;
  const env = { ...(surroundings.contexts['env'] as Record<string, string>), ...written };
  const status = { success: !failed && !run.budget.cancelled, failure: failed, cancelled: run.budget.cancelled };
  const job = { status: failed ? 'failure' : run.budget.cancelled ? 'cancelled' : 'success' };
  return { ...surroundings, status, contexts: { ...surroundings.contexts, env, job, steps: stepContexts(done) } };
}

function runStep(run: Run, job: Job, step: Step, before: Surroundings, state: State, level: number): StepResult {
  const ended = (outcome: Result, more: Partial<StepResult> = {}): StepResult => {
    return { step, outcome, conclusion: outcome, outputs: {}, env: {}, inner: [], ...more };
  };
  try {
    const env = environment(child(step.node, 'env'), before, before.contexts['env'] as Record<string, string>);
    const here = { ...before, contexts: { ...before.contexts, env } };
    if (!holds(step.if, here)) return ended('skipped');
    if (isCancelledAt(run, job, step)) {
      run.budget.cancelled = true;
      return ended('cancelled', { env });
    }
    const inner = innerSteps(run, job, step, here, level);
    const failed = fails(run, step, here) || inner.some(({ conclusion }) => conclusion === 'failure');
    const outcome = failed
      ? 'failure'
      : inner.some(({ conclusion }) => conclusion === 'cancelled')
        ? 'cancelled'
        : 'success';
    const writes = scriptWrites(run, step, here);
    if (outcome === 'success') Object.assign(state.written, written(writes, 'env', env));
    const outputs = {
      ...(writes.some(isAnyOutput) ? readOutputs(run, step) : {}),
      ...written(writes, 'output', env),
      ...actionOutputs(run, step, here, inner),
      ...assumed(run, step),
    };
    const forgiven = failed && flag(child(step.node, 'continue-on-error'), here, false);
    return ended(outcome, { conclusion: forgiven ? 'success' : outcome, outputs, env, inner });
  } catch (error) {
    if (error instanceof NoValue) return ended('failure');
    throw error;
  }
}

function isCancelledAt(run: Run, job: Job, step: Step): boolean {
  const { cancelledAt } = run.scenario;
  if (cancelledAt === undefined || run.budget.cancelled) return false;
  if (isStep(run.semantics, step, cancelledAt)) return true;
  // A role of a job is about its first step.
  return step === job.steps[0] && selectsNoStep(run, cancelledAt) && isJob(run.semantics, job, cancelledAt);
}

function selectsNoStep({ semantics }: Run, selector: Selector): boolean {
  const steps = semantics.workflows.flatMap(({ jobs }) => jobs.flatMap((job) => job.steps));
  return !steps.some((step) => isStep(semantics, step, selector));
}

function fails(run: Run, step: Step, { contexts }: Surroundings): boolean {
  const leg = contexts['matrix'] as Record<string, unknown>;
  return (run.scenario.fails ?? []).some((rule) => {
    const about = typeof rule === 'object' && 'step' in rule ? rule : { step: rule };
    const values = 'leg' in about ? Object.entries(about.leg ?? {}) : [];
    return isStep(run.semantics, step, about.step) && values.every(([key, value]) => sameValue(leg[key], value));
  });
}

function innerSteps(run: Run, job: Job, step: Step, here: Surroundings, level: number): StepResult[] {
  const action = localAction(run.semantics, step.uses);
  if (!action) return [];
  if (level >= DEEPEST_ACTION) throw new NoValue(`actions use each other more than ${DEEPEST_ACTION} levels deep`);
  run.budget.steps -= action.steps.length;
  if (run.budget.steps < 0) throw new Error('too many steps of composite actions');
  const contexts = { ...here.contexts, inputs: actionInputs(action, step, here), secrets: {} };
  return runSteps(run, job, action.steps, { ...here, contexts }, level + 1);
}

function actionInputs(action: Action, step: Step, here: Surroundings): Record<string, string> {
  const inputs: Record<string, string> = {};
  for (const { key, value } of entriesOf(child(action.root, 'inputs'))) {
    inputs[key] = filledText(textOf(child(step.node, 'with', key)) ?? textOf(child(value, 'default')) ?? '', here);
  }
  return inputs;
}

/** Of a composite action what it hands on; of an action from elsewhere, something for every output that is read. */
function actionOutputs(run: Run, step: Step, here: Surroundings, inner: StepResult[]): Record<string, string> {
  const action = localAction(run.semantics, step.uses);
  if (!action) return step.uses ? { ...readOutputs(run, step), ...filterOutputs(run, step) } : {};
  const contexts = { ...here.contexts, inputs: actionInputs(action, step, here), steps: stepContexts(inner) };
  const outputs: Record<string, string> = {};
  for (const { key, value } of entriesOf(child(action.root, 'outputs'))) {
    outputs[key] = filledText(textOf(child(value, 'value')) ?? '', { ...here, contexts });
  }
  return outputs;
}

function filterOutputs({ scenario }: Run, step: Step): Record<string, string> {
  const filters = textOf(child(step.node, 'with', 'filters'));
  const known = filters !== undefined && scenario.on.files && actionNames(step.uses).includes('dorny/paths-filter');
  return known ? pathsFilterOutputs(filters, scenario.on.files ?? []) : {};
}

const reads = new WeakMap<object, string[][]>();

function readOutputs(run: Run, step: Step): Record<string, string> {
  const paths = reads.get(run.workflow) ?? allScalars(run.workflow.root).flatMap((scalar) => pathsIn(scalar));
  reads.set(run.workflow, paths);
  const own = paths.filter(
    ([context, id, kind, name]) => context === 'steps' && id === step.id && kind === 'outputs' && name,
  );
  return Object.fromEntries(own.map(([, , , name = '']) => [name, unknownValue(name)]));
}

function pathsIn(scalar: Parameters<typeof expressionsOf>[0]): string[][] {
  return expressionsOf(scalar).flatMap(({ paths }) => paths);
}

function assumed(run: Run, step: Step): Record<string, string> {
  const rules = (run.scenario.outputs ?? []).filter(({ of }) => isStep(run.semantics, step, of));
  return Object.assign({}, ...rules.map(({ values }) => values)) as Record<string, string>;
}

/** Of the step's script and, where it runs a script of the repository, of that one too. */
function scriptWrites(run: Run, step: Step, here: Surroundings): RunWrite[] {
  const script = step.run ? filledText(step.run.text, here) : (textOf(child(step.node, 'with', 'script')) ?? '');
  return [script, ...scriptsRun(run.semantics, script)].flatMap(runWrites);
}

/** Its name is computed: something for every output that is read. */
const isAnyOutput = ({ channel, name, deprecated }: RunWrite): boolean =>
  channel === 'output' && name === '' && !deprecated;

function written(
  writes: RunWrite[],
  channel: RunWrite['channel'],
  env: Record<string, string>,
): Record<string, string> {
  const values: Record<string, string> = {};
  for (const { name, value, channel: own, deprecated } of writes) {
    const obeyed = own === channel && name !== '' && !(deprecated && channel === 'env');
    if (!obeyed) continue;
    const known = expanded(value ?? '$', env);
    // Written twice: a branch of the script decides.
    const ambiguous = name in values && values[name] !== known;
    values[name] = ambiguous || /[$`]/.test(known) ? unknownValue(name) : known;
  }
  return values;
}

function expanded(value: string, env: Record<string, string>): string {
  return value.replace(/\$\{?([A-Za-z_]\w*)\}?/g, (whole, name: string) => env[name] ?? whole);
}

function unknownValue(name: string): string {
  return `<${name}>`;
}
