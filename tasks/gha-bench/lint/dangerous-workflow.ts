import type { CheckScore } from './token-permissions.js';
import { mapping, textOf, type WorkflowValues } from './workflow-values.js';

/** Events that give code of a stranger's pull request the secrets of the repository. */
const PRIVILEGED = ['pull_request_target', 'workflow_run'];
/** What a stranger writes. */
const UNTRUSTED = new RegExp(
  [
    'github\\.event\\.issue\\.(?:title|body)',
    'github\\.event\\.pull_request\\.(?:title|body)',
    'github\\.event\\.discussion\\.(?:title|body)',
    'github\\.event\\.(?:comment|review|review_comment)\\.body',
    'github\\.event\\.pages\\.[^}]*\\.page_name',
    'github\\.event\\.commits\\.[^}]*\\.(?:message|author\\.(?:email|name))',
    'github\\.event\\.commits\\[[^}]*\\.(?:message|author\\.(?:email|name))',
    'github\\.event\\.head_commit\\.(?:message|author\\.(?:email|name))',
    'github\\.event\\.pull_request\\.head\\.(?:ref|label|repo\\.default_branch)',
    'github\\.event\\.workflow_run\\.(?:head_branch|head_commit\\.(?:message|author\\.(?:email|name)))',
    'github\\.head_ref',
    'toJSON\\(\\s*github(?:\\.event)?\\s*\\)',
  ].join('|'),
  'i',
);
const HEAD =
  /github\.event\.(?:pull_request\.head\.(?:sha|ref)|workflow_run\.head_(?:sha|branch))|github\.head_ref|refs\/pull\//i;

/** Scorecard's Dangerous-Workflow: 10, or 0 where a stranger can run code with the repository's rights. */
export function dangerousWorkflow(workflows: readonly WorkflowValues[]): CheckScore {
  const findings = workflows.flatMap((workflow) => [...untrustedCheckouts(workflow), ...injections(workflow)]);
  return { score: findings.length === 0 ? 10 : 0, findings };
}

function untrustedCheckouts({ path, events, jobs }: WorkflowValues): string[] {
  if (!events.some((event) => PRIVILEGED.includes(event))) return [];
  return jobs.flatMap(({ id, steps }) =>
    steps
      .filter(
        ({ uses, with: inputs }) => /^actions\/checkout@/.test(textOf(uses)) && HEAD.test(textOf(mapping(inputs).ref)),
      )
      .map(() => `${path}: job ${id} checks out a stranger's code with the repository's rights`),
  );
}

function injections({ path, jobs }: WorkflowValues): string[] {
  return jobs.flatMap(({ id, steps }) =>
    steps.flatMap(({ run, uses, with: inputs }) => {
      const script = /^actions\/github-script@/.test(textOf(uses)) ? textOf(mapping(inputs).script) : textOf(run);
      const found = expressionsIn(script).filter((expression) => UNTRUSTED.test(expression));
      return found.map((expression) => `${path}: a script of job ${id} holds ${expression}`);
    }),
  );
}

const expressionsIn = (text: string): string[] => text.match(/\$\{\{.*?\}\}/gs) ?? [];
