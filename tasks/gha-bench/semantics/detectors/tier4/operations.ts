import { z } from 'zod';
import { allJobs, allSteps, ancestorsOf, callersOf } from '../../model/lookup.js';
import type { Job, Semantics, Step } from '../../model/model.js';
import { compilePattern } from '../../model/pattern.js';
import { effectivePermissions } from '../../model/permissions.js';
import { environmentName, environmentNames, inputOf } from '../../model/selector.js';
import { selectorSchema } from '../../model/selector-fields.js';
import { child, entriesOf, textOf, textsOf } from '../../nodes/node.js';
import { firing } from '../../simulation/fires.js';
import { filledText } from '../../simulation/legs.js';
import { mayRun, surelyRuns } from '../kit/runs.js';
import { detector, when } from '../kit/detector.js';
import { begins, pathsIn } from '../kit/reads.js';
import { hasMatrix, jobsOf, lacks, pipelineProblems, pipelineSchema, placesOf, stepsDoing } from './pipeline.js';

const PLAN = '\\b(terraform|tofu) (-chdir=\\S+ )?plan\\b';
const APPLY = '\\b(terraform|tofu) (-chdir=\\S+ )?apply\\b';

const terraform = detector({
  id: 't4.terraform',
  asks: 'A pull request plans, a push to main applies, a pull request never applies; the cloud is reached by OIDC.',
  execution: 'partly',
  params: pipelineSchema.extend({ oidc: z.boolean().default(true) }),
  present: (semantics) => placesOf(stepsDoing(semantics, ['hashicorp/setup-terraform'], `${PLAN}|${APPLY}`)),
  problems: (semantics, { oidc, ...facts }) => {
    const request = { on: { event: 'pull_request', base: 'main' } };
    const push = { on: { event: 'push', branch: 'main' } };
    const applying = jobsOf(semantics, stepsDoing(semantics, [], APPLY));
    return [
      when(!mayRun(semantics, { runs: PLAN }, request), 'a pull request plans nothing'),
      when(surelyRuns(semantics, { runs: APPLY }, request), 'a pull request applies', applying[0]?.place),
      when(!mayRun(semantics, { runs: APPLY }, push), 'a push to main applies nothing', applying[0]?.place),
      ...applying.map((job) => (oidc ? lacks(semantics, job, 'id-token') : undefined)),
      ...pipelineProblems(semantics, facts),
    ];
  },
});

const ISSUE_ACTIONS = ['actions/stale', 'peter-evans/create-issue-from-file', 'JasonEtco/create-an-issue'];
const ISSUE_SCRIPT = 'gh issue (create|edit|comment|close)|issues\\.create|gh api .*/issues';

function issueSteps(semantics: Semantics): Step[] {
  const scripts = allSteps(semantics).filter((step) =>
    compilePattern(ISSUE_SCRIPT).matches(inputOf(step, 'script') ?? ''),
  );
  return [...stepsDoing(semantics, ISSUE_ACTIONS, ISSUE_SCRIPT), ...scripts];
}

const maintenance = detector({
  id: 't4.maintenance',
  asks: 'On a schedule, and when started by hand, an issue is opened where something was found, with the permission for it.',
  execution: 'shim',
  params: pipelineSchema.extend({ conditional: z.boolean().default(true) }),
  present: (semantics) => placesOf(issueSteps(semantics)),
  problems: (semantics, { conditional, ...facts }) => {
    const steps = issueSteps(semantics);
    const jobs = jobsOf(semantics, steps);
    const guarded = steps.some(
      (step) =>
        step.if ??
        jobs.find((job) => job.steps.includes(step))?.if ??
        /\bif\b/.test(step.run?.text ?? inputOf(step, 'script') ?? ''),
    );
    return [
      ...['schedule', 'workflow_dispatch'].map((event) =>
        when(firing(semantics, { event }).length === 0, `${event} starts nothing`),
      ),
      ...jobs.map((job) => lacks(semantics, job, 'issues')),
      when(conditional && !guarded, 'an issue is opened whatever was found', steps[0]?.place),
      ...pipelineProblems(semantics, facts),
    ];
  },
});

