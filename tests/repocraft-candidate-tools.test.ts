import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectDocker } from '../src/adapters/docker/connect-docker.js';
import { createDockerSandbox, type DockerSandbox } from '../src/adapters/docker/docker-sandbox.js';
import { createImages } from '../src/adapters/docker/images.js';
import { currentInstance } from '../src/adapters/docker/instance.js';
import { readEnvironment } from '../src/config/env.js';
import type { CandidateIndex } from '../tasks/repocraft/stages/candidate-index.js';

// python/candidate: what reads a candidate and what rewrites a test, in the container they run in.

const packageRoot = join(import.meta.dirname, '..');
const tools = join(packageRoot, 'tasks', 'repocraft', 'python', 'candidate');
let folder: string;
let sandbox: DockerSandbox;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'durabench-tools-'));
  const cacheFolder = readEnvironment().cacheDir;
  await createImages({ docker: connectDocker(), packageRoot, cacheFolder }).ensure('base', () => undefined);
  sandbox = createDockerSandbox({ instance: currentInstance(), stateFolder: folder, packageRoot, slots: 1 });
}, 600_000);

afterAll(async () => {
  await sandbox?.close();
  await rm(folder, { recursive: true, force: true });
});

async function runTool(argv: string[], files: Record<string, string>): Promise<unknown> {
  for (const name of ['parse.py', 'layout.py', 'adapt.py']) files[name] = await readFile(join(tools, name), 'utf8');
  const { exitCode, stdout, stderr } = await sandbox.run({
    image: 'base',
    command: ['python3', '-s', '-E', '-B', ...argv],
    files,
    mounts: [],
    poolKey: 'candidate-tools-test',
    owner: { campaignId: 'tools-test', ownerId: 'tools-test' },
    signal: new AbortController().signal,
  });
  if (exitCode !== 0) throw new Error(stderr.bytes.toString('utf8'));
  return JSON.parse(stdout.bytes.toString('utf8')) as unknown;
}

async function parse(tree: Record<string, string>): Promise<CandidateIndex> {
  const files = Object.fromEntries(Object.entries(tree).map(([path, text]) => [`tree/${path}`, text]));
  return (await runTool(['/work/parse.py', '/work/tree'], files)) as CandidateIndex;
}

const paths = (index: CandidateIndex) => index.entries.map((entry) => `${entry.module}.${entry.qualname}`);

describe('reading a candidate', () => {
  test('finds functions, methods and classes with signature, first sentence and lines', async () => {
    const text = [
      'import sys',
      'if sys.version_info > (3,):',
      '    @decorated',
      '    def guarded(a: int, *rest, key=None) -> str:',
      '        """First paragraph,',
      '        in two lines.',
      '',
      '        Second paragraph."""',
      'class Outer(Base):',
      '    """A class."""',
      '    class Inner:',
      '        async def method(self): ...',
      'VALUE = 1',
      '',
    ].join('\n');
    const index = await parse({ 'p/__init__.py': 'from .m import *\nfrom .m import Outer as O\n', 'p/m.py': text });
    expect(paths(index)).toEqual(['p.m.guarded', 'p.m.Outer', 'p.m.Outer.Inner', 'p.m.Outer.Inner.method']);
    expect(index.entries[0]).toMatchObject({
      ...{ kind: 'function', owner: null, doc: 'First paragraph, in two lines.', lines: [3, 8] },
      signature: 'guarded(a: int, *rest, key=None) -> str',
    });
    expect(index.entries[3]).toMatchObject({ kind: 'method', owner: 'Outer.Inner', name: 'method' });
    expect(index.modules['p']?.names).toEqual({ '*p.m': 'p.m', O: 'p.m.Outer' });
    expect(index.modules['p.m']?.names).toEqual({ sys: 'sys', guarded: null, Outer: null, VALUE: null });
  });

  test.each([
    ['a package at the top', { 'p/__init__.py': '', 'setup.py': '', 'tests/test_p.py': '' }, ['.'], ['p']],
    ['src', { 'src/p/__init__.py': '', 'src/p/q/m.py': '', 'docs/conf.py': '' }, ['src'], ['p', 'p.q.m']],
    ['a folder around it', { 'p-1.0/src/p/__init__.py': '', 'p-1.0/setup.py': '' }, ['p-1.0/src'], ['p']],
    ['modules alone', { 'a.py': '', 'b.py': '', 'conftest.py': '' }, ['.'], ['a', 'b']],
    ['packages without __init__', { 'p/a.py': '', 'p/q/b.py': '' }, ['.'], ['p.a', 'p.q.b']],
    ['nothing', { 'README.md': 'x' }, ['.'], []],
  ])('knows the layout: %s', async (_, tree, roots, modules) => {
    const index = await parse(tree);
    expect(index.roots).toEqual(roots);
    expect(Object.keys(index.modules).sort()).toEqual(modules);
  });

  test('reports what it cannot read and grades the rest', async () => {
    const deep = '('.repeat(5000);
    const index = await parse({
      ...{ 'p/__init__.py': '', 'p/good.py': 'def good(): ...', 'p/bad.py': 'def bad(:', 'p/deep.py': deep },
      'p/huge.py': `x = "${'a'.repeat(5 * 1024 * 1024)}"`,
    });
    expect(paths(index)).toEqual(['p.good.good']);
    expect(index.problems.map(({ file }) => file).sort()).toEqual(['p/bad.py', 'p/deep.py', 'p/huge.py']);
  });
});

