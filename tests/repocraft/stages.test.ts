import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SystemSpec } from '../../src/contract/campaign.js';
import type { JsonObject } from '../../src/contract/json.js';
import type { TaskSummary } from '../../src/contract/task.js';
import type { Question } from '../../src/ports/model.js';
import { packFiles } from '../../src/suite-kit/packed-files.js';
import { readProjectSettings } from '../../tasks/repocraft/dataset/project-settings.js';
import type { RepocraftTask } from '../../tasks/repocraft/dataset/repocraft-task.js';
import { taskText } from '../../tasks/repocraft/dataset/task-blobs.js';
import { repocraft } from '../../tasks/repocraft/repocraft.js';
import type { Prepared } from '../../tasks/repocraft/candidate/candidate-index.js';
import { openRepocraftBench, type RepocraftBench } from '../fixtures/repocraft/repocraft-bench.js';
import {
  campaignSpec,
  makeCandidate,
  runTrial,
  type Bench,
  type RanStep,
  systemSpec,
} from '../../src/fakes/suite-bench.js';

// Everything real but the model and the engine: Docker, MiniLM, the blob store. The library under test is small and our own.

/** Stands where the reference would. */
const REFERENCE = {
  'parcel/__init__.py': 'from .weights import total_weight\nfrom .labels import Label\n',
  'parcel/weights.py':
    'def total_weight(parts, unit="g"):\n    """Adds up the weights of parts."""\n    return sum(parts) / (1000 if unit == "kg" else 1)\n\n\ndef heaviest(parts):\n    """The heaviest of parts."""\n    return max(parts)\n',
  'parcel/labels.py':
    'class Label:\n    """An address label."""\n\n    def __init__(self, name):\n        self.name = name\n\n    def render(self):\n        """Text of the label in capitals."""\n        return self.name.upper()\n',
};

/** The same capabilities under other names, in a `src` layout, with one file that is not Python. */
const RENAMED = {
  'src/shipping/__init__.py': '',
  'src/shipping/mass.py':
    'def sum_weights(parts, unit="g"):\n    """Adds up the weights of all parts."""\n    return sum(parts) / (1000 if unit == "kg" else 1)\n',
  'src/shipping/address.py':
    'class AddressLabel:\n    """An address label for a parcel."""\n\n    def __init__(self, name):\n        self.name = name\n\n    def render(self):\n        return self.name.upper()\n',
  'src/shipping/broken.py': 'def half(:\n',
  'tests/test_shipping.py': 'def test_nothing():\n    pass\n',
};

const TEST = `import pytest
from parcel import total_weight


@pytest.mark.parametrize("unit, expected", [("g", 1500), ("kg", 1.5)])
def test_total_weight(unit, expected):
    # the comment stays
    assert total_weight([500, 1000], unit) == expected
`;

const TASK: RepocraftTask = {
  id: 'requests-parcel-001',
  project: 'requests',
  category: 'parcel.weights',
  subcategory: 'total_weight',
  description: 'A function for total weight, in the area of weights. Adds up the weights of parts.',
  test_code: TEST,
  imports: [{ module: 'parcel', name: 'total_weight', local: 'total_weight', uses: ['parcel.total_weight'] }],
  fixtures: [],
  auxiliary_code: {},
  functions: ['test_total_weight'],
  targets: ['parcel.weights.total_weight'],
  loc: 6,
  difficulty: 'easy',
  source: { file: 'tests/test_weights.py', lines: [[1, 8]], sha256: '0'.repeat(64) },
  seed: 1,
};

let room: RepocraftBench;
let bench: Omit<Bench, 'spec'>;
let parcelTask: TaskSummary;
const asked: Question[] = [];
let modelSays: (question: Question) => string = () => '';

