import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeWithPython } from '../../../../../tests/fixtures/repocraft/describe-with-python.js';
import { PROMPTS, type AnswerOf, type PromptName } from '../steps/asking/answers.js';
import { readEnvironment } from '../../../../../src/config/env.js';
import type { ModelRulesInput } from '../../../../../src/fakes/model-rules.js';
import { parseRules, readRulesFile } from '../../../../../src/fakes/rules-file.js';
import { startScriptedModelServer, type ScriptedModelServer } from '../../../../../src/fakes/scripted-model-server.js';
import type { Play } from '../../../../../src/ports/scripted-player.js';
import type { Brief } from './question.js';
import { materialText, python, stubs } from '../steps/asking/document.js';
import { readAnswer } from '../steps/asking/read-answer.js';
import { shownLooks } from '../steps/localize.js';

const LIBRARY = fileURLToPath(new URL('../../../projects/textkit', import.meta.url));
const TITLE = 'ProseMeter';
const PACKAGE = 'prosemeter';

let server: ScriptedModelServer;
beforeAll(async () => void (server = await startScriptedModelServer({ rules: playing('competent') })));
afterAll(async () => server.close());

const playing = (plays: Play['as'] | Play): ModelRulesInput => ({ library: LIBRARY, default: { plays } });

/** What the generator sends, as far as the player reads it. */
const userText = (prompt: PromptName, input: object): string =>
  `# Task: ${TITLES[prompt] ?? ''}\n\n## Examples\n\n\`\`\`json\n{}\n\`\`\`\n\n# Material\n\n${materialText(shown(input))}`;

/** Headings of the prompt files. */
const TITLES: Partial<Record<PromptName, string>> = Object.fromEntries(
  Object.keys(PROMPTS).map((name) => [
    name,
    /^# Task: (.+)$/m.exec(readFileSync(new URL(`../prompts/${name}.v3.md`, import.meta.url), 'utf8'))?.[1],
  ]),
);

/** Interfaces as stubs, as the steps show them. */
const shown = (input: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(input).map(([key, value]: [string, unknown]) => {
      if (key === 'unit') return [key, stubs([value as Brief])];
      return ['units', 'uses', 'available', 'interfaces'].includes(key) ? [key, stubs(value as Brief[])] : [key, value];
    }),
  );

async function complete(url: string, messages: { role: string; content: string }[]): Promise<string> {
  const body = JSON.stringify({ model: 'scripted', messages });
  const response = await fetch(`${url}/chat/completions`, { method: 'POST', body });
  const { choices } = (await response.json()) as { choices: { message: { content: string } }[] };
  return choices[0]!.message.content;
}

async function ask<Name extends PromptName>(name: Name, input: object, url = server.url): Promise<AnswerOf<Name>> {
  const text = await complete(url, [
    { role: 'system', content: 'You plan.' },
    { role: 'user', content: userText(name, input) },
  ]);
  const { units = [] } = input as { units?: Brief[] };
  const asked = units.map(({ id }) => id);
  return PROMPTS[name].answer.parse(readAnswer(PROMPTS[name].form, text, asked)) as AnswerOf<Name>;
}

const importsOf = (source: string): string[] => source.match(/^(from|import) .*$/gm) ?? [];

const LOOK = { tool: 'code', argument: 'a.py::b', result: 'def b(): ...' };

const scale = (round: number, leaves: number): string =>
  `Round ${round} of at most 30: give about ${leaves} leaves this round, and no more.`;

interface Feature {
  id: string;
  path: string[];
  description: string;
}

/** Iterations until nothing is proposed any more, each checked. */
async function plannedFeatures(): Promise<{ features: Feature[]; refused: number; iterations: number }> {
  const features: Feature[] = [];
  let [refused, iteration] = [0, 0];
  for (;;) {
    iteration += 1;
    const known = { title: TITLE, purpose: 'text statistics', features: features.map(({ path }) => path) };
    const proposed = (await ask('propose', { ...known, mode: 'missing', scale: scale(iteration, 40) })).features;
    if (proposed.length === 0) return { features, refused, iterations: iteration };
    const named = proposed.map((feature, index) => ({ id: `p${index + 1}`, ...feature }));
    const { verdicts } = await ask('check', { ...known, proposed: named });
    const accepted = new Set(verdicts.filter(({ accept }) => accept).map(({ id }) => id));
    refused += named.length - accepted.size;
    for (const { id, path, description } of named)
      if (accepted.has(id)) features.push({ id: `f${features.length + 1}`, path, description });
  }
}

interface Module {
  name: string;
  folder: string;
  files: { path: string; features: string[]; after: string[] }[];
}