const BINDINGS = [
  { path: 'lib.fetch', module: 'easy.net', name: 'load', rest: [] },
  { path: 'lib.codes.ok', module: 'easy', name: 'STATUS', rest: ['ok'] },
  { path: 'lib.errors.FetchError', module: 'easy.errors', name: 'LoadError', rest: [] },
  { path: 'lib.errors', module: 'easy.errors', name: '', rest: [] },
];

async function adapt(testCode: string): Promise<string> {
  const request = JSON.stringify({ test_code: testCode, packages: ['lib'], bindings: BINDINGS });
  const answer = await runTool(['/work/adapt.py', '/work/request.json'], { 'request.json': request });
  const { test_code: adapted, code } = answer as { test_code?: string; code?: string };
  return adapted ?? `refused: ${code ?? ''}`;
}

describe('rewriting a test', () => {
  test('replaces paths and imports, the longest path first, and nothing else', async () => {
    const before = [
      '"""Doc."""',
      'import os, lib',
      'from lib.errors import (',
      '    FetchError as Wrong,',
      ')',
      'def test_a(monkeypatch):',
      '    # ü stays: lib.fetch',
      '    assert lib.fetch("ü", code=lib.codes.ok).fetch == "lib"',
      '    monkeypatch.setattr(lib.errors, "x", Wrong)',
      '',
    ].join('\n');
    expect(await adapt(before)).toBe(
      [
        '"""Doc."""',
        'import os; from easy.net import load as _bound_1; from easy import STATUS as _bound_2; ' +
          'from easy.errors import LoadError as _bound_3; import easy.errors as _bound_4',
        'pass',
        'def test_a(monkeypatch):',
        '    # ü stays: lib.fetch',
        '    assert _bound_1("ü", code=_bound_2.ok).fetch == "lib"',
        '    monkeypatch.setattr(_bound_4, "x", _bound_3)',
        '',
      ].join('\n'),
    );
  });

  test('puts the imports behind the docstring where the reference is imported inside a function', async () => {
    expect(await adapt('"""Doc."""\ndef test_a():\n    from lib import fetch\n    fetch()\n')).toBe(
      '"""Doc."""\nfrom easy.net import load as _bound_1\ndef test_a():\n    pass\n    _bound_1()\n',
    );
  });

  test.each([
    ['adapt.shadowed', 'from lib import fetch\ndef test_a(fetch):\n    fetch()\n'],
    ['adapt.shadowed', 'import lib\ndef test_a():\n    lib = 1\n'],
    ['adapt.star-import', 'from lib import *\n'],
    ['adapt.string-path', 'import lib\ndef test_a(mocker):\n    mocker.patch("lib.errors.x")\n'],
    ['adapt.unbound', 'import lib\ndef test_a():\n    lib.other()\n'],
    ['adapt.unbound', 'import lib\ndef test_a():\n    print(lib)\n'],
    ['adapt.unreadable', 'def test_a(:\n'],
  ])('refuses what it cannot do safely: %s', async (code, text) => {
    expect(await adapt(text)).toBe(`refused: ${code}`);
  });
});
