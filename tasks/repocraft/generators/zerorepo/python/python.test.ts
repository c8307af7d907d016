import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readEnvironment } from '../../../../../src/config/env.js';
import { describeWithPython } from '../../../../../tests/fixtures/repocraft/describe-with-python.js';
import type { UnitProduct } from '../graph/compose.js';
import type { Verification } from '../steps/freeze.js';
import type { WrittenCode } from '../steps/write.js';

const FOLDER = import.meta.dirname;
const buildServer = readEnvironment().variable('CI') !== undefined;

/** Runs Python of this folder on a request. */
function python<Result>(program: string, request: object): Result {
  const folder = mkdtempSync(join(tmpdir(), 'durabench-zerorepo-'));
  try {
    const file = join(folder, 'request.json');
    writeFileSync(file, JSON.stringify(request));
    const output = execFileSync('python3', ['-c', program, file, join(folder, 'tree')], { cwd: FOLDER });
    return JSON.parse(output.toString('utf8')) as Result;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const NORMALISE = `
import json, sys
sys.path.insert(0, '.')
sys.dont_write_bytecode = True
import products
request = json.load(open(sys.argv[1]))
try:
    print(json.dumps(products.normalised(request['unit'], request['code'])))
except products.Bad as error:
    print(json.dumps({'bad': str(error)}))
`;

const unit = {
  ...{ id: 'x.py::add', module: 'kit.x', name: 'add', kind: 'function', signature: '(a: int, b: int = 0) -> int' },
  ...{ methods: [], siblings: ['other'] },
};
const code = (source: string, parts: Partial<WrittenCode> = {}): WrittenCode => ({
  imports: [],
  helpers: '',
  source,
  ...parts,
});
const normalised = (own: WrittenCode, of: object = unit) =>
  python<UnitProduct & { bad?: string }>(NORMALISE, { unit: of, code: own });

const ADD = 'def add(a: int, b: int = 0) -> int:\n    return a + b';

describeWithPython('what a model wrote for a unit', { buildServer }, () => {
  it('becomes imports, helpers and the symbol itself, wherever it put them', () => {
    const source = `import re\nfrom os import path\n\n_TEN = 10\n\n\ndef _ten(_x=_TEN):\n    return _x.real\n\n\n${ADD.replace('a + b', 'a + b + _ten(_x=_TEN) - _TEN')}\n`;
    expect(normalised(code(source))).toEqual({
      imports: ['from os import path', 'import re'],
      helpers: '_TEN__add = 10\n\n\ndef _ten__add(_x=_TEN__add):\n    return _x.real',
      source: 'def add(a: int, b: int = 0) -> int:\n    return a + b + _ten__add(_x=_TEN__add) - _TEN__add',
    });
  });

  const refused: [source: string, why: string][] = [
    ['def add(a, b=0): return (', 'not Python'],
    ['x = 1', 'add is not defined'],
    ['def add(a, c=0): return a', 'has the parameters'],
    [`${ADD}\nprint(1)`, 'only imports, definitions and constants'],
    [`from os import *\n${ADD}`, 'absolute and by name'],
    [`from . import x\n${ADD}`, 'absolute and by name'],
    [`import other\n${ADD}`, 'other is a unit of this file'],
    [`from math import fsum as add\n${ADD}`, 'add is a unit of this file'],
    [`def other(): pass\n${ADD}`, 'other is another unit'],
    ['class add: pass', 'has to be a function'],
    [`${ADD}\n${ADD}`, 'defined twice'],
  ];

  it.each(refused)('is refused: %s', (source, why) => {
    expect(normalised(code(source)).bad).toContain(why);
  });

  it.each(refused)('is repaired by an edit of the whole, whatever stood there: %s', (source) => {
    const edits: WrittenCode['edits'] = [{ kind: 'function', name: 'add', source: ADD }];
    expect(normalised(code(source, { edits }))).toMatchObject({ imports: [], source: ADD });
  });

  it('needs no import of what is in its file', () => {
    const source = `from kit.x import other, elsewhere\nfrom kit.x import add\nfrom kit.y import h\n${ADD}`;
    expect(normalised(code(source)).imports).toEqual(['from kit.x import elsewhere', 'from kit.y import h']);
  });

  it('is edited by syntax tree: function, constant, imports', () => {
    const edits: WrittenCode['edits'] = [
      { kind: 'function', name: 'add', source: ADD.replace('a + b', 'a + b + _ONE') },
      { kind: 'assignment', name: '_ONE', source: '_ONE = 1' },
      { kind: 'imports', name: '', source: 'import math' },
    ];
    expect(normalised(code(ADD, { edits }))).toEqual({
      imports: ['import math'],
      helpers: '_ONE__add = 1',
      source: ADD.replace('a + b', 'a + b + _ONE__add'),
    });
  });

  it('has the imports of the edit in place of its own', () => {
    const written = code(ADD, { imports: ['import nowhere_at_all', 'import re'] });
    const edits = (source: string): WrittenCode => ({ ...written, edits: [{ kind: 'imports', name: '', source }] });
    expect(normalised(edits('import math\nimport re')).imports).toEqual(['import math', 'import re']);
    expect(normalised(edits('')).imports).toEqual([]);
  });

  const methods = ['one', 'two'].map((name) => ({ name, signature: '(self)', docstring: 'd' }));
  const box = { ...unit, name: 'Box', kind: 'class', methods };
  const source =
    'class Box:\n    """Doc."""\n\n    def one(self):\n        return 0\n\n    def two(self):\n        return 2';

  it('is edited as a whole class', () => {
    const other = source.replace('return 0', 'return self.two()');
    expect(normalised(code(source, { edits: [{ kind: 'class', name: 'Box', source: other }] }), box).source).toBe(
      other,
    );
    const lacking = 'class Box:\n    def one(self):\n        return 1';
    const edits: WrittenCode['edits'] = [{ kind: 'class', name: 'Box', source: lacking }];
    expect(normalised(code(source, { edits }), box).bad).toBe('Box lacks the method two');
  });

  it('is edited in one method of a class, which stays where it is', () => {
    const edits: WrittenCode['edits'] = [
      { kind: 'method', name: 'Box.one', source: '@property\ndef one(self):\n    return 1' },
      { kind: 'method', name: 'Box.three', source: 'def three(self):\n    return 3' },
    ];
    const edited = normalised(code(source, { edits }), box);
    expect(edited.source).toBe(
      'class Box:\n    """Doc."""\n\n    @property\n    def one(self):\n        return 1\n\n    def two(self):\n        return 2\n\n    def three(self):\n        return 3',
    );
  });
});

const ENDED = `
import json, os, sys
sys.path.insert(0, '.')
sys.dont_write_bytecode = True
import tree
request = json.load(open(sys.argv[1]))
print(json.dumps(tree.ended([sys.executable, '-c', request['program']], '.', dict(os.environ), request['seconds'])))
`;

describeWithPython('a run of tests', { buildServer }, () => {
  const ended = (program: string, seconds = 60) =>
    python<[code: number | null, output: string]>(ENDED, { program, seconds });

  it('ends when its CPU time or its time by the clock is used up', () => {
    expect(ended('print("begun", flush=True)\nwhile True: pass', 1)).toEqual([null, '']);
    expect(ended('import time\ntime.sleep(3600)', 1)).toEqual([null, '']);
  });

  it('is not kept waiting by what it leaves behind, and tells its end and what it printed', () => {
    const leaving = 'import subprocess, sys\nsubprocess.Popen(["sleep", "3600"])\nprint("at 0x7f3a5c9d")\nsys.exit(3)';
    expect(ended(leaving)).toEqual([3, 'at 0x…\n']);
  });

  it('is told by its end, however much it printed', () => {
    const [code, output] = ended('print("x" * 50_000_000)\nprint("end")');
    expect([code, output.length, output.slice(-6)]).toEqual([0, 6001, 'x\nend\n']);
  });
});

const VERIFY = `
import runpy, sys
sys.dont_write_bytecode = True
sys.argv = ['verify.py', *sys.argv[1:]]
sys.path.insert(0, '.')
runpy.run_path('verify.py', run_name='__main__')
`;

describeWithPython('verify', { buildServer }, () => {
  const verified = (text: string): Verification =>
    python<Verification>(VERIFY, {
      ...{ package: 'kit', reference: ['requests'], mutants: 0, units: [] },
      files: { 'kit/__init__.py': '', 'kit/x.py': text, 'kit/y.py': 'def h(a):\n    return a\n' },
    });

  it.each([
    ['empty', 'def f(a): pass'],
    ['not-implemented', 'def f(a):\n    """Doc."""\n    raise NotImplementedError("later")'],
    ['constant', 'def f(a):\n    return 42'],
    ['tagged-dictionary', 'def f(a, b):\n    return {"op": "add", "args": [a, b]}'],
    ['tagged-dictionary', 'def f(self, a):\n    x = 1\n    return {"type": "matrix", "value": a, "n": x}'],
    ['unused-parameters', 'def f(a):\n    x = [1, 2]\n    return sum(x)'],
  ])('finds a body that only stands for one: %s', (rule, text) => {
    expect(verified(text).stubs.map((stub) => [stub.name, stub.rule])).toEqual([['f', rule]]);
  });

  it('leaves alone what computes', () => {
    const text =
      'def f(a):\n    return {"type": "sum", "value": sum(a)}\n\ndef g():\n    return 42\n\nclass A:\n    def __len__(self):\n        return 0\n    def m(self):\n        return self.x\n';
    expect(verified(text)).toMatchObject({ functions: 5, stubs: [] });
  });

  it('finds imports that lead nowhere or to the reference', () => {
    const text =
      'import json\nimport requests.models\nimport nowhere_at_all\nfrom kit.y import h, gone\nfrom kit.missing import y\n\ndef f(a):\n    return a\n';
    const { unresolvedImports, referenceImports } = verified(text);
    expect(referenceImports.map(({ name }) => name)).toEqual(['requests.models']);
    expect(unresolvedImports.map(({ name }) => name)).toEqual(['nowhere_at_all', 'kit.y.gone', 'kit.missing.y']);
  });
});
