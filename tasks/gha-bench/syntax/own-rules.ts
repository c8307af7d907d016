import { legCount } from './leg-count.js';
import { CAPS, type SyntaxProblem } from './syntax-report.js';
import type { YamlFile } from './yaml-file.js';

type Keys = (string | number)[];
type Mapping = Record<string, unknown>;
type Report = (keys: Keys, rule: string, message: string) => void;

/** What GitHub refuses and its parser does not: the rules (a) to (f) of docs/gha-bench/layers.md, for one workflow. */
export function ownProblems(file: YamlFile): SyntaxProblem[] {
  const problems: SyntaxProblem[] = [];
  const report: Report = (keys, rule, message) =>
    void problems.push({ file: file.path, ...file.place(keys), rule, message });
  const workflow = mapping(file.value);
  eventProblems(mapping(workflow.on), report);
  for (const [id, job] of Object.entries(mapping(workflow.jobs))) jobProblems(['jobs', id], mapping(job), report);
  return problems;
}

/** Rules (b), (c) and (f): filters that exclude each other, choices, and how many inputs a form may have. */
function eventProblems(events: Mapping, report: Report): void {
  for (const [event, settings] of Object.entries(events)) {
    for (const filter of ['branches', 'tags', 'paths'])
      if (filter in mapping(settings) && `${filter}-ignore` in mapping(settings))
        report(['on', event, `${filter}-ignore`], 'filters', `${event} has both ${filter} and ${filter}-ignore`);
  }
  const inputs = Object.entries(mapping(mapping(events.workflow_dispatch).inputs));
  if (inputs.length > MOST_INPUTS)
    report(['on', 'workflow_dispatch', 'inputs'], 'inputs', `workflow_dispatch has more than ${MOST_INPUTS} inputs`);
  for (const [name, input] of inputs)
    choiceProblems(['on', 'workflow_dispatch', 'inputs', name], mapping(input), report);
}

function choiceProblems(keys: Keys, { type, options, default: preset }: Mapping, report: Report): void {
  if (type !== 'choice') return;
  const choices = Array.isArray(options) ? options.map(plainText) : [];
  if (choices.length === 0) report(keys, 'choice', 'an input of type choice has no options');
  else if (preset !== undefined && !choices.includes(plainText(preset)))
    report([...keys, 'default'], 'choice', `the default ${plainText(preset)} is not one of the options`);
}

function jobProblems(keys: Keys, job: Mapping, report: Report): void {
  matrixProblems([...keys, 'strategy', 'matrix'], mapping(job.strategy).matrix, report);
  if ('uses' in job) return callForm([...keys, 'uses'], String(job.uses), report);
  const steps = Array.isArray(job.steps) ? job.steps : [];
  // (a)
  if (steps.length === 0) report(keys, 'no-steps', 'a job without `uses` needs at least one step');
  steps.forEach((step, index) => stepProblems([...keys, 'steps', index], mapping(step), report));
}

/** Rule (e), of a job. */
function callForm(keys: Keys, uses: string, report: Report): void {
  const isLocal = uses.startsWith('./') || uses.startsWith('$/');
  if (isLocal && uses.includes('@')) report(keys, 'uses', 'a workflow of the same repository is called without @ref');
  if (isLocal && !/^[.$]\/\.github\/workflows\/[^/]+\.ya?ml$/.test(uses))
    report(keys, 'uses', `${uses} is not a file directly in .github/workflows`);
  if (!isLocal && !/^[\w.-]+\/[\w.-]+\/\.github\/workflows\/[^/@]+\.ya?ml@[^@\s]+$/.test(uses))
    report(keys, 'uses', `${uses} is not owner/repository/.github/workflows/file@ref`);
}

/** Rules (e) and (f), of a step. */
function stepProblems(keys: Keys, { uses, run }: Mapping, report: Report): void {
  if (typeof run === 'string' && run.length > MOST_RUN)
    report([...keys, 'run'], 'run', `\`run\` has more than ${MOST_RUN.toLocaleString('en')} characters`);
  if (typeof uses !== 'string' || uses.startsWith('docker://')) return;
  const place = [...keys, 'uses'];
  if (/\.github\/workflows\/[^@]*\.ya?ml(?:@|$)/.test(uses))
    report(place, 'uses', 'a step cannot use a workflow; only a job can');
  else if (/^[.$]\//.test(uses)) {
    if (uses.includes('@')) report(place, 'uses', 'an action of the same repository is used without @ref');
  } else if (!/^[\w.-]+\/[\w.-]+(?:\/[^@\s]+)?@[^@\s]+$/.test(uses))
    report(place, 'uses', `${uses} is not owner/repository@ref, ./folder or docker://image`);
}

/** Rules (d) and (f), of a matrix. */
function matrixProblems(keys: Keys, matrix: unknown, report: Report): void {
  if (typeof matrix !== 'object' || matrix === null) return;
  for (const [name, values] of Object.entries(matrix)) {
    if (Array.isArray(values) && values.length === 0 && name !== 'include' && name !== 'exclude')
      report([...keys, name], 'matrix', `the matrix has no values for ${name}`);
  }
  if (legCount(matrix as Mapping) > CAPS.legs) report(keys, 'matrix', `the matrix makes more than ${CAPS.legs} jobs`);
}

const MOST_INPUTS = 25;
const MOST_RUN = 21_000;

/** `true` and `'true'` are the same choice. */
const plainText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const mapping = (value: unknown): Mapping =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Mapping) : {};