beforeAll(async () => {
  room = await openRepocraftBench();
  const ask = (question: Question) => {
    asked.push(question);
    return Promise.resolve({ text: modelSays(question), finishReason: 'stop', usage: null, providerRequestId: null });
  };
  bench = { ...room.bench, ask };
  const { blobs, suiteFolder } = bench;
  const { pin } = await readProjectSettings('requests', suiteFolder);
  const tar = await packFiles(treeOf(REFERENCE));
  const reference = await blobs.put(tar, { name: 'reference.tar', mediaType: 'application/x-tar' });
  await blobs.remember(`repocraft/reference/requests/${pin.sha256}`, reference);
  parcelTask = await stored(TASK);
});

async function stored(task: RepocraftTask): Promise<TaskSummary> {
  const { sha256 } = await bench.blobs.put(taskText(task), { name: 'task.json', mediaType: 'application/json' });
  return { id: task.id, sha256, group: 'requests', category: task.category, candidateScope: 'requests' };
}

afterAll(() => room?.close());

const treeOf = (files: Record<string, string>) =>
  new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)]));

async function grade(
  system: SystemSpec,
  { judge = {}, task = parcelTask }: { judge?: JsonObject; task?: TaskSummary } = {},
) {
  const spec = campaignSpec({ suite: 'repocraft', systems: [system], judge });
  const made = await makeCandidate({ ...bench, spec }, system, 'requests');
  const trial = await runTrial({ ...bench, spec }, { system, task, ...made });
  return { ...trial, prepared: made.prepared as unknown as Prepared, making: made.steps };
}

async function snapshotOf(files: Record<string, string | Buffer>): Promise<NonNullable<SystemSpec['snapshot']>> {
  const root = await mkdtemp(join(room.folder, 'snapshot-'));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  const packed = await repocraft.packCandidate?.(root);
  if (packed === undefined || 'problems' in packed) throw new Error(JSON.stringify(packed));
  const { sha256, sizeBytes } = await bench.blobs.put(packed.tar, { name: 'c.tar', mediaType: 'application/x-tar' });
  return { sha256, sizeBytes, files: packed.files };
}

const step = (steps: RanStep[], name: string) => steps.find((ran) => `${ran.stage}{${ran.step}}` === name);

const evidence = async (ran: RanStep | undefined, name: string) => {
  const ref = ran?.evidence.find((each) => each.name === name);
  return ref === undefined ? null : (await bench.blobs.get(ref.sha256)).toString('utf8');
};

describe('the reference as a candidate', () => {
  test('passes by the oracle, unsearched and unchanged', async () => {
    const gold = systemSpec({ id: 'gold', generator: 'gold', vote: { voter: 'oracle' } });
    const { verdict, skipped, steps, prepared } = await grade(gold);
    expect(verdict).toMatchObject({ passed: true, reasons: [], metrics: { localized: null, voted: 1 } });
    expect(skipped.map(({ stage }) => stage)).toEqual(['localize']);
    expect(prepared).toMatchObject({ roots: ['.'], packages: 1, entries: 5, problems: 0, vectors: null });
    expect(step(steps, 'execute{adapt}')?.result).toMatchObject({ renamed: 0, refused: null });
  });

  test('passes when it is searched for and voted on', async () => {
    const gold = systemSpec({ id: 'gold', generator: 'gold' });
    const { verdict, steps } = await grade(gold);
    expect(verdict).toMatchObject({ passed: true, metrics: { localized: 1, voted: 1, match: 1 } });
    const [first] = (step(steps, 'localize{}')?.result as { matches: { name: string }[] }).matches;
    expect(first?.name).toBe('parcel.weights.total_weight');
    expect(step(steps, 'vote{match-1}')?.votes).toHaveLength(3);
  });
});

