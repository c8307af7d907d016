import { z } from 'zod';
import { allJobs, allSteps, calledWorkflow, jobOfStep, localAction } from '../model/lookup.js';
import type { Action, Job, Semantics, Step, Workflow } from '../model/model.js';
import { usesOneOf } from '../model/selector.js';
import { namesWorkflow } from '../model/uses.js';
import { child, entriesOf, textOf, type Place } from '../nodes/node.js';
import { jobOutputProblem } from './data-flow.js';
import { detector, when, type Finding } from './kit/detector.js';
import { begins, pathsIn } from './kit/reads.js';

function callees({ workflows }: Semantics): Workflow[] {
  return workflows.filter(({ events }) => events.some(({ name }) => name === 'workflow_call'));
}

function callOf(workflow: Workflow): ReturnType<typeof child> {
  return workflow.events.find(({ name }) => name === 'workflow_call')?.node;
}

function callers(semantics: Semantics): Job[] {
  return allJobs(semantics).filter(({ uses }) => uses && namesWorkflow(uses));
}

const namesSchema = z.array(z.string()).default([]);

const reusable = detector({
  id: 't3.reusable',
  asks: 'A workflow is called by another: inputs, secrets and outputs have types and sources, and both sides agree on them.',
  execution: 'behaviour',
  params: z.strictObject({
    inputs: z.record(z.string(), z.string()).default({}),
    outputs: namesSchema,
    secrets: namesSchema,
    /** Who calls whom is left open. */
    file: z.string().optional(),
  }),
  present: (semantics) => [
    ...callees(semantics).flatMap(({ events }) =>
      events.filter(({ name }) => name === 'workflow_call').map(({ place }) => place),
    ),
    ...callers(semantics).map(({ place }) => place),
  ],
  problems: (semantics, { inputs, outputs, secrets, file }) => {
    const all = callees(semantics).filter((workflow) => file === undefined || workflow.file === file);
    const calls = callers(semantics).filter((job) => all.includes(calledWorkflow(semantics, job.uses) as Workflow));
    const [callee] = all;
    return [
      when(!callee, `no workflow ${file ?? ''} can be called`),
      when(callee !== undefined && calls.length === 0, `nothing calls ${callee?.file}`),
      ...(callee ? declared(callee, inputs, outputs, secrets) : []),
      ...all.flatMap((each) => calleeProblems(semantics, each)),
      ...callers(semantics).flatMap((job) => callerProblems(semantics, job)),
    ];
  },
});

function declared(
  callee: Workflow,
  inputs: Record<string, string>,
  outputs: string[],
  secrets: string[],
): (Finding | undefined)[] {
  const call = callOf(callee);
  const place = callee.root.place;
  return [
    ...Object.entries(inputs).map(([name, type]) => {
      const found = textOf(child(call, 'inputs', name, 'type'));
      return when(found !== type, `input ${name} has the type ${found ?? 'none'}, not ${type}`, place);
    }),
    ...outputs.map((name) => when(!child(call, 'outputs', name), `there is no output ${name}`, place)),
    ...secrets.map((name) => when(!child(call, 'secrets', name), `there is no secret ${name}`, place)),
  ];
}

function calleeProblems(semantics: Semantics, callee: Workflow): (Finding | undefined)[] {
  const call = callOf(callee);
  const untyped = entriesOf(child(call, 'inputs')).filter(({ value }) => !textOf(child(value, 'type')));
  const used = new Set(
    pathsIn(callee.root).flatMap(({ path: [context, name] }) => (context === 'inputs' && name ? [name] : [])),
  );
  const unread = entriesOf(child(call, 'inputs')).filter(({ key }) => !used.has(key) && !used.has('*'));
  const sources = entriesOf(child(call, 'outputs')).map(({ key, value, keyPlace }) =>
    outputProblem(semantics, callee, key, value, keyPlace),
  );
  return [
    ...untyped.map(({ key, keyPlace }) => when(true, `input ${key} has no type`, keyPlace)),
    ...unread.map(({ key, keyPlace }) => when(true, `input ${key} is never read`, keyPlace)),
    ...sources,
  ];
}

