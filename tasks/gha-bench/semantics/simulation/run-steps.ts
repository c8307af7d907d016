import { NoValue, type Surroundings } from '../expressions/evaluate.js';
import { conditionOf, expressionsOf } from '../expressions/template.js';
import { localAction, scriptOf, scriptsRun } from '../model/lookup.js';
import type { Action, Job, Step } from '../model/model.js';
import { runWrites, type RunWrite } from '../model/run-writes.js';
import { isJob, isStep } from '../model/selector.js';
import { conditionalLines, endsBadly, scriptForms } from '../model/shell-text.js';
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
    return { step, outcome, conclusion: outcome, outputs: {}, env: {}, forms: [], inner: [], ...more };
  };
  try {
    const env = environment(child(step.node, 'env'), before, before.contexts['env'] as Record<string, string>);
    const here = { ...before, contexts: { ...before.contexts, env } };
    if (!holds(step.if, here)) return ended('skipped');
    const script = scriptOf(step);
    const forms = script === undefined ? [] : scriptForms(filledText(script, here), env);
    if (isCancelledAt(run, job, step, forms)) {
      run.budget.cancelled = true;
      return ended('cancelled', { env, forms });
    }
    const inner = innerSteps(run, job, step, here, level);
    const failed =
      endsBadly(script ?? '') ||
      fails(run, step, here, forms) ||
      inner.some(({ conclusion }) => conclusion === 'failure');
    const outcome = failed
      ? 'failure'
      : inner.some(({ conclusion }) => conclusion === 'cancelled')
        ? 'cancelled'
        : 'success';
    const writes = scriptWrites(run, step, here);
    const choose = chooser(run, job, step, here);
    if (outcome === 'success') Object.assign(state.written, written(writes, 'env', env, choose));
    const outputs = {
      ...(writes.some(isAnyOutput) ? readOutputs(run, step) : {}),
      ...written(writes, 'output', env, choose),
      ...actionOutputs(run, step, here, inner),
      ...assumed(run, step, forms),
    };
    const forgiven = failed && flag(child(step.node, 'continue-on-error'), here, false);
    return ended(outcome, { conclusion: forgiven ? 'success' : outcome, outputs, env, forms, inner });
  } catch (error) {
    if (error instanceof NoValue) return ended('failure');
    throw error;
  }
}

function isCancelledAt(run: Run, job: Job, step: Step, forms: string[]): boolean {
  const { cancelledAt } = run.scenario;
  if (cancelledAt === undefined || run.budget.cancelled) return false;
  if (isStep(run.semantics, step, cancelledAt, forms)) return true;
  // A role of a job is about its first step.
  return step === job.steps[0] && selectsNoStep(run, cancelledAt) && isJob(run.semantics, job, cancelledAt);
}

function selectsNoStep({ semantics }: Run, selector: Selector): boolean {
  const steps = semantics.workflows.flatMap(({ jobs }) => jobs.flatMap((job) => job.steps));
  return !steps.some((step) => isStep(semantics, step, selector));
}

function fails(run: Run, step: Step, { contexts }: Surroundings, forms: string[]): boolean {
  const leg = contexts['matrix'] as Record<string, unknown>;
  return (run.scenario.fails ?? []).some((rule) => {
    const about = typeof rule === 'object' && 'step' in rule ? rule : { step: rule };
    const values = 'leg' in about ? Object.entries(about.leg ?? {}) : [];
    return isStep(run.semantics, step, about.step, forms) && values.every(([key, value]) => sameValue(leg[key], value));
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

function assumed(run: Run, step: Step, forms: string[]): Record<string, string> {
  const rules = (run.scenario.outputs ?? []).filter(({ of }) => isStep(run.semantics, step, of, forms));
  return Object.assign({}, ...rules.map(({ values }) => values)) as Record<string, string>;
}

/** A write, and whether the script decides itself if it happens. */
type PossibleWrite = RunWrite & { conditional: boolean };

/** Of the step's script and, where it runs a script of the repository, of that one too. */
function scriptWrites(run: Run, step: Step, here: Surroundings): PossibleWrite[] {
  const script = step.run ? filledText(step.run.text, here) : (textOf(child(step.node, 'with', 'script')) ?? '');
  return [script, ...scriptsRun(run.semantics, script)].flatMap((text) => {
    const conditional = conditionalLines(text);
    return runWrites(text).map((write) => ({ ...write, conditional: conditional.has(write.line) }));
  });
}

/** Its name is computed: something for every output that is read. */
const isAnyOutput = ({ channel, name, deprecated }: RunWrite): boolean =>
  channel === 'output' && name === '' && !deprecated;

/** Decides what a value is that only an execution shows. `values`: what the script says it may be. */
type Choose = (name: string, values: string[]) => string;

function chooser(run: Run, job: Job, step: Step, { contexts }: Surroundings): Choose {
  const compared = comparedWith(run);
  const leg = JSON.stringify(contexts['matrix'] ?? {});
  return (name, values) => {
    const key = [run.workflow.file, run.level, job.id, leg, step.owner, step.index, name].join(' ');
    if (compared.length === 0) return values[0] ?? unknownValue(name);
    return run.choices.choose(key, [...new Set([...values, ...(values.length > 1 ? [] : ['', ...compared])])]);
  };
}

const comparisons = new WeakMap<object, string[]>();
const MOST_COMPARED = 4;

/** Strings in conditions that read an output or a variable; nothing where no condition does. */
function comparedWith({ semantics }: Run): string[] {
  const known = comparisons.get(semantics);
  if (known) return known;
  const owners = semantics.workflows.flatMap(({ jobs }) => jobs.flatMap((job) => [job, ...job.steps]));
  const found = [...owners, ...semantics.actions.flatMap(({ steps }) => steps)].flatMap((owner) => {
    const { paths, literals } = owner.if ? conditionOf(owner.if) : { paths: [], literals: [] };
    return paths.some((path) => path.includes('outputs') || path[0] === 'env') ? ['', ...literals] : [];
  });
  const compared = [...new Set(found)].slice(0, MOST_COMPARED + 1);
  comparisons.set(semantics, compared);
  return compared;
}

function written(
  writes: PossibleWrite[],
  channel: RunWrite['channel'],
  env: Record<string, string>,
  choose: Choose,
): Record<string, string> {
  const found: Record<string, { value: string; conditional: boolean }[]> = {};
  for (const { name, value, channel: own, deprecated, conditional } of writes) {
    const obeyed = own === channel && name !== '' && !(deprecated && channel === 'env');
    if (!obeyed) continue;
    const known = expanded(value ?? '$', env);
    (found[name] ??= []).push({ value: /[$`]/.test(known) ? unknownValue(name) : known, conditional });
  }
  return Object.fromEntries(Object.entries(found).map(([name, all]) => [name, valueOf(name, all, choose)]));
}

/** Written twice, a branch of the script decides; written on a condition alone, it may be missing. */
function valueOf(name: string, all: { value: string; conditional: boolean }[], choose: Choose): string {
  const values = [...new Set(all.map(({ value }) => value))];
  const mayLack = all.every(({ conditional }) => conditional);
  if (values.length > 1) return choose(name, [unknownValue(name), ...values]);
  const [value = ''] = values;
  if (value === unknownValue(name)) return choose(name, [value]);
  return mayLack ? choose(name, [value, '']) : value;
}

function expanded(value: string, env: Record<string, string>): string {
  return value.replace(/\$\{?([A-Za-z_]\w*)\}?/g, (whole, name: string) => env[name] ?? whole);
}

function unknownValue(name: string): string {
  return `<${name}>`;
}
