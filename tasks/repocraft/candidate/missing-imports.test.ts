import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
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

interface Told {
  packages: Record<string, { place: string; stops: number; isInTree: boolean }>;
  modules: number;
}

/** What is told of a tree, where the project declares these packages. */
function told(files: Record<string, string>, declared: string[] = []): Told {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(tree, path)), { recursive: true });
    writeFileSync(join(tree, path), text);
  }
  const { stdout, stderr } = spawnSync('python3', ['-s', '-E', '-B', PROGRAM, tree, ...declared], { encoding: 'utf8' });
  expect(stderr).toBe('');
  return JSON.parse(stdout) as Told;
}

/** Package → the place that imports it first. */
const missing = (files: Record<string, string>, declared?: string[]): Record<string, string> =>
  Object.fromEntries(Object.entries(told(files, declared).packages).map(([name, { place }]) => [name, place]));

/** Package → how many modules it stops, of how many. */
const stops = (files: Record<string, string>): Record<string, string> => {
  const { packages, modules } = told(files);
  return Object.fromEntries(Object.entries(packages).map(([name, one]) => [name, `${one.stops} of ${modules}`]));
};

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
      ['in a try that may catch it', 'try:\n    import no_such_thing\nexcept ImportError:\n    no_such_thing = None\n'],
      ['in a function', 'def pour():\n    import no_such_thing\n'],
      ['behind a condition', 'import typing\nif typing.TYPE_CHECKING:\n    import no_such_thing\n'],
      ['behind a version', 'import sys\nif sys.version_info < (3, 9):\n    import no_such_thing\n'],
      ['by importlib', 'import importlib\nno_such_thing = importlib.import_module("no_such_thing")\n'],
      ['in a file that is no Python', 'import no_such_thing\ndef (\n'],
      ['in a file of 10 MB', `import no_such_thing\n# ${'x'.repeat(10_000_000)}\n`],
      ['beyond the top of the tree', 'from ....no_such_thing import x\n'],
    ])('are not looked for %s', (_, text) => {
      expect(missing({ 'tea/__init__.py': text })).toEqual({});
    });

    it('are looked for in a try that catches nothing, and in a class', () => {
      const files = {
        'tea/__init__.py': 'try:\n    import no_such_thing\nfinally:\n    import no_such_end\n',
        'tea/pots.py': 'class Pot:\n    from no_such_class import x\n',
      };
      expect(Object.keys(missing(files)).sort()).toEqual(['no_such_class', 'no_such_end', 'no_such_thing']);
    });

    it('include what is installed and not declared by the project, tests of the candidate left out', () => {
      const files = { 'tea/__init__.py': 'import pip\n', 'tests/test_tea.py': 'import no_such_thing\n' };
      expect(missing(files, ['no_such_thing'])).toEqual({ pip: 'tea/__init__.py:1' });
      expect(missing({ 'tea/__init__.py': 'import no_such_thing\n' }, ['no_such_thing'])).toEqual({
        no_such_thing: 'tea/__init__.py:1',
      });
    });

    it.each([
      ['a package', { 'kettle/__init__.py': '' }],
      ['a module', { 'kettle.py': '' }],
      ['a folder without __init__', { 'kettle/boil.py': '' }],
      ['a compiled module', { 'kettle.cpython-311-x86_64-linux-gnu.so': 'ELF' }],
    ])('are none where the candidate brings them along as %s', (_, brought) => {
      expect(told({ 'tea/__init__.py': 'import kettle\n', ...brought }).packages).toEqual({});
    });

    it('are told as in the tree where a module of that name lies where an import does not look', () => {
      const files = { 'tea/__init__.py': 'import no_such_leaf\n', 'tea/no_such_leaf.py': '' };
      const packages = { no_such_leaf: { place: 'tea/__init__.py:1', stops: 2, isInTree: true } };
      expect(told(files)).toEqual({ packages, modules: 2 });
    });

    it('stop the modules that import them, what is inside these, and what imports any of these', () => {
      const files = {
        'tea/__init__.py': '',
        'tea/base.py': 'import no_such_clock\n',
        'tea/cups/__init__.py': 'from .. import base\n',
        'tea/cups/small.py': '',
        'tea/shop.py': 'from tea.cups.small import x\n',
        'tea/dry.py': 'from . import tools\n',
        'tea/tools.py': 'def late():\n    from . import base\n',
        'tea/drivers/one.py': 'import no_such_driver\n',
      };
      expect(stops(files)).toEqual({ no_such_clock: '4 of 8', no_such_driver: '1 of 8' });
    });

    it('stop everything where the top of the package imports them, also round a circle and below wrapping folders', () => {
      const files = {
        'lib-1.0/src/tea/__init__.py': 'from .a import x\n',
        'lib-1.0/src/tea/a.py': 'from . import b\n',
        'lib-1.0/src/tea/b.py': 'from . import a\nimport no_such_thing\n',
        'lib-1.0/src/tea/c.py': '',
      };
      expect(stops(files)).toEqual({ no_such_thing: '4 of 4' });
    });

    it('are at most twenty, those that stop most first; links are not followed, names without end do no harm', () => {
      const many = Array.from({ length: 300 }, (_, n) => `import no_such_${n}\n`).join('');
      const files = {
        'tea/__init__.py': '',
        'tea/many.py': many,
        'tea/deep.py': `import tea${'.tea'.repeat(3_000)}\n`,
        'a/__init__.py': 'import no_such_base\n',
        'a/b.py': '',
      };
      mkdirSync(join(tree, 'tea'));
      writeFileSync(join(tree, 'linked'), 'import no_such_link\n');
      symlinkSync('../linked', join(tree, 'tea/link.py'));
      symlinkSync('..', join(tree, 'tea/up'));
      const { packages, modules } = told(files);
      expect([Object.keys(packages).length, Object.keys(packages)[0], modules]).toEqual([20, 'no_such_base', 5]);
      expect(packages).not.toHaveProperty('no_such_link');
    });
  },
);
