import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDockerSandbox, type DockerSandbox } from '../../src/adapters/docker/sandbox/docker-sandbox.js';
import { currentInstance } from '../../src/adapters/docker/engine/instance.js';
import { readEnvironment } from '../../src/config/env.js';
import { GUARD_FILES } from '../../tasks/repocraft/adaptation/guard-request.js';
import { ensureImages } from '../fixtures/docker/ensure-images.js';

// python/candidate/guard.py: what a model may make of a test, and every way of cheating that we could think of.

const packageRoot = join(import.meta.dirname, '..', '..');
const tools = join(packageRoot, 'tasks', 'repocraft', 'python', 'candidate');
const fixtures = join(packageRoot, 'tests', 'fixtures', 'repocraft', 'guard');

/** The library under test is called `shop` in the test and has been found as `store` in the candidate. */
const CANDIDATE = {
  packages: ['store'],
  modules: {
    store: { Basket: 'store.basket.Basket', os: 'os', pytest: 'pytest', '*store.basket': 'store.basket' },
    'store.basket': {
      Basket: null,
      OutOfStockError: null,
      CountError: null,
      StoreError: null,
      Failure: null,
      sum_up: null,
      PoolManager: 'urllib3.PoolManager',
    },
  },
  callables: ['put', 'price', 'sum_up', 'empty', 'set_discount'],
  classes: ['Basket', 'OutOfStockError', 'CountError', 'StoreError', 'Failure'],
};
const LOCATED = { name: 'price', owner: 'Basket' };

interface Judged {
  accepted?: true;
  code?: string;
  message?: string;
}

/** Replacements in the honest rewrite. */
type Changes = [from: string, to: string][];

let folder: string;
let sandbox: DockerSandbox;
let before: string;
let honest: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'durabench-guard-'));
  await ensureImages(readEnvironment().cacheDir, 'base');
  sandbox = createDockerSandbox({ instance: currentInstance(), stateFolder: folder, packageRoot, slots: 1 });
  before = await readFile(join(fixtures, 'shop-test.txt'), 'utf8');
  honest = await readFile(join(fixtures, 'rewritten.txt'), 'utf8');
});

afterAll(async () => {
  await sandbox?.close();
  await rm(folder, { recursive: true, force: true });
});

/** Judges many rewrites in one container. */
async function judge(requests: object[]): Promise<Judged[]> {
  const files: Record<string, string> = {
    'requests.json': JSON.stringify(requests),
    'all.py':
      'import json, guard\nprint(json.dumps([guard.verdict(r) for r in json.load(open("/work/requests.json"))]))\n',
  };
  for (const name of ['guard.py', ...GUARD_FILES]) files[name] = await readFile(join(tools, name), 'utf8');
  const { exitCode, stdout, stderr } = await sandbox.run({
    image: 'base',
    command: ['python3', '-s', '-E', '-B', '/work/all.py'],
    files,
    mounts: [],
    poolKey: 'guard-test',
    owner: { campaignId: 'guard-test', ownerId: 'guard-test' },
    signal: new AbortController().signal,
  });
  if (exitCode !== 0) throw new Error(stderr.bytes.toString('utf8'));
  return JSON.parse(stdout.bytes.toString('utf8')) as Judged[];
}

const request = (rewritten: string, test_code = before) => ({
  ...{
    test_code,
    rewritten,
    packages: ['shop'],
    target: 'total',
    located: LOCATED as { name: string; owner: string | null },
    candidate: CANDIDATE,
  },
});

function changed(changes: Changes): string {
  return changes.reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`the rewrite has no ${from}`);
    return text.replace(from, () => to);
  }, honest);
}

const TOTAL = '    assert cart.price() == expected\n';
const PUT = '    cart.put("a", quantity=count)\n';
const EMPTY = '    assert not cart.is_void\n';
const IMPORT = 'import pytest\n';
const PRICES = 'PRICES = ';