describe('a candidate with other names', () => {
  test('is found, and the test is bound to it', async () => {
    const snapshot = await snapshotOf(RENAMED);
    const { verdict, steps, prepared, making } = await grade(
      systemSpec({ id: 'own', generator: 'snapshot', snapshot }),
    );
    expect(prepared).toMatchObject({ roots: ['src'], packages: 1, problems: 1 });
    expect(await evidence(step(making, 'prepare{}'), 'parse-problems.json')).toContain('src/shipping/broken.py');
    const unread = { candidate_unread_files: 1, candidate_python_files: prepared.files };
    expect(verdict).toMatchObject({ passed: true, reasons: [], metrics: unread });
    const diff = await evidence(step(steps, 'execute{adapt}'), 'adaptation.diff');
    expect(diff).toContain('-from parcel import total_weight');
    expect(diff).toContain('+from shipping.mass import sum_weights as _bound_1');
    expect(diff).toContain('     # the comment stays');
    expect(await evidence(step(steps, 'execute{run}'), 'report.json')).toContain('test_total_weight[kg-expected1]');
  });

  test('fails on what it does wrong', async () => {
    const wrong = { ...RENAMED, 'src/shipping/mass.py': RENAMED['src/shipping/mass.py'].replace('1000', '100') };
    const snapshot = await snapshotOf(wrong);
    const { verdict } = await grade(systemSpec({ id: 'own', generator: 'snapshot', snapshot }));
    expect(verdict).toMatchObject({ passed: false, reasons: ['test.assertion', 'class.generation.logic'] });
  });

  test('may not be voted on by the oracle', async () => {
    const snapshot = await snapshotOf(RENAMED);
    const system = systemSpec({ id: 'own', generator: 'snapshot', snapshot, vote: { voter: 'oracle' } });
    await expect(grade(system)).rejects.toThrow(/oracle votes only/);
  });
});

describe('candidates with nothing in them', () => {
  test('null fails at localization', async () => {
    const { verdict, skipped } = await grade(systemSpec({ id: 'null', generator: 'null' }));
    expect(verdict).toMatchObject({ passed: false, metrics: { localized: 0, voted: 0 } });
    expect(verdict.reasons[0]).toBe('not-localized');
    expect(skipped.map(({ stage }) => stage)).toEqual(['vote', 'execute']);
  });

  test('an answer without files is graded and fails, with the reason kept', async () => {
    modelSays = () => 'I would rather not.';
    const system = systemSpec({ id: 'single', generator: 'single-prompt', model: 'm' });
    const { verdict, making } = await grade(system);
    expect(verdict.reasons[0]).toBe('not-localized');
    const note = await evidence(step(making, 'generate{candidate}'), 'generation.json');
    expect(JSON.parse(note ?? '')).toMatchObject({ files: 0, note: expect.stringMatching(/no file/) as string });
  });
});

describe('an order by a model', () => {
  const matchesBy = async (says: typeof modelSays) => {
    modelSays = says;
    const alike = ['def boxed(parts):', '    """Adds up the weights of all parts and of their boxes."""', ''].join(
      '\n',
    );
    const snapshot = await snapshotOf({ ...RENAMED, 'src/shipping/boxes.py': alike });
    const system = systemSpec({ id: 'own', generator: 'snapshot', snapshot });
    const { steps } = await grade(system, { judge: { rerank: { model: 'judge', among: 20 } } });
    const searched = step(steps, 'localize{}');
    const names = (searched?.result as { matches: { name: string }[] }).matches.map(({ name }) => name);
    return { names, evidence: JSON.parse((await evidence(searched, 'matches.json')) ?? '') as { reranked: unknown } };
  };
  const numberOf = ({ messages }: Question, name: string): number =>
    Number(new RegExp(String.raw`^(\d+)\. \w+ ${name} `, 'm').exec(messages.at(-1)?.content ?? '')?.[1]);

  test('comes before that of the search, which stays for the rest and where nothing can be read', async () => {
    asked.length = 0;
    const { names: found, evidence: unread } = await matchesBy(() => 'Hard to say.');
    expect(found[0]).toBe('shipping.mass.sum_weights');
    expect(unread.reranked).toBe('not clear');
    const { names } = await matchesBy((question) => `{"order": [${numberOf(question, found[1] ?? '')}]}`);
    expect(names).toEqual(['shipping.boxes.boxed', 'shipping.mass.sum_weights']);
    expect(asked.map(({ purpose }) => purpose)).toEqual(['rerank', 'rerank']);
    expect(asked[0]?.messages.at(-1)?.content).toContain(TASK.description);
  });
});

