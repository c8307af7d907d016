import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readEnvironment } from '../../../src/config/env.js';
import { describeWithPython } from '../../../tests/fixtures/repocraft/describe-with-python.js';
import { createCodeTokenCounter } from './code-tokens.js';
import { scaled } from '../../../tests/vitest/yardstick.js';

const SCRIPT = join(import.meta.dirname, '..', 'python', 'candidate', 'code_stats.py');

interface Counted {
  files: number;
  loc: number;
  functions: number;
  stubs: number;
  unreadable: number;
  code: string[];
}

function counted(files: Record<string, string | Uint8Array>): Counted {
  const tree = mkdtempSync(join(tmpdir(), 'code-stats-'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(tree, path)), { recursive: true });
    writeFileSync(join(tree, path), text);
  }
  const { status, stdout, stderr } = spawnSync('python3', ['-s', '-E', '-B', SCRIPT, tree], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as Counted;
}

const MIXED = `"""A module."""

# a comment
import re  # and another
TEXT = """one

# no comment
"""
HASH = '# none either'
class A:
    '''A class.

    Of two lines.'''
    def f(self):
        "A method."
        return re
\f
x = 1`;

const BARE = `import re
TEXT = """one

# no comment
"""
HASH = '# none either'
class A:
    def f(self):
        return re
x = 1
`;

const buildServer = readEnvironment().variable('CI') !== undefined;

describeWithPython('counting code', { buildServer }, () => {
  it('leaves comments, docstrings and blank lines out, and nothing that only looks like them', () => {
    const { code, loc } = counted({ 'pkg/a.py': MIXED });
    expect(code).toEqual([BARE]);
    expect(loc).toBe(10);
  });

  it('counts Python of the library only: no tests, examples, benchmarks, other files', () => {
    const paths = ['pkg/__init__.py', 'pkg/a.py', 'pkg/tests/test_a.py', 'tests/test_b.py', 'docs/conf.py'];
    const more = ['examples/e.py', 'benchmarks/b.py', 'README.md', 'pkg/data.json'];
    const files = Object.fromEntries([...paths, ...more].map((path) => [path, 'x = 1\n']));
    expect(counted(files)).toMatchObject({ files: 2, loc: 2 });
  });

  it('counts files that Python cannot read, and goes on', () => {
    const unreadable = {
      ...{ 'a.py': 'def (:\n', 'b.py': Uint8Array.of(0xff, 0xfe, 0), 'd.py': '# coding: nonsense\n' },
      ...{ 'e.py': '# coding: rot13\n', 'f.py': `x = ${'1 + '.repeat(50_000)}1\n` },
    };
    expect(counted({ ...unreadable, 'c.py': 'x = 1\n' })).toMatchObject({ files: 6, loc: 1, unreadable: 5 });
  });
});

describe('tokens', async () => {
  const countCodeTokens = await createCodeTokenCounter();
  it.each([
    ['hello world', 2],
    ['', 0],
    ['antidisestablishmentarianism', 6],
  ])('of %j are those of o200k_base', (text, tokens) => {
    expect(countCodeTokens(text)).toBe(tokens);
  });

  it('are counted as text whatever the text says, and long words in pieces', () => {
    expect(countCodeTokens('<|endoftext|>')).toBeGreaterThan(1);
    expect(countCodeTokens('ab'.repeat(100_000))).toBeGreaterThan(20_000);
  });

  it.each([' ', '\n', '\t', ' \n', '\r\n', '\u2028', '_', '(', '/', '\n/', '1', 'é', '漢'])(
    'is done in a moment, also where code holds a file of %j',
    (part) => expect(countCodeTokens(`(${part.repeat(300_000)}`)).toBeGreaterThan(500),
    scaled(20_000),
  );
});
