import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deflateSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { readEnvironment } from '../../../../src/config/env.js';
import { describeWithPython } from '../../../../tests/fixtures/repocraft/describe-with-python.js';

// What the large libraries do and textkit does not, each in an invented library that is derived and run.

const TOOL = fileURLToPath(new URL('../../python/derive', import.meta.url));
const buildServer = readEnvironment().variable('CI') !== undefined;
const folder = mkdtempSync(join(tmpdir(), 'durabench-derive-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Answer {
  texts: Record<string, string>;
  moves: Record<string, string>;
  tests: Record<string, string>;
  symbols: Record<string, string>;
  undocumented?: string[];
  altered: string[];
}

type Files = Record<string, string | Uint8Array>;
const SETTINGS = {
  top: 'lib',
  package: 'box',
  modules: true,
  fixedModules: '^$',
  symbolModules: null,
  groups: ['inner'],
};

interface Asked {
  test?: string;
  targets?: string[];
  prelude?: string;
  /** By target, as if each had one test: lines that it runs. */
  ran?: Record<string, Record<string, number[]>>;
}

/** Derives a library; `run`: what a program prints on it, or the end of its complaint. */
function derived(kind: string, files: Files, asked: Asked = {}) {
  const { test: text = '', targets = [], prelude = null, ran = {} } = asked;
  const place = mkdtempSync(join(folder, 'case-'));
  const all = { 'lib/__init__.py': '', ...files };
  write(join(place, 'lib-tree'), all);
  const tasks = targets.map((target) => ({ id: target, targets: [target], test_code: '' }));
  const its = { id: 'its', targets: targets.slice(0, 1), test_code: text };
  const request = { kind, seed: 1, share: 1, settings: SETTINGS, prelude, tasks: [...tasks, its], ran };
  writeFileSync(join(place, 'request.json'), JSON.stringify(request));
  const made = python(['-B', TOOL, join(place, 'lib-tree'), join(place, 'request.json')]);
  const answer = JSON.parse(made) as Answer;
  const tree = Object.fromEntries(Object.entries(all).map(([path, content]) => [answer.moves[path] ?? path, content]));
  write(join(place, 'box-tree'), { ...tree, ...answer.texts });
  const run = (code: string): string => python(['-B', '-c', code], join(place, 'box-tree')).trim();
  return { ...answer, run };
}

function write(root: string, files: Files): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

function python(args: string[], cwd?: string): string {
  const { status, stdout, stderr } = spawnSync('python3', args, { cwd, encoding: 'utf8' });
  return status === 0 ? stdout : `ended with ${status}: ${stderr.slice(-600)}`;
}

describeWithPython('rewording', { buildServer }, () => {
  const functions = Array.from(
    { length: 30 },
    (_, number) =>
      `def part${number}(value):\n    r"""Return the given %(list)s of \\n parse_list values."""\n    return ${number}\n`,
  );
  const files = { 'lib/one.py': `${functions.join('\n')}\nclass Kind:\n    def close(self):\n        pass\n` };

  test('puts docstrings into other words, takes a third of them away, and says of which', () => {
    const { texts, undocumented = [], run } = derived('reworded', files);
    const docs = JSON.parse(
      run(
        'import json, inspect; from box import one; ' +
          'print(json.dumps({f"box.one.{name}": f.__doc__ for name, f in vars(one).items() if inspect.isfunction(f)}))',
      ),
    ) as Record<string, string>;
    const empty = Object.keys(docs).filter((name) => docs[name] === '');
    expect(empty.length).toBeGreaterThan(4);
    expect(empty.length).toBeLessThan(16);
    expect([...undocumented].sort()).toEqual([...empty, 'box.one.Kind', 'box.one.Kind.close'].sort());
    const told = Object.values(docs).filter((doc) => doc !== '');
    expect(new Set(told).size).toBeGreaterThan(1);
    // Placeholders, escapes and identifiers stay; words do not.
    for (const doc of told) expect(doc).toMatch(/^(?!Return )[A-Z][a-z ]+ %\(list\)s of \\n parse_list (?!values)/);
    expect(derived('reworded', files).texts).toEqual(texts);
  });
});

describeWithPython('renaming', { buildServer }, () => {
  const filter = 'def check_filter(value):\n    return value\n';

  test('follows names through modules that import everything of each other', () => {
    const { symbols, tests, run } = derived(
      'renamed',
      {
        'lib/one.py': 'from lib.two import *\n\ndef first():\n    return check_filter(1)\n',
        'lib/two.py': 'from lib.one import *\nfrom lib.three import *\n\ndef second():\n    return check_filter(2)\n',
        'lib/three.py': filter,
      },
      {
        test: 'from lib.one import check_filter, first\nfrom lib.two import second\nprint(check_filter(first() + second()))',
      },
    );
    expect(Object.keys(symbols)).toContain('lib.three.check_filter');
    expect(run(tests.its ?? '')).toBe('3');
  });

  test('keeps the names of classes that are reached as members, and of what is handed to a registry', () => {
    const { symbols, tests, run } = derived(
      'renamed',
      {
        'lib/one.py': `
class Shelf:
    def __init_subclass__(cls):
        setattr(Shelf, cls.__name__, cls())
    def take(self, made):
        setattr(Shelf, made.__name__, made)
        return made
class EmptyFilter(Shelf):
    pass
shelf = Shelf()
@shelf.take
def join_filter(shelf):
    return 2
def check_filter():
    return shelf.EmptyFilter, shelf.join_filter()
`,
      },
      { test: 'from lib.one import check_filter\nprint(check_filter()[1])' },
    );
    expect(symbols).toEqual({ 'lib.one.check_filter': expect.any(String) as string });
    expect(run(tests.its ?? '')).toBe('2');
  });

  test('keeps the names that compiled modules hold', () => {
    const { symbols } = derived('renamed', {
      'lib/one.py': `${filter}${filter.replace('check', 'join')}`,
      'lib/two.py': filter.replace('check', 'align'),
      'lib/_fast.so': 'ELF\0some words of check_filter\0join_filter\0',
      // Cython 3.2 keeps its strings like this.
      'lib/_packed.so': Buffer.concat([Buffer.from('ELFx'), deflateSync('takealign_filtermake'), Buffer.from('xxx')]),
    });
    expect(Object.keys(symbols)).toEqual(['lib.one.check_filter']);
  });

  test('reaches code in strings: imports of the library, and what it calls', () => {
    const { symbols, tests, run } = derived(
      'renamed',
      {
        'lib/one.py': `${filter}${filter.replace('check', 'join')}
def work():
    names = {}
    exec("from lib.one import *", names)
    return eval("1 + join_filter(1)", names)
`,
      },
      { test: 'from lib.one import work\nprint(work())' },
    );
    expect(Object.keys(symbols)).toContain('lib.one.check_filter');
    expect(run(tests.its ?? '')).toBe('2');
  });

  test('keeps names of classes by which methods are found', () => {
    const { symbols } = derived('renamed', {
      'lib/one.py':
        'class CheckFilter:\n    pass\n\nclass JoinFilter:\n    def from_CheckFilter(self):\n        pass\n',
    });
    expect(Object.keys(symbols)).toEqual(['lib.one.JoinFilter']);
  });

  test.each(['renamed', 'moved'])('%s: modules that a package exports unread can be had from it', (kind) => {
    const { tests, run } = derived(
      kind,
      {
        'lib/__init__.py': '__all__ = ["filters", "accents"]\n__all__.extend(["actions", "base"])\n',
        ...{
          'lib/filters.py': 'A = 1\n',
          'lib/accents.py': 'A = 2\n',
          'lib/actions.py': 'A = 3\n',
          'lib/base.py': 'A = 4\n',
        },
      },
      {
        test: 'import lib.filters, lib.accents, lib.actions, lib.base\nfrom lib import *\nprint(filters.A + accents.A + actions.A + base.A)',
      },
    );
    expect(run(tests.its ?? '')).toBe('10');
  });

  test('is not misled by a class that reads a module and binds its name after that', () => {
    const { tests, run } = derived(
      'renamed',
      {
        'lib/filters.py': 'EMPTY = 1\n',
        'lib/one.py': `
from lib import filters
class Field:
    empty = filters.EMPTY
    def filters(self):
        return filters.EMPTY
`,
      },
      { test: 'import lib.one\nprint(lib.one.Field().filters(), lib.one.Field.empty)' },
    );
    expect(run(tests.its ?? '')).toBe('1 1');
  });

  test.each(['renamed', 'moved'])(
    '%s: a path in a string leads to what its module has under that name in the end',
    (kind) => {
      const { tests, run } = derived(
        kind,
        {
          'lib/one.py': 'class Filter:\n    kind = "one"\n',
          'lib/two.py': 'from lib.one import Filter\nclass Filter(Filter):\n    kind = "two"\n',
        },
        {
          test: `
import importlib
place, _, name = 'lib.two.Filter'.rpartition('.')
print(getattr(importlib.import_module(place), name).kind)
`,
        },
      );
      expect(run(tests.its ?? '')).toBe('two');
    },
  );

  test('is not misled by names in f-strings whose place Python 3.11 tells wrongly', () => {
    const text = `${filter}
def work():
    return f'''
 and {
        check_filter(1)} or {check_filter(2)
    }''' f"{check_filter(3)}"
`;
    const { tests, run } = derived(
      'renamed',
      { 'lib/one.py': text },
      { test: 'from lib.one import work\nprint(work())' },
    );
    expect(run(tests.its ?? '')).toBe('and 1 or 23');
  });
});

describeWithPython('altering', { buildServer }, () => {
  test('a mutant is changed in a line that the test of its target runs; where nothing is known of that, not at all', () => {
    const text =
      'def first(a):\n    if a > 5:\n        return a - 1\n    return a + 2\n\ndef second(a):\n    return a + 3\n';
    const files = { 'lib/one.py': text };
    const targets = ['lib.one.first', 'lib.one.second'];
    const ran = { 'lib.one.first': { 'lib/one.py': [1, 2, 4] } };
    const made = derived('mutated', files, { targets, ran });
    expect(made.altered).toEqual(['lib.one.first']);
    expect(made.run('from lib.one import first, second; print(first(1), second(1))')).not.toBe('3 4');
    expect(made.texts['lib/one.py']).toContain('return a - 1\n');
    expect(made.texts['lib/one.py']).toContain('return a + 3\n');
  });

  test('a decoy of several results hands out other ones', () => {
    const { run } = derived(
      'decoys',
      { 'lib/one.py': 'def pair(a):\n    return a, 1\n' },
      { targets: ['lib.one.pair'] },
    );
    expect(run('from lib.one import pair; print(pair(0))')).toBe('(1,)');
  });

  test.each([
    ['constant-object', 'True True True False', 'True'],
    ['constant-error', 'Every Every Every Every', 'True'],
    ['constant-none', 'False False AttributeError False', 'True'],
  ])('%s: every name is there, and every call gives the same', (kind, calls, names) => {
    const one = `"""One."""
from lib.two import LIMIT, Refused

class Box:
    size = 3
    def get(self):
        """Gets."""
        return self.size

def work(a):
    if a is None:
        raise Refused("no")
    return a + LIMIT
`;
    const two =
      'from lib import one\nLIMIT = 2\n\nclass Refused(ValueError):\n    pass\n\nclass Worse(Refused):\n    pass\n';
    const { run } = derived(kind, { 'lib/one.py': one, 'lib/two.py': two }, { targets: ['lib.one.work'] });
    const program = `
from lib.one import Box, Refused, work
from lib.two import Worse

def of(call):
    try:
        return call()
    except Exception as error:
        return type(error).__name__

print(*(of(one) for one in (lambda: work(1) == "3", lambda: work(None) == [3], lambda: Box().get() == 5, lambda: Box() == work)))
print(Worse is Refused and issubclass(Worse, TypeError) and Box.get.__doc__ == "Gets.")
`;
    expect(run(program)).toBe(`${calls}\n${names}`);
  });

  test('what runs in the set-up that tests begin with is left as it is', () => {
    const files = {
      'lib/one.py': `
ready = []
def set_up():
    ready.append(1)
def use():
    return ready[0]
`,
      'lib/two.py': 'from lib.one import use\nuse()\n\ndef work():\n    return 3\n',
    };
    const targets = ['lib.one.set_up', 'lib.one.use', 'lib.two.work'];
    // Django asks where the module lies whose models it is to know.
    const prelude = 'import lib.one, os\nassert os.path.isabs(__file__)\nlib.one.set_up()';
    expect(derived('stubbed', files, { targets, prelude }).altered).toEqual(['lib.two.work']);
  });

  test('a method that its class needs while it is made is not deleted', () => {
    const files = {
      'lib/one.py':
        'class Box:\n    def get(self):\n        return 1\n    alias = get\n    def put(self):\n        return 2\n',
    };
    const targets = ['lib.one.Box.get', 'lib.one.Box.put'];
    const { altered, run } = derived('partial', files, { targets });
    expect(altered).toEqual(['lib.one.Box.put']);
    expect(run('from lib.one import Box; print(Box().alias(), hasattr(Box, "put"))')).toBe('1 False');
  });

  test('what the library uses itself is not deleted: other tests would go with it', () => {
    const files = {
      'lib/__init__.py':
        'from lib.two import show\nfrom lib.one import Free, again\n__all__ = ["Free", "again", "show"]\n',
      'lib/one.py': `
class Told:
    pass
class Free:
    def get(self):
        return 1
    def put(self):
        return self.get()
def again(times):
    return again(times - 1) if times else 0
def inner():
    return 3
`,
      // sympy's printers: the one use of a class is the annotation of a parameter.
      'lib/two.py':
        'from lib.one import Told\nimport lib.one as one\ndef show(it: Told, again=1):\n    return one.inner() + again\n',
    };
    const names = ['Free', 'Free.get', 'Free.put', 'Told', 'again', 'inner'];
    const targets = names.map((name) => `lib.one.${name}`);
    const { altered, run } = derived('partial', files, { targets });
    expect(altered).toEqual(['lib.one.Free', 'lib.one.Free.put', 'lib.one.again']);
    expect(run('from lib import *; print(show(1), "again" in globals())')).toBe('4 False');
  });

  test('what a module cannot be imported without is left as it is, whoever asks for that module', () => {
    const files = {
      'lib/one.py': 'class Used:\n    pass\nclass Free:\n    pass\ndef first():\n    return 1\n',
      'lib/two.py': 'import lib.one\nMADE = getattr(lib.one, "Used")\n',
      'lib/three.py': 'import lib.one\nMADE = getattr(lib.one, "first")()\n',
      // Cannot be imported as it is either.
      'lib/four.py': 'import lib.one, no_such_library\n',
    };
    const targets = ['lib.one.Free', 'lib.one.Used', 'lib.one.first'];
    const asked = { targets, test: 'import lib.two, lib.four\nfrom lib.three import MADE' };
    const { altered, run } = derived('partial', files, asked);
    expect(altered).toEqual(['lib.one.Free']);
    expect(run('import lib.two, lib.three; print(lib.three.MADE)')).toBe('1');
    expect(derived('stubbed', files, asked).altered).toEqual([]);
  });
});
