import { expect, it } from 'vitest';
import { readEnvironment } from '../../../src/config/env.js';
import { describeWithPython } from '../../../tests/fixtures/repocraft/describe-with-python.js';
import { tinyRelease } from '../../../tests/fixtures/repocraft/tiny-release.js';

// What a test is about, where several symbols come into question.

const LIBRARY = {
  'src/tinylib/__init__.py': 'from .pots import Pot, Kettle, Jug, brew, rinse\n',
  'src/tinylib/pots.py': [
    'class Vessel:',
    '    def pour(self, cup):',
    '        return cup',
    '    def copy(self) -> "Self":',
    '        return type(self)()',
    '    def wash(self, soap):',
    '        washed = self.copy()',
    '        return washed',
    '    def shake(self):',
    '        return self',
    'class _Hidden:',
    '    def whistle(self):',
    '        return 1',
    'class Pot(Vessel):',
    '    def fill(self, much):',
    '        return self',
    '    def drain(self):',
    '        return self',
    'class Kettle(Vessel, _Hidden):',
    '    pass',
    'class Jug(Vessel):',
    '    pass',
    'def brew(kind):',
    '    return kind',
    'def rinse(kind):',
    '    return kind',
  ].join('\n'),
};

const PADDING = Array.from({ length: 9 }, (_, line) => `    filler_${line} = ${line}`).join('\n');

const holds = { shelf: 'tinylib.pots.Pot' };

/** The targets of one padded test, subject first. */
function targetsOf(name: string, body: string, options: { head?: string; file?: string; plumbing?: string[] } = {}) {
  const { head = '', file = 'tests/test_one.py', plumbing = [] } = options;
  const text = `import pytest\nfrom tinylib import Pot, Kettle, Jug, brew, rinse\n\n\n${head}def test_${name}:\n${PADDING}\n${body}\n`;
  const plan = tinyRelease({ ...LIBRARY, [file]: text }).plan(
    {},
    { plumbing, holds, testFiles: '^tests/[\\w/]+\\.py$', givingAway: ['tinylib'] },
  );
  return plan.drafts[0]?.targets.map((target) => target.replace('tinylib.pots.', '')) ?? plan.dropped;
}

const buildServer = readEnvironment().variable('CI') !== undefined;

describeWithPython('the subject of a test', { buildServer }, () => {
  it('may be reached by getattr, with a written name or those of a parametrisation', () => {
    expect(targetsOf('a_drain()', '    pot = Pot()\n    assert getattr(pot, "drain")()')).toContain('Pot.drain');
    const head = '@pytest.mark.parametrize("method", ["fill", "drain"])\n';
    expect(targetsOf('a(method)', '    pot = Pot()\n    assert getattr(pot, method)()', { head })).toEqual(
      expect.arrayContaining(['Pot.fill', 'Pot.drain']),
    );
  });

  it('is what the name of the file says, where the name of the test says nothing', () => {
    const body = '    assert brew(rinse(1))\n    assert rinse(2) == rinse(3)';
    expect(targetsOf('simple()', body)).toEqual(['rinse', 'brew']);
    expect(targetsOf('simple()', body, { file: 'tests/test_brew.py' })).toEqual(['brew', 'rinse']);
  });

  it('may be a method of a plumbing class, where the test is named after it', () => {
    const body = '    pot = Pot()\n    pot.drain()\n    assert brew(pot) == brew(1)';
    const plumbing = ['tinylib.pots.Pot'];
    expect(targetsOf('drain_twice()', body, { plumbing })).toMatchObject({ 0: 'Pot.drain' });
    expect(targetsOf('something()', body, { plumbing })).toMatchObject({ 0: 'brew' });
  });

  it('is the class that was asked, where the method is inherited', () => {
    expect(targetsOf('pour()', '    jug = Jug()\n    assert jug.pour(1) == 1')).toEqual(['Jug', 'Vessel.pour']);
  });

  it.each(['copy()', 'wash(1)', 'shake()'])(
    'may be a method of the heir, where its parent has %s give itself',
    (call) => {
      expect(targetsOf('something()', `    pot = Pot().${call}\n    assert pot.drain()`)).toContain('Pot.drain');
    },
  );

  it('is reached through what an attribute always holds, and through its methods', () => {
    const body = '    full = brew(1).shelf.fill(2)\n    assert full.drain() == 1';
    expect(targetsOf('drain()', body)).toEqual(['Pot.drain', 'Pot.fill', 'brew']);
  });

  it('is hardly a value made for the making of another, unless class or file are named after it', () => {
    const body = '    jug = Jug(lids=[Kettle(), Kettle()])\n    assert jug.pour(1)';
    expect(targetsOf('kettle_pours()', body)).toMatchObject({ 0: 'Jug' });
    expect(targetsOf('kettle_pours()', body, { file: 'tests/test_kettle.py' })).toMatchObject({ 0: 'Kettle' });
    // Handed to a function or a method it is worked on.
    expect(targetsOf('kettle()', '    assert brew(Kettle()) == rinse(1)')).toMatchObject({ 0: 'Kettle' });
    expect(targetsOf('kettle()', '    pot = Pot()\n    assert Jug(pot.fill(Kettle()))')).toMatchObject({ 0: 'Kettle' });
    // What is used otherwise as well speaks for itself.
    expect(targetsOf('kettle()', '    kettle = Kettle()\n    assert kettle.pour(Jug(Kettle()))')).toMatchObject({
      0: 'Kettle',
    });
  });

  it('is never a private parent', () => {
    expect(targetsOf('whistle()', '    kettle = Kettle()\n    assert kettle.whistle() == 1')).toEqual(['Kettle']);
  });
});
