import { z } from 'zod';
import { allJobs, allSteps, deepSteps, jobsWithStep, waitsFor } from '../../model/lookup.js';
import type { Job, Semantics, Step } from '../../model/model.js';
import { compilePattern } from '../../model/pattern.js';
import { grantedPermissions } from '../../model/permissions.js';
import { inputOf, isStep, scriptsOf, selectJobs, usesOneOf } from '../../model/selector.js';
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
  const follows = first.some((one) => second.some((other) => isBefore(semantics, [one, earlier], [other, later])));
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
  /** Of the step among those of the job and of the local actions it uses; missing where the role is a job's. */
  index?: number;
  step?: Step;
}

function holders(semantics: Semantics, role: Selector): Holder[] {
  const inSteps = allJobs(semantics).flatMap((job) =>
    deepSteps(semantics, job.steps).flatMap((step, index) =>
      isStep(semantics, step, role) ? [{ job, index, step }] : [],
    ),
  );
  return inSteps.length > 0 ? inSteps : selectJobs(semantics, role).map((job) => ({ job }));
}

function isBefore(
  semantics: Semantics,
  [one, earlier]: [Holder, Selector],
  [other, later]: [Holder, Selector],
): boolean {
  if (one.step !== undefined && one.step === other.step) {
    const at = (role: Selector): number[] => positions(semantics, one.step, role);
    return at(earlier).some((before, form) => before >= 0 && before < (at(later)[form] ?? -1));
  }
  if (one.job === other.job) return one.index !== undefined && other.index !== undefined && one.index < other.index;
  return waitsFor(semantics, other.job, one.job);
}

/** Where each form of a script meets a role. */
function positions(semantics: Semantics, step: Step | undefined, role: Selector): number[] {
  const fields = typeof role === 'string' ? semantics.facts.roles[role] : role;
  const pattern = fields?.runs;
  if (step === undefined || pattern === undefined) return [];
  return scriptsOf(semantics, step).map((form) => compilePattern(pattern).at(form));
}

/** Steps with one of the actions, or a script that matches. */
export function stepsDoing(semantics: Semantics, actions: string[], script?: string): Step[] {
  const pattern = script === undefined ? undefined : compilePattern(script);
  return allSteps(semantics).filter(
    (step) => usesOneOf(step, actions) || scriptsOf(semantics, step).some((form) => pattern?.matches(form)),
  );
}

export function placesOf(owners: { place: Place }[]): Place[] {
  return owners.map(({ place }) => place);
}

export function jobsOf(semantics: Semantics, steps: Step[]): Job[] {
  const found = steps.flatMap((step) => jobsWithStep(semantics, step));
  return [...new Set(found)];
}

export function lacks(semantics: Semantics, job: Job, scope: string): Finding | undefined {
  return when(
    grantedPermissions(semantics, job).scopes[scope] !== 'write',
    `${job.id} lacks ${scope}: write`,
    job.place,
  );
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
  const uploads = stepsDoing(semantics, ['actions/upload-artifact']);
  return jobsOf(semantics, uploads).some((job) => job === later || waitsFor(semantics, later, job));
}

export function hasMatrix(job: Job): boolean {
  return child(job.node, 'strategy', 'matrix') !== undefined;
}

export function firstInput(steps: Step[], name: string): string | undefined {
  return steps.map((step) => inputOf(step, name)).find((value) => value !== undefined);
}
