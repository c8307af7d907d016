import { expect, it } from 'vitest';
import { readEnvironment } from '../../../src/config/env.js';
import { describeWithPython } from '../../../tests/fixtures/repocraft/describe-with-python.js';
import { tinyRelease } from '../../../tests/fixtures/repocraft/tiny-release.js';

const LIBRARY = {
  'src/tinylib/__init__.py': 'from .pots import Pot, brew\nfrom . import compat\n',
  'src/tinylib/pots.py': [
    'from .compat import urlparse',
    'class Pot:',
    '    """A kettle-shaped Pot of `tinylib`. More."""',
    '    def pour(self, cup):',
    '        """Pours into one cup."""',
    '        return cup',
    'def brew(kind):',
    '    """Brews a drink of one kind."""',
    '    pot = Pot()',
    '    return pot',
  ].join('\n'),
  'src/tinylib/compat.py': 'from urllib.parse import urlparse\nbuiltin_str = str\n',
  'shims/compat_names.py': 'builtin_str = str\n',
  'shims/fixtures.py': 'import pytest\n\n\n@pytest.fixture\ndef table():\n    return "our table"\n',
  'tests/__init__.py': '',
  'tests/tools.py':
    'import os\nimport json\n\n\ndef cup_of(name):\n    return os.path.basename(name)\n\n\ndef unused():\n    return json\n',
  'tests/conftest.py': 'import pytest\n@pytest.fixture\ndef table():\n    return "the real table"\n',
};

const TESTS = `import sys
import threading
import pytest
from tinylib import Pot, brew as make
from tinylib.compat import builtin_str, urlparse
from .tools import cup_of, unused

CUPS = ("a",   "b")  # odd spacing stays
OTHER = 1


class TestPot:
    kinds = pytest.mark.parametrize("kind, size", (("tea", 1), ("ale", 2)))
    other = 1

    @pytest.fixture(autouse=True)
    def prepare(self):
        self.pot = Pot()

    def helper(self, cup):
        return self.pot.pour(cup)

    @kinds
    def test_pour_kinds(self, kind, size, table):
        # a comment that stays
        assert self.helper(cup_of("x/" + kind))   ==   kind
        assert CUPS[0] == "a"

    def test_unrelated(self):
        assert threading and sys
`;

function sliceOf(test: string): string {
  const plan = tinyRelease({ ...LIBRARY, 'tests/test_pot.py': TESTS }).plan();
  return plan.drafts.find((draft) => draft.functions.includes(test))?.test_code ?? JSON.stringify(plan.dropped);
}

const buildServer = readEnvironment().variable('CI') !== undefined;

describeWithPython('slicing a test out of its module', { buildServer }, () => {
  it('takes what the test uses along, as source text', () => {
    const text = sliceOf('TestPot::test_pour_kinds');
    expect(text).toContain('CUPS = ("a",   "b")  # odd spacing stays');
    expect(text).toContain('# a comment that stays');
    expect(text).toContain('kinds = pytest.mark.parametrize');
    expect(text).toContain('def prepare(self):');
    expect(text).toContain('def helper(self, cup):');
    expect(text).toContain('from tinylib import Pot\n');
  });

  it('leaves out what the test does not use', () => {
    const text = sliceOf('TestPot::test_pour_kinds');
    for (const word of ['OTHER', 'other = 1', 'test_unrelated', 'threading', 'unused', 'json', 'make']) {
      expect(text).not.toContain(word);
    }
  });

  it('cuts helpers of other test modules into the file', () => {
    const text = sliceOf('TestPot::test_pour_kinds');
    expect(text).toContain('def cup_of(name):');
    expect(text).toContain('import os\n');
    expect(text).not.toMatch(/from (tests|\.)/);
  });

  it('replaces a conftest fixture by our shim', () => {
    const text = sliceOf('TestPot::test_pour_kinds');
    expect(text).toContain('return "our table"');
    expect(text).not.toContain('the real table');
  });

  it('follows re-exports to where they come from, and shims what is only assigned', () => {
    const test =
      'from tinylib import brew\nfrom tinylib.compat import builtin_str, urlparse\n\n\n' +
      'def test_brew_kind_by_address():\n    kind = urlparse("http://x/tea").path\n    other = kind\n    third = other\n    fourth = third\n    pot = brew(third)\n    assert builtin_str(pot.pour(kind)) == "/tea"\n';
    const draft = tinyRelease({ ...LIBRARY, 'tests/test_brew.py': test }).plan().drafts[0];
    expect(draft?.test_code).toContain('from urllib.parse import urlparse');
    expect(draft?.test_code).toContain('builtin_str = str');
    expect(draft?.imports.map((entry) => entry.module)).toEqual(['tinylib']);
  });

  it('says which fixtures come from where', () => {
    const plan = tinyRelease({
      ...LIBRARY,
      'tests/test_pot.py': TESTS.replace('size, table)', 'size, table, tmp_path)'),
    }).plan();
    const fixtures = plan.drafts.find((draft) => draft.functions.includes('TestPot::test_pour_kinds'))?.fixtures;
    expect(fixtures).toEqual([
      { name: 'table', provider: 'test_code' },
      { name: 'tmp_path', provider: 'pytest' },
    ]);
  });

  it('names the symbols under test by their place of definition, methods through inferred types', () => {
    const draft = tinyRelease({ ...LIBRARY, 'tests/test_pot.py': TESTS }).plan().drafts[0];
    expect(draft?.targets).toContain('tinylib.pots.Pot');
    const text =
      'from tinylib import brew\n\n\ndef test_brewed_pot_pours():\n    pot = brew("tea")\n    cup = pot.pour("x")\n    a = 1\n    b = 2\n    d = 4\n    e = 5\n    c = 3\n    assert a + b == c\n    assert cup == "x"\n';
    const second = tinyRelease({ ...LIBRARY, 'tests/test_brew.py': text }).plan().drafts[0];
    expect(second?.targets).toEqual(expect.arrayContaining(['tinylib.pots.brew', 'tinylib.pots.Pot.pour']));
  });

  it('refuses what it cannot cut, and says why', () => {
    const text = 'from tinylib import brew\n\n\ndef test_with_unknown(nowhere):\n    assert brew(nowhere)\n';
    const { dropped } = tinyRelease({ ...LIBRARY, 'tests/test_x.py': text }).plan();
    expect(dropped['tests/test_x.py::test_with_unknown']).toEqual({
      rule: 'cannot-slice',
      detail: 'no fixture called nowhere',
    });
  });

  it('makes tasks that extraction from their lock reproduces exactly', () => {
    const release = tinyRelease({ ...LIBRARY, 'tests/test_pot.py': TESTS });
    const tasks = release.number(release.plan().drafts);
    expect(tasks.length).toBeGreaterThan(0);
    expect(release.extract(tasks)).toEqual(tasks);
  });

  it('describes without the names that give the project away', () => {
    const [draft] = tinyRelease({ ...LIBRARY, 'tests/test_pot.py': TESTS }).plan().drafts;
    expect(draft?.description).toMatch(/pour kinds/);
    expect(draft?.description.toLowerCase()).not.toMatch(/tinylib|kettle/);
  });
});
