import { z } from 'zod';
import { allJobs, allSteps, jobOfStep, localAction, scriptsRun } from '../model/lookup.js';
import type { Job, Semantics, Step } from '../model/model.js';
import { runWrites, type Channel, type RunWrite } from '../model/run-writes.js';
import { selectorSchema } from '../model/selector-fields.js';
import { selectSteps } from '../model/selector.js';
import { actionNames } from '../model/uses.js';
import { child, entriesOf, textOf, type Place } from '../nodes/node.js';
import { allJobResults, allStepResults } from '../simulation/run-result.js';
import { detector, when, type Finding } from './kit/detector.js';
import { begins, pathsIn } from './kit/reads.js';
import { PUSH, runsOf } from './kit/runs.js';

/** What a step hands to the runner, by its script or one of the repository's. */
function writesOf(semantics: Semantics, step: Step): RunWrite[] {
  const script = step.run?.text ?? textOf(child(step.node, 'with', 'script')) ?? '';
  return [script, ...scriptsRun(semantics, script)].flatMap(runWrites);
}

function writersTo(semantics: Semantics, channel: Channel): { step: Step; write: RunWrite }[] {
  return allSteps(semantics).flatMap((step) =>
    writesOf(semantics, step).flatMap((write) => (write.channel === channel ? [{ step, write }] : [])),
  );
}

const SCOPES = ['workflow', 'job', 'step'] as const;
type Scope = (typeof SCOPES)[number];

const scopes = detector({
  id: 't1.env.scopes',
  asks: 'Variables are set at the levels asked for, and a step sees the values asked for: its own before its job’s before the workflow’s.',
  execution: 'behaviour',
  params: z.strictObject({
    levels: z.array(z.enum(SCOPES)).default([...SCOPES]),
    step: selectorSchema.optional(),
    values: z.record(z.string(), z.string()).default({}),
  }),
  present: (semantics) => SCOPES.flatMap((scope) => environments(semantics, scope)),
  problems: (semantics, { levels, step, values }) => {
    const seen = runsOf(semantics, { on: PUSH }).flatMap(allJobResults).flatMap(allStepResults);
    const asked = step === undefined ? undefined : selectSteps(semantics, step);
    const results = asked ? seen.filter((result) => asked.includes(result.step)) : seen;
    const right = results.some(({ env }) => Object.entries(values).every(([name, value]) => env[name] === value));
    const wanted = Object.entries(values).map(([name, value]) => `${name}=${value}`);
    return [
      ...levels.map((scope) => when(environments(semantics, scope).length === 0, `the ${scope} sets no env`)),
      when(wanted.length > 0 && !right, `no such step sees ${wanted.join(', ')}`, results[0]?.step.place),
    ];
  },
});

function environments(semantics: Semantics, scope: Scope): Place[] {
  const nodes = {
    workflow: semantics.workflows.map(({ root }) => root),
    job: allJobs(semantics).map(({ node }) => node),
    step: allSteps(semantics).map(({ node }) => node),
  }[scope];
  return nodes.flatMap((node) => child(node, 'env')?.place ?? []);
}

const githubOutput = detector({
  id: 't1.env.github_output',
  asks: 'A step with an id writes the output asked for to GITHUB_OUTPUT.',
  execution: 'behaviour',
  params: z.strictObject({ name: z.string().optional() }),
  present: (semantics) => writersTo(semantics, 'output').map(({ step }) => step.place),
  problems: (semantics, { name }) => {
    const writers = writersTo(semantics, 'output');
    const own = writers.filter(({ write }) => mayBe(write, name));
    const good = own.some(({ step, write }) => step.id !== undefined && !write.deprecated);
    return [
      when(own.length === 0, `nothing writes the output ${name}`, writers[0]?.step.place),
      when(own.length > 0 && !good, 'no step with an id writes it to GITHUB_OUTPUT', own[0]?.step.place),
      ...writers.map(({ write, step }) => when(write.deprecated, '::set-output is no longer obeyed', step.place)),
    ];
  },
});

/** A name that is computed may be any: the run shows which. */
const mayBe = (write: RunWrite, name: string | undefined): boolean =>
  name === undefined || write.name === name || (write.name === '' && !write.deprecated);