const CHEATS: Record<string, [code: string, ...Changes]> = {
  'drops an assertion': ['structure', [EMPTY, '']],
  'drops a test': ['structure', ['def test_errors', 'def check_errors']],
  'weakens a tolerance': ['constant', ['1e-9', '1e-1']],
  'weakens a comparison': ['assertion', ['cart.price() == expected', 'cart.price() >= expected']],
  'widens a condition': ['assertion', ['cart.price() == expected', 'cart.price() == expected or True']],
  'asserts with a choice': ['assertion', ['cart.price() ==', '(cart.price() if count else expected) ==']],
  'mocks the target': ['import', [IMPORT, `${IMPORT}from unittest import mock\n`]],
  'patches the target by a fixture': ['structure', ['(cart, count, expected)', '(cart, count, expected, monkeypatch)']],
  'monkeypatches the class': ['redefined', [PUT, `    Basket.price = Basket.put\n${PUT}`]],
  'monkeypatches the object': ['redefined', [PUT, `${PUT}    cart.price = expected\n`]],
  'sets what it asserts': ['redefined', [EMPTY, `    cart.is_void = False\n${EMPTY}`]],
  'empties what it asserts': ['redefined', [EMPTY, `    cart.lines = []\n${EMPTY}`]],
  'monkeypatches by setattr': ['structure', [PUT, `${PUT}    setattr(cart, "a", expected)\n`]],
  'redefines the target': ['redefined', [PRICES, `def Basket(prices):\n    return prices\n\n\n${PRICES}`]],
  'redefines the target under another name': [
    'structure',
    [PRICES, `class Bag(Basket):\n    price = 6\n\n\n${PRICES}`],
  ],
  'imports the reference': ['import', [IMPORT, `${IMPORT}import shop\n`]],
  'imports the reference in a function': ['import', [PUT, `    from shop import total\n${PUT}`]],
  'imports another implementation': ['import', [IMPORT, `${IMPORT}import decimal\n`]],
  'imports another implementation out of the candidate': ['import', ['import Basket,', 'import PoolManager, Basket,']],
  'reaches out through the candidate': [
    'import',
    ['from store.basket', 'import store\nfrom store.basket'],
    ['assert both.price()', 'assert store.os.getpid(both.price())'],
  ],
  'tests one thing twice instead of two': ['tautology', ['OutOfStockError, CountError]', 'CountError, CountError]']],
  'brings plugins along': ['name', ['import Basket,', 'import sum_up as pytest_plugins, Basket,']],
  'imports everything': ['import', ['import Basket, CountError, OutOfStockError, StoreError', 'import *']],
  'hides a name of the test': ['redefined', ['import Basket,', 'import sum_up as PRICES, Basket,']],
  'hides a built-in name': ['redefined', ['import Basket,', 'import sum_up as abs, Basket,']],
  'changes an expected constant': ['constant', ['15.0', '20.0']],
  'changes an expected text': ['constant', ['.title == "a"', '.title == "b"']],
  'changes an input': ['constant', ['"a": 10', '"a": 11']],
  'drops an input': ['input', ['quantity=count', 'quantity=None']],
  'drops parameters': ['structure', ['(1, 2), (3, 6)', '(1, 2)']],
  'marks parameters': ['structure', ['(3, 6)', 'pytest.param(3, 6, marks=pytest.mark.xfail)']],
  'leaves a helper of the test out': ['structure', ['cart = filled(a=1, b=1)', 'cart = Basket(PRICES)']],
  'changes what a helper is told': ['structure', ['filled(a=1, b=1)', 'filled(a=1, b=2)']],
  'changes a helper': [
    'structure',
    ['        cart.put(name, count)\n    return', '        cart.put(name, count)\n        break\n    return'],
  ],
  'asserts nothing': ['assertion', [TOTAL, '    assert True\n']],
  'asserts an object': ['tautology', ['not cart.is_void', 'not cart']],
  'asserts what leads to the answer': ['tautology', ['assert cart.rows[0].is_available', 'assert cart.rows[0]']],
  'asserts a method without calling it': ['not-called', ['not cart.is_void', 'not cart.empty']],
  'compares a thing with itself': ['assertion', ['cart.price() == expected', 'cart.price() == cart.price()']],
  'compares two things that became one': ['input', ['both.price() == one.price()', 'both.price() == both.price()']],
  'makes two things one': ['tautology', ['    one = Basket({"a": 1})\n', '    one = both\n']],
  'makes two things one by a copy': ['flow', ['one = Basket({"a": 1})', 'one = both.price({"a": 1})']],
  'tells the candidate the answer': ['input', ['cart.price() ==', 'cart.price(expected) ==']],
  'widens pytest.raises': ['structure', ['raises(ValueError)', 'raises(Exception)']],
  'widens pytest.raises to several': ['structure', ['raises(ValueError)', 'raises((ValueError, TypeError))']],
  'widens pytest.raises to a base of the candidate': ['raises', ['raises(OutOfStockError)', 'raises(Failure)']],
  'raises by itself': ['structure', ['        cart.put()\n', '        cart.put("a", 1, 2, 3)\n']],
  'raises in more ways': [
    'structure',
    ['        cart.put("z", 1)\n', '        cart.put("z", 1)\n        raise OutOfStockError\n'],
  ],
  'raises somewhere else': [
    'raises',
    ['        cart.put("a", -1)\n', '        cart.put("a", -1)\n        cart.price()\n'],
  ],
  'adds a skip': ['structure', ['def test_discount', '@pytest.mark.skip\ndef test_discount']],
  'skips inside': ['structure', [PUT, `    pytest.skip("no")\n${PUT}`]],
  'expects to fail': ['structure', [PRICES, `pytestmark = pytest.mark.xfail\n${PRICES}`]],
  'hides the tests': ['structure', [PRICES, `__test__ = False\n${PRICES}`]],
  'adds a hook': ['structure', [PRICES, `def pytest_runtest_makereport():\n    pass\n\n\n${PRICES}`]],
  'returns early': ['structure', [PUT, `${PUT}    return\n`]],
  'tries and catches': ['structure', [TOTAL, `    try:\n    ${TOTAL}    except Exception:\n        pass\n`]],
  suppresses: ['import', [EMPTY, `    import contextlib\n    with contextlib.suppress(Exception):\n    ${EMPTY}`]],
  'asserts in dead code': ['structure', [EMPTY, `    if False:\n    ${EMPTY}`]],
  'asserts in a function nobody calls': ['structure', [EMPTY, `    def never():\n    ${EMPTY}`]],
  'loops over nothing': ['structure', ['["a", "b"]:', '[]:']],
  'compares without asserting': ['structure', [EMPTY, '    not cart.is_void\n']],
  'assigns the answer': [
    'redefined',
    ['    result = cart.price(digits=2)\n', '    result = cart.price(digits=2)\n    result = 15.0\n'],
  ],
  'assigns inside the assertion': ['assertion', ['assert cart.price()', 'assert (expected := cart.price())']],
  'evaluates text': ['structure', [PUT, `${PUT}    eval("1")\n`]],
  'executes text in a question': ['name', ['cart.price(digits=2)', 'cart.price(digits=2, how=exec)']],
  'reads the test file': ['structure', [PUT, `${PUT}    text = open(__file__).read()\n`]],
  'looks into objects': ['name', ['cart.rows[0].title', 'cart.rows[0].__class__']],
  'uses another symbol': ['not-called', ['    assert cart.price() == expected', '    assert cart.put() == expected']],
  'calls the located one beside the assertion': [
    'not-called',
    [TOTAL, '    cart.price()\n    assert cart.put() == expected\n'],
  ],
  'declares an encoding': ['encoding', [IMPORT, `# coding: utf-7\n${IMPORT}`]],
  'is no Python': ['syntax', [IMPORT, 'import\n']],
  'is a book': ['size', [IMPORT, `${IMPORT}${'# a\n'.repeat(4000)}`]],
};

