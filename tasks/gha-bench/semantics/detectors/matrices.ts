import { z } from 'zod';
import type { ContextPath } from '../expressions/expression.js';
import { allJobs } from '../model/lookup.js';
import type { Job, Semantics } from '../model/model.js';
import { selectorSchema, type Selector } from '../model/selector-fields.js';
import { child, entriesOf, textOf } from '../nodes/node.js';
import { legsBeforehand, legsOf, type Leg } from '../simulation/legs.js';
import { probeSchema } from '../simulation/probe.js';
import { scenarioSchema } from '../simulation/scenario.js';
import { jobOutputProblem } from './data-flow.js';
import { detector, when, type Finding } from './kit/detector.js';
import { begins, expressionsIn, pathsIn } from './kit/reads.js';
import { jobResults, PUSH } from './kit/runs.js';
import { jobsAsked } from './jobs.js';

const valueSchema = z.union([z.string(), z.number(), z.boolean()]);
const legSchema = z.record(z.string(), valueSchema);

function matrixNode(job: Job): ReturnType<typeof child> {
  return child(job.node, 'strategy', 'matrix');
}

function matrixJobs(semantics: Semantics, selector?: Selector): Job[] {
  const jobs = selector === undefined ? allJobs(semantics) : jobsAsked(semantics, selector);
  return jobs.filter(matrixNode);
}

function vectorsOf(job: Job): string[] {
  const keys = entriesOf(matrixNode(job)).map(({ key }) => key);
  return keys.filter((key) => key !== 'include' && key !== 'exclude');
}

/** `20.x` and `20` are the same where the task says so. */
function normal(value: unknown, loose: boolean): string {
  const text = String(value);
  return loose ? text.replace(/^v/, '').replace(/\.x$/, '') : text;
}

const basic = detector({
  id: 't2.matrix.basic',
  asks: 'A matrix has a leg for each value asked for and no other, and uses the value.',
  execution: 'behaviour',
  params: z.strictObject({
    values: z.array(valueSchema).optional(),
    job: selectorSchema.optional(),
    loose: z.boolean().default(false),
  }),
  present: (semantics) => matrixJobs(semantics).flatMap((job) => matrixNode(job)?.place ?? []),
  problems: (semantics, { values, job, loose }) => {
    const jobs = matrixJobs(semantics, job);
    const found = jobs.map((each) =>
      basicProblem(
        each,
        values?.map((value) => normal(value, loose)),
        loose,
      ),
    );
    return found.includes(undefined)
      ? []
      : [when(true, found[0] ?? 'the job asked about has no matrix', jobs[0]?.place)];
  },
});

function basicProblem(job: Job, wanted: string[] | undefined, loose: boolean): string | undefined {
  if (isComputed(job))
    return matrixPaths(job).length > 0 ? undefined : 'no step and no runs-on uses a value of the matrix';
  const { legs, problem } = legsOf(job, { contexts: {} });
  if (problem !== undefined) return problem;
  const used = matrixPaths(job).filter(([key = '']) => key === '' || legs.some((leg) => key in leg));
  if (used.length === 0) return 'no step and no runs-on uses a value of the matrix';
  if (!wanted) return undefined;
  // `toJSON(matrix)` reads every value.
  const asked = used.flatMap((path) => (path.length > 0 ? [path] : Object.keys(legs[0] ?? {}).map((key) => [key])));
  const right = asked.some((path) =>
    sameSet(
      legs.map((leg) => normal(valueAt(leg, path), loose)),
      wanted,
    ),
  );
  return right ? undefined : `no value of the matrix goes through ${wanted.join(', ')}`;
}

/** By an earlier job: which legs there are only a run shows. */
function isComputed(job: Job): boolean {
  return pathsIn(matrixNode(job)).some(({ path }) => path[0] === 'needs');
}