describe('voting by a model', () => {
  const system = async () =>
    systemSpec({
      ...{ id: 'own', generator: 'snapshot', snapshot: await snapshotOf(RENAMED) },
      vote: { voter: 'model', model: 'judge', top: 1 },
    });

  test('is decided by three answers, and the code is shown', async () => {
    asked.length = 0;
    modelSays = () => '{"answer": "YES", "reason": "it sums"}';
    expect((await grade(await system())).verdict.passed).toBe(true);
    expect(asked).toHaveLength(3);
    expect(new Set(asked.map(({ ordinal }) => ordinal)).size).toBe(3);
    expect(asked[0]?.messages.at(-1)?.content).toContain('return sum(parts)');
  });

  test('by several: the seats take them in turn', async () => {
    asked.length = 0;
    modelSays = () => '{"answer": "YES", "reason": "it sums"}';
    const vote = { voter: 'model', models: ['judge', 'other'], top: 1 };
    const { steps } = await grade({ ...(await system()), vote });
    expect(asked.map(({ model }) => model).sort()).toEqual(['judge', 'judge', 'other']);
    const seats = steps.flatMap(({ votes }) => votes).map(({ voter, model }) => [voter, model]);
    expect(seats).toEqual([1, 2, 3].map((voter) => [voter, voter === 2 ? 'other' : 'judge']));
  });

  test('asks again once where an answer cannot be read, then counts an abstention: of abstentions alone no verdict is made', async () => {
    asked.length = 0;
    modelSays = () => 'Well, it depends.';
    const failure = await grade(await system()).catch((error: unknown) => error);
    expect(failure).toMatchObject({ type: 'judge.no-answer' });
    expect(String(failure)).toContain('all 9 answers to the vote on match 1 were abstentions');
    // Two rounds of three voters and one on the bare code, each asked twice.
    expect(asked).toHaveLength(18);
    expect(new Set(asked.map(({ ordinal }) => ordinal)).size).toBe(18);
  });
});

test('a failure points to the search or to the voters where what is called like the target was missed, or not agreed on', async () => {
  const sameName = 'def total_weight(parts):\n    """Opening hours of the office."""\n    return 9\n';
  const snapshot = await snapshotOf({
    'src/shipping/mass.py': RENAMED['src/shipping/mass.py'],
    'src/shipping/office.py': sameName,
  });
  const reasons = async (top: number, answers: string[]) => {
    let place = 0;
    modelSays = () => `{"answer": "${answers[place++ % answers.length]}", "reason": "r"}`;
    const vote = { voter: 'model', model: 'judge', top };
    return (await grade(systemSpec({ id: `top-${top}`, generator: 'snapshot', snapshot, vote }))).verdict.reasons;
  };
  expect(await reasons(1, ['NO'])).toEqual(['vote-rejected', 'class.localization']);
  expect(await reasons(2, ['NO'])).toEqual(['vote-rejected', 'class.generation']);
  expect(await reasons(2, ['YES', 'NO', 'PARTIAL'])).toEqual(['vote-partial', 'class.validation']);
});

