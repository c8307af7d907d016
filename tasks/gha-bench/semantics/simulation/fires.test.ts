import { expect, test } from 'vitest';
import { readSemantics } from '../model/read-semantics.js';
import { fires } from './fires.js';
import type { Probe } from './probe.js';

function answer(on: string, probe: Probe): boolean {
  const text = `on: ${on}\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps: [{ run: echo }]\n`;
  const semantics = readSemantics({ '.github/workflows/w.yml': text });
  const [workflow] = semantics.workflows;
  if (!workflow) throw new Error(semantics.problems[0]?.message);
  return fires(workflow, probe, semantics).fires;
}

const push = (branch: string, more: Partial<Probe> = {}): Probe => ({ event: 'push', branch, ...more });
const tag = (name: string): Probe => ({ event: 'push', tag: name });
const pr = (base: string, more: Partial<Probe> = {}): Probe => ({ event: 'pull_request', base, ...more });

/** A filter, what runs it and what does not. */
const TABLE: Record<string, [on: string, yes: Probe[], no: Probe[]][]> = {
  'event names': [
    ['push', [push('main'), tag('v1')], [pr('main')]],
    ['[push, pull_request]', [push('x'), pr('x')], [{ event: 'release' }]],
    ['{ push: , workflow_dispatch: }', [push('x'), { event: 'workflow_dispatch' }], [{ event: 'schedule' }]],
  ],
  branches: [
    ['{ push: { branches: [main, "releases/**"] } }', [push('main'), push('releases/a/b')], [push('x'), tag('v1')]],
    ['{ push: { branches: main } }', [push('main')], [push('mai')]],
    ['{ push: { branches: ["**", "!wip/**"] } }', [push('a/b')], [push('wip/a')]],
    ['{ push: { branches: ["!main"] } }', [], [push('main'), push('other')]],
    ['{ push: { branches-ignore: ["wip/**"] } }', [push('main')], [push('wip/a'), tag('v1')]],
    ['{ pull_request: { branches: [main] } }', [pr('main', { branch: 'x' })], [pr('dev', { branch: 'main' })]],
    ['{ pull_request_target: { branches: [main] } }', [{ event: 'pull_request_target' }], [pr('main')]],
    [
      '{ workflow_run: { workflows: [CI], branches: [main] } }',
      [{ event: 'workflow_run', workflow: 'CI' }],
      [
        { event: 'workflow_run', workflow: 'CI', branch: 'dev' },
        { event: 'workflow_run', workflow: 'Other' },
      ],
    ],
  ],
  tags: [
    ['{ push: { tags: ["v*"] } }', [tag('v1.0')], [tag('x1'), push('main')]],
    ['{ push: { tags: ["v*", "!v*-rc*"] } }', [tag('v1')], [tag('v1-rc1')]],
    ['{ push: { tags-ignore: ["v*"] } }', [tag('x')], [tag('v1'), push('main')]],
    ['{ push: { branches: [main], tags: ["v*"] } }', [push('main'), tag('v1')], [push('dev'), tag('x')]],
  ],
  paths: [
    [
      '{ push: { paths: ["src/**", "!src/**/*.md"] } }',
      [push('a', { files: ['src/a.ts', 'x'] }), tag('v1'), push('a', { files: ['x'], commits: 1001 })],
      [push('a', { files: ['x'] }), push('a', { files: ['src/a/b.md'] }), push('a')],
    ],
    ['{ push: { paths: ["./src/**"] } }', [], [push('a', { files: ['src/a.ts'] })]],
    [
      '{ push: { branches: [main], paths: ["src/**"] } }',
      [push('main', { files: ['src/a'] })],
      [push('dev', { files: ['src/a'] }), push('main', { files: ['b'] })],
    ],
    ['{ pull_request: { paths: ["*.js"] } }', [pr('main', { files: ['a.js'] })], [pr('main', { files: ['b/a.js'] })]],
    // GitHub's diff ends after 300 files.
    [
      '{ push: { paths: ["last"] } }',
      [push('a', { files: [...Array<string>(299).fill('x'), 'last'] })],
      [push('a', { files: [...Array<string>(300).fill('x'), 'last'] })],
    ],
  ],
  'ignored paths': [
    [
      '{ push: { paths-ignore: ["docs/**", "*.md"] } }',
      [push('a', { files: ['docs/a', 'src/b'] }), push('a')],
      [push('a', { files: ['docs/a', 'README.md'] })],
    ],
  ],
  types: [
    ['pull_request', [pr('a'), pr('a', { action: 'synchronize' })], [pr('a', { action: 'closed' })]],
    ['{ pull_request: { types: [closed] } }', [pr('a', { action: 'closed' })], [pr('a')]],
    ['{ release: { types: [published] } }', [{ event: 'release' }], [{ event: 'release', action: 'created' }]],
    ['{ release: }', [{ event: 'release', action: 'created' }], []],
    ['{ issues: { types: labeled } }', [{ event: 'issues', action: 'labeled' }], [{ event: 'issues' }]],
    [
      '{ repository_dispatch: { types: [deploy] } }',
      [{ event: 'repository_dispatch', action: 'deploy' }],
      [{ event: 'repository_dispatch', action: 'other' }, { event: 'repository_dispatch' }],
    ],
    [
      '{ workflow_run: { workflows: [CI], types: [requested] } }',
      [{ event: 'workflow_run', action: 'requested' }],
      [{ event: 'workflow_run' }],
    ],
  ],
  schedule: [
    [
      '{ schedule: [{ cron: "0 5 * * 1" }, { cron: "0  6 * * *" }] }',
      [{ event: 'schedule' }, { event: 'schedule', cron: '0 6 * * *' }],
      [
        { event: 'schedule', cron: '1 6 * * *' },
        { event: 'schedule', branch: 'dev' },
      ],
    ],
  ],
  'dispatch inputs': [
    [
      '{ workflow_dispatch: { inputs: { who: { required: true }, how: { type: choice, options: [a, b] } } } }',
      [{ event: 'workflow_dispatch', inputs: { who: 'x', how: 'b' } }],
      [{ event: 'workflow_dispatch' }, { event: 'workflow_dispatch', inputs: { who: 'x', how: 'c' } }],
    ],
    [
      '{ workflow_dispatch: { inputs: { dry: { type: boolean, required: true }, n: { required: true, default: 1 } } } }',
      [{ event: 'workflow_dispatch' }],
      [],
    ],
  ],
  'fork pull requests': [
    ['pull_request', [pr('main', { fork: true })], []],
    ['push', [], [pr('main', { fork: true })]],
  ],
};

const rows = Object.entries(TABLE).flatMap(([kind, cases]) => cases.map((each) => [kind, ...each] as const));

test.each(rows)('%s: %s', (_kind, on, yes, no) => {
  expect(yes.filter((probe) => !answer(on, probe))).toEqual([]);
  expect(no.filter((probe) => answer(on, probe))).toEqual([]);
});
