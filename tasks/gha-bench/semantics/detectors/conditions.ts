import { z } from 'zod';
import { asksForStatus } from '../expressions/expression.js';
import { conditionOf } from '../expressions/template.js';
import { allJobs, allSteps } from '../model/lookup.js';
import type { Semantics } from '../model/model.js';
import { isStep, usesOneOf } from '../model/selector.js';
import { selectorSchema, type Selector } from '../model/selector-fields.js';
import { child, type Place } from '../nodes/node.js';
import { probeSchema } from '../simulation/probe.js';
import { allStepResults, type JobResult } from '../simulation/run-result.js';
import { scenarioSchema } from '../simulation/scenario.js';
import { detector, when, type Finding } from './kit/detector.js';
import { allConditions, begins, expressionsIn, isConstant } from './kit/reads.js';
import { jobResults, mayRun, PUSH, rowSchema, runsOf, selectorText, tableProblems } from './kit/runs.js';

const tableParams = z.strictObject({ target: selectorSchema.optional(), table: z.array(rowSchema).default([]) });

function conditionsWith(semantics: Semantics, asks: (paths: string[][], status: boolean) => boolean): Place[] {
  return allConditions(semantics).flatMap(({ condition }) => {
    const expression = conditionOf(condition);
    return asks(expression.paths, asksForStatus(expression)) ? [condition.place] : [];
  });
}

function constantConditions(semantics: Semantics): (Finding | undefined)[] {
  return allConditions(semantics).map(({ condition }) => {
    return when(isConstant(condition), `"${condition.text}" is always the same`, condition.place);
  });
}

const expression = detector({
  id: 't2.if.expression',
  asks: 'An `if` lets its job or step run on exactly the events asked for, and is no constant.',
  execution: 'behaviour',
  params: tableParams,
  present: (semantics) => allConditions(semantics).map(({ condition }) => condition.place),
  problems: (semantics, { target, table }) => [
    ...constantConditions(semantics),
    ...tableProblems(semantics, table, target),
  ],
});

const status = detector({
  id: 't2.if.status',
  asks: 'What runs after a failure, a success or a cancelled run does so exactly then.',
  execution: 'behaviour',
  params: z.strictObject({
    target: selectorSchema,
    /** What fails or is cancelled before it. */
    after: selectorSchema,
    on: probeSchema.default(PUSH),
    success: z.boolean().default(false),
    failure: z.boolean().default(true),
    cancelled: z.boolean().optional(),
  }),
  present: (semantics) => conditionsWith(semantics, (_, asks) => asks),
  problems: (semantics, { target, after, on, success, failure, cancelled }) => [
    when(!mayRun(semantics, after, { on }), `${selectorText(after)} does not run`),
    ...tableProblems(
      semantics,
      [
        { on, runs: success },
        { on, fails: [after], runs: failure },
        ...(cancelled === undefined ? [] : [{ on, cancelledAt: after, runs: cancelled }]),
      ],
      target,
    ),
  ],
});

const githubContext = detector({
  id: 't2.if.github_ctx',
  asks: 'An `if` reads the event from the `github` context and lets its job or step run on exactly the events asked for.',
  execution: 'behaviour',
  params: tableParams.extend({ property: z.string().optional() }),
  present: (semantics) => conditionsWith(semantics, (paths) => paths.some(([context]) => context === 'github')),
  problems: (semantics, { target, table, property }) => {
    const keys = property?.split('.') ?? [];
    const reading = conditionsWith(semantics, (paths) => paths.some((path) => begins(path, 'github', ...keys)));
    return [
      when(reading.length === 0, `no condition reads github.${property}`),
      ...constantConditions(semantics),
      ...tableProblems(semantics, table, target),
    ];
  },
});

const continueOnError = detector({
  id: 't2.continue_on_error',
  asks: 'The job or step asked about may fail without failing its job or the run; others may not.',
  execution: 'behaviour',
  params: z.strictObject({
    target: selectorSchema,
    /** What runs all the same. */
    then: selectorSchema.optional(),
    /** What may not fail. */
    strict: selectorSchema.optional(),
    on: probeSchema.default(PUSH),
  }),
  present: (semantics) =>
    [...allJobs(semantics), ...allSteps(semantics)].flatMap(
      ({ node }) => child(node, 'continue-on-error')?.place ?? [],
    ),
  problems: (semantics, { target, then, strict, on }) => [
    when(!mayRun(semantics, target, { on }), `${selectorText(target)} does not run`),
    when(conclusionWith(semantics, target, on) === 'failure', `the run fails where ${selectorText(target)} fails`),
    when(then !== undefined && !mayRun(semantics, then, { on, fails: [target] }), 'what should follow does not run'),
    when(
      strict !== undefined && conclusionWith(semantics, strict, on) !== 'failure',
      `the run passes though ${selectorText(strict ?? '')} fails`,
    ),
  ],
});

