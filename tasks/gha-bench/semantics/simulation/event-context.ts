import { child, entriesOf, textOf } from '../nodes/node.js';
import type { Semantics, Workflow } from '../model/model.js';
import { actionOf, isPullRequest, ON_DEFAULT_BRANCH, type Probe } from './probe.js';

type Json = Record<string, unknown>;

const REPOSITORY = 'bench/demo';
const SHA = '0123456789abcdef0123456789abcdef01234567';

/** The `github` and `inputs` contexts of a run that `probe` started. */
export function eventContexts(workflow: Workflow, probe: Probe, semantics: Semantics): { github: Json; inputs: Json } {
  const inputs = inputsOf(workflow, probe);
  const event = merged(payloadOf(probe, inputs, semantics), probe.payload ?? {});
  const github = {
    event_name: probe.event,
    event: probe.event === 'repository_dispatch' ? { ...event, client_payload: probe.payload ?? {} } : event,
    ...refOf(probe, semantics.facts.defaultBranch),
    sha: SHA,
    actor: probe.actor ?? 'octocat',
    triggering_actor: probe.actor ?? 'octocat',
    repository: REPOSITORY,
    repository_owner: 'bench',
    workflow: workflow.name,
    workflow_ref: `${REPOSITORY}/${workflow.file}@refs/heads/main`,
    run_id: '1001',
    run_number: '1',
    run_attempt: '1',
    server_url: 'https://github.com',
    api_url: 'https://api.github.com',
    workspace: '/home/runner/work/demo/demo',
    token: '***',
  };
  return { github, inputs };
}

function refOf(probe: Probe, defaultBranch: string): Json {
  if (isPullRequest(probe)) {
    const base = probe.base ?? 'main';
    const ref = probe.event === 'pull_request' ? 'refs/pull/7/merge' : `refs/heads/${base}`;
    const name = probe.event === 'pull_request' ? '7/merge' : base;
    return { ref, ref_name: name, ref_type: 'branch', base_ref: base, head_ref: probe.branch ?? 'feature' };
  }
  if (probe.tag !== undefined) return { ...refNamed('tag', probe.tag), base_ref: '', head_ref: '' };
  const branch = ON_DEFAULT_BRANCH.includes(probe.event) ? defaultBranch : (probe.branch ?? defaultBranch);
  return { ...refNamed('branch', branch), base_ref: '', head_ref: '' };
}

function refNamed(type: 'branch' | 'tag', name: string): Json {
  return { ref: `refs/${type === 'tag' ? 'tags' : 'heads'}/${name}`, ref_name: name, ref_type: type };
}

function payloadOf(probe: Probe, inputs: Json, { facts }: Semantics): Json {
  const action = actionOf(probe);
  const repository = {
    full_name: REPOSITORY,
    name: 'demo',
    default_branch: facts.defaultBranch,
    owner: { login: 'bench' },
  };
  const common = { repository, ...(action === undefined ? {} : { action }) };
  if (isPullRequest(probe)) return { ...common, number: 7, pull_request: pullRequest(probe) };
  const branch = probe.branch ?? facts.defaultBranch;
  if (probe.event === 'workflow_run') return { ...common, workflow_run: workflowRun(probe, branch) };
  if (probe.event === 'workflow_dispatch') return { ...common, inputs: texts(inputs) };
  if (probe.event === 'release') return { ...common, release: { tag_name: probe.tag ?? 'v1.0.0', prerelease: false } };
  if (probe.event === 'schedule') return { ...common, schedule: probe.cron };
  const commit = { id: SHA, message: 'a change', author: { name: 'octocat' } };
  if (probe.event === 'push') return { ...common, ...refOf(probe, branch), head_commit: commit, commits: [commit] };
  return common;
}

function pullRequest(probe: Probe): Json {
  const full = probe.fork ? 'someone/demo' : REPOSITORY;
  const head = { ref: probe.branch ?? 'feature', sha: SHA, repo: { full_name: full, fork: probe.fork ?? false } };
  const base = { ref: probe.base ?? 'main', sha: SHA, repo: { full_name: REPOSITORY, fork: false } };
  return { number: 7, draft: false, merged: false, labels: [], user: { login: probe.actor ?? 'octocat' }, head, base };
}

function workflowRun(probe: Probe, branch: string): Json {
  const head = { full_name: probe.fork ? 'someone/demo' : REPOSITORY };
  const run = { id: 77, name: probe.workflow ?? 'CI', conclusion: probe.conclusion ?? 'success', event: 'push' };
  return { ...run, head_branch: branch, head_sha: SHA, head_repository: head };
}

/** Defaults of the event's inputs, then what was given; a boolean that is missing is false. */
function inputsOf(workflow: Workflow, probe: Probe): Json {
  const event = workflow.events.find(({ name }) => name === probe.event);
  const inputs: Json = {};
  for (const { key, value } of entriesOf(child(event?.node, 'inputs'))) {
    const given = probe.inputs?.[key];
    const fallback = child(value, 'default');
    const type = textOf(child(value, 'type'));
    inputs[key] = typed(given ?? (fallback?.kind === 'scalar' ? fallback.value : undefined), type);
  }
  return inputs;
}

type Scalar = string | number | boolean | null | undefined;

function typed(value: Scalar, type: string | undefined): unknown {
  if (type === 'boolean') return String(value) === 'true';
  if (type === 'number') return value === undefined ? null : Number(value);
  return value === undefined || value === null ? '' : String(value);
}

function texts(values: Json): Json {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, String(value)]));
}

function merged(base: Json, over: Json): Json {
  const result = { ...base };
  for (const [key, value] of Object.entries(over)) {
    const old = result[key];
    result[key] = isObject(old) && isObject(value) ? merged(old, value) : value;
  }
  return result;
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