async function designedModules(features: Feature[]): Promise<Module[]> {
  const sorted = await ask('refactor', { title: TITLE, modules: [], unassigned: features, hints: [] });
  const modules: Module[] = [];
  for (const { name, description } of sorted.modules) {
    const own = features.filter(({ id }) => sorted.assign[id] === name);
    const taken = modules.map(({ folder }) => folder);
    const laid = await ask('layout', { package: PACKAGE, module: { name, description }, features: own, taken });
    modules.push({ name, ...laid });
  }
  return modules;
}

/** Base classes, then the interfaces of every file, as briefs in an order in which everything used comes first. */
async function designedInterfaces(modules: Module[], features: Feature[]): Promise<(Brief & { invokes: string[] })[]> {
  const briefs: (Brief & { invokes: string[] })[] = [];
  const add = (path: string, one: Omit<Brief, 'id' | 'import'> & { invokes: string[] }): void => {
    const from = `${PACKAGE}.${path.replace(/\.py$/, '').replaceAll('/', '.')}`;
    briefs.push({ ...one, id: `${path}::${one.name}`, import: `from ${from} import ${one.name}` });
  };
  const { classes } = await ask('base-classes', { title: TITLE, modules, edges: [] });
  for (const { module, ...shared } of classes) {
    const folder = modules.find(({ name }) => name === module)!.folder;
    add(`${folder}/base.py`, { kind: 'class', signature: '', invokes: [], ...shared });
  }
  for (const file of modules.flatMap(({ files }) => files)) {
    const own = features.filter(({ id }) => file.features.includes(id));
    const answer = await ask('interfaces', { package: PACKAGE, file, features: own, available: briefs });
    for (const one of answer.interfaces) add(file.path, one);
  }
  return briefs;
}

describe('the plan', () => {
  it('grows in iterations, and what is out of scope is refused', async () => {
    const { features, refused, iterations } = await plannedFeatures();
    expect(features).toHaveLength(40);
    expect({ refused, iterations }).toEqual({ refused: 1, iterations: 4 });
  });

  it('becomes four modules with files that build on one another, and a flow without a cycle', async () => {
    const { features } = await plannedFeatures();
    const modules = await designedModules(features);
    expect(modules.map(({ name, folder }) => [name, folder])).toEqual([
      ['Tokenizing', 'tokenizing'],
      ['Measures', 'measures'],
      ['Formatting', 'formatting'],
      ['Similarity', 'similarity'],
    ]);
    const placed = modules.flatMap(({ files }) => files.flatMap((file) => file.features));
    expect(placed.sort()).toEqual(features.map(({ id }) => id).sort());
    const leaves = modules.map(({ name, files }) => ({
      name,
      features: features
        .filter(({ id }) => files.some((file) => file.features.includes(id)))
        .map(({ path }) => path.at(-1)),
    }));
    const { edges } = await ask('data-flow', { title: TITLE, modules: leaves });
    expect(edges.map(({ source, target }) => `${source} > ${target}`).sort()).toEqual([
      'Measures > Formatting',
      'Tokenizing > Formatting',
      'Tokenizing > Measures',
      'Tokenizing > Similarity',
    ]);
  });
});

describe('faults', () => {
  it.each(['malformed-json', 'missing-fields'] as const)('%s breaks an answer, and only the first', async (as) => {
    const rules: ModelRulesInput = {
      library: LIBRARY,
      rules: [{ match: { contains: '# Task: Say what flows between modules' }, plays: as }],
      default: { plays: 'competent' },
    };
    const faulty = await startScriptedModelServer({ rules });
    const modules = [
      { name: 'One', features: ['split words'] },
      { name: 'Two', features: ['word frequencies'] },
    ];
    const user = { role: 'user', content: userText('data-flow', { modules }) };
    const broken = await complete(faulty.url, [user]);
    expect(() => PROMPTS['data-flow'].answer.parse(JSON.parse(broken))).toThrow();
    const repair = {
      role: 'user',
      content: '# Correct your answer: Say what flows between modules\n\nno',
    };
    const repaired = await complete(faulty.url, [user, { role: 'assistant', content: broken }, repair]);
    expect(PROMPTS['data-flow'].answer.parse(JSON.parse(repaired)).edges).toHaveLength(1);
    await faulty.close();
  });

  it('a cycle in the data flow', async () => {
    const faulty = await startScriptedModelServer({ rules: playing('cyclic-data-flow') });
    const modules = [
      { name: 'One', features: ['split words'] },
      { name: 'Two', features: ['word frequencies'] },
    ];
    const { edges } = await ask('data-flow', { modules }, faulty.url);
    expect(edges.map(({ source, target }) => [source, target])).toEqual([
      ['One', 'Two'],
      ['Two', 'One'],
    ]);
    await faulty.close();
  });

  it('says that it knows nothing where nothing of its trade is asked', async () => {
    expect(await complete(server.url, [{ role: 'user', content: 'Hello' }])).toBe('I know nothing about this.');
  });
});

