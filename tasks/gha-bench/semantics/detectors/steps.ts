import { z } from 'zod';
import { NoValue } from '../expressions/evaluate.js';
import { allJobs, allSteps, jobOfStep } from '../model/lookup.js';
import type { Semantics, Step } from '../model/model.js';
import { compilePattern } from '../model/pattern.js';
import { inputOf, isJob, isStep, selectSteps, usesOneOf } from '../model/selector.js';
import { patternSchema, selectorSchema, type Selector } from '../model/selector-fields.js';
import { actionNames, majorOf } from '../model/uses.js';
import { child, entriesOf, textOf } from '../nodes/node.js';
import { filledText, legsBeforehand } from '../simulation/legs.js';
import { detector, when, type Finding } from './kit/detector.js';

const DIGEST = /^[0-9a-f]{40}$/;

const run = detector({
  id: 't1.steps.run',
  asks: 'A step runs a script of several lines that holds every command asked for and closes its quotes.',
  execution: 'behaviour',
  params: z.strictObject({ commands: z.array(patternSchema).default([]) }),
  present: (semantics) => allSteps(semantics).flatMap((step) => step.run?.place ?? []),
  problems: (semantics, { commands }) => {
    const scripts = allSteps(semantics).flatMap((step) => (step.run ? [step.run] : []));
    const long = scripts.filter(({ text }) => text.trim().includes('\n'));
    const whole = long.find(({ text }) => commands.every((command) => compilePattern(command).matches(text)));
    return [
      when(long.length === 0, 'no step has a script of several lines', scripts[0]?.place),
      when(long.length > 0 && !whole, `no script of several lines holds ${commands.join(' and ')}`, long[0]?.place),
      ...long.map(({ text, place }) => when(hasOpenQuote(text), 'a quote is not closed', place)),
    ];
  },
});

/** Of a shell script, comments and here-documents aside. */
function hasOpenQuote(script: string): boolean {
  if (script.includes('<<')) return false;
  let open = '';
  for (let at = 0; at < script.length; at += 1) {
    const character = script[at] ?? '';
    if (character === '\\' && open !== "'") at += 1;
    else if (open !== '') open = character === open ? '' : open;
    else if (character === "'" || character === '"') open = character;
    else if (character === '#' && /(?:^|\s)$/.test(script.slice(Math.max(0, at - 1), at))) at = endOfLine(script, at);
  }
  return open !== '';
}

function endOfLine(script: string, from: number): number {
  const end = script.indexOf('\n', from);
  return end < 0 ? script.length : end;
}

const uses = detector({
  id: 't1.steps.uses',
  asks: 'The action that was asked for is used at a tag or digest, of at least the major version asked for.',
  execution: 'shim',
  params: z.strictObject({ action: z.string().optional(), major: z.number().int().optional() }),
  present: (semantics) => allSteps(semantics).flatMap((step) => (step.uses ? [step.place] : [])),
  problems: (semantics, { action, major }) => {
    const all = allSteps(semantics).filter((step) => step.uses && (action === undefined || usesOneOf(step, [action])));
    const remote = all.flatMap((step) =>
      step.uses?.kind === 'remote' ? [{ ref: step.uses.ref, place: step.place }] : [],
    );
    return [
      when(all.length === 0, `no step uses ${action ?? 'an action'}`),
      ...remote.flatMap(({ ref, place }) => [
        when(ref === '', 'an action is named without @version', place),
        when(ref !== '' && !DIGEST.test(ref) && majorOf(ref) === undefined, `@${ref} is a branch, which moves`, place),
        when((majorOf(ref) ?? Infinity) < (major ?? 0), `@${ref} is older than v${major}`, place),
      ]),
    ];
  },
});

const withInputs = detector({
  id: 't1.steps.with',
  asks: 'The action gets the inputs asked for, takes all that it is given, and lacks none it needs.',
  execution: 'shim',
  params: z.strictObject({
    action: z.union([z.string(), z.array(z.string())]).optional(),
    inputs: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).default({}),
  }),
  present: (semantics) =>
    allSteps(semantics).flatMap((step) => (step.uses ? (child(step.node, 'with')?.place ?? []) : [])),
  problems: (semantics, { action, inputs }) => {
    const names = action === undefined ? undefined : [action].flat();
    const steps = allSteps(semantics).filter((step) => step.uses && (!names || usesOneOf(step, names)));
    const given = steps.some((step) =>
      Object.entries(inputs).every(([name, value]) => valuesOf(semantics, step, name).includes(String(value))),
    );
    const wanted = Object.entries(inputs).map(([name, value]) => `${name}: ${String(value)}`);
    return [
      when(steps.length === 0, `no step uses ${names?.join(' or ') ?? 'an action'}`),
      when(steps.length > 0 && !given, `no such step is given ${wanted.join(', ')}`, steps[0]?.place),
      ...steps.flatMap((step) => interfaceProblems(semantics, step)),
    ];
  },
});