const githubEnv = detector({
  id: 't1.env.github_env',
  asks: 'A step writes the variable asked for to GITHUB_ENV, and a later step of its job reads it.',
  execution: 'behaviour',
  params: z.strictObject({ name: z.string().optional() }),
  present: (semantics) => writersTo(semantics, 'env').map(({ step }) => step.place),
  problems: (semantics, { name }) => {
    const writers = writersTo(semantics, 'env');
    const own = writers.filter(({ write }) => mayBe(write, name));
    const read = own.some(({ step, write }) => !write.deprecated && isReadLater(semantics, step, write.name || name));
    return [
      when(own.length === 0, `nothing writes the variable ${name}`, writers[0]?.step.place),
      when(own.length > 0 && !read, 'no later step of the job reads it', own[0]?.step.place),
      ...writers.map(({ write, step }) => when(write.deprecated, '::set-env is no longer obeyed', step.place)),
    ];
  },
});

/** Where neither the script nor the task says which variable it is, any may be read. */
function isReadLater(semantics: Semantics, writer: Step, name: string | undefined): boolean {
  const steps = jobOfStep(semantics, writer)?.steps ?? [];
  return steps.some((step) => {
    if (step.index <= writer.index) return false;
    if (name === undefined) return true;
    const inScript = readsVariable(step.run?.text ?? '', name);
    return inScript || pathsIn(step.node).some(({ path }) => begins(path, 'env', name));
  });
}

/** `$NAME`, `${NAME…}`, `$env:NAME`, or the name in quotes or after a dot, as programs read it. */
function readsVariable(script: string, name: string): boolean {
  return [`$${name}`, `\${${name}`, `$env:${name}`, `'${name}'`, `"${name}"`, `env.${name}`].some((form) =>
    script.includes(form),
  );
}

const chain = detector({
  id: 't1.outputs.chain',
  asks: 'Every output that an expression reads belongs to an earlier step of the job and is written by it.',
  execution: 'behaviour',
  params: z.strictObject({ name: z.string().optional() }),
  present: (semantics) => stepReads(semantics).map(({ place }) => place),
  problems: (semantics, { name: output }) => {
    const reads = stepReads(semantics);
    const missing = output !== undefined && !reads.some(({ path }) => path[3] === output);
    return [
      when(missing, `nothing reads the output ${output}`, reads[0]?.place),
      ...reads.map((read) => brokenRead(semantics, read)),
    ];
  },
});

interface StepRead {
  path: string[];
  place: Place;
  /** The steps before it, of the same job or action. */
  earlier: Step[];
}

function stepReads(semantics: Semantics): StepRead[] {
  const owners = [...allJobs(semantics), ...semantics.actions];
  return owners.flatMap(({ steps, ...owner }) => {
    const inSteps = steps.flatMap((step, at) => readsIn(step.node, steps.slice(0, at)));
    const node = 'node' in owner ? owner.node : owner.root;
    const elsewhere = ['outputs', 'environment'].flatMap((key) => readsIn(child(node, key), steps));
    return [...inSteps, ...elsewhere];
  });
}

function readsIn(node: Parameters<typeof pathsIn>[0], earlier: Step[]): StepRead[] {
  const found = pathsIn(node).filter(({ path }) => begins(path, 'steps', '*', 'outputs') && path.length > 3);
  return found.map((read) => ({ ...read, earlier }));
}

function brokenRead(semantics: Semantics, { path, place, earlier }: StepRead): Finding | undefined {
  const [, id, , output = ''] = path;
  const step = earlier.find((each) => each.id?.toLowerCase() === id?.toLowerCase());
  if (!step) return when(true, `no earlier step has the id ${id}`, place);
  return when(!mayWrite(semantics, step, output), `step ${id} writes no output ${output}`, place);
}

/** An action that is not known may write anything. */
export function mayWrite(semantics: Semantics, step: Step, output: string): boolean {
  const action = localAction(semantics, step.uses);
  if (action) return entriesOf(child(action.root, 'outputs')).some(({ key }) => key === output);
  const writes = writesOf(semantics, step).filter(({ channel }) => channel === 'output');
  if (step.run) return writes.some((write) => mayBe(write, output) && !write.deprecated);
  const known = actionNames(step.uses).flatMap((name) => semantics.facts.actions[name]?.outputs ?? []);
  return known.length === 0 || known.includes(output) || writes.length > 0;
}

/** Outputs of a job that are read elsewhere are declared and come from somewhere. */
export function jobOutputProblem(semantics: Semantics, job: Job, output: string): string | undefined {
  const node = child(job.node, 'outputs', output);
  if (!node) return `job ${job.id} has no output ${output}`;
  const reads = readsIn(node, job.steps).map((read) => brokenRead(semantics, read));
  return reads.find((problem) => problem)?.message;
}

export const DATA_FLOW = [scopes, githubOutput, githubEnv, chain];