const HONEST: Record<string, Changes> = {
  'a method for a function, other keywords, a constructor in two steps, exceptions and attributes renamed': [],
  'another import path': [['from store.basket import Basket,', 'from store import Basket\nfrom store.basket import']],
  'a step in between': [
    ['    result = cart.price(digits=2)', '    till = cart.price(digits=2)\n    result = till.amount'],
  ],
  'an attribute set after the constructor': [['    cart.set_discount(0.25)\n', '    cart.discount = 0.25\n']],
  'options the candidate asks for': [['cart.put("a", 2)', 'cart.put("a", 2, strict=False, note=None)']],
  'no docstrings, other comments': [[PUT, `    # as many as asked for\n${PUT}`]],
};

describe('the guard', () => {
  test('refuses every cheat, and says what it is', async () => {
    const judged = await judge(Object.values(CHEATS).map(([, ...changes]) => request(changed(changes))));
    const found = Object.fromEntries(Object.keys(CHEATS).map((name, place) => [name, judged[place]?.code]));
    expect(found).toEqual(Object.fromEntries(Object.entries(CHEATS).map(([name, [code]]) => [name, `guard.${code}`])));
    for (const { message } of judged) expect(message?.length).toBeGreaterThan(10);
  });

  test('accepts honest rewrites', async () => {
    const requests = Object.values(HONEST).map((changes) => request(changed(changes)));
    // The other way round: the test asks methods, the candidate offers a function.
    const located = { name: 'sum_up', owner: null };
    const functions = honest
      .replace('import Basket', 'import sum_up, Basket')
      .replaceAll(/(\w+)\.price\(/g, 'sum_up($1, ');
    requests.push({ ...request(functions), located });
    const paths = honest.replace('import Basket,', 'import').replaceAll(' Basket(', ' store.basket.Basket(');
    requests.push(request(`import store.basket\n${paths}`));
    const judged = await judge(requests);
    expect(judged.filter(({ accepted }) => !accepted)).toEqual([]);
    expect(judged.length).toBeGreaterThan(5);
  });
});
