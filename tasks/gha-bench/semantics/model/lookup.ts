import type { Action, Job, Semantics, Step, Workflow } from './model.js';
import { namesWorkflow, type UsesRef } from './uses.js';

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

/** Texts of the repository's scripts that a script names. */
export function scriptsRun({ facts }: Semantics, script: string): string[] {
  const scripts = Object.entries(facts.files).filter(([path]) => /\.(?:sh|bash|py|m?js|ts)$/.test(path));
  return scripts.flatMap(([path, text]) => (text !== null && script.includes(path) ? [text] : []));
}
