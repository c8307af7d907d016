import { expect, it } from 'vitest';
import { readEnvironment } from '../../../src/config/env.js';
import { describeWithPython } from '../../../tests/fixtures/repocraft/describe-with-python.js';
import { tinyRelease } from '../../../tests/fixtures/repocraft/tiny-release.js';

import type { LockedPlace } from './lock/kept-sample.js';

const LIBRARY = {
  'src/tinylib/__init__.py': 'from .core import get, Client, _hidden\n',
  'src/tinylib/core.py':
    'class Client:\n    def send(self, x):\n        return x\n    def close(self):\n        return 1\ndef get(url):\n    return url\ndef _hidden(x):\n    return x\n',
  'tests/__init__.py': '',
};

const PADDING = Array.from({ length: 9 }, (_, line) => `    filler_${line} = ${line}`).join('\n');

/** One test file holding one test with this head and body, padded past the length rule. */
function ruleFor(body: string, head = '', name = 'test_something'): string | undefined {
  const text = `import os\nimport pytest\nimport tinylib\nfrom tinylib import Client, _hidden, get\n\n${head}\ndef ${name}():\n${PADDING}\n${body}\n`;
  return tinyRelease({ ...LIBRARY, 'tests/test_one.py': text }).plan().dropped[`tests/test_one.py::${name}`]?.rule;
}

const buildServer = readEnvironment().variable('CI') !== undefined;

