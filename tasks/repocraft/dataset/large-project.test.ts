import { expect, it } from 'vitest';
import { readEnvironment } from '../../../src/config/env.js';
import { describeWithPython } from '../../../tests/fixtures/repocraft/describe-with-python.js';
import { tinyRelease, type TinyPlan } from '../../../tests/fixtures/repocraft/tiny-release.js';

// What only the larger projects need: tests inside the package, stand-ins beside the test, a prelude, a pool.

const LIBRARY = {
  'src/tinylib/__init__.py': 'from .pots import *\nfrom ._checks import assert_same\n',
  'src/tinylib/pots.py': 'from ._make import Pot\ndef brew(kind) -> "Pot":\n    return make(kind)\n',
  'src/tinylib/_make.py': 'class Pot:\n    def pour(self, cup):\n        return cup\n',
  'src/tinylib/_checks.py': 'def assert_same(a, b):\n    assert a == b\ndef assert_other(a):\n    assert a\n',
  'shims/check_shims.py': 'def assert_same(a, b):\n    assert a == b\n',
  'shims/prelude.py': 'import tinylib as _tinylib\n_tinylib.ready = True\n',
};

const IN_PACKAGE = {
  testsRoot: 'src',
  testModules: '\\.tests(\\.|$)',
  testFiles: '^tinylib/.*tests/test_\\w+\\.py$',
  shimLibraries: { 'tinylib._checks': 'check_shims.py' },
  categoryBy: 'package',
};

const PADDING = Array.from({ length: 9 }, (_, line) => `    filler_${line} = ${line}`).join('\n');

function planOf(text: string, settings: object = {}, files: Record<string, string> = {}): TinyPlan {
  const release = tinyRelease({ ...LIBRARY, ...files, 'src/tinylib/tests/test_pots.py': text });
  return release.plan({}, { ...IN_PACKAGE, ...settings });
}

const test = (name: string, body: string): string => `\n\ndef test_${name}():\n${PADDING}\n${body}\n`;

const buildServer = readEnvironment().variable('CI') !== undefined;

describeWithPython('slicing tests of a large project', { buildServer }, () => {
  it('puts our stand-in for a module of the reference beside the test', () => {
    const imports = 'import tinylib._checks as tc\nfrom tinylib._checks import assert_same\nfrom tinylib import brew\n';
    const [draft] = planOf(imports + test('a', '    assert_same(brew(1), 2)\n    tc.assert_same(1, 1)')).drafts;
    expect(draft?.test_code).toContain('import check_shims as tc\n');
    expect(draft?.test_code).toContain('from check_shims import assert_same\n');
    expect(Object.keys(draft?.auxiliary_code ?? {})).toEqual(['check_shims.py']);
    expect(draft?.imports.map((entry) => entry.module)).toEqual(['tinylib']);
  });

  it('drops a test that needs what the stand-in does not have', () => {
    const whole = planOf(
      `import tinylib._checks as tc\nimport tinylib\n${test('a', '    tc.assert_other(tinylib.brew(1))')}`,
    );
    expect(Object.values(whole.dropped)).toEqual([{ rule: 'cannot-slice', detail: 'no shim for tc.assert_other' }]);
    const named = planOf(
      `from tinylib._checks import assert_other\nimport tinylib\n${test('a', '    assert_other(tinylib.brew(1))\n    assert 1')}`,
    );
    expect(Object.values(named.dropped).map((entry) => entry.rule)).toEqual(['private-api']);
  });

  it('follows star re-exports and annotations; a public name may be defined in a private module', () => {
    const [draft] = planOf(`from tinylib import brew\n${test('a', '    assert brew(1).pour(2)')}`).drafts;
    expect(draft?.targets).toEqual(expect.arrayContaining(['tinylib.pots.brew', 'tinylib._make.Pot.pour']));
  });

  it('begins with the prelude, unless nothing the test imports needs it', () => {
    const text = `from tinylib.pots import brew\n${test('a', '    assert brew(1)')}`;
    const prelude = { prelude: 'prelude.py' };
    expect(planOf(text, { ...prelude, preludeUnless: '^nothing' }).drafts[0]?.test_code).toMatch(
      /^import tinylib as _tinylib\n/,
    );
    expect(planOf(text, { ...prelude, preludeUnless: '\\.pots$' }).drafts[0]?.test_code).not.toContain('_tinylib');
  });

  it('does not count the lines of the prelude', () => {
    const short = `from tinylib.pots import brew\n\n\ndef test_a():\n    assert brew(1)\n`;
    const long = 'import tinylib as _tinylib\n' + '_tinylib.ready = True\n'.repeat(40);
    const settings = { prelude: 'prelude.py', preludeUnless: '^nothing' };
    const dropped = planOf(short, settings, { 'shims/prelude.py': long }).dropped;
    expect(Object.values(dropped).map(({ rule }) => rule)).toEqual(['too-short']);
    const text = `from tinylib.pots import brew\n${test('a', '    assert brew(1)')}`;
    const [bare] = planOf(text).drafts;
    const [dressed] = planOf(text, settings, { 'shims/prelude.py': long }).drafts;
    expect([dressed?.loc, dressed?.difficulty]).toEqual([bare?.loc, bare?.difficulty]);
  });

  it('takes classes along that another names in a string', () => {
    const helper = 'class Cup:\n    holder = "Shelf"\n\n\nclass Shelf:\n    size = 3\n';
    const text = `from tinylib.pots import brew\nfrom .models import Cup\n${test('a', '    assert brew(Cup)')}`;
    const files = { 'src/tinylib/tests/models.py': helper };
    expect(planOf(text, { namesInStrings: true }, files).drafts[0]?.test_code).toContain('class Shelf');
    expect(planOf(text, { namesInStrings: false }, files).drafts[0]?.test_code).not.toContain('class Shelf');
  });

  it('names what upstream skips, marks as slow or only formats, before it slices', () => {
    const marked = `import pytest\nfrom tinylib import brew\nfrom tinylib._checks import XFAIL\n\n\n@pytest.mark.slow${test('a', '    assert brew(1)').trimStart().replace(/^/, '\n')}\n\n@XFAIL${test('b', '    assert brew(1)').trimStart().replace(/^/, '\n')}`;
    expect(Object.values(planOf(marked).dropped).map((entry) => entry.rule)).toEqual(['marked-slow', 'skip-or-xfail']);
    const text = `from tinylib import brew\n${test('a', '    assert brew(1)')}`;
    expect(Object.values(planOf(text, { formatFiles: 'test_pots' }).dropped).map((entry) => entry.rule)).toEqual([
      'format',
    ]);
  });

  it('drafts only a pool of the groups, the same for the same seed, and counts the others', () => {
    const names = ['ab', 'cd', 'ef', 'gh', 'ij', 'kl', 'mn'];
    const text = `from tinylib import brew\n${names.map((name) => test(`${name}_x`, `    assert brew("${name}")`)).join('')}`;
    const all = planOf(text);
    const some = planOf(text, { pool: 4 });
    expect(all.unsampled).toBe(0);
    expect(some.drafts).toHaveLength(4);
    expect(some.unsampled).toBe(
      all.drafts.flatMap((draft) => draft.functions).length - some.drafts.flatMap((draft) => draft.functions).length,
    );
    expect(planOf(text, { pool: 4 })).toEqual(some);
  });
});
