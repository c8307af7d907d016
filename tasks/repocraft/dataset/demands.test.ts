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
    [['assert brew("a certain value") == 1'], 'brew("a certain value") is 1'],
    [['assert brew(1) != 2 and brew(2) >= 2'], 'brew(1) is not 2 and brew(2) is at least 2'],
    [['assert not brew(0)'], 'not: brew(0) is true'],
    [['assert isinstance(brew(1), (int, Pot))', 'assert brew(1) == 1'], 'brew(1) is an integer or pot, brew(1) is 1'],
    [
      ['kinds = (int, Pot)', 'assert isinstance(brew(1), kinds)', 'assert brew(1) == 1'],
      'brew(1) is an integer or pot, brew(1) is 1',
    ],
    [['assert brew(0.5) == pytest.approx(0.5, rel=1e-3)'], 'brew(0.5) is close to 0.5 (relative tolerance 1e-3)'],
    [
      ['np.testing.assert_allclose(brew([1]), [1.5], atol=1e-6)'],
      'brew([1]) is close to [1.5] (absolute tolerance 1e-6)',
    ],
    [
      ['with pytest.raises(ValueError):', '    brew(None, minutes=-1)'],
      'brew(none, minutes -1) is refused with ValueError',
    ],
    [['pytest.raises(SpillError, brew, 2, minutes=9)'], 'brew(2, minutes 9) is refused with an exception for spill'],
    [['pot = Pot(2)', 'assert brew(pot) == brew(pot, 4)'], 'with pot being pot(2): brew(pot) is brew(pot, 4)'],
    [['full = brew(7)', 'assert full == 7'], 'brew(7) is 7'],
    [['for kind in ("a", "b"):', '    assert brew(kind) == kind'], 'for each kind of ("a", "b"): brew(kind) is kind'],
    [['if brew(1):', '    assert brew(2) == 2'], 'where brew(1) is true: brew(2) is 2'],
    [['pot = Pot()', 'assert brew(pot) is pot'], 'with pot being a pot: brew(pot) is the same object as pot'],
    [['assert brew(1) is None'], 'brew(1) is none'],
    [['assert brew([1, 2][0]) == 1'], 'brew(item 0 of [1, 2]) is 1'],
  ])('%j', (body, words) => {
    expect(said(body)).toBe(words);
  });

  it('tells all cases of a parametrisation', () => {
    const cases = Array.from({ length: 17 }, (_, number) => `("tea", ${number})`).join(', ');
    const decorators = `@pytest.mark.parametrize("kind, much", [${cases}])\n`;
    const words = said(['assert brew(kind) == much'], { decorators, argument: 'kind, much' });
    expect(words).toMatch(
      /^for kind "tea", much 0; kind "tea", much 1; .*much 15; kind "tea", much 16: brew\(kind\) is much$/,
    );
  });

  it('introduces what the cases of a parametrisation are made of', () => {
    const own = 'class Jug(Pot):\n    size = 3\n\n\n';
    const decorators = '@pytest.mark.parametrize("pot, much", [(Jug(), 3), (Pot(), 1)])\n';
    const test = `${decorators}def test_brew_something(pot, much):\n${PADDING}\n    assert brew(pot) == much\n`;
    const { drafts } = tinyRelease({ ...LIBRARY, 'tests/test_one.py': `${HEAD}${own}${test}` }).plan();
    expect(drafts[0]?.description).toContain(
      'brew something: with jug being a kind of pot with size 3: for pot a jug, much 3; pot a pot, much 1: brew(pot) is much',
    );
  });

  it('tells what a fixture does and gives', () => {
    const given = (lines: readonly string[], cases = '', argument = ''): string => {
      const fixture = [`@pytest.fixture${cases}`, `def pots(${argument}):`, ...lines.map((line) => `    ${line}`)].join(
        '\n',
      );
      const test = `def test_brew_something(pots):\n${PADDING}\n    assert brew(pots) == 1\n`;
      const text = `${HEAD}${fixture}\n\n\n${test}`;
      const { drafts } = tinyRelease({ ...LIBRARY, 'tests/test_one.py': text }).plan();
      return /Expected behaviour: brew something: (.*)\.$/.exec(drafts[0]?.description ?? '')?.[1] ?? '';
    };
    expect(given(['much = [1, 2]', 'return Pot(much)'])).toBe('brew(pot([1, 2])) is 1');
    expect(given(['much = [1, 2]', 'much.append(3)', 'return Pot(much)'])).toBe(
      'with much being [1, 2]: after append of much given 3, with pots being pot(much): brew(pots) is 1',
    );
    expect(given(['much = {"a": 1}', 'try:', '    much["a"] = 2', '    yield much', 'finally:', '    pass'])).toBe(
      'with pots being {"a": 1}: after setting item "a" of pots to 2, brew(pots) is 1',
    );
    expect(given(['def fake():', '    return 42', 'Pot.fake = fake'])).toBe(
      'with fake being a function that gives 42: after setting fake of pot to fake, brew(none) is 1',
    );
    expect(given(['return request.param'], '(params=[Pot, None])', 'request')).toBe(
      'for pots pot; pots none: brew(pots) is 1',
    );
  });

  it('tells what entering a thing gives from the thing itself, and what is called that is a part of something', () => {
    expect(said(['pot = Pot()', 'with pot as open_pot:', '    assert open_pot is pot'])).toBe(
      'with pot being a pot: __enter__() of pot is the same object as pot',
    );
    expect(said(['first, = brew([2])', 'assert first(3) == 1'])).toBe('what item 0 of brew([2]) gives for 3 is 1');
  });

  it('tells what was done twice, and what was done to what a method gave', () => {
    expect(said(['pot = Pot()', 'pot.fill(3)', 'pot.fill(3)', 'assert brew(pot) == 3'])).toBe(
      'with pot being a pot: after fill of pot given 3 twice, brew(pot) is 3',
    );
    expect(said(['pot = Pot()', 'pot.fill(3).fill(4)', 'assert brew(pot) == 3'])).toBe(
      'with pot being a pot: after fill of (fill of pot given 3) given 4, brew(pot) is 3',
    );
  });

  it('keeps what a name stands for together', () => {
    expect(said(['much = brew(1) + 1', 'small = brew(2) - 2', 'assert much / small == 3'])).toBe(
      '(brew(1) + 1) / (brew(2) - 2) is 3',
    );
  });

  it('tells what was done to a thing before it is looked at', () => {
    expect(said(['pot = Pot()', 'pot.fill(3)', 'assert brew(pot.litres) == 3'])).toBe(
      'with pot being a pot: after fill of pot given 3, brew(litres of pot) is 3',
    );
  });

  it('drops a test that it cannot tell in full', () => {
    const numbers = (length: number): string => Array.from({ length }, (_, number) => number).join(', ');
    expect(said([`assert brew(2) == [${numbers(90)}]`])).toBe(`brew(2) is [${numbers(90)}]`);
    expect(planOf([`assert brew(2) == [${numbers(900)}]`]).dropped).toMatchObject({
      'tests/test_one.py::test_brew_something': { rule: 'unsaid' },
    });
    expect(planOf([`assert brew("${'a'.repeat(700)}") == 1`]).drafts).toEqual([]);
  });

  it('tells all that was done before, the same to the same thing in one', () => {
    expect(said(['pot = Pot()', 'pot.fill(1)', 'pot.fill(2)', 'pot.litres += 3', 'assert brew(pot) == 6'])).toBe(
      'with pot being a pot: after fill of pot given 1 and 2 and setting litres of pot to litres of pot + 3, brew(pot) is 6',
    );
  });

  it('tells what a function does that is handed over, and what a class of the test has of its own', () => {
    const watch = ['def watch(kind):', '    return kind * 2'];
    expect(said([...watch, 'assert brew(watch) == 1'])).toBe(
      'with watch being a function of kind that gives kind * 2: brew(watch) is 1',
    );
    const own = ['class Jug(Pot):', '    size = 3', '    def fill(self, much):', '        raise ValueError("full")'];
    expect(said([...own, 'assert brew(Jug) == 1'])).toBe(
      'with jug being a kind of pot with size 3 that has its own fill of (much) (raises value error("full")): brew(jug) is 1',
    );
  });

  it('reads the checks of a helper, with what it is given', () => {
    const helper = ['def check(kind, much=4):', '    assert brew(kind) == much'];
    expect(said([...helper, 'check("tea")', 'check("mate", much=5)'])).toBe('brew("tea") is 4, brew("mate") is 5');
  });

  it('tells parts of what is unpacked, and keywords that are', () => {
    expect(said(['first, second = brew(1)', 'assert second == 2'])).toBe('item 1 of brew(1) is 2');
    expect(said(['assert brew(1, **{"minutes": 2}) == 1'])).toBe('brew(1, all of {"minutes": 2}) is 1');
  });

  it.each<[string, string[], string]>([
    [
      'the next of something',
      ['rest = iter(brew([[1, 2], [3, 4]]))', 'left, right = next(rest)', 'assert left == 1', 'assert right == 2'],
      'with (left, right) being next(iter(brew([[1, 2], [3, 4]]))): left is 1, right is 2',
    ],
    [
      'each next again',
      [
        ...['rest = iter(brew([[1, 2], [3, 4]]))', 'left, right = next(rest)', 'assert right == 2'],
        ...['left, right = next(rest)', 'assert left == 3'],
      ],
      'with rest being iter(brew([[1, 2], [3, 4]])), (left, right) being next(rest): right is 2, with (left, right) being next(rest): left is 3',
    ],
    [
      'a draw by a generator that goes on',
      [
        ...['rng = np.random.RandomState(0)', 'left, right = brew([[1], [2]], minutes=rng)'],
        ...['assert brew(left) == left', 'assert brew(right) == right'],
      ],
      'with rng being random state(0), (left, right) being brew([[1], [2]], minutes rng): brew(left) is left, brew(right) is right',
    ],
  ])(
    'says a call that gives several names at once a single time where it is another thing each time: %s',
    (_, body, words) => {
      expect(said(body)).toBe(words);
    },
  );

  it('speaks of the value that a name had, where it has another now', () => {
    const body = ['pot = Pot(1)', 'pot.fill(2)', 'much = brew(pot)', 'pot = Pot(3)', 'assert brew(pot, 4) == much'];
    expect(said(body)).toBe(
      'with pot being pot(1): after fill of pot given 2, with much being brew(pot), pot being pot(3): brew(pot, 4) is much',
    );
  });

  it('says that a thing is the same again, where both sides are computed alike', () => {
    expect(said(['one = brew(1)', 'two = brew(1)', 'assert one == two'])).toBe(
      'brew(1) is the same when it is computed again',
    );
  });

  it('tells under what something is refused, and on which condition something was done', () => {
    expect(said(['with pytest.raises(ValueError):', '    with brew(1):', '        brew(2)'])).toBe(
      'brew(2) under brew(1) is refused with ValueError',
    );
    expect(said(['pot = Pot()', 'if brew(1):', '    pot.litres = 2', 'assert brew(pot) == 2'])).toBe(
      'with pot being a pot: after where brew(1) is true: setting litres of pot to 2, brew(pot) is 2',
    );
  });

  it('tells the figures that a class of the tests holds', () => {
    const held = [
      'class Known:',
      '    def __init__(self):',
      '        self.much = np.array([1.5, 2])',
      'known = Known()',
    ];
    expect(said([...held, 'assert brew(1) == known.much'])).toBe('brew(1) is [1.5, 2]');
  });

  it('takes what was set for done, and not for what is read afterwards', () => {
    expect(said(['pot = Pot()', 'pot.litres = 2', 'pot.fill(1)', 'assert brew(pot.litres) == 3'])).toBe(
      'with pot being a pot: after setting litres of pot to 2 and fill of pot given 1, brew(litres of pot) is 3',
    );
  });

  it('tells a name again that is made of what it stood for', () => {
    expect(said(['pot = Pot(1)', 'pot = pot.fill(2)', 'assert brew(pot) == 3'])).toBe(
      'with pot being pot(1), pot being fill of pot given 2: brew(pot) is 3',
    );
  });

  it('tells both things a name can stand for, and when which', () => {
    const both = ['much = brew(1)', 'if much == 2:', '    pot = Pot(3)', 'else:', '    pot = Pot(4)'];
    expect(said([...both, 'assert brew(pot) == 5'])).toBe('brew((pot(3) where (brew(1) is 2), else pot(4))) is 5');
  });

  it('introduces a symbol by what is assumed of it, and not one that is only named', () => {
    expect(said(['k, much = symbols("k much")', 'assert brew(k, much) == much'])).toBe('brew(k, much) is much');
    expect(said(['k = Symbol("k", integer=False)', 'assert brew(k) == k'])).toBe(
      'with k being symbol("k", integer false): brew(k) is k',
    );
  });

  it('tells one of several names of the file, and what was added to a name', () => {
    const text = `${HEAD}small, large = brew([1, 2])\n\n\ndef test_brew_something():\n${PADDING}\n    assert brew(large) == 1\n`;
    const { drafts } = tinyRelease({ ...LIBRARY, 'tests/test_one.py': text }).plan();
    expect(drafts[0]?.description).toContain(
      'A function for brew, in the area of pots. It takes kind, minutes. Expected behaviour: brew something: brew(item 1 of brew([1, 2])) is 1.',
    );
    expect(said(['much = brew(2)', 'much -= 1', 'assert brew(much) == 3'])).toContain('brew(2) - 1');
  });

  it('tells what a function did before, and what is called that is no function of the file', () => {
    expect(said(['pot = Pot()', 'brew(pot, 4)', 'assert pot.litres == 2'])).toBe(
      'with pot being a pot: after brew(pot, 4), litres of pot is 2',
    );
    expect(said(['stove = Pot(3)', 'assert stove(brew(1)) == 2'])).toBe('pot(3)(brew(1)) is 2');
  });

  it('tells what a counter is, at first and later', () => {
    expect(said(['much = 0', 'for kind in ("a", "b"):', '    assert brew(kind) == much', '    much += 1'])).toBe(
      'for each kind of ("a", "b"), much being 0 at first and much + 1 after each turn: brew(kind) is much',
    );
  });

  it('tells what one turn of a loop leaves for the next', () => {
    const turns = ['for kind in (1, 2):', '    much = brew(kind)', '    assert much > last', '    last = much'];
    expect(said(['last = 0', ...turns])).toBe(
      'for each kind of (1, 2), last being 0 at first and much after each turn: with much being brew(kind): much is greater than last',
    );
  });

  it('tells where a test ends early', () => {
    expect(
      said(['assert brew(1) == 1', 'if brew(2):', '    return', 'assert brew(3) == 3', 'assert brew(4) == 4']),
    ).toBe('brew(1) is 1, unless brew(2) is true: brew(3) is 3, brew(4) is 4');
  });

  it('tells that no warning may be given', () => {
    const quiet = (filter: string, block = 'warnings.catch_warnings()'): string | undefined =>
      said([
        'import warnings',
        'pot = Pot()',
        `with ${block}:`,
        `    ${filter}`,
        '    brew(pot, 4)',
        'assert brew(1) == 1',
      ]);
    const told = 'with pot being a pot: brew(pot, 4) gives no warning';
    expect(quiet('warnings.simplefilter("error")')).toBe(`${told}, brew(1) is 1`);
    expect(quiet('warnings.simplefilter("error", UserWarning)')).toBe(`${told}: UserWarning, brew(1) is 1`);
    expect(quiet('warnings.filterwarnings("error", category=FutureWarning)')).toBe(
      `${told}: FutureWarning, brew(1) is 1`,
    );
    expect(quiet('warnings.simplefilter("ignore")')).not.toContain('no warning');
  });

  it('tells what a set-up puts in, and of rows how many', () => {
    const filled = (lines: readonly string[]): string => {
      const setUp = ['class TestPots:', '    def setup_method(self):', ...lines.map((line) => `        ${line}`)];
      const test = ['    def test_brew_something(self):', ...PADDING.split('\n').map((line) => `    ${line}`)];
      const text = [...setUp, ...test, '        assert brew(self.pot) == 1'].join('\n');
      const { drafts } = tinyRelease({ ...LIBRARY, 'tests/test_one.py': `${HEAD}${text}\n` }).plan();
      return /Expected behaviour: brew something: (.*)\.$/.exec(drafts[0]?.description ?? '')?.[1] ?? '';
    };
    expect(filled(['self.pot = Pot()', 'self.pot["tea"] = 2'])).toBe(
      'with pot being a pot: after setting item "tea" of pot to 2, brew(pot) is 1',
    );
    expect(filled(['much = 3', 'self.pot = Pot(much)'])).toBe('brew(pot(3)) is 1');
    expect(filled(['if brew(1):', '    self.pot = Pot(1)', 'else:', '    self.pot = Pot(2)'])).toBe(
      'brew((pot(1) where brew(1), else pot(2))) is 1',
    );
    expect(filled(['self.pot = Pot.objects.create(litres=1)', 'self.other = Pot.objects.create(litres=2)'])).toBe(
      'after create of 2 pot (pot: litres 1; other: litres 2) in all, brew(pot) is 1',
    );
  });

  it('says a clause that leaves no room for what its names mean', () => {
    const [first, second] = ['a'.repeat(184), 'b'.repeat(185)];
    const clause = `brew("${first}"); brew("${second}") is refused with ValueError`;
    expect(said(['with pytest.raises(ValueError):', `    brew("${first}")`, `    brew("${second}")`])).toBe(clause);
  });

  it('loses one level of a long phrase, and not all', () => {
    const deep = ['a', 'b', 'c', 'd'].map((name) => `"${name.repeat(58)}"`);
    const words = said([`assert brew(Pot([${deep.join(', ')}]), Pot(brew(7))) == 1`]);
    expect(words).toContain('brew(7)');
  });

  it.each<[string, string[], string]>([
    ['tuples in round brackets', ['assert brew(1) == [(Pot, (1, 2)), (Pot,)]'], 'brew(1) is [(pot, (1, 2)), (pot,)]'],
    ['a tuple that is handed over', ['assert brew((1, 2)) == 1'], 'brew((1, 2)) is 1'],
    ['sets in braces', ['assert brew(1) == {1, Pot}'], 'brew(1) is {1, pot}'],
    [
      'of whom a method of the library is',
      ['assert brew(1) == np.add.outer(1, 2)'],
      'brew(1) is outer of add given (1, 2)',
    ],
    ['a number held as an array', ['assert brew(np.array(1)) == 1'], 'brew(a 0-d array of 1) is 1'],
    ['a call without arguments', ['assert brew(stir()) == object()'], 'brew(stir()) is an object'],
    ['where an argument ends', ['assert brew(Pot + 3) - 1 == 2'], 'brew(pot + 3) - 1 is 2'],
    [
      'a function written in place',
      ['assert brew(lambda x: x * 2) == 1'],
      'brew(a function of x that gives x * 2) is 1',
    ],
    [
      'what is gone through by its name',
      ['assert brew([much(kind, 1) for kind in (1, 2) if kind]) == 1'],
      'brew([much(kind, 1) for each kind of (1, 2) where kind]) is 1',
    ],
    ['a list that is computed as one', ['assert brew(np.array([0] * 2)) == 1'], 'brew(an array of [0] * 2) is 1'],
    ['what is computed and handed over in one bracket', ['assert Pot(3)(Pot + 3) == 2'], 'pot(3)(pot + 3) is 2'],
    [
      'the name of what is computed without a bracket',
      ['much = brew(1) + 1', 'assert brew(much) * much == much / 2'],
      'with much being brew(1) + 1: brew(much) * much is much / 2',
    ],
    [
      'the name of a tuple without a bracket',
      ['pair = (Pot(1), 2)', 'assert brew(pair) == brew(pair, 4)'],
      'with pair being (pot(1), 2): brew(pair) is brew(pair, 4)',
    ],
    [
      'a text with the word that joins conditions as it is',
      ['assert brew(1) == 1 and brew("a or b") == 2'],
      'brew(1) is 1 and brew("a or b") is 2',
    ],
    [
      'one of several conditions in a bracket',
      ['assert brew(1) == 1 and (brew(2) == 2 or not brew(3) == 3)'],
      'brew(1) is 1 and (brew(2) is 2 or (not: brew(3) is 3))',
    ],
    [
      'one of several kinds in a bracket',
      ['assert brew(1) == 1 and isinstance(brew(2), (int, Pot))'],
      'brew(1) is 1 and (brew(2) is an integer or pot)',
    ],
    [
      'one of several kinds that a name holds in a bracket',
      ['kinds = (int, Pot)', 'assert brew(1) == 1 and isinstance(brew(2), kinds)'],
      'brew(1) is 1 and (brew(2) is an integer or pot)',
    ],
    [
      'a thing that is not the same object',
      ['pot = Pot()', 'assert brew(pot) is not pot', 'assert pot is pot'],
      'with pot being a pot: brew(pot) is not the same object as pot, pot is the same object as itself',
    ],
    ['a check by its name', ['assert_pots_full(brew(1), 2)'], 'pots full: brew(1), 2'],
    ['init inside a name as it is', ['assert brew(1, init_time=2) == 1'], 'brew(1, init time 2) is 1'],
    [
      'names that a class of the test gives as they are spelled',
      ['class Jug:', '    def __init__(self):', '        self.len = 5', 'assert brew(Jug) == 5'],
      'with jug being a kind of object that has its own __init__ (sets len to 5): brew(jug) is 5',
    ],
  ])('says %s', (_, body, words) => {
    expect(said(body)).toBe(words);
  });

  it.each<[string, string[], string]>([
    ['what is deleted', ['del brew["a"]', 'assert brew(2) == 1'], 'after deleting item "a" of brew, brew(2) is 1'],
    ['what is called for its own sake', ['brew(1)', 'assert brew(2) == 1'], 'brew(1) is accepted, brew(2) is 1'],
    [
      'what is done last',
      ['assert brew(1) == 1', 'pot = Pot(1)', 'pot.fill(2)'],
      'brew(1) is 1, fill of pot(1) given 2 is accepted',
    ],
    [
      'a sentence again after something changed',
      ['pots = {"a": Pot()}', 'assert brew(pots) == 1', 'del pots["a"]', 'assert brew(pots) == 1'],
      'with pots being {"a": a pot}: brew(pots) is 1, after deleting item "a" of pots, brew(pots) is 1',
    ],
    [
      'a copy before what it is of is changed, also where it is read later',
      ['pot = Pot()', 'before = pot.copy()', 'pot.litres = 3', 'assert brew(1) == 2', 'assert before == pot'],
      'with pot being a pot, before being copy() of pot: after setting litres of pot to 3, brew(1) is 2, before is pot',
    ],
    [
      'draws in their order, each once',
      [
        'rng = RandomState(0)',
        'A = rng.rand(2)',
        'B = rng.rand(3)',
        'both = np.dot(A, B)',
        'B = Pot(B)',
        'assert brew(A, B) == both',
      ],
      'with rng being random state(0), A being rand of rng given 2, B being rand of rng given 3, both being dot(A, B), B being pot(B): brew(A, B) is both',
    ],
    [
      'what is done before a thing is made before it',
      ['much = [1]', 'much[0] = 2', 'pot = Pot(much)', 'pot.fill(1)', 'assert brew(pot) == 1'],
      'with much being [1]: after setting item 0 of much to 2, with pot being pot(much): after fill of pot given 1, brew(pot) is 1',
    ],
    [
      'on which condition a name is made something else',
      ['pot = Pot(1)', 'if brew(2):', '    pot = pot.fill(2)', '    pot["tea"] = 3', 'assert brew(pot) == 4'],
      'with pot being pot(1): after where brew(2) is true: making pot fill of pot given 2 and setting item "tea" of pot to 3, brew(pot) is 4',
    ],
    [
      'what a loop adds up',
      ['total = 0', 'for kind in (1, 2):', '    total += brew(kind)', 'assert brew(total) == 4'],
      'with total being 0: after for each kind of (1, 2): making total total + brew(kind), brew(total) is 4',
    ],
    [
      'where a loop or a condition ends',
      [
        'for kind in (1, 2):',
        '    assert brew(kind) == 1',
        'if brew(2):',
        '    assert brew(3) == 1',
        'assert brew(4) == 1',
      ],
      'for each kind of (1, 2): brew(kind) is 1, where brew(2) is true: brew(3) is 1, in any case: brew(4) is 1',
    ],
    [
      'on which conditions a function gives what',
      [
        'def heat(much, by=2):',
        '    if much > 3:',
        '        return much',
        '    more = much * by',
        '    return more',
        'assert brew(heat(2)) == 4',
      ],
      'with heat being a function of much, by (2 by default) that where (much is greater than 3): gives much, otherwise: gives much * by: brew(heat(2)) is 4',
    ],
    [
      'nothing of what is checked where a block fails that holds',
      ['try:', '    assert brew(1) == 1', 'except TypeError as e:', '    assert "too hot" in str(e)'],
      'brew(1) is 1',
    ],
    [
      'what must fail in a block',
      ['try:', '    brew(1)', 'except SpillError:', '    pass', 'else:', '    pytest.fail("no")'],
      'brew(1) is refused with an exception for spill',
    ],
    [
      'what a function is registered with',
      ['@brew.register("a")', 'def heat(much):', '    return much', 'assert brew(2) == heat'],
      'with heat being a function of much that gives much: after register of brew given "a" of heat, brew(2) is heat',
    ],
    [
      'what gave a warning by what gave it',
      ['with pytest.warns(UserWarning):', '    much = brew(1)', 'assert much == 2'],
      'brew(1) gives a warning: UserWarning, brew(1) is 2',
    ],
    [
      'messages in the order of the test',
      ['with pytest.raises(ValueError, match="too hot"):', '    brew(1)', 'assert brew(2) == 2'],
      'brew(1) is refused with ValueError, with the message "too hot", brew(2) is 2',
    ],
    [
      'of a helper what holds for what it is given',
      [
        'def check(pot, kind=None):',
        '    if kind is None:',
        '        kind = Pot(3)',
        '    assert brew(pot) == kind',
        'check(4)',
      ],
      'with kind being pot(3): brew(4) is kind',
    ],
  ])('tells %s', (_, body, words) => {
    expect(said(body)).toBe(words);
  });

  // Where a condition ends: an "otherwise" belongs to the condition before it that is not closed.
  it.each<[string, string[], string]>([
    [
      'a function, where the inner one has none',
      [
        'def heat(much):',
        '    if much > 3:',
        '        if much > 5:',
        '            much.boil()',
        '    else:',
        '        much.cool()',
        '    return much',
        'assert brew(heat(2)) == 4',
      ],
      'with heat being a function of much that (where (much is greater than 3): (where (much is greater than 5): does boil() of much), otherwise: does cool() of much) and gives much: brew(heat(2)) is 4',
    ],
    [
      'a function, where the inner one has its own',
      [
        'def heat(much):',
        '    if much > 3:',
        '        if much > 5:',
        '            return 1',
        '        else:',
        '            return 2',
        '    else:',
        '        return 3',
        'assert brew(heat(2)) == 4',
      ],
      'with heat being a function of much that where (much is greater than 3): (where (much is greater than 5): gives 1, otherwise: gives 2), otherwise: gives 3: brew(heat(2)) is 4',
    ],
    [
      'a function, where the inner one ends a loop',
      [
        'def heat(much):',
        '    if much > 3:',
        '        for one in much:',
        '            if one:',
        '                one.boil()',
        '    else:',
        '        much.cool()',
        'assert brew(heat(2)) == 4',
      ],
      'with heat being a function of much that where (much is greater than 3): (for each one of much: where one: does boil() of one), otherwise: does cool() of much: brew(heat(2)) is 4',
    ],
    [
      'a chain of conditions without a bracket',
      [
        'def heat(much):',
        '    if much > 3:',
        '        return 1',
        '    elif much > 2:',
        '        return 2',
        '    else:',
        '        return 3',
        'assert brew(heat(2)) == 4',
      ],
      'with heat being a function of much that where (much is greater than 3): gives 1, otherwise: where (much is greater than 2): gives 2, otherwise: gives 3: brew(heat(2)) is 4',
    ],
    [
      'what must fail',
      [
        'with pytest.raises(ValueError):',
        '    if brew(1):',
        '        if brew(2):',
        '            brew(3)',
        '        brew(5)',
        '    else:',
        '        brew(4)',
      ],
      'where brew(1) is true: (where brew(2) is true: brew(3)) and brew(5), otherwise: brew(4) is refused with ValueError',
    ],
    [
      'a test, by its condition where the inner one ends with it',
      ['if brew(1):', '    if brew(2):', '        assert brew(3) == 3', 'else:', '    assert brew(4) == 4'],
      'where brew(1) is true: where brew(2) is true: brew(3) is 3, unless brew(1) is true: brew(4) is 4',
    ],
    [
      'a test, by its condition where the inner one ends a loop that ends with it',
      [
        'if brew(1):',
        '    for kind in (1, 2):',
        '        if brew(kind):',
        '            assert brew(3) == 3',
        'else:',
        '    assert brew(4) == 4',
      ],
      'where brew(1) is true: for each kind of (1, 2): where brew(kind) is true: brew(3) is 3, unless brew(1) is true: brew(4) is 4',
    ],
    [
      'a test, by its condition where nothing was asserted under it',
      ['if brew(1):', '    kind = 1', 'else:', '    assert brew(4) == 4'],
      'unless brew(1) is true: brew(4) is 4',
    ],
    [
      'what was done before something else',
      ['pot = Pot()', 'if brew(1):', '    pot.fill(2)', 'pot.fill(3)', 'assert brew(pot) == 3'],
      'with pot being a pot: after (where brew(1) is true: fill of pot given 2) and fill of pot given 3, brew(pot) is 3',
    ],
  ])('tells which condition is left of %s', (_, body, words) => {
    expect(said(body)).toBe(words);
  });

  it.each<[string, string[], string]>([
    [
      'what was given to the same thing, and not to what it is made of',
      ['pot = Pot()', 'pot.fill(3).fill(4)', 'pot.fill(3).fill(5)', 'assert brew(pot) == 3'],
      'with pot being a pot: after fill of (fill of pot given 3) given 4 and 5, brew(pot) is 3',
    ],
    [
      'what was given to it twice, and something else',
      ['pot = Pot()', 'pot.fill(1)', 'pot.fill(1)', 'pot.fill(2)', 'assert brew(pot) == 3'],
      'with pot being a pot: after fill of pot given 1 twice and 2, brew(pot) is 3',
    ],
    [
      'what is set one after the other by itself',
      ['pot = Pot()', 'pot.litres = pot.fill(1)', 'pot.litres = pot.fill(2)', 'assert brew(pot) == 3'],
      'with pot being a pot: after setting litres of pot to fill of pot given 1 and setting litres of pot to fill of pot given 2, brew(pot) is 3',
    ],
    [
      'what a text of the test says as it is',
      ['pot = Pot()', 'pot["as given by"] = 1', 'pot["as given to"] = 2', 'assert brew(pot) == 3'],
      'with pot being a pot: after setting item "as given by" of pot to 1 and setting item "as given to" of pot to 2, brew(pot) is 3',
    ],
    [
      'what was done under conditions, each by itself',
      ['pot = Pot()', 'if brew(1):', '    pot.fill(2)', 'if brew(1):', '    pot.fill(3)', 'assert brew(pot) == 3'],
      'with pot being a pot: after (where brew(1) is true: fill of pot given 2) and (where brew(1) is true: fill of pot given 3), brew(pot) is 3',
    ],
    [
      'what functions were registered with in one',
      [
        '@brew.register("a")',
        'def heat(much):',
        '    return much',
        '@brew.register("b")',
        'def cool(much):',
        '    return much',
        'assert brew(2) == heat',
      ],
      'with heat being a function of much that gives much: after register of brew given "a" of heat and "b" of cool, brew(2) is heat',
    ],
  ])('tells of what was done before %s', (_, body, words) => {
    expect(said(body)).toBe(words);
  });

  it('tells all fields of rows', () => {
    const setUp = ['class TestPots:', '    def setup_method(self):'];
    const rows = ['        Pot.objects.create(litres=1)', '        Pot.objects.create(litres=2, kind="mate")'];
    const test = ['    def test_brew_something(self):', ...PADDING.split('\n').map((line) => `    ${line}`)];
    const text = [...setUp, ...rows, ...test, '        assert brew(litres__gt=1) == 1'].join('\n');
    const { drafts } = tinyRelease({ ...LIBRARY, 'tests/test_one.py': `${HEAD}${text}\n` }).plan();
    expect(drafts[0]?.description).toContain(
      'A function for brew, in the area of pots. It takes kind, minutes. Expected behaviour: brew something: after create of 2 pot (litres 1; litres 2, kind "mate") in all, brew(litres__gt 1) is 1.',
    );
  });

  it('drops a test that speaks of a name of which nobody knows what it is', () => {
    const rule = (body: string[]): string | undefined => Object.values(planOf(body).dropped)[0]?.rule;
    expect(rule(['assert brew(heaven) == 1'])).toBe('unsaid');
    const long = Array.from({ length: 40 }, (_, line) => `    much.append("${'x'.repeat(20)}${line}")`);
    expect(rule(['def heat(much):', ...long, '    return much', 'assert brew(heat(2)) == 4'])).toBe('unsaid');
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

  it('is stated under the conditions that it holds on', () => {
    const body = ['for much in (0, -1):', '    with pytest.raises(ValueError, match="too hot"):', '        brew(much)'];
    expect(said(body)).toBe(
      'for each much of (0, -1): brew(much) is refused with ValueError, with the message "too hot"',
    );
  });

  it('is stated after what was done before', () => {
    expect(
      said(['pot = Pot()', 'pot.fill(3)', 'with pytest.raises(ValueError, match="too hot"):', '    brew(pot)']),
    ).toBe(
      'with pot being a pot: after fill of pot given 3, brew(pot) is refused with ValueError, with the message "too hot"',
    );
  });

  it('is none where the text is of something that was not caught', () => {
    expect(said(['e = brew(1)', 'assert str(e) == "x**2"'])).toBe('the text of brew(1) is "x**2"');
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
