import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createFakeSandbox, type FakeEnd } from '../../../src/fakes/fake-sandbox.js';
import { checkEnds, lintKey, runLinters } from './run-linters.js';
import { toolReport, type LintEnd } from './tool-report.js';

// What broken tools and machines do; the tools themselves run in tests/gha-bench/lint.test.ts.

const FILES = new Map([['.github/workflows/ci.yml', Buffer.from('on: push\n# shellcheck disable=SC2086\n')]]);

const sandboxOf = (end: FakeEnd) => createFakeSandbox({ programs: { python3: () => end }, images: ['gha-lint'] });
const request = (sandbox: ReturnType<typeof sandboxOf>) => ({
  ...{ files: FILES, project: { 'README.md': 'read me' }, workflows: [...FILES.keys()], actions: [] },
  ...{ suiteFolder: join(import.meta.dirname, '..'), sandbox },
  owner: { campaignId: 'c', ownerId: 'o' },
  signal: new AbortController().signal,
});
const run = (end: FakeEnd): Promise<LintEnd> => runLinters(request(sandboxOf(end)));

const done = { end: 'done' as const, status: 0, seconds: 0.1, errors: '', findings: [], unread: [] as string[] };
const versions = { actionlint: '1.7.12', zizmor: '1.32.0', shellcheck: '0.11.0' };
const evidence = (actionlint: object) => ({
  versions,
  tools: { actionlint: { ...done, ...actionlint }, 'zizmor-strict': done, 'zizmor-baseline': done },
});

test.each<[string, FakeEnd, string]>([
  ['memory', { outOfMemory: true }, 'the linters ran out of memory'],
  ['processor time', { timeLimit: 'cpu' }, 'the linters ran out of processor time'],
])('files that use up %s are at fault', async (_, end, limit) => {
  const ended = await run(end);
  expect(ended).toEqual({ limit });
  expect(toolReport(ended)).toMatchObject({ limits: [limit], findings: [] });
});

test('a machine that is too busy is at fault itself: the look is taken again', async () => {
  await expect(run({ timeLimit: 'wall' })).rejects.toMatchObject({ type: 'sandbox.lost' });
});

test('a program that breaks is the harness’s', async () => {
  await expect(run({ exitCode: 1, stderr: 'Traceback' })).rejects.toMatchObject({ type: 'harness.bug' });
  await expect(run({ stdout: '{}' })).rejects.toThrow();
});

describe('how a tool ends', () => {
  const ends = (actionlint: object) => () => checkEnds(evidence(actionlint));

  test('by itself, or by the limits that the files used up', () => {
    expect(ends({})).not.toThrow();
    expect(ends({ end: 'limit', status: -24 })).not.toThrow();
    expect(toolReport({ evidence: evidence({ end: 'limit' }) }).limits).toEqual(['actionlint used up its limits']);
  });

  test.each<[string, object, string, RegExp]>([
    ['killed', { end: 'failed', status: -9 }, 'sandbox.lost', /actionlint was killed/],
    ['with an error', { end: 'failed', status: 3, errors: 'panic' }, 'harness.bug', /actionlint with status 3: panic/],
    ['without having read a file', { unread: ['./w.yml'] }, 'harness.bug', /without having read \.\/w\.yml/],
  ])('%s: nobody is judged', (_, actionlint, type, message) => {
    expect(ends(actionlint)).toThrow(message);
    expect(ends(actionlint)).toThrow(expect.objectContaining({ type }) as Error);
  });
});

test('tools see no directive and no configuration of the candidate, and places stay what they are', async () => {
  const sandbox = sandboxOf({ stdout: JSON.stringify(evidence({})) });
  const files = new Map([...FILES, ['.github/actionlint.yaml', Buffer.from('paths: {}')]]);
  await runLinters({ ...request(sandbox), files });
  const given = sandbox.runs[0]?.files ?? {};
  expect(Object.keys(given)).not.toContain('project/.github/actionlint.yaml');
  expect(String(given['project/.github/workflows/ci.yml'])).toBe('on: push\n# SHELLCHECK disable=SC2086\n');
  expect(String(given['project/README.md'])).toBe('read me');
  expect(Object.keys(given)).toEqual(expect.arrayContaining(['config/zizmor-baseline.yaml', 'run_linters.py']));
});

test('what was looked at before is told by files, project, image and tools', async () => {
  const of = request(sandboxOf({}));
  const key = await lintKey(of);
  expect(await lintKey({ ...of, files: new Map(FILES) })).toBe(key);
  expect(await lintKey({ ...of, project: {} })).not.toBe(key);
  expect(await lintKey({ ...of, files: new Map() })).not.toBe(key);
});