function conclusionWith(semantics: Semantics, failing: Selector, on: z.infer<typeof probeSchema>): string {
  const runs = runsOf(semantics, { on, fails: [failing] });
  return runs.some(({ conclusion }) => conclusion === 'failure') ? 'failure' : 'success';
}

const FUNCTIONS = ['contains', 'startswith', 'endswith', 'format', 'join', 'tojson', 'fromjson', 'hashfiles', 'case'];

const complex = detector({
  id: 't3.expr.complex',
  asks: 'Expressions call the functions asked for and have the values asked for.',
  execution: 'behaviour',
  params: z.strictObject({
    functions: z.array(z.string()).default([]),
    target: selectorSchema.optional(),
    table: z.array(rowSchema).default([]),
    /** Variables that a step of the role sees. */
    env: z
      .array(
        z.strictObject({ scenario: scenarioSchema, step: selectorSchema, values: z.record(z.string(), z.string()) }),
      )
      .default([]),
  }),
  present: ({ workflows, actions }) =>
    [...workflows, ...actions].flatMap(({ root }) =>
      expressionsIn(root).flatMap((each) =>
        each.expression.functions.some((name) => FUNCTIONS.includes(name)) ? [each.place] : [],
      ),
    ),
  problems: (semantics, { functions, target, table, env }) => {
    const all = [...semantics.workflows, ...semantics.actions].flatMap(({ root }) => expressionsIn(root));
    const called = new Set(all.flatMap((each) => each.expression.functions));
    return [
      ...functions.map((name) => when(!called.has(name.toLowerCase()), `no expression calls ${name}()`)),
      ...all.map((each) => when(each.expression.error !== undefined, each.expression.error ?? '', each.place)),
      ...tableProblems(semantics, table, target),
      ...env.map(({ scenario, step, values }) => {
        const seen = jobResults(semantics, { file: '.' }, scenario).flatMap((job) => envsOf(semantics, job, step));
        const right = seen.some((own) => Object.entries(values).every(([name, value]) => own[name] === value));
        const wanted = Object.entries(values).map(([name, value]) => `${name}="${value}"`);
        return when(!right, `${selectorText(step)} does not see ${wanted.join(', ')}`);
      }),
    ];
  },
});

function envsOf(semantics: Semantics, job: JobResult, selector: Selector): Record<string, string>[] {
  return allStepResults(job).flatMap(({ step, env }) => (isStep(semantics, step, selector) ? [env] : []));
}

const PATH_ACTIONS = ['dorny/paths-filter', 'tj-actions/changed-files'];

const pathLogic = detector({
  id: 't3.path_logic',
  asks: 'Jobs run for exactly the changed files asked for, by filters of the event or by what a step found out.',
  execution: 'partly',
  params: tableParams.extend({
    /** A required check must be reported: nothing may keep the whole workflow from running. */
    alwaysReports: z.boolean().default(false),
  }),
  present: (semantics) => [...pathFilters(semantics), ...filterSteps(semantics)],
  problems: (semantics, { target, table, alwaysReports }) => [
    ...pathFilters(semantics).map((place) =>
      when(alwaysReports, 'a filter of the event leaves a required check waiting', place),
    ),
    ...tableProblems(semantics, table, target),
  ],
});

function pathFilters({ workflows }: Semantics): Place[] {
  const events = workflows.flatMap((workflow) => workflow.events);
  return events.flatMap(({ node }) => ['paths', 'paths-ignore'].flatMap((key) => child(node, key)?.place ?? []));
}

function filterSteps(semantics: Semantics): Place[] {
  const filtering = allSteps(semantics).filter(
    (step) => usesOneOf(step, PATH_ACTIONS) || /\bgit diff\b/.test(step.run?.text ?? ''),
  );
  return filtering.map(({ place }) => place);
}

export const CONDITIONS = [expression, status, githubContext, continueOnError, complex, pathLogic];