const CODEQL = ['github/codeql-action/init', 'github/codeql-action/analyze', 'github/codeql-action/autobuild'];
const SARIF = ['github/codeql-action/upload-sarif'];

const securityScan = detector({
  id: 't4.security_scan',
  asks: 'Code is scanned, CodeQL set up before it analyses each language asked for, and results may be written.',
  execution: 'shim',
  params: pipelineSchema.extend({ languages: z.array(z.string()).default([]), comments: z.boolean().default(false) }),
  present: (semantics) => placesOf(stepsDoing(semantics, [...CODEQL, ...SARIF])),
  problems: (semantics, { languages, comments, ...facts }) => {
    const analyses = stepsDoing(semantics, ['github/codeql-action/analyze']);
    const uploads = stepsDoing(semantics, SARIF);
    const jobs = jobsOf(semantics, [...analyses, ...uploads]);
    const written = jobs.flatMap((job) => [
      ...textsOf(child(job.node, 'strategy', 'matrix', 'language')),
      ...languagesOf(job),
    ]);
    return [
      when(analyses.length + uploads.length === 0, 'nothing analyses the code'),
      ...jobs.map((job) => lacks(semantics, job, 'security-events')),
      ...jobsOf(semantics, analyses).map((job) =>
        when(!initBefore(job), 'CodeQL analyses before it is set up', job.place),
      ),
      ...languages.map((language) => when(!written.includes(language), `${language} is not scanned`, jobs[0]?.place)),
      when(languages.length > 1 && !jobs.some(hasMatrix), 'the languages are no matrix', jobs[0]?.place),
      when(
        comments && !allJobs(semantics).some((job) => effectivePermissions(job).scopes['pull-requests'] === 'write'),
        'no job may comment on the pull request',
      ),
      ...pipelineProblems(semantics, facts),
    ];
  },
});

function languagesOf({ node, steps }: Job): string[] {
  const included = child(node, 'strategy', 'matrix', 'include');
  const entries =
    included?.kind === 'list' ? included.items.flatMap((item) => textOf(child(item, 'language')) ?? []) : [];
  return [...entries, ...steps.flatMap((step) => (inputOf(step, 'languages') ?? '').split(/[,\s]+/))];
}

function initBefore({ steps }: Job): boolean {
  const init = steps.findIndex((step) => step.uses?.kind === 'remote' && step.uses.path === 'init');
  const analyse = steps.findIndex((step) => step.uses?.kind === 'remote' && step.uses.path === 'analyze');
  return init >= 0 && init < analyse;
}

const deployPipeline = detector({
  id: 't4.deploy_pipeline',
  asks: 'Environments are deployed to one after the other, each in a group of its own, and not from a pull request.',
  execution: 'partly',
  params: pipelineSchema.extend({ environments: z.array(z.string()).default(['staging', 'production']) }),
  present: (semantics) => {
    const jobs = allJobs(semantics).filter((job) => environmentName(job) !== undefined);
    const names = new Set(jobs.flatMap((job) => environmentNames(semantics, job)));
    return names.size > 1 ? placesOf(jobs) : [];
  },
  problems: (semantics, { environments, ...facts }) => {
    const found = environments.map((name) => deploymentsOf(semantics).find(({ environment }) => environment === name));
    const groups = found.flatMap((each) => (each ? [each.group] : []));
    const last = environments.at(-1) ?? '';
    const onRequest = surelyRuns(semantics, { environment: last }, { on: { event: 'pull_request', base: 'main' } });
    const place = found[0]?.job.place;
    return [
      ...environments.map((name, at) => when(!found[at], `no job has the environment ${name}`)),
      ...found.slice(1).map((each, at) => {
        const before = found[at];
        const waits = each && before && ancestorsOf(each.job).has(before.job.id);
        return when(
          each !== undefined && !waits,
          `${each?.job.id} does not wait for ${before?.job.id}`,
          each?.job.place,
        );
      }),
      when(groups.includes(''), 'a deployment has no concurrency group', place),
      when(new Set(groups).size < groups.length, 'two environments share a concurrency group', place),
      when(onRequest, `a pull request deploys to ${last}`, found.at(-1)?.job.place),
      ...pipelineProblems(semantics, facts),
    ];
  },
});

