import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { describeWithPython } from '../../../../../../tests/fixtures/repocraft/describe-with-python.js';
import { readEnvironment } from '../../../../../../src/config/env.js';
import type { ModelMessage } from '../../../../../../src/ports/model.js';
import type { StageContext } from '../../../../../../src/suite/stage.js';
import { fencedBlocks } from '../../../../../../src/suite-kit/fenced-blocks.js';
import { purposeOf } from '../../../purposes.js';
import type { UnitProduct } from '../../graph/compose.js';
import type { WrittenCode } from '../write.js';
import { PROMPTS, type AnswerOf, type PromptName } from './answers.js';
import { askModel } from './ask.js';
import { readAnswer } from './read-answer.js';

const ZEROREPO = join(import.meta.dirname, '..', '..');
const SUITE = join(ZEROREPO, '..', '..');
const NAMES = Object.keys(PROMPTS) as PromptName[];

/** What a prompt shows besides its material: an example of each of two libraries. */
interface Example {
  library: string;
  text: string;
}

interface PromptDocument {
  role: string;
  /** What stands above the first section. */
  task: string;
  sections: Map<string, string>;
}

const documents = new Map<PromptName, PromptDocument>();

beforeAll(async () => {
  for (const name of NAMES) documents.set(name, await documentOf(name));
});

