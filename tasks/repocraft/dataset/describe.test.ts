import { expect, it } from 'vitest';
import { readEnvironment } from '../../../src/config/env.js';
import { describeWithPython } from '../../../tests/fixtures/repocraft/describe-with-python.js';
import { tinyRelease } from '../../../tests/fixtures/repocraft/tiny-release.js';

const PADDING = Array.from({ length: 9 }, (_, line) => `    filler_${line} = ${line}`).join('\n');

/** What the description of one test's task says that it demands. */
function demanded(name: string, lines: string[] = []): string | undefined {
  const test = [`def test_${name}():`, ...lines, PADDING, '    assert brew(1) == 1'].join('\n');
  const plan = tinyRelease({
    'src/tinylib/__init__.py': 'from .pots import brew\n',
    'src/tinylib/pots.py': 'def brew(kind):\n    return kind\n',
    'tests/test_one.py': `from tinylib import brew\n\n\n${test}\n`,
  }).plan();
  return /Expected behaviour: (.*): brew\(1\) is 1\.$/.exec(plan.drafts[0]?.description ?? '')?.[1];
}

const buildServer = readEnvironment().variable('CI') !== undefined;

describeWithPython('what a test demands, in words', { buildServer }, () => {
  it.each([
    ['ticket_20278', 'brew'],
    ['ticket1050', 'brew'],
    ['tickets_1878_2939', 'brew'],
    ['ticket15316_filter_false', 'filter false'],
    ['combine_gh12', 'combine'],
    ['ticket_office', 'ticket office'],
  ])('leaves the number of an issue out of the name %s', (name, words) => {
    expect(demanded(name)).toBe(words);
  });

  it('says that a server takes part where one is named in code, and not in a text', () => {
    const told = (line: string): boolean => {
      const test = `def test_brew():\n${PADDING}\n    ${line}\n`;
      const { drafts } = tinyRelease({
        'src/tinylib/__init__.py': 'from .pots import brew\n',
        'src/tinylib/pots.py': 'def brew(kind):\n    return kind\n',
        'tests/test_one.py': `from tinylib import brew\n\n\nclass serving:\n    url = 1\n\n\n${test}`,
      }).plan();
      const [draft] = drafts;
      expect(draft?.description).toContain('Expected behaviour: brew');
      return draft?.description.endsWith('. Exercised against an HTTP server on this machine.') ?? false;
    };
    expect(told('assert brew(serving.url) == 1')).toBe(true);
    expect(told('assert brew("http://serving.example") == 1')).toBe(false);
  });

  it.each([
    ['Test for ticket #4371 -- Loads a file without data.', 'combine two (loads a file without data)'],
    ['Regression test for #12893: Loads a file without data.', 'combine two (loads a file without data)'],
    ['Loads a file without data (ticket 4371).', 'combine two (loads a file without data)'],
    ['Regression test for ticket #4371.', 'combine two'],
    [
      'Non-regression test for wrong results on a file.',
      'combine two (non-regression test for wrong results on a file)',
    ],
  ])('leaves it out of prose: %s', (docstring, words) => {
    expect(demanded('combine_two', [`    """${docstring}"""`])).toBe(words);
  });
});
