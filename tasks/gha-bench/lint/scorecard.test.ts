import { describe, expect, test } from 'vitest';
import { dangerousWorkflow } from './dangerous-workflow.js';
import { pinnedDependencies } from './pinned-dependencies.js';
import { pinKind } from './pins.js';
import { tokenPermissions } from './token-permissions.js';
import { workflowValues, type WorkflowValues } from './workflow-values.js';

const SHA = '11bd71901bbe5b1630ceea73d27597364c9af683';
const PINS = { pins: { 'actions/checkout': { [SHA]: ['v4.2.2'] }, 'octo/tool': { [SHA]: ['v1'] } } };

const read = (text: string): WorkflowValues[] =>
  workflowValues(new Map([['.github/workflows/w.yml', Buffer.from(text)]]));

const job = (parts: { top?: string; job?: string; steps?: string; on?: string }): string =>
  [
    `on: ${parts.on ?? 'push'}`,
    ...(parts.top === undefined ? [] : [`permissions: ${parts.top}`]),
    'jobs:\n  a:\n    runs-on: ubuntu-latest',
    ...(parts.job === undefined ? [] : [`    permissions: ${parts.job}`]),
    `    steps:\n      - ${parts.steps ?? 'run: echo'}`,
  ].join('\n');

// The examples of Scorecard's docs/checks.md, Token-Permissions, with the scores its evaluation gives them.
describe('token permissions', () => {
  test.each<[string, string, number]>([
    ['read at the top, what must write in the job', job({ top: '{ contents: read }', job: '{ issues: write }' }), 10],
    ['read-all at the top', job({ top: 'read-all' }), 10],
    ['nothing at the top, {}', job({ top: '{}' }), 10],
    ['undeclared at the top, declared in every job', job({ job: '{ contents: read }' }), 9],
    ['undeclared everywhere', job({}), 0],
    ['write-all at the top, the job undeclared', job({ top: 'write-all' }), 0],
    ['write-all at the top, the job read-only', job({ top: 'write-all', job: '{ contents: read }' }), 9],
    ['contents: write at the top', job({ top: '{ contents: write }' }), 0],
    ['packages: write at the top', job({ top: '{ packages: write }' }), 0],
    ['actions: write at the top', job({ top: '{ actions: write }' }), 0],
    ['deployments: write at the top', job({ top: '{ deployments: write }' }), 9],
    ['security-events: write at the top', job({ top: '{ security-events: write }' }), 9],
    ['checks: write at the top', job({ top: '{ checks: write }' }), 9],
    ['checks and statuses: write at the top', job({ top: '{ checks: write, statuses: write }' }), 9],
    ['a scope that costs nothing', job({ top: '{ issues: write }' }), 10],
    ['contents: write in a job', job({ top: '{ contents: read }', job: '{ contents: write }' }), 10],
    ['writing at the top and in a job', job({ top: '{ checks: write }', job: '{ contents: write }' }), 0],
    [
      'an action that uploads SARIF',
      job({ top: '{ security-events: write }', steps: 'uses: github/codeql-action/upload-sarif@v3' }),
      10,
    ],
    [
      'an action that publishes packages',
      job({ top: '{ packages: write }', steps: 'uses: docker/build-push-action@v6' }),
      10,
    ],
  ])('%s', (_, text, score) => {
    expect(tokenPermissions(read(text)).score).toBe(score);
  });

  test('the worst workflow decides, and is named', () => {
    const { score, findings } = tokenPermissions([...read(job({ top: 'read-all' })), ...read(job({}))]);
    expect({ score, findings }).toMatchObject({
      score: 0,
      findings: [expect.stringContaining('no permissions'), expect.anything()],
    });
  });
});

