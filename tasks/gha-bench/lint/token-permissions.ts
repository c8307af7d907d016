import { mapping, textOf, type Mapping, type WorkflowValues } from './workflow-values.js';

/** A score from 0 to 10 of one of Scorecard's checks, with what lowered it. */
export interface CheckScore {
  score: number;
  findings: string[];
}

/** What a token that may write a scope costs at the top of a workflow. */
const TOP_COST: Readonly<Record<string, number>> = {
  ...{ contents: 10, packages: 10, actions: 10 },
  ...{ deployments: 1, 'security-events': 1 },
  ...{ checks: 0.5, statuses: 0.5 },
};

/** Actions whose work is to write a scope. */
const EXEMPT: readonly [scope: string, uses: RegExp][] = [
  [
    'contents',
    /^(?:softprops\/action-gh-release|goreleaser\/goreleaser-action|cycjimmy\/semantic-release-action|relekang\/python-semantic-release|python-semantic-release\/[^@]+|google-github-actions\/release-please-action|googleapis\/release-please-action|JamesIves\/github-pages-deploy-action|peaceiris\/actions-gh-pages)@/,
  ],
  ['packages', /^(?:docker\/build-push-action|goreleaser\/goreleaser-action|actions\/delete-package-versions)@/],
  [
    'security-events',
    /^(?:github\/codeql-action\/(?:analyze|upload-sarif)|ossf\/scorecard-action|aquasecurity\/tfsec-sarif-action|veracode\/[^@]+)@/,
  ],
];

/** Scorecard's Token-Permissions: read-only at the top, what has to write in the jobs that do. */
export function tokenPermissions(workflows: readonly WorkflowValues[]): CheckScore {
  const findings: string[] = [];
  let score = 10;
  for (const workflow of workflows) {
    const { cost, found } = workflowCost(workflow);
    score -= cost;
    findings.push(...found.map((text) => `${workflow.path}: ${text}`));
  }
  return { score: Math.floor(Math.max(0, score)), findings };
}

function workflowCost({ top, jobs }: WorkflowValues): { cost: number; found: string[] } {
  const undeclared = jobs.filter(({ job }) => !('permissions' in job)).map(({ id }) => id);
  const writing = jobs.filter(({ job, steps }) => writtenScopes(job.permissions, steps).length > 0).map(({ id }) => id);
  const jobWrites = writing.map((id) => `job ${id} may write`);
  if (!('permissions' in top)) {
    const found = ['no permissions at the top', ...undeclared.map((id) => `none in job ${id}`), ...jobWrites];
    return { cost: undeclared.length > 0 ? 10 : 0.5, found };
  }
  const scopes = writtenScopes(
    top.permissions,
    jobs.flatMap(({ steps }) => steps),
  );
  const found = [...scopes.map((scope) => `${scope}: write at the top`), ...jobWrites];
  if (scopes.includes('write-all')) return { cost: undeclared.length > 0 || writing.length > 0 ? 10 : 0.5, found };
  if (scopes.length > 0 && writing.length > 0) return { cost: 10, found };
  return { cost: scopes.reduce((sum, scope) => sum + (TOP_COST[scope] ?? 0), 0), found };
}

/** Scopes that may be written and matter here, but for those that an action of these steps is there to write. */
function writtenScopes(permissions: unknown, steps: readonly Mapping[]): string[] {
  if (permissions === 'write-all') return ['write-all'];
  const actions = steps.map(({ uses }) => textOf(uses));
  return Object.entries(mapping(permissions))
    .filter(([scope, level]) => level === 'write' && scope in TOP_COST)
    .map(([scope]) => scope)
    .filter((scope) => !EXEMPT.some(([exempt, uses]) => exempt === scope && actions.some((name) => uses.test(name))));
}