describeWithPython('filter rules', { buildServer }, () => {
  const cases: [string | undefined, string, string?, string?][] = [
    [undefined, '    assert get("a") == "a"'],
    ['skip-or-xfail', '    assert get("a")', '@pytest.mark.skipif("x")'],
    ['skip-or-xfail', '    pytest.skip("no")\n    assert get("a")'],
    ['marked-slow', '    assert get("a") == "a"', '@pytest.mark.slow'],
    [undefined, '    assert get(pace) == "a"', '@pytest.mark.parametrize("pace", ["slow", "to skip"])'],
    ['no-assertion', '    get("a")'],
    ['trivial', '    assert isinstance(get("a"), str)\n    assert get("a") is not None'],
    ['trivial', '    self.assertIsInstance(get("a"), str)\n    self.assertTrue(callable(get))'],
    [undefined, '    self.assertIsInstance(get("a"), str)\n    self.assertEqual(get("a"), "a")'],
    ['format', '    assert get("a") == "a"', '', 'test_client_repr'],
    ['deprecation', '    with pytest.warns(FutureWarning):\n        assert get("a") == "a"'],
    ['deprecation', '    with tinylib.RemovedInTiny6Warning.caught():\n        assert get("a") == "a"'],
    [undefined, '    warnings.simplefilter("ignore", FutureWarning)\n    assert get("a") == "a"', 'import warnings'],
    ['name-in-text', '    assert get("tinylib.core.Client") == 1'],
    ['name-in-text', '    assert helper() == 1', 'def helper():\n    return get("tinylib.core")\n'],
    [undefined, '    assert get("tinylib.core is a module") == 1'],
    ['gui', '    assert matplotlib.x == get("a")', 'import matplotlib'],
    ['gui', '    assert pyplot.x == get("a")', 'from matplotlib import pyplot'],
    [undefined, '    assert get("""\nimport matplotlib\n""") == "a"'],
    ['network', '    assert get("a") == tinylib.get("http://realhost.org/x")'],
    ['network', '    assert get(TARPIT)', 'TARPIT = 1'],
    ['file-system', '    with open("setup.cfg") as f:\n        assert get(f)'],
    ['file-system', '    assert get("tests/data.bin") == 1'],
    ['private-api', '    assert _hidden("a") == "a"'],
    ['private-api', '    assert Client()._secret == 1'],
    ['private-api', '    self = Client()\n    assert self.made._secret == get("a")'],
    ['private-api', '    assert vars(get("a")) == {}'],
    ['private-api', '    assert getattr(Client(), "_secret") == 1'],
    ['private-api', '    assert helper() == 1', 'def helper():\n    return get("a")._secret\n'],
    ['no-target', '    assert os.sep == "/"'],
    ['unseeded', '    assert get(random.random()) == 1', 'import random\n'],
    ['unseeded', '    assert get(np.random.normal(size=3)) == 1', 'import numpy as np\n'],
    ['unseeded', '    assert get(np.random.default_rng().random()) == 1', 'import numpy as np\n'],
    [undefined, '    np.random.seed(3)\n    assert get(np.random.normal(size=3)) == 1', 'import numpy as np\n'],
    [undefined, '    assert get(np.random.default_rng(3).random()) == 1', 'import numpy as np\n'],
    ['unsaid', '    assert get((yield))'],
    ['off-subject', '    once = get("a")\n    made = [1]\n    made.append(2)\n    assert made == [1, 2]'],
    // That it takes several things is asked; what it gives only decides what is done is not.
    [undefined, '    once = get("a", 2)\n    made = [1]\n    made.append(2)\n    assert made == [1, 2]'],
    ['off-subject', '    made = [1]\n    if get("a") == "a":\n        made.append(2)\n    assert made == [1, 2]'],
    [undefined, '    made = [1]\n    if get("a") == "a":\n        made.append(get("b"))\n    assert made == [1, "b"]'],
  ];
  it.each(cases)('%s: %s', (rule, body, head, name) => {
    expect(ruleFor(body, head, name)).toBe(rule);
  });

  it('drops a test whose subject is a mere part of a class that it defines, where that is for set-up', () => {
    const body =
      '    class Chest:\n        lid = Client()\n    box = Chest()\n    assert box.size == 3\n    assert box.lid == 4';
    const plumbing = ['tinylib.core.Client'];
    const text = `from tinylib import Client\n\n\ndef test_something():\n${PADDING}\n${body}\n`;
    const release = tinyRelease({ ...LIBRARY, 'tests/test_one.py': text });
    const named = 'tests/test_one.py::test_something';
    expect(release.plan({}, { plumbing }).dropped[named]?.rule).toBe('off-subject');
    expect(release.plan().dropped[named]?.rule).toBeUndefined();
  });

  it('does not mind preparing messages for reserved host names', () => {
    expect(ruleFor('    assert get("http://example.com/x") == 1')).toBeUndefined();
  });

  it('drops a task whose whole slice is short, after its neighbours were tried', () => {
    const short = (name: string): string => `def ${name}():\n    assert get("a") == "a"\n\n\n`;
    const alone = tinyRelease({
      ...LIBRARY,
      'tests/test_one.py': `from tinylib import get\n\n\n${short('test_a')}`,
    }).plan();
    expect(alone.dropped['tests/test_one.py::test_a']?.rule).toBe('too-short');
    const pair = ['test_first', 'test_second']
      .map((name) => short(name).replace('assert', 'x = 1\n    y = 2\n    z = 3\n    assert'))
      .join('');
    const together = tinyRelease({ ...LIBRARY, 'tests/test_one.py': `from tinylib import get\n\n\n${pair}` }).plan();
    expect(together.drafts.map((draft) => draft.functions)).toEqual([['test_first', 'test_second']]);
  });

  it('lets an override decide, under the name it gives', () => {
    const text = `from tinylib import get\n\n\ndef test_x():\n${PADDING}\n    assert get("a") == "a"\n`;
    const release = tinyRelease({ ...LIBRARY, 'tests/test_one.py': text });
    const key = 'tests/test_one.py::test_x';
    const { dropped } = release.plan({ [key]: { action: 'drop', rule: 'by-hand', reason: 'why' } });
    expect(dropped[key]?.rule).toBe('by-hand');
  });

  it('never groups tests that are named by the numbers of issues', () => {
    const long = (name: string): string => `def ${name}():\n${PADDING}\n    assert get("a") == "a"\n\n\n`;
    const names = ['test_issue_12', 'test_issue_34', 'test_gh567', 'test_shared_part_one', 'test_shared_part_two'];
    const text = `from tinylib import get\n\n\n${names.map(long).join('')}`;
    const { drafts } = tinyRelease({ ...LIBRARY, 'tests/test_one.py': text }).plan();
    expect(drafts.map(({ functions }) => functions)).toEqual([[names[0]], [names[1]], [names[2]], names.slice(3)]);
    const short = names
      .slice(0, 2)
      .map((name) => `def ${name}():\n    x = 1\n    y = 2\n    z = 3\n    assert get("a")\n\n\n`);
    const release = tinyRelease({ ...LIBRARY, 'tests/test_one.py': `from tinylib import get\n\n\n${short.join('')}` });
    expect(Object.values(release.plan().dropped).map(({ rule }) => rule)).toEqual(['too-short', 'too-short']);
  });

  it('keeps one of the near duplicates of a subject, the locked one first; other numbers are no other question', () => {
    const test = (name: string, of: string, value: number): string =>
      `def test_${name}():\n${PADDING}\n    found = ${of}(${value})\n    assert found == ${value}\n\n\n`;
    const text = `from tinylib import Client, get\n\n\n${test('one', 'get', 1)}${test('two', 'get', 2)}${test('other', 'Client().send', 3)}`;
    const release = tinyRelease({ ...LIBRARY, 'tests/test_one.py': text });
    const functions = (kept: LockedPlace[], settings = { near: 0.8, largestGroup: 1 }) =>
      release.plan({}, settings, kept).drafts.flatMap((draft) => draft.functions);
    expect(functions([])).toEqual(['test_one', 'test_other']);
    const kept = {
      id: 'tinylib-get-007',
      category: 'tinylib.core',
      file: 'tests/test_one.py',
      functions: ['test_two'],
    };
    expect(functions([kept])).toEqual(['test_two', 'test_other']);
    expect(functions([], { near: 0, largestGroup: 1 })).toHaveLength(3);
    const { dropped } = release.plan({}, { near: 0.8, largestGroup: 1 });
    expect(dropped['tests/test_one.py::test_two']).toEqual({ rule: 'near-duplicate', detail: 'tinylib.core.get' });
  });

  it('lets no file have more of the sample than the settings say', () => {
    const test = (name: string): string => `def test_${name}():\n${PADDING}\n    assert get("${name}") == 1\n\n\n`;
    const file = (names: string[]): string => `from tinylib import get\n\n\n${names.map(test).join('')}`;
    const release = tinyRelease({
      ...LIBRARY,
      'tests/test_large.py': file(['ab', 'cd', 'ef', 'gh', 'ij', 'kl']),
      'tests/test_small.py': file(['mn', 'op']),
    });
    const { drafts } = release.plan({}, { largestGroup: 1 });
    const files = release.number(drafts, { size: 5, largestFile: 3 }).map((task) => task.source.file);
    expect(files.filter((path) => path.endsWith('test_large.py'))).toHaveLength(3);
    expect(files.filter((path) => path.endsWith('test_small.py'))).toHaveLength(2);
  });

  it('groups by class, subject and first word, four at most', () => {
    const method = (name: string): string =>
      `    def ${name}(self):\n${PADDING.replaceAll('    ', '        ')}\n        assert Client().send(1) == 1\n\n`;
    const names = ['one', 'two', 'three', 'four', 'five', 'six'].map((word) => `test_body_${word}`);
    const text = `from tinylib import Client\n\n\nclass TestClient:\n${[...names, 'test_head_x'].map(method).join('')}`;
    const groups = tinyRelease({ ...LIBRARY, 'tests/test_one.py': text })
      .plan()
      .drafts.map((draft) => draft.functions.length);
    expect(groups.sort()).toEqual([1, 3, 3]);
  });

  it('rolls small categories up to their parent, samples to a size, and numbers ids', () => {
    const test = (name: string, use: string): string => `def test_${name}():\n${PADDING}\n    assert ${use}\n\n\n`;
    const words = ['ab', 'cd', 'ef', 'gh', 'ij', 'kl'];
    const text = `from tinylib import Client, get\nfrom tinylib.extra import more\n\n\n${words.map((w) => test(`${w}_x`, `get("${w}") == 1`)).join('')}${test('more_of', 'more(1) == 1')}`;
    const release = tinyRelease({
      ...LIBRARY,
      'src/tinylib/extra.py': 'def more(x):\n    return x\n',
      'tests/test_one.py': text,
    });
    const { drafts } = release.plan();
    const all = release.number(drafts);
    expect(all.map((task) => task.category)).toContain('tinylib');
    expect(all.every((task) => /^[a-z0-9._-]{1,80}$/.test(task.id))).toBe(true);
    expect(new Set(all.map((task) => task.id)).size).toBe(all.length);
    const some = release.number(drafts, { size: all.length - 1 });
    expect(some).toHaveLength(all.length - 1);
    expect(release.number(drafts, { size: all.length - 1 })).toEqual(some);
  });
});