// The same, Pinned-Dependencies.
describe('pinned dependencies', () => {
  const steps = (...written: string[]): string => job({ top: '{}', steps: written.join('\n      - ') });
  test.each<[string, string, number]>([
    ['nothing is fetched', steps('run: make'), 10],
    ['an action by tag', steps('uses: actions/checkout@v4'), 0],
    ['an action by a commit of the table', steps(`uses: actions/checkout@${SHA}`), 10],
    ['an action by an invented commit', steps(`uses: actions/checkout@${'ab'.repeat(20)}`), 0],
    ['one of two of GitHub’s', steps(`uses: actions/checkout@${SHA}`, 'uses: actions/cache@v4'), 5],
    ['GitHub’s pinned, the other not', steps(`uses: actions/checkout@${SHA}`, 'uses: octo/tool@v1'), 2],
    ['the other pinned, GitHub’s not', steps('uses: actions/checkout@v4', `uses: octo/tool@${SHA}`), 8],
    ['a local action', steps('uses: ./.github/actions/x'), 10],
    ['an image by tag', steps('uses: docker://alpine:3.20'), 0],
    ['an image by digest', steps(`uses: docker://alpine@sha256:${'a'.repeat(64)}`), 10],
    ['pip install of a name', steps('run: pip install requests'), 0],
    ['pip install with hashes', steps('run: pip install --require-hashes -r requirements.txt'), 10],
    ['pip install of the project', steps('run: pip install .'), 10],
    ['pip install of a list', steps('run: pip install -r requirements.txt'), 0],
    ['npm ci', steps('run: npm ci'), 10],
    ['npm install', steps('run: npm install'), 0],
    ['go install of a version', steps('run: go install example.com/tool@v1.2.3'), 10],
    ['go install of the latest', steps('run: go install example.com/tool@latest'), 0],
    ['a script from the network', steps("run: 'curl -sSf https://example.com/install.sh | sh'"), 0],
    ['npm ci beside npm install', steps('run: npm ci && npm install left-pad'), 5],
  ])('%s', (_, text, score) => {
    expect(pinnedDependencies(read(text), PINS).score).toBe(score);
  });

  test('a commit is a pin of the repository it belongs to', () => {
    expect(pinKind(`actions/cache@${SHA}`, PINS)).toBe('unknown-commit');
    expect(pinKind(`Actions/Checkout@${SHA}`, PINS)).toBe('verified');
  });
});

// The same, Dangerous-Workflow.
describe('dangerous workflow', () => {
  const CHECKOUT = 'uses: actions/checkout@v4\n        with: { ref: "${{ github.event.pull_request.head.sha }}" }';
  test.each<[string, string, number]>([
    ['nothing of a stranger', job({}), 10],
    ['code of a pull request with rights', job({ on: 'pull_request_target', steps: CHECKOUT }), 0],
    ['code of a pull request without', job({ on: 'pull_request', steps: CHECKOUT }), 10],
    ['the base with rights', job({ on: 'pull_request_target', steps: 'uses: actions/checkout@v4' }), 10],
    [
      'code of another run',
      job({ on: 'workflow_run', steps: CHECKOUT.replace('pull_request.head.sha', 'workflow_run.head_sha') }),
      0,
    ],
    ...[
      ...['issue.title', 'issue.body', 'pull_request.title', 'pull_request.body', 'comment.body', 'review.body'],
      ...['discussion.title', 'head_commit.message', 'head_commit.author.email', 'pull_request.head.ref'],
      ...['pull_request.head.repo.default_branch', 'commits[0].message', 'pages.0.page_name'],
    ].map((context): [string, string, number] => [
      `${context} in a script`,
      job({ steps: `run: echo "\${{ github.event.${context} }}"` }),
      0,
    ]),
    ['head_ref in a script', job({ steps: 'run: echo ${{ github.head_ref }}' }), 0],
    ['the whole event in a script', job({ steps: 'run: echo ${{ toJSON(github.event) }}' }), 0],
    ['a number of the event', job({ steps: 'run: echo ${{ github.event.pull_request.number }}' }), 10],
    [
      'a title by way of the environment',
      job({ steps: 'run: echo "$T"\n        env: { T: "${{ github.event.issue.title }}" }' }),
      10,
    ],
    [
      'a title in a script of JavaScript',
      job({
        steps: 'uses: actions/github-script@v7\n        with: { script: "x(`${{ github.event.issue.title }}`)" }',
      }),
      0,
    ],
  ])('%s', (_, text, score) => {
    expect(dangerousWorkflow(read(text)).score).toBe(score);
  });
});