describe('whose failure it is', () => {
  const judge = { second_look: true };
  const byModel = async (files: Record<string, string>, answer: string) => {
    modelSays = () => `{"answer": "${answer}", "reason": "r"}`;
    const vote = { voter: 'model', model: 'judge' };
    return systemSpec({ id: 'own', generator: 'snapshot', snapshot: await snapshotOf(files), vote });
  };

  test('the system’s plan, where what was accepted is called like something else of the reference', async () => {
    const heaviest = 'def heaviest(parts, unit="g"):\n    """Adds up the weights of parts."""\n    return max(parts)\n';
    const { verdict, steps } = await grade(await byModel({ 'src/shipping/mass.py': heaviest }, 'YES'));
    expect(step(steps, 'localize{}')?.result).toMatchObject({ sameName: false, matches: [{ otherName: true }] });
    expect(verdict.reasons).toEqual(['test.assertion', 'class.planning']);
    const own = { 'src/shipping/mass.py': heaviest.replace('heaviest', 'most') };
    const { verdict: other } = await grade(await byModel(own, 'YES'));
    expect(other.reasons).toEqual(['test.assertion', 'class.generation.logic']);
  });

  test('the search’s, where the test passes on what is of the target’s kind and was no match', async () => {
    const method = (name: string) =>
      `    def ${name}(self):\n        """Adds up the weights of parts."""\n        return 0\n`;
    const classes = ['Scale', 'Cart', 'Crate'].map((name) => [
      `src/shipping/${name.toLowerCase()}.py`,
      `class ${name}:\n    """Total weight: adds up the weights of parts."""\n\n${method('add')}\n${method('add_up')}`,
    ]);
    const files = {
      ...(Object.fromEntries(classes) as Record<string, string>),
      'src/shipping/heft.py': 'def heft(items, mode="g"):\n    return sum(items) / (1000 if mode == "kg" else 1)\n',
    };
    const { verdict, steps } = await grade(await byModel(files, 'NO'), { judge });
    const { matches } = step(steps, 'localize{}')?.result as { matches: { name: string }[] };
    expect(matches).toHaveLength(5);
    expect(matches.map(({ name }) => name)).not.toContain('shipping.heft.heft');
    expect(step(steps, 'execute{look-1}')?.result).toMatchObject({ passed: false, reason: 'look.other-kind' });
    expect(step(steps, 'execute{look-further}')?.result).toMatchObject({ matches: [{ name: 'shipping.heft.heft' }] });
    expect(verdict.reasons).toEqual(['vote-rejected', 'class.localization']);
  });

  test('that of adaptation, where the test passes once a name beside the target is guessed', async () => {
    const imported = { module: 'parcel', name: 'Label', local: 'Label', uses: ['parcel.Label'] };
    const labelled: RepocraftTask = {
      ...{ ...TASK, id: 'requests-parcel-002', imports: [...TASK.imports, imported] },
      test_code:
        'from parcel import Label, total_weight\n\n\ndef test_total_weight():\n    assert Label("a").render() == "A"\n    assert total_weight([1]) == 1\n',
    };
    const box = 'class Box:\n    """Made of wood."""\n\n    def __init__(self, name):\n        self.name = name\n';
    const files = { ...RENAMED, 'src/shipping/box.py': box };
    const task = await stored(labelled);
    const { verdict, steps } = await grade(await byModel(files, 'YES'), { judge, task });
    expect(step(steps, 'execute{adapt}')?.result).toMatchObject({ refused: 'adapt.unbound' });
    expect(step(steps, 'execute{look-1-guess-1}')?.result).toMatchObject({ passed: true, isAccepted: true, guess: 1 });
    expect(verdict.reasons).toEqual(['not-adapted', 'adapt.unbound', 'class.adaptation']);
    const broken = { ...files, 'src/shipping/address.py': 'class AddressLabel:\n    """An address label."""\n' };
    const { verdict: other } = await grade(await byModel(broken, 'YES'), { judge, task });
    expect(other.reasons).toEqual(['not-adapted', 'adapt.unbound', 'class.generation']);
  });
});