/** In every leg of its job. */
function valuesOf(semantics: Semantics, step: Step, name: string): string[] {
  const text = inputOf(step, name);
  if (text === undefined) return [];
  const job = jobOfStep(semantics, step);
  const legs = job ? legsBeforehand(job) : [{}];
  const env = job ? plainEnv(job.node, job.workflow.root, step.node) : {};
  return legs.map((matrix) => {
    try {
      return filledText(text, { contexts: { matrix, env } }).trim();
    } catch (error) {
      if (error instanceof NoValue) return text;
      throw error;
    }
  });
}

function plainEnv(...nodes: Parameters<typeof child>[0][]): Record<string, string> {
  const entries = nodes.reverse().flatMap((node) => entriesOf(child(node, 'env')));
  return Object.fromEntries(entries.map(({ key, value }) => [key, textOf(value) ?? '']));
}

function interfaceProblems({ facts }: Semantics, step: Step): (Finding | undefined)[] {
  const known = actionNames(step.uses)
    .map((name) => facts.actions[name])
    .find(Boolean);
  if (!known) return [];
  const given = entriesOf(child(step.node, 'with')).map(({ key }) => key.toLowerCase());
  const names = Object.keys(known.inputs).map((name) => name.toLowerCase());
  const unknown = given.filter((name) => !names.includes(name) && name !== 'args' && name !== 'entrypoint');
  const missing = Object.entries(known.inputs).filter(
    ([name, required]) => required && !given.includes(name.toLowerCase()),
  );
  return [
    ...unknown.map((name) => when(true, `${step.uses?.written} has no input ${name}`, step.place)),
    ...missing.map(([name]) => when(true, `${step.uses?.written} needs the input ${name}`, step.place)),
  ];
}

const workingDirectory = detector({
  id: 't1.steps.working_directory',
  asks: 'The commands asked about run in the folder asked for, set by `working-directory`, and the folder exists.',
  execution: 'behaviour',
  params: z.strictObject({
    directory: z.string().optional(),
    step: selectorSchema.optional(),
    cd: z.boolean().default(false),
  }),
  present: (semantics) => {
    const steps = allSteps(semantics).filter((step) => child(step.node, 'working-directory'));
    return [
      ...steps.map(({ place }) => place),
      ...defaultsOf(semantics, 'working-directory').map(({ place }) => place),
    ];
  },
  problems: (semantics, { directory, step, cd }) => {
    const asked = stepsAsked(semantics, step);
    return [
      when(asked.length === 0, 'no step is the one asked about'),
      ...asked.flatMap((each) => {
        const found = tidyPath(effective(semantics, each, 'working-directory') ?? '.');
        const entered = cd && directory !== undefined && (each.run?.text ?? '').includes(`cd ${directory}`);
        const wrong = directory !== undefined && found !== tidyPath(directory) && !entered;
        return [
          when(wrong, `the command runs in ${found}, not in ${directory}`, each.place),
          when(!wrong && !folderExists(semantics, found), `the repository has no folder ${found}`, each.place),
        ];
      }),
    ];
  },
});

/** The role's steps, else all that run a command. */
function stepsAsked(semantics: Semantics, selector: Selector | undefined): Step[] {
  const all = allSteps(semantics).filter((step) => step.run);
  return selector === undefined ? all : all.filter((step) => isStep(semantics, step, selector));
}

function defaultsOf({ workflows }: Semantics, key: string): NonNullable<ReturnType<typeof child>>[] {
  const roots = workflows.flatMap(({ root, jobs }) => [root, ...jobs.map(({ node }) => node)]);
  return roots.flatMap((root) => child(root, 'defaults', 'run', key) ?? []);
}

