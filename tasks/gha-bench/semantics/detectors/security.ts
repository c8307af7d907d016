import { z } from 'zod';
import { NoValue } from '../expressions/evaluate.js';
import { conditionOf, expressionsOf } from '../expressions/template.js';
import { allJobs, allSteps, ancestorsOf, calledWorkflow, callersOf, deepSteps } from '../model/lookup.js';
import type { Job, Semantics, Step, Workflow } from '../model/model.js';
import { compilePattern } from '../model/pattern.js';
import { effectivePermissions, grantedPermissions, narrowed, type Permissions } from '../model/permissions.js';
import { environmentName, inputOf, isJob, selectJobs, selectSteps, usesOneOf } from '../model/selector.js';
import { patternSchema, selectorSchema } from '../model/selector-fields.js';
import { child, entriesOf, textOf, type Place, type YamlNode } from '../nodes/node.js';
import { eventContexts } from '../simulation/event-context.js';
import { firing } from '../simulation/fires.js';
import { filled, filledText } from '../simulation/legs.js';
import { probeSchema, probeText, type Probe } from '../simulation/probe.js';
import { mayWrite } from './data-flow.js';
import { detector, when, type Finding } from './kit/detector.js';
import { allConditions, pathsIn } from './kit/reads.js';
import { selectorText } from './kit/runs.js';

const accessSchema = z.enum(['none', 'read', 'write']);

const permissions = detector({
  id: 't2.permissions',
  asks: 'Each job has exactly the permissions it was asked to have: none left to the repository, none beyond.',
  execution: 'static',
  params: z.strictObject({
    jobs: z.array(z.strictObject({ job: selectorSchema, scopes: z.record(z.string(), accessSchema) })).default([]),
    /** Of every job that is not named. */
    others: z.record(z.string(), accessSchema).optional(),
  }),
  present: (semantics) => {
    const nodes = [...semantics.workflows.map(({ root }) => root), ...allJobs(semantics).map(({ node }) => node)];
    return nodes.flatMap((node) => child(node, 'permissions')?.place ?? []);
  },
  problems: (semantics, { jobs, others }) => [
    ...jobs.map(({ job }) => when(selectJobs(semantics, job).length === 0, `no job is ${selectorText(job)}`)),
    ...allJobs(semantics)
      .filter(({ workflow }) => !isCalledOnly(workflow))
      .flatMap((job) => {
        const wanted = jobs.find((each) => isJob(semantics, job, each.job))?.scopes ?? others;
        return permissionProblems(job, granted(semantics, job), wanted);
      }),
  ],
});

function isCalledOnly({ events }: Workflow): boolean {
  return events.length > 0 && events.every(({ name }) => name === 'workflow_call');
}

/** A job that calls a workflow has what the called jobs ask for, as far as it has it itself. */
function granted(semantics: Semantics, job: Job): Permissions {
  const own = effectivePermissions(job);
  const callee = calledWorkflow(semantics, job.uses);
  const [inner] = callee?.jobs ?? [];
  return inner ? narrowed(effectivePermissions(inner), own) : own;
}

function permissionProblems(
  job: Job,
  found: Permissions,
  wanted: Record<string, string> | undefined,
): (Finding | undefined)[] {
  if (found.implicit)
    return [when(true, `${job.id} has the permissions that the repository happens to give`, job.place)];
  if (found.all === 'write') return [when(true, `${job.id} may write everything`, job.place)];
  if (!wanted) return [];
  const scopes = new Set([...Object.keys(found.scopes), ...Object.keys(wanted)]);
  return [...scopes].map((scope) => {
    const has = found.scopes[scope] ?? 'none';
    const needs = wanted[scope] ?? 'none';
    return when(has !== needs, `${job.id} has ${scope}: ${has}, not ${needs}`, job.place);
  });
}

interface Concurrency {
  node: YamlNode;
  place: Place;
  workflow: Workflow;
  level: 'workflow' | 'job';
}

function concurrencies({ workflows }: Semantics): Concurrency[] {
  return workflows.flatMap((workflow) => {
    const owners = [
      { node: workflow.root, level: 'workflow' as const },
      ...workflow.jobs.map(({ node }) => ({ node, level: 'job' as const })),
    ];
    return owners.flatMap(({ node, level }) => {
      const own = child(node, 'concurrency');
      return own ? [{ node: own, place: own.place, workflow, level }] : [];
    });
  });
}

