import { child, entriesOf, textOf } from '../nodes/node.js';
import { allJobs, allSteps, calledWorkflow, deepSteps, scriptOf } from './lookup.js';
import type { Job, Semantics, Step } from './model.js';
import { compilePattern } from './pattern.js';
import { possibleTexts } from './possible-steps.js';
import type { Selector, SelectorFields } from './selector-fields.js';
import { actionNames } from './uses.js';

/** Steps of jobs and composite actions. */
export function selectSteps(semantics: Semantics, selector: Selector): Step[] {
  return allSteps(semantics).filter((step) => isStep(semantics, step, selector));
}

/** For jobs, `runs`, `uses` and `with` are about one of its steps, those of its composite actions included. */
export function selectJobs(semantics: Semantics, selector: Selector): Job[] {
  return allJobs(semantics).filter((job) => isJob(semantics, job, selector));
}

/** `forms`: of its script in one run; without them, all that it may be. */
export function isStep(semantics: Semantics, step: Step, selector: Selector, forms?: string[]): boolean {
  const fields = fieldsOf(semantics, selector);
  if (!fields || fields.calls !== undefined || fields.environment !== undefined) return false;
  return (
    isNamed(fields, [step.id, step.name]) && isInFile(fields, step.place.file) && does(semantics, step, fields, forms)
  );
}

export function isJob(semantics: Semantics, job: Job, selector: Selector): boolean {
  const fields = fieldsOf(semantics, selector);
  if (!fields) return false;
  const { calls, environment } = fields;
  if (!isNamed(fields, [job.id, textOf(child(job.node, 'name'))]) || !isInFile(fields, job.workflow.file)) return false;
  if (calls !== undefined && calledWorkflow(semantics, job.uses)?.file !== calls) return false;
  if (environment !== undefined && !environmentNames(semantics, job).includes(environment)) return false;
  const aboutSteps = fields.runs ?? fields.uses ?? fields.with;
  return aboutSteps === undefined || deepSteps(semantics, job.steps).some((step) => does(semantics, step, fields));
}

/** A role that the task does not define selects nothing. */
function fieldsOf({ facts }: Semantics, selector: Selector): SelectorFields | undefined {
  return typeof selector === 'string' ? facts.roles[selector] : selector;
}

export function environmentName(job: Job): string | undefined {
  const node = child(job.node, 'environment');
  return textOf(node) ?? textOf(child(node, 'name'));
}

/** With what callers and legs make of it. */
export function environmentNames(semantics: Semantics, job: Job): string[] {
  const name = environmentName(job);
  return name === undefined ? [] : possibleTexts(semantics, job, name);
}

function isNamed({ named }: SelectorFields, names: (string | undefined)[]): boolean {
  return named === undefined || names.some((name) => name !== undefined && compilePattern(named).matches(name));
}

function isInFile({ file }: SelectorFields, path: string): boolean {
  return file === undefined || compilePattern(file).matches(path);
}

function does(
  semantics: Semantics,
  step: Step,
  { runs, uses, with: inputs }: SelectorFields,
  forms = scriptsOf(semantics, step),
): boolean {
  if (runs !== undefined && !forms.some((form) => compilePattern(runs).matches(form))) return false;
  if (uses !== undefined && !usesOneOf(step, [uses].flat())) return false;
  return Object.entries(inputs ?? {}).every(([name, pattern]) => {
    return possibleInputs(semantics, step, name).some((value) => compilePattern(pattern).matches(value));
  });
}

/** Forms of a step's script; none where it has no script. */
export function scriptsOf({ scripts }: Semantics, step: Step): string[] {
  return scripts.get(step) ?? [scriptOf(step) ?? []].flat();
}

export function usesOneOf(step: Step, names: string[]): boolean {
  const own = actionNames(step.uses);
  return names.some((name) => own.includes(name.toLowerCase()) || own.includes(name));
}

/** What an input may be once variables, legs and callers are known; one empty text where it is not given. */
export function possibleInputs({ inputs }: Semantics, step: Step, name: string): string[] {
  return inputs.get(step)?.[name.toLowerCase()] ?? [inputOf(step, name) ?? ''];
}

/** Value of `with`, names of inputs in any case. */
export function inputOf(step: Step, name: string): string | undefined {
  const entry = entriesOf(child(step.node, 'with')).find(({ key }) => key.toLowerCase() === name.toLowerCase());
  return textOf(entry?.value);
}