describe('the vote', () => {
  const ballot = (path: string, source: string): string =>
    `Capability wanted:\nA function for word ngrams, in the area of tokenizing. List all runs.\n\nCandidate function \`${path}\`, from a.py:\nSignature: f()\nDocumentation: x\n\n\`\`\`python\n${source}\n\`\`\`\n\nDoes it?`;

  it.each([
    ['YES', 'x.tokenizing.ngrams.word_ngrams', 'def word_ngrams(words, size):\n    return []'],
    ['NO', 'x.tokenizing.ngrams.character_ngrams', 'def character_ngrams(text, size):\n    return []'],
    ['NO', 'x.tokenizing.ngrams.word_ngrams', 'def word_ngrams(words, size):\n    raise NotImplementedError'],
  ])('%s to %s', async (answer, path, source) => {
    const said = await complete(server.url, [{ role: 'user', content: ballot(path, source) }]);
    expect(JSON.parse(said)).toMatchObject({ answer });
  });
});

const buildServer = readEnvironment().variable('CI') !== undefined;

describeWithPython('the code', { buildServer }, () => {
  const folders: string[] = [];
  afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true })));

  /** Runs the functions of a test file with the package beside it; the names of those that failed. */
  function failing(files: Map<string, string>, test: string): string[] {
    const folder = mkdtempSync(join(tmpdir(), 'player-'));
    folders.push(folder);
    for (const [path, text] of files) {
      mkdirSync(dirname(join(folder, PACKAGE, path)), { recursive: true });
      writeFileSync(join(folder, PACKAGE, path), text);
    }
    writeFileSync(join(folder, 'test_it.py'), test);
    const script =
      'import json, test_it\nfailed = []\nfor name in [n for n in dir(test_it) if n.startswith("test_")]:\n    try:\n        getattr(test_it, name)()\n    except Exception as error:\n        failed.append(f"{name}: {type(error).__name__}")\nprint(json.dumps(failed))';
    const run = spawnSync('python3', ['-B', '-c', script], { cwd: folder, encoding: 'utf8' });
    if (run.status !== 0) throw new Error(run.stderr);
    return JSON.parse(run.stdout) as string[];
  }

  const fileText = (parts: AnswerOf<'code'>['units']): string =>
    [
      ...new Set(parts.flatMap(({ imports }) => imports)),
      ...parts.map(({ helpers }) => helpers),
      ...parts.map(({ source }) => source),
    ].join('\n');

  async function wholePackage(briefs: (Brief & { invokes: string[] })[], url = server.url) {
    const byFile = new Map<string, AnswerOf<'code'>['units']>();
    for (const brief of briefs) {
      const path = brief.id.split('::')[0]!;
      const uses = briefs.filter(({ id }) => brief.invokes.includes(id));
      const { units } = await ask('code', { package: PACKAGE, units: [brief], uses }, url);
      byFile.set(path, [...(byFile.get(path) ?? []), ...units]);
    }
    return new Map([...byFile].map(([path, parts]) => [path, fileText(parts)]));
  }

  it('passes the tests made from its docstrings, unit by unit and together', async () => {
    const { features } = await plannedFeatures();
    const briefs = await designedInterfaces(await designedModules(features), features);
    expect(briefs).toHaveLength(41);
    const files = await wholePackage(briefs);
    const { tests } = await ask('tests', { package: PACKAGE, units: briefs, uses: [] });
    const all = tests.map(({ source }) => source).join('\n');
    expect(all.match(/^def test_/gm)!.length).toBeGreaterThan(80);
    expect(failing(files, all)).toEqual([]);
    const module = { name: 'Measures', description: '' };
    const own = briefs.filter(({ id }) => id.startsWith('measures/'));
    const { source } = await ask('integration-tests', { package: PACKAGE, module, interfaces: own, edges: [] });
    expect(failing(files, source)).toEqual([]);
    const whole = await ask('end-to-end-test', { title: TITLE, package: PACKAGE, interfaces: briefs, edges: [] });
    expect(whole.source.match(/ assert /g)).toHaveLength(4);
    expect(failing(files, whole.source)).toEqual([]);
  });

  const JACCARD = {
    ...{ id: 'similarity/overlap.py::jaccard_similarity', kind: 'function', name: 'jaccard_similarity', methods: [] },
    import: `from ${PACKAGE}.similarity.overlap import jaccard_similarity`,
    signature: '(first: str, second: str) -> float',
    docstring:
      'Overlap.\n\n>>> jaccard_similarity("red green", "Green blue")\n0.3333333333333333\n>>> jaccard_similarity("", "")\n1.0',
  };
  const WORDS = {
    ...{ id: 'tokenizing/splitting.py::split_words', kind: 'function', name: 'split_words', methods: [] },
    import: `from ${PACKAGE}.tokenizing.splitting import split_words`,
    ...{ signature: '(text: str, lowercase: bool = True) -> list[str]', docstring: 'Words.' },
  };

  it('is wrong where it is told to be, only there, and the repair repairs it', async () => {
    const faulty = await startScriptedModelServer({
      rules: {
        library: LIBRARY,
        rules: [
          { match: { contains: '# Task: Write code' }, plays: { as: 'wrong-code', units: ['jaccard_similarity'] } },
        ],
        default: { plays: 'competent' },
      },
    });
    const { units } = await ask('code', { units: [JACCARD, WORDS], uses: [WORDS] }, faulty.url);
    const files = new Map([
      ['similarity/overlap.py', fileText([units[0]!])],
      ['tokenizing/splitting.py', fileText([units[1]!])],
    ]);
    const { tests } = await ask('tests', { units: [JACCARD] }, faulty.url);
    const wrong = failing(files, tests[0]!.source);
    expect(wrong).toEqual(['test_jaccard_similarity_1: AssertionError', 'test_jaccard_similarity_2: AssertionError']);
    const failed = {
      unit: JACCARD,
      code: python(units[0]!.source),
      tests: python(tests[0]!.source),
      failure: 'assertion: no',
    };
    expect((await ask('failure-vote', failed, faulty.url)).cause).toBe('code');
    expect(await ask('localize', { ...failed, seen: shownLooks([]) }, faulty.url)).toEqual({
      tool: 'code',
      argument: JACCARD.id,
    });
    expect((await ask('localize', { ...failed, seen: shownLooks([LOOK]) }, faulty.url)).tool).toBe('stop');
    const { edits } = await ask('repair', { ...failed, uses: [WORDS] }, faulty.url);
    expect(edits.map(({ kind, name }) => [kind, name])).toEqual([['function', 'jaccard_similarity']]);
    files.set(
      'similarity/overlap.py',
      fileText([{ ...units[0]!, imports: importsOf(units[0]!.source), source: edits[0]!.source }]),
    );
    expect(failing(files, tests[0]!.source)).toEqual([]);
    const right = { ...failed, code: python(edits[0]!.source) };
    expect((await ask('failure-vote', right, faulty.url)).cause).toBe('test');
    await faulty.close();
  });

  it('pretends to compute where it is told to, and passes tests that check nothing', async () => {
    const units = ['jaccard_similarity'];
    const rules: ModelRulesInput = {
      library: LIBRARY,
      rules: [
        { match: { contains: '# Task: Write code' }, plays: { as: 'tagged-dictionaries', units } },
        { match: { contains: '# Task: Write tests' }, plays: { as: 'vacuous-tests', units } },
      ],
    };
    const faulty = await startScriptedModelServer({ rules });
    const { units: code } = await ask('code', { units: [JACCARD] }, faulty.url);
    expect(code[0]!.source).toContain('return {"operation": "jaccard_similarity", "arguments": [first, second]}');
    const { tests } = await ask('tests', { units: [JACCARD] }, faulty.url);
    expect(failing(new Map([['similarity/overlap.py', fileText(code)]]), tests[0]!.source)).toEqual([]);
    await faulty.close();
  });
});

describe('the rules files of the example', () => {
  it.each(['rules', 'five-fail.rules', 'faults.rules'])('%s.yaml can be served', async (name) => {
    const path = fileURLToPath(new URL(`../../../../../examples/zerorepo-textkit/${name}.yaml`, import.meta.url));
    const read = readRulesFile(path);
    if ('problems' in read) throw new Error(JSON.stringify(read.problems));
    const served = await startScriptedModelServer(read);
    const { features } = await ask('propose', { features: [], scale: scale(1, 5) }, served.url).catch(() => ({
      features: null,
    }));
    expect(features?.length ?? 0).toBe(name === 'faults.rules' ? 0 : 5);
    await served.close();
  });

  it('a rule that plays needs a library, or a suite', () => {
    const read = parseRules('default: { plays: competent }', '/rules.yaml');
    expect('problems' in read && read.problems[0]?.message).toBe(
      'A rule plays, and neither suite nor library is there.',
    );
  });
});
