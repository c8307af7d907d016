import { expect, it } from 'vitest';
import { readEnvironment } from '../../../src/config/env.js';
import { describeWithPython } from '../../../tests/fixtures/repocraft/describe-with-python.js';
import { tinyRelease } from '../../../tests/fixtures/repocraft/tiny-release.js';

// What the assertions of a test become in its description.

const LIBRARY = {
  'src/tinylib/__init__.py': 'from .pots import Pot, SpillError, brew\n',
  'src/tinylib/pots.py': [
    'class SpillError(Exception):',
    '    pass',
    'class Pot:',
    '    """A pot."""',
    '    def __init__(self, litres=1):',
    '        self.litres = litres',
    '    def fill(self, much):',
    '        return self',
    'def brew(kind, minutes=3):',
    '    return kind',
  ].join('\n'),
};
const HEAD = 'import numpy as np\nimport pytest\nfrom tinylib import Pot, SpillError, brew\n\n\n';
const PADDING = Array.from({ length: 9 }, (_, line) => `    filler_${line} = ${line}`).join('\n');

/** The plan of a release with this one test. */
function planOf(body: readonly string[], { decorators = '', argument = '' } = {}) {
  const lines = body.map((line) => `    ${line}`).join('\n');
  const test = `${decorators}def test_brew_something(${argument}):\n${PADDING}\n${lines}\n`;
  return tinyRelease({ ...LIBRARY, 'tests/test_one.py': `${HEAD}${test}` }).plan();
}

/** What the description says that the test asserts. */
function said(body: readonly string[], more = {}): string | undefined {
  const { drafts } = planOf(body, more);
  return /Expected behaviour: brew something: (.*)\.$/.exec(drafts[0]?.description ?? '')?.[1];
}

const buildServer = readEnvironment().variable('CI') !== undefined;

describeWithPython('what a test asserts, in words', { buildServer }, () => {
  it.each<[string[], string]>([
    [['assert brew("tea") == "tea"'], 'brew("tea") is "tea"'],
    [['assert 3 == brew(3)'], 'brew(3) is 3'],
    [['assert brew(1) != 2 and brew(2) >= 2'], 'brew(1) is not 2 and brew(2) is at least 2'],
    [['assert not brew(0)'], 'not: brew(0) is true'],
    [['assert isinstance(brew(1), (int, Pot))', 'assert brew(1) == 1'], 'brew(1) is an integer or pot, brew(1) is 1'],
    [['assert brew(0.5) == pytest.approx(0.5, rel=1e-3)'], 'brew(0.5) is close to 0.5 (relative tolerance 1e-3)'],
    [
      ['np.testing.assert_allclose(brew([1]), [1.5], atol=1e-6)'],
      'brew([1]) is close to [1.5] (absolute tolerance 1e-6)',
    ],
    [
      ['with pytest.raises(ValueError):', '    brew(None, minutes=-1)'],
      'brew of (none, minutes -1) is refused with ValueError',
    ],
    [
      ['pytest.raises(SpillError, brew, 2, minutes=9)'],
      'brew of (2, minutes 9) is refused with an exception for spill',
    ],
    [['pot = Pot(2)', 'assert brew(pot) == brew(pot, 4)'], 'with pot being pot(2): brew(pot) is brew(pot, 4)'],
    [['full = brew(7)', 'assert full == 7'], 'brew(7) is 7'],
    [['for kind in ("a", "b"):', '    assert brew(kind) == kind'], 'for each kind of ("a", "b"): brew(kind) is kind'],
    [['if brew(1):', '    assert brew(2) == 2'], 'where brew(1) is true: brew(2) is 2'],
    [['assert brew([1, 2][0]) == 1'], 'brew of item 0 of [1, 2] is 1'],
  ])('%j', (body, words) => {
    expect(said(body)).toBe(words);
  });

  it('tells the cases of a parametrisation, and how many more there are', () => {
    const decorators = '@pytest.mark.parametrize("kind, expected", [("a", 1), ("b", 2), ("c", 3), ("d", 4)])\n';
    expect(said(['assert brew(kind) == expected'], { decorators, argument: 'kind, expected' })).toBe(
      'for kind "a", expected 1; kind "b", expected 2; kind "c", expected 3 and 1 more: brew(kind) is expected',
    );
  });

  it('tells what was done to a thing before it is looked at', () => {
    expect(said(['pot = Pot()', 'pot.fill(3)', 'assert brew(pot.litres) == 3'])).toBe(
      'with pot being a pot: after fill of pot given 3, brew of litres of pot is 3',
    );
  });

  it('never says more of a long literal than a reader takes in', () => {
    const numbers = Array.from({ length: 60 }, (_, number) => number).join(', ');
    expect(said([`assert brew(2) == [${numbers}]`])).toBe('brew(2) is 60 given values from 0, 1…');
  });

  it('says what a test takes where no docstring tells what it is for', () => {
    expect(planOf(['assert brew(1) == 1']).drafts[0]?.description).toContain('It takes kind, minutes.');
  });
});

describeWithPython('the text of a message that is demanded', { buildServer }, () => {
  const rule = (body: string[]): string | undefined => Object.values(planOf(body).dropped)[0]?.rule;
  const raising = (match: string): string[] => [`with pytest.raises(ValueError, match=${match}):`, '    brew(1)'];

  it.each([
    ['"too hot"', 'too hot'],
    ['"too " + "hot"', 'too hot'],
  ])('is stated word for word: %s', (match, text) => {
    expect(said(raising(match))).toBe(`brew(1) is refused with ValueError, with the message "${text}"`);
  });

  it('is stated also where it is compared afterwards', () => {
    const body = ['with pytest.raises(ValueError) as caught:', '    brew(1)', 'assert "too hot" in str(caught.value)'];
    expect(said(body)).toContain('with the message "too hot"');
  });

  it.each([['f"too {brew(2)}"'], [`"${'long '.repeat(40)}"`], ['"tinylib is too hot"']])(
    'drops a test where it is put together, too long or telling: %s',
    (match) => expect(rule(raising(match))).toBe('unstated-text'),
  );
});
