import { z } from 'zod';
import { allJobs, allSteps, ancestorsOf, deepSteps, jobOfStep } from '../../model/lookup.js';
import type { Job, Semantics, Step } from '../../model/model.js';
import { compilePattern } from '../../model/pattern.js';
import { effectivePermissions } from '../../model/permissions.js';
import { inputOf, selectJobs, selectSteps, usesOneOf } from '../../model/selector.js';
import { selectorSchema, type Selector } from '../../model/selector-fields.js';
import { child, type Place } from '../../nodes/node.js';
import { firing } from '../../simulation/fires.js';
import { when, type Finding } from '../kit/detector.js';
import { rowSchema, selectorText, tableProblems } from '../kit/runs.js';

/** What every pipeline's facts may hold: how its parts follow each other, and what runs when. */
export const pipelineSchema = z.strictObject({
  /** Roles, each after the one before it. */
  order: z.array(selectorSchema).default([]),
  table: z.array(rowSchema).default([]),
});

export function pipelineProblems(semantics: Semantics, { order, table }: z.infer<typeof pipelineSchema>): Finding[] {
  const follows = order.slice(1).flatMap((role, at) => orderProblem(semantics, order[at] ?? role, role));
  return [...follows, ...tableProblems(semantics, table)];
}

/** Later in a job, or in a job that waits. */
function orderProblem(semantics: Semantics, earlier: Selector, later: Selector): Finding[] {
  const first = holders(semantics, earlier);
  const second = holders(semantics, later);
  if (first.length === 0) return [{ message: `nothing is ${selectorText(earlier)}` }];
  if (second.length === 0) return [{ message: `nothing is ${selectorText(later)}` }];
  const follows = first.some((one) => second.some((other) => isBefore(one, other)));
  return follows
    ? []
    : [
        {
          message: `${selectorText(later)} does not follow ${selectorText(earlier)}`,
          place: second[0]?.job.place,
        },
      ];
}

interface Holder {
  job: Job;
  /** Of the step within the job; missing where the role is a job's. */
  index?: number;
}

function holders(semantics: Semantics, role: Selector): Holder[] {
  const steps = selectSteps(semantics, role);
  const inSteps = allJobs(semantics).flatMap((job) => {
    const index = job.steps.findIndex((step) => deepSteps(semantics, [step]).some((each) => steps.includes(each)));
    return index < 0 ? [] : [{ job, index }];
  });
  return inSteps.length > 0 ? inSteps : selectJobs(semantics, role).map((job) => ({ job }));
}

function isBefore(one: Holder, other: Holder): boolean {
  if (one.job === other.job) return one.index !== undefined && other.index !== undefined && one.index < other.index;
  return one.job.workflow === other.job.workflow && ancestorsOf(other.job).has(one.job.id);
}

/** Steps with one of the actions, or a script that matches. */
export function stepsDoing(semantics: Semantics, actions: string[], script?: string): Step[] {
  const pattern = script === undefined ? undefined : compilePattern(script);
  return allSteps(semantics).filter(
    (step) => usesOneOf(step, actions) || (step.run && pattern?.matches(step.run.text)),
  );
}

export function placesOf(owners: { place: Place }[]): Place[] {
  return owners.map(({ place }) => place);
}

export function jobsOf(semantics: Semantics, steps: Step[]): Job[] {
  const found = steps.flatMap((step) => jobOfStep(semantics, step) ?? []);
  return [...new Set(found)];
}

export function lacks(job: Job, scope: string): Finding | undefined {
  return when(effectivePermissions(job).scopes[scope] !== 'write', `${job.id} lacks ${scope}: write`, job.place);
}

/** Only tags such as v1.2.3 start it. */
export function tagOnly(semantics: Semantics): (Finding | undefined)[] {
  const started = (probe: Parameters<typeof firing>[1]): boolean => firing(semantics, probe).length > 0;
  return [
    when(
      !started({ event: 'push', tag: 'v1.2.3' }) && !started({ event: 'release', tag: 'v1.2.3' }),
      'a version tag starts nothing',
    ),
    when(started({ event: 'push', branch: 'main' }), 'a push to a branch starts it'),
    when(started({ event: 'pull_request', base: 'main' }), 'a pull request starts it'),
  ];
}

export function uploadsBefore(semantics: Semantics, later: Job): boolean {
  const ids = ancestorsOf(later);
  const uploads = stepsDoing(semantics, ['actions/upload-artifact']);
  return jobsOf(semantics, uploads).some((job) => job === later || ids.has(job.id));
}

export function hasMatrix(job: Job): boolean {
  return child(job.node, 'strategy', 'matrix') !== undefined;
}

export function firstInput(steps: Step[], name: string): string | undefined {
  return steps.map((step) => inputOf(step, name)).find((value) => value !== undefined);
}
