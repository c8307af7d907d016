import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readEnvironment } from '../../../src/config/env.js';
import { describeWithPython } from '../../../tests/fixtures/repocraft/describe-with-python.js';

const PYTHON = join(import.meta.dirname, '..', 'python');

/** Rule, or null for what does something; then the code. */
const CASES: [rule: string | null, code: string][] = [
  ['empty', 'def f(x): pass'],
  ['empty', 'def f(x): ...'],
  ['empty', 'def f(): """Only a docstring."""'],
  ['empty', 'def f(x):\n    """Doc."""\n    return'],
  ['empty', 'def __init__(self, x): pass'],
  [null, 'def __init__(self): pass'],
  ['not-implemented', 'def f(x): raise NotImplementedError'],
  ['not-implemented', 'def f(x):\n    """Doc."""\n    raise NotImplementedError("later")'],
  [null, 'def f(x): raise ValueError(x)'],
  [null, 'def f(x): raise TypeError("not here")'],
  ['constant', 'def f(x): return None'],
  ['constant', 'def f(x): return []'],
  ['constant', 'def f(*x): return {"a": [-1, 2]}'],
  [null, 'def f(): return 42'],
  [null, 'def f(self): return True'],
  [null, 'def __eq__(self, other): return False'],
  ['tagged-dictionary', 'def f(a, b): return {"op": "add", "args": [a, b]}'],
  ['tagged-dictionary', 'def f(a): return {"call": "f", "with": a}'],
  ['tagged-dictionary', 'def f(self, a):\n    x = 1\n    return {"type": "matrix", "value": a, "n": x}'],
  [null, 'def f(a): return {"type": "sum", "value": sum(a)}'],
  [null, 'def f(a, b):\n    total = a + b\n    return {"kind": "sum", "total": total}'],
  [null, 'def f(x): return {"size": len(x)}'],
  ['unused-parameters', 'def f(a):\n    x = [1, 2]\n    return sum(x)'],
  [null, 'def f(self, a): return self.x'],
  [null, 'def f(x):\n    x += 1\n    return 3'],
  [null, '@abstractmethod\ndef f(self, x): pass'],
  [null, '@typing.overload\ndef f(x): ...'],
];
const IN_CLASSES = 'class A(Protocol[T]):\n    def f(self, x): ...\nclass B:\n    def f(self, x): ...\n';

const RULES = `
import ast, json, sys
sys.path.insert(0, sys.argv[1])
from placeholders import placeholder_rule
print(json.dumps([placeholder_rule(ast.parse(text).body[0]) for text in json.load(sys.stdin)]))
`;

describeWithPython('a placeholder', { buildServer: readEnvironment().variable('CI') !== undefined }, () => {
  let folder: string;
  beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'placeholders-'))));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function python<Answer>(argv: string[], input = ''): Answer {
    const { status, stdout, stderr } = spawnSync('python3', ['-B', ...argv], { encoding: 'utf8', input });
    if (status !== 0) throw new Error(stderr);
    return JSON.parse(stdout) as Answer;
  }

  // The second folder has it by a link, as the containers of either see it.
  it.each(['python/candidate', 'generators/zerorepo/python'])(
    'is a body that only stands for one, seen from %s',
    (from) => {
      const texts = CASES.map(([, code]) => code);
      const rules = python<(string | null)[]>(['-c', RULES, join(PYTHON, '..', from)], JSON.stringify(texts));
      expect(texts.map((text, index) => [rules[index], text])).toEqual(CASES);
    },
  );

  it('is the same for the metric of a candidate and for the check of a generation', () => {
    const files = Object.fromEntries(
      [...CASES.map(([, code]) => code), IN_CLASSES].map((code, n) => [`kit/m${n}.py`, code]),
    );
    for (const [path, code] of Object.entries(files)) writeFileSync(join(folder, path.replace('kit/', '')), code);
    const counted = python<{ functions: number; stubs: number }>([join(PYTHON, 'candidate', 'code_stats.py'), folder]);
    const request = { package: 'kit', reference: [], mutants: 0, units: [], files };
    writeFileSync(join(folder, 'request.json'), JSON.stringify(request));
    const verified = python<{ functions: number; stubs: { name: string }[] }>([
      ...[
        join(PYTHON, '..', 'generators', 'zerorepo', 'python', 'verify.py'),
        join(folder, 'request.json'),
        join(folder, 'tree'),
      ],
    ]);
    const expected = CASES.filter(([rule]) => rule !== null).length + 1;
    expect(counted).toMatchObject({ functions: CASES.length + 2, stubs: expected });
    expect(verified).toMatchObject({ functions: CASES.length + 2 });
    expect(verified.stubs).toHaveLength(expected);
    expect(verified.stubs.map(({ name }) => name).filter((name) => name.includes('.'))).toEqual(['B.f']);
  });
});