function outputProblem(
  semantics: Semantics,
  callee: Workflow,
  name: string,
  value: NonNullable<ReturnType<typeof child>>,
  place: Place,
): Finding | undefined {
  const [source] = pathsIn(child(value, 'value')).filter(({ path }) => begins(path, 'jobs', '*', 'outputs'));
  const [, id, , output = ''] = source?.path ?? [];
  const job = callee.jobs.find((each) => each.id === id);
  if (!job) return when(true, `output ${name} is not read from an output of a job`, place);
  const problem = job.uses ? undefined : jobOutputProblem(semantics, job, output);
  return when(problem !== undefined, problem ?? '', place);
}

function callerProblems(semantics: Semantics, job: Job): (Finding | undefined)[] {
  const callee = calledWorkflow(semantics, job.uses);
  if (!callee) return [when(job.uses?.kind === 'local', `there is no ${job.uses?.written}`, job.place)];
  const call = callOf(callee);
  if (!callee.events.some(({ name }) => name === 'workflow_call'))
    return [when(true, `${callee.file} cannot be called`, job.place)];
  const outputs = entriesOf(child(call, 'outputs')).map(({ key }) => key);
  const reads = pathsIn(job.workflow.root).filter(
    ({ path }) => begins(path, 'needs', job.id, 'outputs') && path.length > 3,
  );
  return [
    ...sides(job, 'with', entriesOf(child(call, 'inputs')), 'input'),
    ...(textOf(child(job.node, 'secrets')) === 'inherit'
      ? []
      : sides(job, 'secrets', entriesOf(child(call, 'secrets')), 'secret')),
    ...reads.map(({ path, place }) =>
      when(!outputs.includes(path[3] ?? ''), `${callee.file} has no output ${path[3]}`, place),
    ),
  ];
}

function sides(
  job: Job,
  key: 'with' | 'secrets',
  wanted: ReturnType<typeof entriesOf>,
  word: string,
): (Finding | undefined)[] {
  const given = entriesOf(child(job.node, key)).map((entry) => entry.key);
  const needed = wanted.filter(
    ({ value }) => textOf(child(value, 'required')) === 'true' && child(value, 'default') === undefined,
  );
  return [
    ...given.map((name) =>
      when(!wanted.some((entry) => entry.key === name), `there is no ${word} ${name} to give`, job.place),
    ),
    ...needed.map((entry) => when(!given.includes(entry.key), `the ${word} ${entry.key} is not given`, job.place)),
  ];
}

const composite = detector({
  id: 't3.composite',
  asks: 'A composite action of the repository is used after the checkout; each command names its shell, inputs and outputs are linked.',
  execution: 'behaviour',
  params: z.strictObject({ folder: z.string().optional(), inputs: namesSchema, outputs: namesSchema }),
  present: (semantics) => semantics.actions.map(({ root }) => root.place),
  problems: (semantics, { folder, inputs, outputs }) => {
    const actions = semantics.actions.filter((action) => folder === undefined || action.folder === folder);
    return [
      when(actions.length === 0, `there is no action in ${folder}`),
      ...actions.flatMap((action) => [...actionProblems(action, inputs, outputs), ...useProblems(semantics, action)]),
    ];
  },
});

function actionProblems(action: Action, inputs: string[], outputs: string[]): (Finding | undefined)[] {
  const { root, steps } = action;
  const without = entriesOf(child(root, 'outputs')).filter(({ value }) => !textOf(child(value, 'value')));
  const read = pathsIn(root).map(({ path }) => path);
  const unread = entriesOf(child(root, 'inputs')).filter(
    ({ key }) => !read.some((path) => begins(path, 'inputs', key)),
  );
  return [
    when(textOf(child(root, 'runs', 'using')) !== 'composite', 'the action is not composite', root.place),
    ...steps.map((step) =>
      when(step.run !== undefined && !child(step.node, 'shell'), 'a command names no shell', step.place),
    ),
    ...inputs.map((name) => when(!child(root, 'inputs', name), `there is no input ${name}`, root.place)),
    ...outputs.map((name) => when(!child(root, 'outputs', name), `there is no output ${name}`, root.place)),
    ...without.map(({ key, keyPlace }) => when(true, `output ${key} has no value`, keyPlace)),
    ...unread.map(({ key, keyPlace }) => when(true, `input ${key} is never read`, keyPlace)),
    ...read.map((path) => when(path[0] === 'secrets', 'an action cannot read secrets', root.place)),
  ];
}

