import { z } from 'zod';
import { NoValue } from '../expressions/evaluate.js';
import { allJobs, ancestorsOf } from '../model/lookup.js';
import type { Job, Semantics } from '../model/model.js';
import { compilePattern } from '../model/pattern.js';
import { selectJobs } from '../model/selector.js';
import { patternSchema, selectorSchema, type Selector } from '../model/selector-fields.js';
import { child, textsOf } from '../nodes/node.js';
import { filled, legsBeforehand } from '../simulation/legs.js';
import { probeSchema } from '../simulation/probe.js';
import { detector, when, type Finding } from './kit/detector.js';
import { mayRun, PUSH, selectorText, surelyRuns } from './kit/runs.js';

const single = detector({
  id: 't1.jobs.single',
  asks: 'One job with one command does what was asked for.',
  execution: 'behaviour',
  params: z.strictObject({ runs: patternSchema.optional() }),
  present: (semantics) => {
    const jobs = allJobs(semantics);
    return jobs.length === 1 ? jobs.map(({ place }) => place) : [];
  },
  problems: (semantics, { runs }) => {
    const steps = allJobs(semantics).flatMap((job) => job.steps);
    const scripts = steps.flatMap(({ run }) => (run ? [run] : []));
    const wrong = runs !== undefined && !scripts.some(({ text }) => compilePattern(runs).matches(text));
    return [
      when(scripts.length !== 1, `${scripts.length} steps run a command, not one`, steps[1]?.place),
      when(wrong, `no command matches ${runs}`, scripts[0]?.place),
    ];
  },
});

const orderedSteps = detector({
  id: 't1.jobs.ordered_steps',
  asks: 'One job runs every command that was asked for, each in a step of its own, in the order asked for.',
  execution: 'behaviour',
  params: z.strictObject({ commands: z.array(patternSchema).default([]) }),
  present: (semantics) =>
    allJobs(semantics)
      .filter(({ steps }) => steps.filter(({ run }) => run).length > 1)
      .map(({ place }) => place),
  problems: (semantics, { commands }) => {
    const least = Math.max(3, commands.length);
    const long = allJobs(semantics).filter(({ steps }) => steps.filter(({ run }) => run).length >= least);
    const ordered = long.some((job) => inOrder(job, commands));
    return [
      when(long.length === 0, `no job has ${least} steps with a command`),
      when(
        long.length > 0 && !ordered,
        `no job runs ${commands.join(', then ')} in steps of their own`,
        long[0]?.place,
      ),
    ];
  },
});

function inOrder({ steps }: Job, commands: string[]): boolean {
  let next = 0;
  for (const { run } of steps) {
    const command = commands[next];
    if (command !== undefined && run && compilePattern(command).matches(run.text)) next += 1;
  }
  return next === commands.length;
}

const runsOn = detector({
  id: 't1.jobs.runs_on',
  asks: 'Jobs run on the labels that were asked for, expressions and matrices worked out.',
  execution: 'partly',
  params: z.strictObject({ labels: z.array(z.string()).optional(), job: selectorSchema.optional() }),
  present: (semantics) => allJobs(semantics).flatMap(({ node }) => child(node, 'runs-on')?.place ?? []),
  problems: (semantics, { labels, job }) => {
    const jobs = jobsAsked(semantics, job);
    const found = new Set(jobs.flatMap(labelsOf));
    return [
      when(jobs.length === 0, 'no job is the one asked about'),
      ...(labels ?? []).map((label) => when(!found.has(label), `nothing runs on ${label}`, jobs[0]?.place)),
      ...[...found].map((label) =>
        when(labels !== undefined && !labels.includes(label), `nothing asks for ${label}`, jobs[0]?.place),
      ),
    ];
  },
});

/** The role's jobs, else all that have steps of their own. */
export function jobsAsked(semantics: Semantics, selector: Selector | undefined): Job[] {
  return selector === undefined ? allJobs(semantics).filter(({ uses }) => !uses) : selectJobs(semantics, selector);
}

/** Of all legs. */
function labelsOf(job: Job): string[] {
  const node = child(job.node, 'runs-on');
  return legsBeforehand(job).flatMap((matrix) => {
    try {
      const value = node && filled(child(node, 'labels') ?? node, { contexts: { matrix, inputs: {}, github: {} } });
      return Array.isArray(value) ? value.map(String) : [String(value)];
    } catch (error) {
      if (error instanceof NoValue) return textsOf(node);
      throw error;
    }
  });
}

const dag = detector({
  id: 't2.needs.dag',
  asks: 'Jobs wait for exactly the jobs they were asked to wait for; what follows from other waits may be written too.',
  execution: 'behaviour',
  params: z.strictObject({
    order: z.array(z.strictObject({ job: selectorSchema, after: z.array(selectorSchema) })).default([]),
  }),
  present: (semantics) => allJobs(semantics).flatMap(({ needs }) => needs.map(({ place }) => place)),
  problems: (semantics, { order }) => [
    ...unknownNeeds(semantics),
    ...order.flatMap(({ job, after }) =>
      waits(
        semantics,
        job,
        after,
        order.map((each) => each.job),
      ),
    ),
  ],
});

function unknownNeeds(semantics: Semantics): (Finding | undefined)[] {
  return allJobs(semantics).flatMap((job) => [
    ...job.needs.map(({ text, place }) => {
      return when(!job.workflow.jobs.some(({ id }) => id === text), `there is no job ${text}`, place);
    }),
    when(ancestorsOf(job).has(job.id), `${job.id} waits for itself`, job.place),
  ]);
}

function waits(semantics: Semantics, role: Selector, after: Selector[], roles: Selector[]): (Finding | undefined)[] {
  const jobs = selectJobs(semantics, role);
  const earlier = new Set(after.flatMap((each) => selectJobs(semantics, each)));
  const others = new Set(roles.flatMap((each) => selectJobs(semantics, each)).filter((each) => !earlier.has(each)));
  if (jobs.length === 0) return [when(true, `no job is ${selectorText(role)}`)];
  return jobs.flatMap((job) => {
    const ids = ancestorsOf(job);
    const missing = [...earlier].filter((each) => each !== job && !ids.has(each.id));
    const implied = new Set([...earlier].flatMap((each) => [...ancestorsOf(each)]));
    const extra = [...others].filter((each) => each !== job && ids.has(each.id) && !implied.has(each.id));
    return [
      ...missing.map(({ id }) => when(true, `${job.id} does not wait for ${id}`, job.place)),
      ...extra.map(({ id }) => when(true, `${job.id} waits for ${id}, which nothing asks for`, job.place)),
    ];
  });
}

const conditional = detector({
  id: 't2.needs.conditional',
  asks: 'The guarded job runs where the job before it succeeds, and does not where that one fails.',
  execution: 'behaviour',
  params: z.strictObject({ gate: selectorSchema, guarded: selectorSchema, on: probeSchema.default(PUSH) }),
  present: (semantics) => allJobs(semantics).flatMap(({ needs }) => needs.map(({ place }) => place)),
  problems: (semantics, { gate, guarded, on }) => {
    const [place] = selectJobs(semantics, guarded).map((job) => job.place);
    return [
      when(!mayRun(semantics, gate, { on }), `${selectorText(gate)} does not run`),
      when(
        !mayRun(semantics, guarded, { on }),
        `${selectorText(guarded)} does not run though all before it succeeds`,
        place,
      ),
      when(
        surelyRuns(semantics, guarded, { on, fails: [gate] }),
        `${selectorText(guarded)} runs though what guards it fails`,
        place,
      ),
    ];
  },
});

export const JOBS = [single, orderedSteps, runsOn, dag, conditional];