interface Deployment {
  environment: string;
  group: string;
  /** Of a workflow that is called the job that calls it. */
  job: Job;
}

/** Of a called workflow one for each job that calls it, by the inputs it gives. */
function deploymentsOf(semantics: Semantics): Deployment[] {
  return allJobs(semantics).flatMap((job) => {
    const name = environmentName(job);
    if (name === undefined) return [];
    const callers = callersOf(semantics, job.workflow);
    if (callers.length === 0) return [{ environment: name, group: groupText(job), job }];
    return callers.map((caller) => {
      const inputs = Object.fromEntries(
        entriesOf(child(caller.node, 'with')).map(({ key, value }) => [key, textOf(value) ?? '']),
      );
      const given = (text: string): string => filledText(text, { contexts: { inputs, github: {} } });
      return { environment: given(name), group: given(groupText(job)) || groupText(caller), job: caller };
    });
  });
}

function groupText({ node }: Job): string {
  return textOf(child(node, 'concurrency')) ?? textOf(child(node, 'concurrency', 'group')) ?? '';
}

const SENDERS = ['peter-evans/repository-dispatch'];
const SEND_SCRIPT = '/dispatches\\b|createDispatchEvent';

function senders(semantics: Semantics): Step[] {
  const scripts = allSteps(semantics).filter((step) =>
    compilePattern(SEND_SCRIPT).matches(inputOf(step, 'script') ?? ''),
  );
  return [...stepsDoing(semantics, SENDERS, SEND_SCRIPT), ...scripts];
}

const crossRepo = detector({
  id: 't4.cross_repo',
  asks: 'One repository tells another by a dispatch event, with a token that may; the other listens for that type and reads the payload.',
  execution: 'partly',
  params: pipelineSchema.extend({
    type: z.string().optional(),
    sends: z.boolean().default(true),
    receives: z.boolean().default(true),
    step: selectorSchema.optional(),
  }),
  present: (semantics) => [
    ...placesOf(senders(semantics)),
    ...semantics.workflows.flatMap(({ events }) =>
      placesOf(events.filter(({ name }) => name === 'repository_dispatch')),
    ),
  ],
  problems: (semantics, { type, sends, receives, ...facts }) => {
    const sending = senders(semantics);
    const listens = firing(semantics, {
      event: 'repository_dispatch',
      ...(type === undefined ? {} : { action: type }),
    });
    const reads = listens.some(({ root }) =>
      pathsIn(root).some(({ path }) => begins(path, 'github', 'event', 'client_payload')),
    );
    return [
      when(sends && sending.length === 0, 'nothing sends an event'),
      ...sending.flatMap((step) => senderProblems(semantics, step, type)),
      when(receives && listens.length === 0, `nothing listens for ${type ?? 'a dispatch event'}`),
      when(receives && listens.length > 0 && !reads, 'the payload is not read'),
      ...pipelineProblems(semantics, { order: facts.order, table: facts.table }),
    ];
  },
});

/** The run's own token cannot start anything elsewhere. */
function senderProblems(semantics: Semantics, step: Step, type: string | undefined) {
  const [job] = jobsOf(semantics, [step]);
  const nodes = [step.node, child(job?.node, 'env'), child(job?.workflow.root, 'env')];
  const secrets = nodes
    .flatMap(pathsIn)
    .flatMap(({ path: [context, name = ''] }) => (context === 'secrets' ? [name] : []));
  const own = secrets.filter((name) => name.toUpperCase() !== 'GITHUB_TOKEN');
  const written = `${inputOf(step, 'event-type') ?? ''}\n${step.run?.text ?? ''}\n${inputOf(step, 'script') ?? ''}`;
  return [
    when(own.length === 0, 'the event is sent with a token that cannot reach another repository', step.place),
    when(type !== undefined && !written.includes(type), `the event's type is not ${type}`, step.place),
  ];
}

export const OPERATIONS = [terraform, maintenance, securityScan, deployPipeline, crossRepo];