function useProblems(semantics: Semantics, action: Action): (Finding | undefined)[] {
  const users = allSteps(semantics).filter((step) => localAction(semantics, step.uses) === action);
  const inputs = entriesOf(child(action.root, 'inputs'));
  const outputs = entriesOf(child(action.root, 'outputs')).map(({ key }) => key);
  return [
    when(users.length === 0, `nothing uses ./${action.folder}`, action.root.place),
    ...users.flatMap((step) => {
      const given = entriesOf(child(step.node, 'with')).map(({ key }) => key);
      const needed = inputs.filter(
        ({ value }) => textOf(child(value, 'required')) === 'true' && child(value, 'default') === undefined,
      );
      return [
        when(!isCheckedOut(semantics, step), 'the action is used before the checkout', step.place),
        ...given.map((name) =>
          when(!inputs.some(({ key }) => key === name), `the action has no input ${name}`, step.place),
        ),
        ...needed.map(({ key }) => when(!given.includes(key), `the action needs the input ${key}`, step.place)),
        ...readsOf(semantics, step).map((name) =>
          when(!outputs.includes(name), `the action has no output ${name}`, step.place),
        ),
      ];
    }),
  ];
}

/** `$/` needs no checkout, and a step of another local action has had its own. */
function isCheckedOut(semantics: Semantics, step: Step): boolean {
  const job = jobOfStep(semantics, step);
  if (!job || step.uses?.written.startsWith('$/')) return true;
  return job.steps.some((each) => each.index < step.index && usesOneOf(each, ['actions/checkout']));
}

function readsOf(semantics: Semantics, step: Step): string[] {
  const job = jobOfStep(semantics, step);
  if (!job || step.id === undefined) return [];
  const reads = pathsIn(job.node).filter(
    ({ path }) => begins(path, 'steps', step.id ?? '', 'outputs') && path.length > 3,
  );
  return reads.map(({ path }) => path[3] ?? '');
}

const multiFile = detector({
  id: 't3.multi_file',
  asks: 'All files asked for are there, can be read, and name each other rightly.',
  execution: 'behaviour',
  params: z.strictObject({ files: namesSchema }),
  present: ({ workflows, actions, problems }) => {
    const read = [...workflows, ...actions].map(({ root }) => root.place);
    return read.length + problems.length > 1 ? read : [];
  },
  problems: (semantics, { files }) => {
    const known = [...semantics.workflows, ...semantics.actions].map(({ file }) => file);
    const jobs = allJobs(semantics).filter(({ uses }) => uses?.kind === 'local');
    const steps = allSteps(semantics).filter(({ uses }) => uses?.kind === 'local');
    return [
      ...files.map((file) => when(!known.includes(file), `there is no ${file}`)),
      ...semantics.problems.map(({ file, message }) => when(true, `${file}: ${message}`)),
      ...jobs.map((job) => when(!calledWorkflow(semantics, job.uses), `there is no ${job.uses?.written}`, job.place)),
      ...steps.map((step) =>
        when(
          !localAction(semantics, step.uses) && !inRepository(semantics, step),
          `there is no ${step.uses?.written}`,
          step.place,
        ),
      ),
    ];
  },
});

function inRepository({ facts }: Semantics, { uses }: Step): boolean {
  const folder = uses?.kind === 'local' ? uses.path : '';
  return ['action.yml', 'action.yaml', 'Dockerfile'].some((file) => `${folder}/${file}` in facts.files);
}

export const REUSE = [reusable, composite, multiFile];
