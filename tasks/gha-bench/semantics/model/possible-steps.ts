import { parseTemplate } from '../expressions/template.js';
import { child, entriesOf, textOf, textsOf, type YamlNode } from '../nodes/node.js';
import { calledWorkflow, localAction, scriptOf } from './lookup.js';
import type { Action, Job, Semantics, Step, Workflow } from './model.js';
import { scriptForms } from './shell-text.js';

/** Values that a name may have. */
type Values = Record<string, string[]>;

interface Scope {
  inputs: Values;
  matrix: Values;
  env: Values;
}

const MOST = 16;
const DEEPEST = 5;

/** What a step may do, whoever calls it. Never more than a few forms of each. */
interface PossibleSteps {
  /** What each script may be once its variables, inputs and legs are known: `sh deploy.sh "$TARGET"` may be `sh deploy.sh staging`. */
  scripts: Map<Step, string[]>;
  /** What each input of an action may be, names in lower case. */
  inputs: Map<Step, Values>;
}

export function possibleSteps(semantics: Semantics): PossibleSteps {
  const [scripts, inputs] = [new Map<Step, string[]>(), new Map<Step, Values>()];
  const add = (step: Step, scope: Scope): void => {
    const within = withEnv(step.node, scope);
    const known = inputs.get(step) ?? {};
    for (const { key, value } of entriesOf(child(step.node, 'with'))) {
      const name = key.toLowerCase();
      known[name] = [...new Set([...(known[name] ?? []), ...texts(textOf(value) ?? '', within)])].slice(0, MOST);
    }
    if (!step.run) inputs.set(step, known);
    const written = scriptOf(step);
    if (written === undefined) return;
    const all = texts(written, scope).flatMap((script) =>
      choices(within.env).flatMap((one) => scriptForms(script, one)),
    );
    scripts.set(step, [...new Set([...(scripts.get(step) ?? []), written, ...all])].slice(0, MOST * 2));
  };
  const visit = (steps: Step[], scope: Scope, level: number): void => {
    for (const step of steps) {
      add(step, scope);
      const action = localAction(semantics, step.uses);
      if (!action || level >= DEEPEST) continue;
      const given = withEnv(step.node, scope);
      const inputs = inputsOf(child(action.root, 'inputs'), child(step.node, 'with'), given);
      visit(action.steps, { ...given, inputs, matrix: {} }, level + 1);
    }
  };
  for (const workflow of semantics.workflows)
    for (const inputs of callerInputs(semantics, workflow)) {
      const outer = withEnv(workflow.root, { inputs, matrix: {}, env: {} });
      for (const job of workflow.jobs) visit(job.steps, withEnv(job.node, { ...outer, matrix: matrixOf(job) }), 0);
    }
  for (const action of semantics.actions) unused(action, scripts, add);
  return { scripts, inputs };
}

/** An action that nothing uses has its scripts as they are. */
function unused(action: Action, known: Map<Step, string[]>, add: (step: Step, scope: Scope) => void): void {
  for (const step of action.steps.filter((each) => !known.has(each))) add(step, { inputs: {}, matrix: {}, env: {} });
}

/** What a text of a job may be. */
export function possibleTexts(semantics: Semantics, job: Job, text: string): string[] {
  return callerInputs(semantics, job.workflow).flatMap((inputs) => {
    const outer = withEnv(job.workflow.root, { inputs, matrix: matrixOf(job), env: {} });
    return texts(text, withEnv(job.node, outer));
  });
}

/** One for each job that calls the workflow; one without values where none does. */
function callerInputs(semantics: Semantics, workflow: Workflow): Values[] {
  const callers = semantics.workflows
    .flatMap(({ jobs }) => jobs)
    .filter((job) => calledWorkflow(semantics, job.uses) === workflow);
  if (callers.length === 0) return [{}];
  const declared = child(workflow.events.find(({ name }) => name === 'workflow_call')?.node, 'inputs');
  return callers
    .slice(0, MOST)
    .map((job) => inputsOf(declared, child(job.node, 'with'), { inputs: {}, env: {}, matrix: matrixOf(job) }));
}

function inputsOf(declared: YamlNode | undefined, given: YamlNode | undefined, scope: Scope): Values {
  const named = entriesOf(declared).map(({ key, value }): [string, string[]] => {
    const text = textOf(child(given, key)) ?? textOf(child(value, 'default')) ?? '';
    return [key, texts(text, scope)];
  });
  return Object.fromEntries(named);
}

function withEnv(node: YamlNode, scope: Scope): Scope {
  const own = entriesOf(child(node, 'env')).map(({ key, value }): [string, string[]] => [
    key,
    texts(textOf(value) ?? '', scope),
  ]);
  return { ...scope, env: { ...scope.env, ...Object.fromEntries(own) } };
}

function matrixOf(job: Job): Values {
  const matrix = child(job.node, 'strategy', 'matrix');
  const included = child(matrix, 'include');
  const entries = [
    ...entriesOf(matrix).flatMap(({ key, value }) => (value.kind === 'list' ? [[key, textsOf(value)] as const] : [])),
    ...(included?.kind === 'list' ? included.items : []).flatMap((item) =>
      entriesOf(item).map(({ key, value }) => [key, textsOf(value)] as const),
    ),
  ];
  const values: Values = {};
  for (const [key, found] of entries) values[key] = [...new Set([...(values[key] ?? []), ...found])].slice(0, MOST);
  return values;
}

/** What a text may be. Of an expression with a choice in it each string that it names. */
function texts(text: string, scope: Scope): string[] {
  if (!text.includes('${{')) return [text];
  const parts = parseTemplate(text).parts.map((part) => {
    if (typeof part === 'string') return [part];
    const [path, ...others] = part.paths;
    const [context = '', name = ''] = path ?? [];
    const known = others.length === 0 && path?.length === 2 ? valuesOf(scope, context)?.[name] : undefined;
    const found = known ?? part.literals;
    return found.length > 0 ? found : [`\${{ ${part.source} }}`];
  });
  return parts.reduce<string[]>(
    (all, values) => all.flatMap((before) => values.map((value) => before + value)).slice(0, MOST),
    [''],
  );
}

function valuesOf(scope: Scope, context: string): Values | undefined {
  return context === 'inputs' || context === 'matrix' || context === 'env' ? scope[context] : undefined;
}

/** One value a name; of names with several, all at the same place. */
function choices(env: Values): Record<string, string>[] {
  const most = Math.min(MOST, Math.max(1, ...Object.values(env).map(({ length }) => length)));
  return Array.from({ length: most }, (_, at) =>
    Object.fromEntries(
      Object.entries(env).map(([name, values]) => [name, values[Math.min(at, values.length - 1)] ?? '']),
    ),
  );
}
