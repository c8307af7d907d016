import { child, textOf } from '../nodes/node.js';
import type { Action, Job, Semantics, Step, Workflow } from './model.js';
import { actionNames, namesWorkflow, type UsesRef } from './uses.js';

export function calledWorkflow({ workflows }: Semantics, uses: UsesRef | undefined): Workflow | undefined {
  if (uses?.kind !== 'local' || !namesWorkflow(uses)) return undefined;
  return workflows.find(({ file }) => file === uses.path);
}

export function localAction({ actions }: Semantics, uses: UsesRef | undefined): Action | undefined {
  return uses?.kind === 'local' ? actions.find(({ folder }) => folder === uses.path) : undefined;
}

export function allJobs({ workflows }: Semantics): Job[] {
  return workflows.flatMap(({ jobs }) => jobs);
}

/** Of all jobs and composite actions. */
export function allSteps(semantics: Semantics): Step[] {
  return [...allJobs(semantics), ...semantics.actions].flatMap(({ steps }) => steps);
}

/** A job's steps, each followed by those of the local composite action it uses; an action's steps stand once. */
export function deepSteps(semantics: Semantics, steps: Step[], seen = new Set<Action>()): Step[] {
  return steps.flatMap((step) => {
    const action = localAction(semantics, step.uses);
    if (!action || seen.has(action)) return [step];
    seen.add(action);
    return [step, ...deepSteps(semantics, action.steps, seen)];
  });
}

export function jobOfStep(semantics: Semantics, step: Step): Job | undefined {
  return allJobs(semantics).find(({ steps }) => steps.includes(step));
}

/** With those that use it through a local action. */
export function jobsWithStep(semantics: Semantics, step: Step): Job[] {
  return allJobs(semantics).filter((job) => deepSteps(semantics, job.steps).includes(step));
}

export function callersOf(semantics: Semantics, workflow: Workflow): Job[] {
  return allJobs(semantics).filter(({ uses }) => calledWorkflow(semantics, uses) === workflow);
}

/** A job and the jobs that call its workflow, theirs too. */
function standsFor(semantics: Semantics, job: Job, seen = new Set<Job>()): Job[] {
  if (seen.has(job)) return [];
  seen.add(job);
  return [job, ...callersOf(semantics, job.workflow).flatMap((caller) => standsFor(semantics, caller, seen))];
}

/** Whether `job` begins only when `earlier` has ended, by its own `needs` or those of the jobs that call their workflows. */
export function waitsFor(semantics: Semantics, job: Job, earlier: Job): boolean {
  const before = standsFor(semantics, earlier);
  return standsFor(semantics, job).some((later) => {
    const ids = ancestorsOf(later);
    return before.some((each) => each.workflow === later.workflow && ids.has(each.id));
  });
}

/** Jobs that end before `job` begins, by id. Cycles and unknown names end where they are. */
export function ancestorsOf(job: Job): Set<string> {
  const known = new Map(job.workflow.jobs.map((other) => [other.id, other]));
  const found = new Set<string>();
  const waiting = job.needs.map(({ text }) => text);
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (found.has(id)) continue;
    found.add(id);
    waiting.push(...(known.get(id)?.needs ?? []).map(({ text }) => text));
  }
  return found;
}

/** What a step runs: its script, or the program it gives to `actions/github-script`. */
export function scriptOf({ run, node, uses }: Step): string | undefined {
  if (run || !actionNames(uses).includes('actions/github-script')) return run?.text;
  return textOf(child(node, 'with', 'script'));
}

/** Texts of the repository's scripts that a script names. */
export function scriptsRun({ facts }: Semantics, script: string): string[] {
  const scripts = Object.entries(facts.files).filter(([path]) => /\.(?:sh|bash|py|m?js|ts)$/.test(path));
  return scripts.flatMap(([path, text]) => (text !== null && script.includes(path) ? [text] : []));
}