/** A setting of a `run` step: its own before its job's before its workflow's. */
function effective(semantics: Semantics, step: Step, key: 'shell' | 'working-directory'): string | undefined {
  const job = jobOfStep(semantics, step);
  const own = textOf(child(step.node, key));
  const fromJob = textOf(child(job?.node, 'defaults', 'run', key));
  return own ?? fromJob ?? textOf(child(job?.workflow.root, 'defaults', 'run', key));
}

function tidyPath(path: string): string {
  const tidy = path.replace(/^(?:\.\/)+/, '').replace(/\/+$/, '');
  return tidy === '' ? '.' : tidy;
}

function folderExists({ facts }: Semantics, folder: string): boolean {
  const files = Object.keys(facts.files);
  const unknown = files.length === 0 || folder === '.' || folder.includes('${{') || folder.includes('$');
  return unknown || files.some((file) => file.startsWith(`${folder}/`));
}

const defaults = detector({
  id: 't2.defaults',
  asks: '`defaults` at the level asked for give every command the shell and the folder asked for.',
  execution: 'behaviour',
  params: z.strictObject({
    shell: z.string().optional(),
    directory: z.string().optional(),
    level: z.enum(['workflow', 'job']).optional(),
    step: selectorSchema.optional(),
  }),
  present: (semantics) =>
    ['shell', 'working-directory'].flatMap((key) => defaultsOf(semantics, key).map(({ place }) => place)),
  problems: (semantics, { shell, directory, level, step }) => {
    const steps = stepsAsked(semantics, step);
    const missing = level !== undefined && !hasDefaults(semantics, level);
    return [
      when(steps.length === 0, 'no step is the one asked about'),
      when(missing, `there are no defaults of the ${level}`),
      ...steps.flatMap((each) => {
        const ownShell = effective(semantics, each, 'shell');
        const folder = tidyPath(effective(semantics, each, 'working-directory') ?? '.');
        return [
          when(
            shell !== undefined && !isShell(ownShell, shell),
            `a command runs in ${ownShell ?? 'the usual shell'}, not in ${shell}`,
            each.place,
          ),
          when(
            directory !== undefined && folder !== tidyPath(directory),
            `a command runs in ${folder}, not in ${directory}`,
            each.place,
          ),
          when(
            directory !== undefined && !folderExists(semantics, folder),
            `the repository has no folder ${folder}`,
            each.place,
          ),
        ];
      }),
    ];
  },
});

function hasDefaults({ workflows }: Semantics, level: 'workflow' | 'job'): boolean {
  const nodes =
    level === 'workflow'
      ? workflows.map(({ root }) => root)
      : workflows.flatMap(({ jobs }) => jobs.map(({ node }) => node));
  return nodes.some((node) => child(node, 'defaults', 'run'));
}

/** Written out (`bash -eo pipefail {0}`) it counts as itself. */
function isShell(found: string | undefined, wanted: string): boolean {
  return found === wanted || (found?.startsWith(`${wanted} `) ?? false);
}

const timeouts = detector({
  id: 't2.timeouts',
  asks: 'The jobs and steps asked about have a limit of whole minutes, no longer than was asked for.',
  execution: 'partly',
  params: z.strictObject({
    most: z.number().optional(),
    job: selectorSchema.optional(),
    step: selectorSchema.optional(),
  }),
  present: (semantics) =>
    [...allJobs(semantics), ...allSteps(semantics)].flatMap(({ node }) => child(node, 'timeout-minutes')?.place ?? []),
  problems: (semantics, { most, job, step }) => {
    const jobs = allJobs(semantics).filter(({ uses: called }) => !called);
    const asked =
      step === undefined
        ? jobs.filter((each) => job === undefined || isJob(semantics, each, job))
        : selectSteps(semantics, step);
    return [
      when(asked.length === 0, 'no job or step is the one asked about'),
      ...asked.flatMap(({ node, place }) => {
        const text = textOf(child(node, 'timeout-minutes'));
        const minutes = Number(text);
        return [
          when(text === undefined, 'there is no timeout-minutes', place),
          when(
            text !== undefined && !(Number.isInteger(minutes) && minutes > 0),
            `${text} is no number of minutes`,
            place,
          ),
          when(minutes > (most ?? Infinity), `${text} minutes are more than ${most}`, place),
        ];
      }),
    ];
  },
});

export const STEPS = [run, uses, withInputs, workingDirectory, defaults, timeouts];
