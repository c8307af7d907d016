import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { codeDigest, workflowCode } from './code-digest.js';

let dist: string;
beforeEach(() => {
  dist = mkdtempSync(join(tmpdir(), 'durabench-dist-'));
  mkdirSync(join(dist, 'src', 'worker'), { recursive: true });
  writeFileSync(join(dist, 'src', 'worker', 'main.js'), 'one');
});
afterEach(() => rmSync(dist, { recursive: true }));

const digest = (): string => codeDigest(['node', join(dist, 'src', 'worker', 'main.js'), '--roles', 'model']);

it.each(['src/worker/main.js', 'workflow-bundle.js', 'digests.json', 'src/adapter.js'])('changes with %s', (file) => {
  const before = digest();
  expect(digest()).toBe(before);
  writeFileSync(join(dist, file), 'two');
  expect(digest()).not.toBe(before);
});

it('does not change with what no worker loads', () => {
  const before = digest();
  writeFileSync(join(dist, 'main.js.map'), 'two');
  expect(digest()).toBe(before);
});

it('is there before the first build, and for a worker of somebody else', () => {
  expect(codeDigest(['node', '/nowhere/dist/src/worker/main.js'])).toMatch(/^[0-9a-f]{16}$/);
  expect(codeDigest(['node', '/opt/other-worker.js'])).toBe(codeDigest([]));
});

it('of a workflow bundle is that of its code, whatever folder it was built in', () => {
  const bundle = join(dist, 'workflow-bundle.js');
  const digest = (code: string, map: string): string => {
    writeFileSync(bundle, `${code}\n//# sourceMappingURL=${map}`);
    return workflowCode(bundle);
  };
  expect(digest('one', 'here')).toMatch(/^[0-9a-f]{12}$/);
  expect(digest('one', 'there')).toBe(digest('one', 'here'));
  expect(digest('two', 'here')).not.toBe(digest('one', 'here'));
});