describe('a candidate that is odd or broken', () => {
  const MASS = RENAMED['src/shipping/mass.py'];
  const RIGHT = { 'shipping/__init__.py': '', 'shipping/mass.py': MASS };
  const bytes = (...parts: (string | number[])[]): Buffer =>
    Buffer.concat(parts.map((part) => Buffer.from(part as string)));
  const CASES: Record<string, { files: Record<string, string | Buffer>; end: string }> = {
    'nothing but syntax errors': {
      files: { 'shipping/__init__.py': 'def (', 'shipping/mass.py': MASS.replace(':', '') },
      end: 'not-localized',
    },
    'a package called like a dependency': {
      files: {
        ...RIGHT,
        'urllib3/__init__.py': 'FACTOR = 1',
        'shipping/mass.py': `from urllib3 import FACTOR\n${MASS}`,
      },
      end: 'test.import',
    },
    'a package called numpy, where no other is installed': {
      files: { ...RIGHT, 'numpy/__init__.py': 'FACTOR = 1', 'shipping/mass.py': `from numpy import FACTOR\n${MASS}` },
      end: 'passed',
    },
    'a compiled module that is none': {
      files: {
        ...RIGHT,
        'shipping/_fast.cpython-311-x86_64-linux-gnu.so': bytes([0x7f, 0x45, 0x4c, 0x46, 0, 255]),
        'shipping/mass.py': `from . import _fast\n${MASS}`,
      },
      end: 'test.import',
    },
    'names and texts in odd encodings': {
      files: {
        ...RIGHT,
        'shipping/größe 尺寸.py': 'x = 1\n',
        'shipping/utf16.py': Buffer.from('\ufeffdef a(): pass\n', 'utf16le'),
        'shipping/liar.py': bytes('# coding: no-such-code\nx = "', [0xff], '"\n'),
        'shipping/mass.py': bytes('# coding: latin-1\nNAME = "', [0xe9], `"\n${MASS}`),
      },
      end: 'passed',
    },
    'the right module among files that nobody can read': {
      files: {
        ...RIGHT,
        'shipping/nul.py': 'x = 1\0\n',
        'shipping/line.py': `x = "${'a'.repeat(10_000_000)}"\n`,
        'shipping/deep.py': `x = ${'('.repeat(5000)}\n`,
        'shipping/minus.py': `x = ${'-'.repeat(100_000)}1\n`,
        'shipping/digits.py': `def f(a=0x${'f'.repeat(5000)}):\n    return a + ${'9'.repeat(5000)}\n`,
        'shipping/hex.py': `def f(a=0x${'f'.repeat(5000)}):\n    return a\n`,
        'shipping/rot13.py': '# coding: rot13\n',
      },
      end: 'passed',
    },
    'one by the names of the project itself': {
      files: {
        'parcel/__init__.py': 'from .weights import total_weight\n',
        'parcel/weights.py': MASS.replace('sum_weights', 'total_weight'),
      },
      end: 'passed',
    },
    'one that hands everything to the reference, which is not there': {
      files: {
        'shipping/__init__.py': '',
        'shipping/mass.py': MASS.replace(
          '    return',
          '    import parcel\n    return parcel.total_weight(parts, unit)\n    return',
        ),
      },
      end: 'test.missing-package',
    },
    'one that leaves while it is imported': {
      files: { ...RIGHT, 'shipping/__init__.py': 'import os\nos._exit(0)\n' },
      end: 'candidate.exited',
    },
    'one that prints 50 MB while it is imported': {
      files: { ...RIGHT, 'shipping/__init__.py': 'for _ in range(50):\n    print("x" * 1_000_000)\n' },
      end: 'passed',
    },
  };

  test('gets a verdict like any other', async () => {
    const ends = Object.entries(CASES).map(async ([name, { files }]): Promise<[string, string]> => {
      const system = systemSpec({ id: 'own', generator: 'snapshot', snapshot: await snapshotOf(files) });
      const { verdict } = await grade(system);
      return [name, verdict.passed ? 'passed' : (verdict.reasons[0] ?? 'failed')];
    });
    const expected = Object.entries(CASES).map(([name, { end }]) => [name, end]);
    expect(Object.fromEntries(await Promise.all(ends))).toEqual(Object.fromEntries(expected));
  });
});