/** Name of the group of a run that an event starts, lower case as GitHub compares it; undefined where nothing runs or it has no value. */
function groupOn(semantics: Semantics, { node, workflow }: Concurrency, probe: Probe, run = 'one'): string | undefined {
  const contexts = contextsOn(semantics, workflow, probe, run);
  const text = textOf(node) ?? textOf(child(node, 'group'));
  if (!contexts || text === undefined) return undefined;
  try {
    return filledText(text, { contexts }).toLowerCase();
  } catch (error) {
    if (error instanceof NoValue) return undefined;
    throw error;
  }
}

/** Of a called workflow those of the first job whose workflow the event starts. */
function contextsOn(
  semantics: Semantics,
  workflow: Workflow,
  probe: Probe,
  run = 'one',
): Record<string, unknown> | undefined {
  const started = firing(semantics, probe);
  const caller = callersOf(semantics, workflow).find((job) => started.includes(job.workflow));
  if (!started.includes(workflow) && !caller) return undefined;
  const { github, inputs } = eventContexts(caller?.workflow ?? workflow, probe, semantics);
  const outer = { github: { ...github, run_id: run, run_number: run }, inputs };
  const given = entriesOf(child(caller?.node, 'with')).map(({ key, value }) => [
    key,
    filled(value, { contexts: outer }),
  ]);
  return { ...outer, ...(caller ? { inputs: Object.fromEntries(given) as Record<string, unknown> } : {}) };
}

const pairSchema = z.tuple([probeSchema, probeSchema]);

const group = detector({
  id: 't3.concurrency.group',
  asks: 'Runs that must not be at once share a group, and runs that may do not.',
  execution: 'static',
  params: z.strictObject({
    level: z.enum(['workflow', 'job']).optional(),
    same: z.array(pairSchema).default([]),
    different: z.array(pairSchema).default([]),
  }),
  present: (semantics) => concurrencies(semantics).map(({ place }) => place),
  problems: (semantics, { level, same, different }) => {
    const found = concurrencies(semantics).filter((each) => level === undefined || each.level === level);
    const shared = (one: Probe, other: Probe): boolean => {
      return found.some((each) => {
        const name = groupOn(semantics, each, one);
        return name !== undefined && name !== '' && name === groupOn(semantics, each, other, 'another');
      });
    };
    return [
      when(found.length === 0, `there is no concurrency at the ${level}`),
      ...same.map(([one, other]) =>
        when(!shared(one, other), `${probeText(one)} and ${probeText(other)} share no group`, found[0]?.place),
      ),
      ...different.map(([one, other]) =>
        when(shared(one, other), `${probeText(one)} and ${probeText(other)} share a group`, found[0]?.place),
      ),
    ];
  },
});

const cancel = detector({
  id: 't3.concurrency.cancel',
  asks: 'A newer run cancels an older one on exactly the events asked for.',
  execution: 'static',
  params: z.strictObject({ cancels: z.array(probeSchema).default([]), keeps: z.array(probeSchema).default([]) }),
  present: (semantics) =>
    concurrencies(semantics).flatMap(({ node }) => child(node, 'cancel-in-progress')?.place ?? []),
  problems: (semantics, { cancels, keeps }) => {
    const found = concurrencies(semantics);
    const cancelled = (probe: Probe): boolean => found.some((each) => cancelsOn(semantics, each, probe));
    return [
      ...cancels.map((probe) =>
        when(!cancelled(probe), `an older run goes on, on ${probeText(probe)}`, found[0]?.place),
      ),
      ...keeps.map((probe) =>
        when(cancelled(probe), `an older run is cancelled on ${probeText(probe)}`, found[0]?.place),
      ),
    ];
  },
});

/** In a group that each run has for itself nothing is ever cancelled. */
function cancelsOn(semantics: Semantics, concurrency: Concurrency, probe: Probe): boolean {
  const node = child(concurrency.node, 'cancel-in-progress');
  const name = groupOn(semantics, concurrency, probe);
  if (!node || name === undefined || name !== groupOn(semantics, concurrency, probe, 'another')) return false;
  try {
    const contexts = contextsOn(semantics, concurrency.workflow, probe) ?? {};
    return String(filled(node, { contexts })) === 'true';
  } catch (error) {
    if (error instanceof NoValue) return false;
    throw error;
  }
}

function secretReads(node: YamlNode | undefined): { name: string; place: Place }[] {
  return pathsIn(node).flatMap(({ path: [context, name], place }) =>
    context === 'secrets' && name ? [{ name, place }] : [],
  );
}