/** What the job reads of a leg: keys, one below the other; none for all of it. */
function matrixPaths(job: Job): ContextPath[] {
  const nodes = entriesOf(job.node).filter((entry) => entry.key !== 'strategy' && entry.key !== 'name');
  return nodes.flatMap(({ value }) =>
    pathsIn(value).flatMap(({ path }) => (path[0] === 'matrix' ? [path.slice(1)] : [])),
  );
}

function valueAt(leg: Leg, path: ContextPath): unknown {
  return path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? (value as Leg)[key] : undefined),
    leg,
  );
}

function sameSet(found: string[], wanted: string[]): boolean {
  return [...new Set(found)].sort().join('\n') === [...new Set(wanted)].sort().join('\n');
}

/** Legs as sets of values: what the keys are called is free. */
function sameLegs(found: Leg[], wanted: Leg[], loose: boolean): boolean {
  const written = (legs: Leg[]): string[] =>
    legs
      .map((leg) =>
        JSON.stringify(
          Object.values(leg)
            .map((value) => normal(value, loose))
            .sort(),
        ),
      )
      .sort();
  return written(found).join('\n') === written(wanted).join('\n');
}

function legsText(legs: Leg[]): string {
  return legs.map((leg) => Object.values(leg).join('/')).join(', ') || 'none';
}

const multi = detector({
  id: 't2.matrix.multi',
  asks: 'A matrix of several lists has exactly the legs of their product.',
  execution: 'behaviour',
  params: z.strictObject({
    vectors: z.record(z.string(), z.array(valueSchema)).optional(),
    job: selectorSchema.optional(),
    loose: z.boolean().default(false),
  }),
  present: (semantics) =>
    matrixJobs(semantics).flatMap((job) => (vectorsOf(job).length > 1 ? (matrixNode(job)?.place ?? []) : [])),
  problems: (semantics, { vectors, job, loose }) => {
    const wanted =
      vectors &&
      Object.entries(vectors).reduce<Leg[]>(
        (legs, [key, values]) => legs.flatMap((leg) => values.map((value) => ({ ...leg, [key]: value }))),
        [{}],
      );
    return legProblems(matrixJobs(semantics, job), wanted, loose, 2);
  },
});

const includeExclude = detector({
  id: 't2.matrix.include_exclude',
  asks: 'With `include` and `exclude` worked out, exactly the legs asked for are left.',
  execution: 'behaviour',
  params: z.strictObject({
    legs: z.array(legSchema).optional(),
    job: selectorSchema.optional(),
    loose: z.boolean().default(false),
  }),
  present: (semantics) =>
    matrixJobs(semantics).flatMap((job) =>
      ['include', 'exclude'].flatMap((key) => child(matrixNode(job), key)?.place ?? []),
    ),
  problems: (semantics, { legs, job, loose }) => legProblems(matrixJobs(semantics, job), legs, loose, 0),
});

function legProblems(jobs: Job[], wanted: Leg[] | undefined, loose: boolean, vectors: number): (Finding | undefined)[] {
  const fitting = jobs.filter((job) => vectorsOf(job).length >= vectors);
  const found = fitting.map((job) => {
    if (isComputed(job)) return undefined;
    const { legs, problem } = legsOf(job, { contexts: {} });
    if (problem !== undefined) return problem;
    return !wanted || sameLegs(legs, wanted, loose)
      ? undefined
      : `the legs are ${legsText(legs)}, not ${legsText(wanted)}`;
  });
  return found.includes(undefined)
    ? []
    : [when(true, found[0] ?? 'the job asked about has no such matrix', fitting[0]?.place)];
}

