import { child, entriesOf, textOf, textsOf, type YamlNode } from '../nodes/node.js';
import type { Semantics, Workflow } from '../model/model.js';
import { includedBy, matchesGlob } from './glob.js';
import { actionOf, isPullRequest, ON_DEFAULT_BRANCH, type Probe } from './probe.js';

const PULL_REQUEST_TYPES = ['opened', 'synchronize', 'reopened'];
/** GitHub's diff for path filters ends here. */
const MOST_FILES = 300;
const MOST_COMMITS = 1000;
const UNNAMED_FILE = 'a-file-no-filter-names/x.dat';

/** Whether a workflow runs, and if not what keeps it from running. */
export interface Fired {
  fires: boolean;
  because?: string;
}

export function fires(workflow: Workflow, probe: Probe, { facts }: Pick<Semantics, 'facts'>): Fired {
  const event = workflow.events.find(({ name }) => name === probe.event);
  if (!event) return no(`there is no event ${probe.event}`);
  const refusals = [
    typesRefuse(event.node, probe),
    refRefuses(event.node, probe),
    pathsRefuse(event.node, probe),
    runRefuses(event.node, probe),
    scheduleRefuses(event.node, probe),
    inputsRefuse(event.node, probe),
    defaultBranchRefuses(probe, facts.defaultBranch),
  ];
  const because = refusals.find((refusal) => refusal !== undefined);
  return because === undefined ? { fires: true } : no(because);
}

/** Workflows that run, by file. */
export function firing(semantics: Semantics, probe: Probe): Workflow[] {
  return semantics.workflows.filter((workflow) => fires(workflow, probe, semantics).fires);
}

function no(because: string): Fired {
  return { fires: false, because };
}

function typesRefuse(node: YamlNode | undefined, probe: Probe): string | undefined {
  const written = child(node, 'types');
  const types = written ? textsOf(written) : isPullRequest(probe) ? PULL_REQUEST_TYPES : undefined;
  const action = actionOf(probe);
  if (!types || (action === undefined && !written)) return undefined;
  return action !== undefined && types.includes(action) ? undefined : `types hold no ${action ?? 'such type'}`;
}

function refRefuses(node: YamlNode | undefined, probe: Probe): string | undefined {
  if (probe.event === 'push') return pushRefuses(node, probe);
  if (isPullRequest(probe)) return filterRefuses(node, 'branches', probe.base ?? 'main');
  if (probe.event === 'workflow_run') return filterRefuses(node, 'branches', probe.branch ?? 'main');
  return undefined;
}

/** Filters of one kind alone keep the other kind of ref from running anything. */
function pushRefuses(node: YamlNode | undefined, { branch, tag }: Probe): string | undefined {
  const kind = tag === undefined ? 'branches' : 'tags';
  const other = tag === undefined ? 'tags' : 'branches';
  if (hasFilter(node, kind)) return filterRefuses(node, kind, tag ?? branch ?? 'main');
  return hasFilter(node, other) ? `only ${other} are filtered, so no ${kind} run it` : undefined;
}

function hasFilter(node: YamlNode | undefined, kind: string): boolean {
  return Boolean(child(node, kind) ?? child(node, `${kind}-ignore`));
}

function filterRefuses(node: YamlNode | undefined, kind: string, name: string): string | undefined {
  const wanted = child(node, kind);
  if (wanted && !includedBy(textsOf(wanted), name)) return `${kind} hold no ${name}`;
  const ignored = textsOf(child(node, `${kind}-ignore`)).some((pattern) => matchesGlob(pattern, name));
  return ignored ? `${kind}-ignore holds ${name}` : undefined;
}

/** Not looked at for tags. */
function pathsRefuse(node: YamlNode | undefined, probe: Probe): string | undefined {
  const looked = isPullRequest(probe) || (probe.event === 'push' && probe.tag === undefined);
  if (!looked || (probe.commits ?? 0) > MOST_COMMITS) return undefined;
  const files = (probe.files ?? [UNNAMED_FILE]).slice(0, MOST_FILES);
  const wanted = child(node, 'paths');
  if (wanted && !files.some((file) => includedBy(textsOf(wanted), file))) return 'paths match no changed file';
  const ignored = child(node, 'paths-ignore');
  const patterns = textsOf(ignored);
  const all = ignored && files.every((file) => patterns.some((pattern) => matchesGlob(pattern, file)));
  return all ? 'paths-ignore matches every changed file' : undefined;
}

function runRefuses(node: YamlNode | undefined, probe: Probe): string | undefined {
  if (probe.event !== 'workflow_run' || probe.workflow === undefined) return undefined;
  return textsOf(child(node, 'workflows')).includes(probe.workflow) ? undefined : `workflows hold no ${probe.workflow}`;
}

function scheduleRefuses(node: YamlNode | undefined, probe: Probe): string | undefined {
  if (probe.event !== 'schedule' || probe.cron === undefined) return undefined;
  const wanted = probe.cron.trim().split(/\s+/).join(' ');
  const crons = node?.kind === 'list' ? node.items.map((item) => textOf(child(item, 'cron'))) : [];
  return crons.some((cron) => cron?.trim().split(/\s+/).join(' ') === wanted) ? undefined : `no cron is ${wanted}`;
}

function inputsRefuse(node: YamlNode | undefined, probe: Probe): string | undefined {
  if (probe.event !== 'workflow_dispatch') return undefined;
  return entriesOf(child(node, 'inputs'))
    .map(({ key, value }) => inputRefuses(key, value, probe.inputs?.[key]))
    .find((refusal) => refusal !== undefined);
}

function inputRefuses(name: string, node: YamlNode, given: string | number | boolean | undefined): string | undefined {
  const required = textOf(child(node, 'required')) === 'true' && textOf(child(node, 'default')) === undefined;
  const type = textOf(child(node, 'type'));
  // A boolean's box is never missing, and the first option is chosen.
  if (given === undefined) {
    return required && type !== 'boolean' && type !== 'choice' ? `input ${name} is required` : undefined;
  }
  const options = textsOf(child(node, 'options'));
  const unknown = type === 'choice' && !options.includes(String(given));
  return unknown ? `input ${name} has no option ${String(given)}` : undefined;
}

function defaultBranchRefuses(probe: Probe, defaultBranch: string): string | undefined {
  const elsewhere = probe.event === 'schedule' && probe.branch !== undefined && probe.branch !== defaultBranch;
  return elsewhere && ON_DEFAULT_BRANCH.includes(probe.event) ? `schedules run on ${defaultBranch} alone` : undefined;
}