/** A prompt as the model is sent it, taken apart by its headings. */
async function documentOf(prompt: PromptName): Promise<PromptDocument> {
  let sent: readonly ModelMessage[] = [];
  const context = {
    suiteFolder: SUITE,
    ask: ({ messages }: { messages: readonly ModelMessage[] }) => {
      sent = sent.length === 0 ? messages : sent;
      return Promise.resolve({ text: '', finishReason: 'stop', usage: null, providerRequestId: null });
    },
  } as unknown as StageContext;
  await askModel(context, { prompt, input: {} });
  const [system, user] = sent;
  const [task = '', ...rest] = partsOf(user?.content ?? '', /^##? (?!Task: )/);
  const sections = rest.map((part): [string, string] => {
    const [heading = '', ...lines] = part.split('\n');
    return [heading.replace(/^#+ /, ''), lines.join('\n')];
  });
  return { role: system?.content ?? '', task, sections: new Map(sections) };
}

/** A text cut before each line that matches and stands in no fenced block. */
function partsOf(text: string, begins: RegExp): string[] {
  const lines = text.split('\n');
  const fenced = new Set<number>();
  for (const { opensAt, closesAt } of fencedBlocks(lines))
    for (let at = opensAt; at <= closesAt; at += 1) fenced.add(at);
  const parts: string[][] = [[]];
  for (const [at, line] of lines.entries()) {
    if (!fenced.has(at) && begins.test(line)) parts.push([]);
    parts.at(-1)?.push(line);
  }
  return parts.map((part) => part.join('\n'));
}

const INTRODUCES = /^For (?:.* of )?a library (?:that|of) ([^,:]+).*:$/;

function examplesOf(name: PromptName): Example[] {
  const [, ...parts] = partsOf(documents.get(name)?.sections.get('Examples') ?? '', INTRODUCES);
  return parts.map((part) => ({
    library: INTRODUCES.exec(part.split('\n')[0] ?? '')?.[1] ?? '',
    text: part.slice(part.indexOf('\n') + 1),
  }));
}

/** What the generator reads in each example of a prompt. */
const answersOf = <Name extends PromptName>(name: Name): AnswerOf<Name>[] =>
  examplesOf(name).map(({ text }) =>
    PROMPTS[name].answer.parse(readAnswer(PROMPTS[name].form, text, [])),
  ) as AnswerOf<Name>[];

const wholeText = (name: PromptName): string => {
  const { role = '', task = '', sections = new Map<string, string>() } = documents.get(name) ?? {};
  return [role, task, ...[...sections].flat()].join('\n');
};

/** Names of projects, and of what libraries define: no prompt may give one away. */
function givingAway(): { names: string[]; symbols: string[] } {
  const projects = join(SUITE, 'dataset', 'projects');
  const names = readdirSync(projects)
    .filter((file) => !file.endsWith('.overrides.json'))
    .flatMap((file) => {
      const own = JSON.parse(readFileSync(join(projects, file), 'utf8')) as { project: string; package: string };
      const scope = { scope: own.project, system: { options: {} } } as Parameters<typeof purposeOf>[0];
      return [own.project, own.package, purposeOf(scope).title];
    });
  const libraries = [
    join(SUITE, 'projects', 'textkit', 'src', 'textkit'),
    join(SUITE, '..', '..', 'examples', 'zerorepo-httpeasy', 'library', 'src', 'httpkit'),
  ];
  const symbols = libraries.flatMap((folder) =>
    readdirSync(folder)
      .filter((file) => file.endsWith('.py'))
      .flatMap((file) => [...readFileSync(join(folder, file), 'utf8').matchAll(/^(?:def|class) (\w+)/gm)])
      // One word in small letters is a word of the language: `get`.
      .flatMap(([, symbol = '']) => (/[A-Z]|[^_]_/.test(symbol) ? [symbol] : [])),
  );
  return { names: [...names, 'httpkit'], symbols };
}

describe('the prompt', () => {
  it.each(NAMES)('%s has a role, what the graph is for, what holds, the form of the answer, the material', (name) => {
    const { role = '', task = '', sections = new Map<string, string>() } = documents.get(name) ?? {};
    expect(role).toMatch(/^You are a senior engineer who .* never an instruction to you\.$/s);
    expect(task).toMatch(/\bgraph\b/);
    const headings = [...sections.keys()];
    expect(headings.some((heading) => ['What is checked', 'Rubric'].includes(heading))).toBe(true);
    expect(headings.slice(-3)).toEqual(['Examples', 'Answer', 'Material']);
  });

  it.each(NAMES)('%s has two examples of different domains, each an answer that is read', (name) => {
    const libraries = examplesOf(name).map(({ library }) => library);
    expect(libraries).toHaveLength(2);
    expect(new Set(libraries).size).toBe(2);
    expect(answersOf(name)).toHaveLength(2);
  });

  it.each(NAMES)(
    '%s names neither a project of the benchmark nor what a library of the scripted models defines',
    (name) => {
      const { names, symbols } = givingAway();
      expect(names).toEqual(expect.arrayContaining(['requests', 'sklearn', 'HttpEasy', 'textkit', 'ProseMeter']));
      expect(symbols).toEqual(expect.arrayContaining(['split_words', 'Session']));
      const text = wholeText(name);
      const found = (words: string[], flags: string): string[] =>
        words.filter((word) => new RegExp(`(?<![\\w-])${word}(?![\\w-])`, flags).test(text));
      expect([...found(names, 'i'), ...found(symbols, '')]).toEqual([]);
    },
  );
});

/** The libraries of the examples, as their interfaces were designed. */
const DESIGNS = {
  'events/moon.py::moon_age': { package: 'sky', signature: '(day: float) -> float' },
  'calendars/julian.py::julian_day': { package: 'sky', signature: '(year: int, month: int, day: float) -> float' },
  'rhythm/metronome.py::Metronome': {
    package: 'scores',
    methods: [
      { name: '__init__', signature: '(self, tempo: float) -> None' },
      { name: 'beat_at', signature: '(self, seconds: float) -> int' },
    ],
  },
} as const satisfies Record<string, { package: string; signature?: string; methods?: object[] }>;
type UnitId = keyof typeof DESIGNS;

/** Files of libraries by their paths. */
type Files = Record<string, string>;

/** What examples use and none writes. */
const ELSEWHERE: Files = {
  'scores/pitches/intervals.py':
    'def name_interval(low, high):\n    return {3: "minor third", 4: "major third"}[high - low]\n',
  'scores/writing/text.py':
    'def parse_notes(text):\n    return [12 * int(note[1:]) + "C D EF G A B".index(note[0]) + 12 for note in text.split()]\n',
};

/** As much of pytest as examples use: the machine need not have it. */
const PYTEST = `class raises:
    def __init__(self, kind):
        self.kind = kind

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        assert kind is not None, f"no {self.kind.__name__}"
        return issubclass(kind, self.kind)
`;

const NORMALISE = `import json, sys
sys.path.insert(0, sys.argv[1])
import products
request = json.load(sys.stdin)
try:
    print(json.dumps(products.normalised(request["unit"], request["code"])))
except products.Bad as error:
    sys.exit(str(error))
`;

const COMPILE = `import json, sys
for name, text in json.load(sys.stdin):
    compile(text, name, "exec")
`;

const RUN_TESTS = `import importlib, json, sys
sys.path.insert(0, ".")
ran, failed = [], []
for file in json.load(sys.stdin):
    module = importlib.import_module(file)
    for name in [name for name in dir(module) if name.startswith("test_")]:
        ran.append(name)
        try:
            getattr(module, name)()
        except Exception as error:
            failed.append(f"{name}: {type(error).__name__}")
print(json.dumps({"ran": ran, "failed": failed}))
`;

function python(program: string, input: unknown, { cwd, args = [] }: { cwd?: string; args?: string[] } = {}): unknown {
  const run = spawnSync('python3', ['-B', '-c', program, ...args], {
    cwd,
    input: JSON.stringify(input),
    encoding: 'utf8',
  });
  if (run.status !== 0) throw new Error(run.stderr);
  return run.stdout === '' ? null : JSON.parse(run.stdout);
}

/** The patch a unit becomes by the rules that a model's code is held to. */
function patch(id: UnitId, code: Partial<WrittenCode> & { source: string }): UnitProduct {
  const { package: own, ...design } = DESIGNS[id];
  const [file, name] = id.split('::') as [string, string];
  const module = `${own}.${file.replace(/\.py$/, '').replaceAll('/', '.')}`;
  const kind = 'methods' in design ? 'class' : 'function';
  const unit = { ...{ id, module, name, kind, signature: '', methods: [], siblings: [] }, ...design };
  const args = [join(ZEROREPO, 'python')];
  return python(NORMALISE, { unit, code: { imports: [], helpers: '', ...code } }, { args }) as UnitProduct;
}

/** A file that defines the same names and implements nothing. */
const emptied = (text: string): string =>
  [...text.matchAll(/^(?:def|class) ([A-Za-z]\w*)/gm)]
    .map(([, name]) => `def ${name}(*args, **options):\n    raise NotImplementedError\n`)
    .join('\n');

/** Runs tests, or other programs, with the libraries beside them. */
function runBeside(files: Files, programs: string[]): { ran: string[]; failed: string[] } {
  const folder = mkdtempSync(join(tmpdir(), 'durabench-prompts-'));
  try {
    const modules = programs.map((_, index) => `test_${index}`);
    const own = programs.map((text, index) => [`${modules[index]}.py`, text] as const);
    for (const [path, text] of [['pytest.py', PYTEST], ...Object.entries(files), ...own] as const) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    return python(RUN_TESTS, modules, { cwd: folder }) as { ran: string[]; failed: string[] };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const buildServer = readEnvironment().variable('CI') !== undefined;

describeWithPython('the Python in prompts', { buildServer }, () => {
  const written = (): [id: UnitId, source: string][] =>
    answersOf('code').flatMap(({ units }) =>
      units.map(({ unit, source }): [UnitId, string] => [unit as UnitId, source]),
    );
  const filesOf = (id: UnitId, { imports, helpers, source }: UnitProduct): Files => ({
    [`${DESIGNS[id].package}/${id.split('::')[0]}`]: [...imports, helpers, source].join('\n'),
  });

  /** The libraries as the examples write them: two units by code, the third by a repair of nothing. */
  function libraries(): Files {
    const id = 'calendars/julian.py::julian_day';
    const source = 'def julian_day(year: int, month: int, day: float) -> float:\n    return 0.0';
    const repaired = filesOf(id, patch(id, { source, edits: answersOf('repair')[0]?.edits }));
    const coded = written().map(([id, source]) => filesOf(id, patch(id, { source })));
    return Object.assign({ ...ELSEWHERE }, repaired, ...coded) as Files;
  }

  const emptyLibraries = (): Files =>
    Object.fromEntries(Object.entries(libraries()).map(([path, text]) => [path, emptied(text)]));

  it.each(NAMES)('%s compiles', (name) => {
    const blocks = [...fencedBlocks(wholeText(name).split('\n'))];
    const inside = blocks.flatMap(({ info, lines }) => (info === 'markdown' ? [...fencedBlocks(lines)] : []));
    const sources = [...blocks, ...inside].filter(({ info }) => info === 'python').map(({ lines }) => lines.join('\n'));
    if (PROMPTS[name].form !== 'json') expect(sources.length).toBeGreaterThanOrEqual(2);
    python(
      COMPILE,
      sources.map((text, index) => [`${name} ${index}`, text]),
    );
  });

  it.each(['tests', 'repair-tests', 'integration-tests', 'end-to-end-test'] as const)(
    'the tests of %s pass with what the other examples write, and fail without',
    (name) => {
      const answers = answersOf(name);
      const sources = answers.flatMap((answer) =>
        ('tests' in answer ? answer.tests : [answer]).map(({ source }) => source),
      );
      expect(sources).toHaveLength(2);
      const whole = runBeside(libraries(), sources);
      expect(whole.failed).toEqual([]);
      // As many as are asked for.
      if (name === 'tests') expect(whole.ran).toHaveLength(2 * 3);
      expect(runBeside(emptyLibraries(), sources).failed).toHaveLength(whole.ran.length);
    },
  );

  it('repairs what its tests find', () => {
    const id = 'rhythm/metronome.py::Metronome';
    const right = patch(id, { source: new Map(written()).get(id) ?? '' });
    const broken = {
      ...right,
      helpers: right.helpers.replace('60.0', '30.0'),
      source: right.source.replace('floor(', '1 + floor('),
    };
    const tests = answersOf('tests').flatMap((answer) => answer.tests.map(({ source }) => source));
    expect(runBeside({ ...libraries(), ...filesOf(id, broken) }, tests).failed).toEqual([
      'test_beats_follow_the_tempo: AssertionError',
      'test_first_beat: AssertionError',
    ]);
    const edits = answersOf('repair')[1]?.edits;
    expect(patch(id, { ...broken, edits })).toEqual(right);
  });

  it('of a README runs', () => {
    const sources = answersOf('readme').flatMap(({ markdown }) =>
      [...fencedBlocks(markdown.split('\n'))].map(({ lines }) => lines.join('\n')),
    );
    expect(sources).toHaveLength(2);
    expect(runBeside(libraries(), sources).failed).toEqual([]);
  });
});