const secretsContext = detector({
  id: 't3.secrets.ctx',
  asks: 'The secrets asked for reach their steps by `env` or `with`, never by the text of a script or an `if`, and are not printed.',
  execution: 'behaviour',
  params: z.strictObject({ names: z.array(z.string()).default([]), step: selectorSchema.optional() }),
  present: (semantics) => semantics.workflows.flatMap(({ root }) => secretReads(root).map(({ place }) => place)),
  problems: (semantics, { names, step }) => {
    const read = new Set(semantics.workflows.flatMap(({ root }) => secretReads(root).map(({ name }) => name)));
    const asked = step === undefined ? [] : selectSteps(semantics, step);
    return [
      ...names.map((name) => when(!read.has(name), `the secret ${name} is not read`)),
      ...names.map((name) =>
        when(
          asked.length > 0 && read.has(name) && !asked.some((each) => gets(semantics, each, name)),
          `${selectorText(step ?? '')} does not get ${name}`,
        ),
      ),
      ...allSteps(semantics).flatMap((each) => exposures(semantics, each)),
      ...allConditions(semantics).map(({ condition }) => {
        const inCondition = conditionOf(condition).paths.some(([context]) => context === 'secrets');
        return when(inCondition, 'an `if` cannot read secrets', condition.place);
      }),
    ];
  },
});

/** By its own `env` or `with`, its job's or its workflow's. */
function gets(semantics: Semantics, step: Step, name: string): boolean {
  const job = allJobs(semantics).find(({ steps }) => steps.includes(step));
  const nodes = [step.node, job?.node, job?.workflow.root].map((node) => child(node, 'env'));
  return [...nodes, child(step.node, 'with')].some((node) => secretReads(node).some((read) => read.name === name));
}

function exposures(semantics: Semantics, step: Step): (Finding | undefined)[] {
  const script = step.run?.text ?? '';
  const inText =
    step.run && expressionsOf(step.run).some(({ paths }) => paths.some(([context]) => context === 'secrets'));
  const job = allJobs(semantics).find(({ steps }) => steps.includes(step));
  const entries = [step.node, job?.node, job?.workflow.root].flatMap((node) => entriesOf(child(node, 'env')));
  const bound = entries.filter(({ value }) => secretReads(value).length > 0).map(({ key }) => key);
  const printed = bound.find((name) => printsVariable(script, name));
  return [
    when(Boolean(inText), 'a secret is written into the text of a script', step.place),
    when(printed !== undefined, `the secret in ${printed} is printed`, step.place),
  ];
}

/** A line that begins with echo or printf and neither pipes nor redirects. */
function printsVariable(script: string, name: string): boolean {
  return script.split('\n').some((line) => {
    const prints = /^\s*(?:echo|printf|Write-Host)\b/.test(line) && !/[|>]/.test(line);
    return prints && (line.includes(`$${name}`) || line.includes(`\${${name}}`) || line.includes(`$env:${name}`));
  });
}

const targetSchema = z.strictObject({ environment: z.string(), secrets: z.array(z.string()).default([]) });

const secretsEnvironment = detector({
  id: 't3.secrets.environment',
  asks: 'Each environment asked for has a job that names it and reads its secrets there; later ones wait for earlier ones.',
  execution: 'partly',
  params: z.strictObject({ targets: z.array(targetSchema).default([]), inOrder: z.boolean().default(true) }),
  present: (semantics) =>
    allJobs(semantics).flatMap((job) =>
      environmentName(job) !== undefined && secretReads(job.node).length > 0 ? [job.place] : [],
    ),
  problems: (semantics, { targets, inOrder }) => {
    const jobs = targets.map(({ environment }) =>
      allJobs(semantics).find((job) => environmentName(job) === environment),
    );
    return targets.flatMap(({ environment, secrets }, at) => {
      const job = jobs[at];
      const before = at > 0 ? jobs[at - 1] : undefined;
      if (!job) return [when(true, `no job has the environment ${environment}`)];
      const read = secretReads(job.node).map(({ name }) => name);
      return [
        ...secrets.map((name) =>
          when(!read.includes(name), `the job of ${environment} does not read ${name}`, job.place),
        ),
        when(
          inOrder && before !== undefined && !ancestorsOf(job).has(before.id),
          `${environment} does not wait for ${targets[at - 1]?.environment}`,
          job.place,
        ),
      ];
    });
  },
});

