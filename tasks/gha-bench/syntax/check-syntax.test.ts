import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { packageRoot } from '../../../src/config/package-root.js';
import { checkSyntax } from './check-syntax.js';
import type { SyntaxProblem } from './syntax-report.js';

const HEAD = 'on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:';
const JOB = `${HEAD}\n      - run: echo`;
const FILE = '.github/workflows/w.yml';

/** Problems of a tree, its texts as bytes. */
async function problems(files: Record<string, string | Uint8Array>, present: string[] = []): Promise<SyntaxProblem[]> {
  const bytes = Object.entries(files).map(([path, content]) => [path, Buffer.from(content)] as const);
  return (await checkSyntax(new Map(bytes), new Set(present))).problems;
}

const rules = async (text: string | Uint8Array): Promise<string[]> => [
  ...new Set((await problems({ [FILE]: text })).map(({ rule }) => rule)),
];

const corpus = parse(
  readFileSync(join(packageRoot(import.meta.url), 'tests/fixtures/gha-bench/syntax-defects.yaml'), 'utf8'),
) as { name: string; rule: string | null; text: string }[];

test('the corpus holds at least 80 defects', () => {
  expect(corpus.filter(({ rule }) => rule !== null).length).toBeGreaterThanOrEqual(80);
  expect(new Set(corpus.map(({ name }) => name)).size).toBe(corpus.length);
});

describe('a defect is found by its rule, and a valid file is not refused', () => {
  test.each(corpus)('$name', async ({ rule, text }) => {
    expect(await rules(text.replaceAll('HEAD', HEAD).replaceAll('JOB', JOB))).toEqual(rule === null ? [] : [rule]);
  });
});

describe('hostile files', () => {
  test.each<[string, string | Uint8Array, string[]]>([
    ['a byte order mark', `\ufeff${JOB}\n`, []],
    ['lines that end as on Windows', `${JOB}\n`.replaceAll('\n', '\r\n'), []],
    ['a NUL', `${JOB} \0\n`, ['encoding']],
    ['another control character', `${JOB} \u0007\n`, ['encoding']],
    ['bytes that are not UTF-8', Buffer.from([0x6f, 0x6e, 0x3a, 0xff, 0xfe]), ['encoding']],
    ['ten megabytes', `${JOB}\n# ${'x'.repeat(10_000_000)}\n`, ['size']],
    ['fifty levels in brackets', `on: ${'['.repeat(50)}${']'.repeat(50)}\n`, ['depth']],
    ['a thousand levels in brackets', `on: ${'['.repeat(1000)}${']'.repeat(1000)}\n`, ['depth']],
    ['brackets without end', `on: ${'['.repeat(60_000)}`, ['depth']],
    [
      'five hundred levels in blocks',
      Array.from({ length: 500 }, (_, at) => `${' '.repeat(at)}a:\n`).join(''),
      ['depth'],
    ],
    ['a thousand lists in a line', `on:\n  ${'- '.repeat(1000)}\n`, ['depth']],
    ['a thousand keys in a line', `${'? '.repeat(1000)}\n`, ['depth']],
    ['brackets that nest nothing', `${HEAD}\n      - run: |\n          echo '${'[{'.repeat(1000)}'\n`, []],
    ['forty-five levels in blocks', Array.from({ length: 45 }, (_, at) => `${' '.repeat(at)}a:\n`).join(''), ['depth']],
    ['101 aliases', `on: push\nenv: { a: &a x, b: [${'*a, '.repeat(101)}] }\njobs: {}\n`, ['aliases']],
    [
      '26 inputs',
      `on: { workflow_dispatch: { inputs: {${inputs(26)}} } }\n${JOB.slice('on: push\n'.length)}\n`,
      ['inputs'],
    ],
    ['25 inputs', `on: { workflow_dispatch: { inputs: {${inputs(25)}} } }\n${JOB.slice('on: push\n'.length)}\n`, []],
    ['a script of 21,001 characters', `${HEAD}\n      - run: ${'x'.repeat(21_001)}\n`, ['run']],
  ])('%s', async (_, text, expected) => {
    expect(await rules(text)).toEqual(expected);
  });

  test('a problem names its file, line and column', async () => {
    const [problem] = await problems({ [FILE]: `${HEAD}\n      - uses: actions/checkout\n` });
    expect(problem).toMatchObject({ file: FILE, line: 6, column: 15, rule: 'uses' });
  });
});

const inputs = (count: number): string => Array.from({ length: count }, (_, at) => `i${at}: {}`).join(', ');

describe('a tree of files', () => {
  const ACTION = 'name: a\ndescription: b\nruns:\n  using: composite\n  steps:\n    - run: echo\n      shell: bash\n';
  const CALLED = `on: workflow_call\n${JOB.slice('on: push\n'.length)}\n`;
  const calls = (name: string): string =>
    `on: [push, workflow_call]\njobs:\n  a:\n    uses: ./.github/workflows/${name}\n`;

  test.each<[string, Record<string, string>, string[]]>([
    ['nothing', {}, ['no-workflow']],
    ['another extension', { '.github/workflows/ci.txt': JOB }, ['no-workflow']],
    ['a folder below', { [FILE]: JOB, '.github/workflows/sub/ci.yml': JOB }, ['folder']],
    [
      'twenty-one files',
      Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`.github/workflows/${at}.yml`, JOB])),
      ['files'],
    ],
    ['a local action', { [FILE]: JOB, '.github/actions/x/action.yml': ACTION }, []],
    [
      'a local action without shell',
      { [FILE]: JOB, '.github/actions/x/action.yml': ACTION.replace('shell: bash', 'id: a') },
      ['schema'],
    ],
    ['a local action that is not YAML', { [FILE]: JOB, '.github/actions/x/action.yaml': 'a: [' }, ['yaml']],
    ['a call', { [FILE]: calls('b.yml'), '.github/workflows/b.yml': CALLED }, []],
    ['a call of what cannot be called', { [FILE]: calls('b.yml'), '.github/workflows/b.yml': JOB }, ['call']],
    ['a call of what cannot be read', { [FILE]: calls('b.yml'), '.github/workflows/b.yml': 'on: [' }, ['yaml']],
    ['calls in a circle', { [FILE]: calls('b.yml'), '.github/workflows/b.yml': calls('w.yml') }, ['call']],
    ['ten levels', chain(10), []],
    ['eleven levels', chain(11), ['call']],
  ])('%s', async (_, files, expected) => {
    expect([...new Set((await problems(files)).map(({ rule }) => rule))]).toEqual(expected);
  });

  test('a workflow of the project may be called', async () => {
    expect(await problems({ [FILE]: calls('old.yml') }, ['.github/workflows/old.yml'])).toEqual([]);
  });

  function chain(levels: number): Record<string, string> {
    const files = Array.from({ length: levels }, (_, at) => [
      `.github/workflows/l${at}.yml`,
      at === levels - 1 ? CALLED : calls(`l${at + 1}.yml`),
    ]);
    return Object.fromEntries(files) as Record<string, string>;
  }
});
