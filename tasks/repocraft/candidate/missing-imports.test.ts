import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readEnvironment } from '../../../src/config/env.js';
import { describeWithPython } from '../../../tests/fixtures/repocraft/describe-with-python.js';

const PROGRAM = join(import.meta.dirname, '..', 'python', 'candidate', 'missing_imports.py');

let tree: string;
beforeEach(() => {
  tree = mkdtempSync(join(tmpdir(), 'missing-'));
});
afterEach(() => {
  rmSync(tree, { recursive: true, force: true });
});

/** What is missing of a tree, where the project declares these packages. */
function missing(files: Record<string, string>, declared: string[] = []): unknown {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(tree, path)), { recursive: true });
    writeFileSync(join(tree, path), text);
  }
  const { stdout, stderr } = spawnSync('python3', ['-s', '-E', '-B', PROGRAM, tree, ...declared], { encoding: 'utf8' });
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

describeWithPython(
  'packages that a candidate lacks',
  { buildServer: readEnvironment().variable('CI') !== undefined },
  () => {
    it('are told with the first place that imports them', () => {
      const files = {
        'src/tea/__init__.py': 'import json\nfrom . import pots\nimport no_such_detector\n',
        'src/tea/pots.py':
          'from no_such_detector.core import guess\nfrom tea import leaves\nfrom no_such_kettle import boil\n',
      };
      expect(missing(files)).toEqual({
        no_such_detector: 'src/tea/__init__.py:3',
        no_such_kettle: 'src/tea/pots.py:3',
      });
    });

    it.each([
      ['in a try', 'try:\n    import no_such_thing\nexcept ImportError:\n    no_such_thing = None\n'],
      ['in a function', 'def pour():\n    import no_such_thing\n'],
      ['behind a condition', 'import typing\nif typing.TYPE_CHECKING:\n    import no_such_thing\n'],
      ['in a file that is no Python', 'import no_such_thing\ndef (\n'],
    ])('are not looked for %s', (_, text) => {
      expect(missing({ 'tea/__init__.py': text })).toEqual({});
    });

    it('include what is installed and not declared by the project, tests of the candidate left out', () => {
      const files = { 'tea/__init__.py': 'import pip\n', 'tests/test_tea.py': 'import no_such_thing\n' };
      expect(missing(files, ['no_such_thing'])).toEqual({ pip: 'tea/__init__.py:1' });
      expect(missing({ 'tea/__init__.py': 'import no_such_thing\n' }, ['no_such_thing'])).toEqual({
        no_such_thing: 'tea/__init__.py:1',
      });
    });
  },
);