const environmentUrl = detector({
  id: 't3.environment.url',
  asks: 'The job names its environment and the address of what it deployed, fixed or handed on by one of its steps.',
  execution: 'static',
  params: z.strictObject({ name: z.string().optional(), url: patternSchema.optional() }),
  present: (semantics) => allJobs(semantics).flatMap(({ node }) => child(node, 'environment', 'url')?.place ?? []),
  problems: (semantics, { name, url }) => {
    const jobs = allJobs(semantics).filter((job) => child(job.node, 'environment', 'url'));
    const own = jobs.filter((job) => name === undefined || environmentName(job) === name);
    return [
      when(own.length === 0, `no job with a url has the environment ${name}`, jobs[0]?.place),
      ...own.flatMap((job) => {
        const text = textOf(child(job.node, 'environment', 'url')) ?? '';
        const broken = pathsIn(child(job.node, 'environment')).filter(
          ({ path }) => path[0] === 'steps' && !comesFrom(semantics, job, path),
        );
        return [
          when(environmentName(job) === undefined, 'the environment has no name', job.place),
          when(
            text === '' || (url !== undefined && !compilePattern(url).matches(text)),
            `the url is "${text}"`,
            job.place,
          ),
          ...broken.map(({ path, place }) => when(true, `no step writes ${path.join('.')}`, place)),
        ];
      }),
    ];
  },
});

function comesFrom(semantics: Semantics, { steps }: Job, [, id, kind, output = '']: string[]): boolean {
  const step = steps.find((each) => each.id === id);
  return step !== undefined && kind === 'outputs' && mayWrite(semantics, step, output);
}

/** Login actions, the inputs that make them use OIDC, and those that hold a key. */
const LOGINS: Record<string, { needs: string[]; keys: string[] }> = {
  'aws-actions/configure-aws-credentials': {
    needs: ['role-to-assume', 'aws-region'],
    keys: ['aws-access-key-id', 'aws-secret-access-key'],
  },
  'google-github-actions/auth': { needs: ['workload_identity_provider'], keys: ['credentials_json'] },
  'azure/login': { needs: ['client-id', 'tenant-id'], keys: ['creds'] },
  'hashicorp/vault-action': { needs: ['url', 'role'], keys: ['token'] },
};

const oidc = detector({
  id: 't3.oidc',
  asks: 'The job that logs in, and no other, may write an id-token; it logs in without a stored key and can read the repository.',
  execution: 'static',
  params: z.strictObject({
    job: selectorSchema.optional(),
    action: z.string().optional(),
    inputs: z.record(z.string(), patternSchema).default({}),
  }),
  present: (semantics) => allJobs(semantics).flatMap((job) => (mayMint(semantics, job) ? [job.place] : [])),
  problems: (semantics, { job, action, inputs }) => {
    const logins = allSteps(semantics).filter((step) =>
      usesOneOf(step, action === undefined ? Object.keys(LOGINS) : [action]),
    );
    const own = allJobs(semantics).filter((each) =>
      job === undefined
        ? deepSteps(semantics, each.steps).some((step) => logins.includes(step))
        : isJob(semantics, each, job),
    );
    const callers = own.flatMap(({ workflow }) => callersOf(semantics, workflow));
    return [
      when(own.length === 0, 'no job logs in', allJobs(semantics).find((each) => mayMint(semantics, each))?.place),
      ...own.map((each) => when(!mayMint(semantics, each), `${each.id} lacks id-token: write`, each.place)),
      ...own.map((each) =>
        when(
          checksOut(each) && (grantedPermissions(semantics, each).scopes['contents'] ?? 'none') === 'none',
          `${each.id} checks out without contents: read`,
          each.place,
        ),
      ),
      ...allJobs(semantics).map((each) =>
        when(
          mayMint(semantics, each) && !own.includes(each) && !callers.includes(each),
          `${each.id} needs no id-token: write`,
          each.place,
        ),
      ),
      ...logins.flatMap((step) => loginProblems(step, inputs)),
    ];
  },
});

function mayMint(semantics: Semantics, job: Job): boolean {
  return grantedPermissions(semantics, job).scopes['id-token'] === 'write';
}

function checksOut({ steps }: Job): boolean {
  return steps.some((step) => usesOneOf(step, ['actions/checkout']));
}

function loginProblems(step: Step, inputs: Record<string, string>): (Finding | undefined)[] {
  const name = Object.keys(LOGINS).find((each) => usesOneOf(step, [each]));
  const login = name === undefined ? { needs: [], keys: [] } : (LOGINS[name] ?? { needs: [], keys: [] });
  return [
    ...login.needs.map((input) => when(inputOf(step, input) === undefined, `the login lacks ${input}`, step.place)),
    ...login.keys.map((input) =>
      when(inputOf(step, input) !== undefined, `the login uses a stored key: ${input}`, step.place),
    ),
    ...Object.entries(inputs).map(([input, pattern]) =>
      when(
        !compilePattern(pattern).matches(inputOf(step, input) ?? ''),
        `the login's ${input} does not match ${pattern}`,
        step.place,
      ),
    ),
  ];
}

export const SECURITY = [permissions, group, cancel, secretsContext, secretsEnvironment, environmentUrl, oidc];