const failFast = detector({
  id: 't2.matrix.failfast_parallel',
  asks: 'A failing leg cancels the others or does not, and so many legs run at once, as was asked for.',
  execution: 'static',
  params: z.strictObject({
    failFast: z.boolean().optional(),
    maxParallel: z.number().int().optional(),
    job: selectorSchema.optional(),
    on: probeSchema.default(PUSH),
  }),
  present: (semantics) =>
    allJobs(semantics).flatMap(({ node }) =>
      ['fail-fast', 'max-parallel'].flatMap((key) => child(node, 'strategy', key)?.place ?? []),
    ),
  problems: (semantics, { failFast: wanted, maxParallel, job, on }) => {
    const jobs = matrixJobs(semantics, job);
    return [
      when(jobs.length === 0, 'the job asked about has no matrix'),
      ...jobs.flatMap((each) => [
        when(
          wanted !== undefined && cancels(semantics, each, on) !== wanted,
          `a failing leg ${wanted ? 'leaves the others alone' : 'cancels the others'}`,
          each.place,
        ),
        when(
          maxParallel !== undefined && textOf(child(each.node, 'strategy', 'max-parallel')) !== String(maxParallel),
          `max-parallel is not ${maxParallel}`,
          each.place,
        ),
      ]),
    ];
  },
});

/** Whether the other legs are cancelled where the first one fails. */
function cancels(semantics: Semantics, job: Job, on: z.infer<typeof probeSchema>): boolean {
  const named = { named: `^${job.id.replace(/\W/g, '.')}$` };
  const [first] = legsBeforehand(job);
  const failing = { fails: [{ step: { file: '.' }, leg: first ?? {} }] };
  const results = jobResults(semantics, named, { on, ...failing }).flatMap(({ legs }) => legs);
  return results.some(({ result }) => result === 'cancelled');
}

const dynamic = detector({
  id: 't3.matrix.dynamic',
  asks: 'The matrix is read from the output of a job it waits for, and its legs are those of the values handed over.',
  execution: 'behaviour',
  params: z.strictObject({
    scenario: scenarioSchema.optional(),
    legs: z.array(valueSchema).optional(),
    job: selectorSchema.optional(),
  }),
  present: (semantics) => dynamicJobs(semantics).flatMap((job) => matrixNode(job)?.place ?? []),
  problems: (semantics, { scenario, legs, job }) => {
    const jobs = dynamicJobs(semantics).filter((each) => job === undefined || jobsAsked(semantics, job).includes(each));
    return [
      when(jobs.length === 0, 'the job asked about has no matrix read from an output'),
      ...jobs.flatMap((each) => sourceProblems(semantics, each)),
      ...(scenario && legs ? jobs.map((each) => dynamicLegs(semantics, each, scenario, legs.map(String))) : []),
    ];
  },
});

function dynamicJobs(semantics: Semantics): Job[] {
  return matrixJobs(semantics).filter((job) =>
    expressionsIn(matrixNode(job)).some(({ expression }) => expression.functions.includes('fromjson')),
  );
}

function sourceProblems(semantics: Semantics, job: Job): (Finding | undefined)[] {
  const reads = pathsIn(matrixNode(job)).filter(({ path }) => begins(path, 'needs', '*', 'outputs'));
  return [
    when(reads.length === 0, 'the matrix reads no output of a job', job.place),
    ...reads.map(({ path: [, id = '', , output = ''], place }) => {
      if (!job.needs.some(({ text }) => text === id)) return when(true, `${job.id} does not wait for ${id}`, place);
      const source = job.workflow.jobs.find((each) => each.id === id);
      const problem = source && !source.uses ? jobOutputProblem(semantics, source, output) : undefined;
      return when(problem !== undefined, problem ?? '', place);
    }),
  ];
}

function dynamicLegs(
  semantics: Semantics,
  job: Job,
  scenario: z.infer<typeof scenarioSchema>,
  wanted: string[],
): Finding | undefined {
  const named = { named: `^${job.id.replace(/\W/g, '.')}$` };
  const [result] = jobResults(semantics, named, scenario);
  if (!result || result.problem !== undefined)
    return when(true, result?.problem ?? `${job.id} does not run`, job.place);
  const found = result.legs.flatMap(({ leg }) => Object.values(leg).map(String));
  return when(
    !sameSet(found, wanted),
    `the legs are ${found.join(', ') || 'none'}, not ${wanted.join(', ')}`,
    job.place,
  );
}

export const MATRICES = [basic, multi, includeExclude, failFast, dynamic];
