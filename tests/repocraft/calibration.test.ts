import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createOpenAiModel } from '../../src/adapters/openai/openai-model.js';
import type { CampaignSpec, ModelSpec, SystemSpec } from '../../src/contract/campaign.js';
import type { JsonObject } from '../../src/contract/json.js';
import type { TaskSummary } from '../../src/contract/task.js';
import { sha256Hex } from '../../src/domain/text/content-hash.js';
import { createMemoryBlobs } from '../../src/fakes/memory-blobs.js';
import { startScriptedModelServer, type ScriptedModelServer } from '../../src/fakes/scripted-model-server.js';
import type { Question } from '../../src/ports/model.js';
import type { CalibrationInput } from '../../src/suite/calibration.js';
import type { Suite } from '../../src/suite/suite.js';
import { calibrationFigures } from '../../tasks/repocraft/calibration/calibration-figures.js';
import { readFacts, type TrialFacts } from '../../tasks/repocraft/calibration/trial-facts.js';
import { deriveTool } from '../../tasks/repocraft/generators/derived/derive-library.js';
import { watchTests } from '../../tasks/repocraft/generators/derived/watch-tests.js';
import { mountedFiles, packedTar, packFiles } from '../../src/suite-kit/packed-files.js';
import { readTarEntries } from '../../src/suite-kit/tar-entries.js';
import { isRightEntry, type Truth } from '../../tasks/repocraft/generators/derived/truth.js';
import type { ProjectSettings } from '../../tasks/repocraft/dataset/project-settings.js';
import { selectTasks } from '../../tasks/repocraft/dataset/select-tasks.js';
import { repocraft } from '../../tasks/repocraft/repocraft.js';
import { entryPath, type Prepared, readIndex } from '../../tasks/repocraft/candidate/candidate-index.js';
import { openRepocraftBench, type RepocraftBench } from '../fixtures/repocraft/repocraft-bench.js';
import { campaignSpec, makeCandidate, runTrial, type RanStep, systemSpec } from '../../src/fakes/suite-bench.js';
import { NO_DOWNLOADS } from '../fixtures/no-downloads.js';

// Labelled candidates, and what measures the graders by them: everything real but Temporal and Postgres.

const TASKS = 4;

let room: RepocraftBench;
let bench: RepocraftBench['bench'];
let tasks: TaskSummary[];

beforeAll(async () => {
  room = await openRepocraftBench();
  ({ bench } = room);
  const { folder: cacheFolder, packages } = room;
  const { signal } = new AbortController();
  const tools = { ...bench, packages, downloads: NO_DOWNLOADS, cacheFolder, onProgress: () => undefined, signal };
  await repocraft.dataset.fetch({ projects: ['textkit'], verify: false }, tools);
  tasks = (await selectTasks({ projects: ['textkit'], limit: TASKS }, 0, bench.suiteFolder)).tasks;
});

afterAll(() => room?.close());

const nobody = () => Promise.reject(new Error('nothing here asks a model'));

function specOf(
  kind: string,
  seed: number,
  parts: Partial<CampaignSpec> = {},
): CampaignSpec & { systems: [SystemSpec] } {
  const vote: JsonObject = 'models' in parts ? { voter: 'model', model: 'judge' } : { voter: 'truth' };
  const system = systemSpec({ id: kind, generator: 'derived', vote, options: { derive: { kind, seed } } });
  const dataset = { projects: ['textkit'], limit: TASKS };
  return { ...campaignSpec({ suite: 'repocraft', dataset, systems: [system], ...parts }), systems: [system] };
}

/** Makes a candidate, and prepares it where it is to be graded. */
async function derive(kind: string, { seed = 1, blobs = bench.blobs, suite = UNPREPARED } = {}) {
  const spec = specOf(kind, seed);
  const made = await makeCandidate({ ...bench, suite, blobs, spec, ask: nobody }, spec.systems[0], 'textkit');
  return { ...made, truth: await truthOf(made.steps) };
}

/** Watches tests of a library of the test's own, by their targets, in the sandbox, where there is pytest; kept nowhere. */
async function watched(library: Record<string, string>, tests: Record<string, string>) {
  const files = new Map(Object.entries(library).map(([path, text]) => [path, Buffer.from(text)]));
  const project = { project: 'lib', image: 'repocraft-requests', settings: { package: 'lib' } };
  const tasks = Object.entries(tests).map(([target, body]) => ({
    ...{ id: target, targets: [target], auxiliary_code: {}, fixtures: [] },
    ...{ test_code: `import lib.one\n\ndef test_it():\n    ${body}\n`, functions: ['test_it'] },
  }));
  const tools = { ...bench, blobs: createMemoryBlobs(), signal: new AbortController().signal };
  const content = { library: packedTar(await packFiles(files)), tasks };
  return { files, tasks, ...(await watchTests(tools, project as unknown as ProjectSettings, content)) };
}

/** What the tool does with such a library. */
async function altered(
  kind: string,
  library: Record<string, string>,
  { tests, prelude = null }: { tests: Record<string, string>; prelude?: string | null },
) {
  const { files, tasks, ran } = await watched(library, tests);
  const request = { kind, seed: 1, share: 1, settings: { top: 'lib' }, tasks, ran, prelude };
  const ended = await bench.sandbox.run({
    image: 'repocraft-requests',
    command: ['python3', '-s', '-E', '-B', '/work/derive', '/candidate', '/work/request.json'],
    mounts: [await mountedFiles(files, '/candidate')],
    files: { ...(await deriveTool(bench.suiteFolder)), 'request.json': JSON.stringify(request) },
    ...{ poolKey: null, owner: { campaignId: 'calibration', ownerId: kind } },
    signal: new AbortController().signal,
  });
  expect(ended.stderr.bytes.toString('utf8')).toBe('');
  const answer = JSON.parse(ended.stdout.bytes.toString('utf8')) as Record<'altered' | 'deleted', string[]>;
  return { ...answer, texts: (answer as unknown as { texts: Record<string, string> }).texts };
}

const UNPREPARED: Suite = { ...repocraft, prepare: undefined };

async function truthOf(steps: readonly RanStep[]): Promise<Truth> {
  const kept = steps.flatMap(({ evidence }) => evidence).find(({ name }) => name === 'truth.json');
  return JSON.parse((await bench.blobs.get(kept?.sha256 ?? '')).toString('utf8')) as Truth;
}

const expected = ({ tasks: all }: Truth) => Object.values(all).map((one) => one.expected);

describe('deriving', { concurrent: true }, () => {
  test.each(['renamed', 'moved'])('%s: every task holds under its new names, by plain pytest', async (kind) => {
    const { truth, candidate } = await derive(kind);
    expect(expected(truth)).toEqual(Array(TASKS).fill('passed'));
    const files = (await readTarEntries(await bench.blobs.get(candidate.sha256))).map(({ name }) => name);
    expect(files.every((name) => kind === 'moved' || name.startsWith('prosebox/'))).toBe(true);
    expect(Object.keys(truth.names.modules).length).toBeGreaterThan(1);
    expect(Object.keys(truth.names.symbols).length > 20).toBe(kind === 'renamed');
  });

  test('the same bytes for a seed, others for another', async () => {
    const { blobs } = bench;
    const recall = (key: string) => (key.startsWith('repocraft.derive@') ? Promise.resolve(null) : blobs.recall(key));
    const one = await derive('renamed', { seed: 3 });
    const again = await derive('renamed', { seed: 3, blobs: { ...blobs, recall } });
    const other = await derive('renamed', { seed: 4 });
    expect(again.candidate.sha256).toBe(one.candidate.sha256);
    expect(other.candidate.sha256).not.toBe(one.candidate.sha256);
  });

  test.each(['stubbed', 'decoys'])('%s: no task holds', async (kind) => {
    const { truth } = await derive(kind);
    expect(expected(truth)).toEqual(Array(TASKS).fill('failed'));
    expect(truth.altered.length).toBeGreaterThan(20);
  });

  test('partial: tasks whose target is gone fail, most others hold', async () => {
    const { truth } = await derive('partial-40');
    const gone = (target: string) => truth.names.deleted.includes(target);
    const own = Object.values(truth.tasks);
    expect(own.filter(({ target }) => gone(target)).map((one) => one.expected)).not.toContain('passed');
    expect(own.map((one) => one.expected)).toContain('passed');
    expect(truth.names.deleted.length).toBeGreaterThan(5);
  });

  test('what the fixtures of every test use stays, functions and classes: otherwise one of them would fail everything', async () => {
    const library = {
      'lib/__init__.py': '',
      'lib/one.py':
        'class Table:\n    def __init__(self):\n        self.rows = []\n\ndef make():\n    return Table()\n\ndef work():\n    return 3\n',
    };
    const prelude =
      'import pytest, lib.one\n\n@pytest.fixture(autouse=True)\ndef _table():\n    yield lib.one.make()\n';
    const tests = { 'lib.one.Table': 'pass', 'lib.one.make': 'pass', 'lib.one.work': 'pass' };
    expect((await altered('stubbed', library, { tests, prelude })).altered).toEqual(['lib.one.work']);
    expect((await altered('partial', library, { tests, prelude })).deleted).toEqual(['lib.one.work']);
  });

  const box = {
    'lib/__init__.py': '',
    'lib/one.py': `
class Box:
    def unused(self, a):
        return a - 1
    def size(self, a):
        if a > 100:
            return a - 2
        return checked(a) * 3

class Bag:
    def size(self, a):
        return sized(checked(a))

def sized(a):
    return a + 4

def checked(a):
    return a if a > -5 else 0
`,
  };
  const uses = {
    'lib.one.Box': 'assert lib.one.Box().size(1) == 3',
    'lib.one.Bag': 'assert lib.one.Bag().size(1) == 5',
    'lib.one.checked': 'assert lib.one.checked(1) == 1',
  };

  test('what a test runs is watched: lines of functions and where they begin, whatever the order; not known where a limit ended it', async () => {
    const killed = { 'lib.one.sized': 'import os, signal; lib.one.sized(1); os.kill(os.getpid(), signal.SIGXCPU)' };
    const seen = await watched(box, { ...uses, ...killed });
    expect(seen.ran).toEqual({
      'lib.one.Box': { 'lib/one.py': [5, 6, 8, 17, 18] },
      'lib.one.Bag': { 'lib/one.py': [11, 12, 14, 15, 17, 18] },
      'lib.one.checked': { 'lib/one.py': [17, 18] },
    });
    expect(seen.unwatched).toEqual({ 'lib.one.sized': 'slow' });
    const other = Object.fromEntries(Object.entries({ ...uses, ...killed }).reverse());
    expect((await watched(box, other)).ran).toEqual(seen.ran);
  });

  test('mutated: an operation that the test of the target runs, of the target or of what it calls, and no set-up of other tests', async () => {
    const made = await altered('mutated', box, { tests: uses });
    expect(made.altered).toEqual(['lib.one.Bag', 'lib.one.Box']);
    const changed = box['lib/one.py'].replace('checked(a) * 3', '((checked(a)) + (3))').replace('a + 4', '((a) - (4))');
    expect(made.texts).toEqual({ 'lib/one.py': changed });
  });

  test.each(['stubbed', 'decoys'])('%s: what the tests of many targets run stays', async (kind) => {
    expect((await altered(kind, box, { tests: uses })).altered).toEqual(['lib.one.Bag', 'lib.one.Box']);
  });

  test('mutated: tests kill mutants, and what nobody mutated holds', async () => {
    const { truth } = await derive('mutated');
    expect(new Set(expected(truth))).toEqual(new Set(['passed', 'failed']));
  });
});

describe('measuring', () => {
  test('voters that err at a known rate, over HTTP, are measured at exactly what they did', async () => {
    const made = await derive('renamed', { suite: repocraft });
    const { truth } = made;
    const errs = (task: string, path: string): boolean =>
      parseInt(sha256Hex(`1 ${task} ${path}`).slice(0, 8), 16) / 2 ** 32 < 0.4;
    const says = (task: TaskSummary, path: string): boolean =>
      isRightEntry(truth.names, truth.tasks[task.id]?.target ?? '', path) !== errs(task.id, path);
    const server = await startScriptedModelServer({ rules: await rulesOf(made.prepared as unknown as Prepared, says) });
    const facts = await calibrate(made, server).finally(() => server.close());
    const rows = facts.map((fact) => ({ fact, task: tasks.find(({ id }) => id === fact.task) as TaskSummary }));
    // What the voters did, told from the matches alone.
    const held = rows.flatMap(({ fact, task }) => {
      const top = fact.matches.slice(0, 3).map(({ name }) => name);
      const first = top.findIndex((name) => says(task, name));
      const votedOn = first === -1 ? top : top.slice(0, first + 1);
      return votedOn.map((name) => ({ accepted: says(task, name), erred: errs(task.id, name) }));
    });
    const right = held.filter(({ accepted, erred }) => accepted !== erred);
    const figures = calibrationFigures(facts);
    // With this seed both mistakes are among them.
    expect(new Set(held.filter(({ erred }) => erred).map(({ accepted }) => accepted))).toEqual(new Set([true, false]));
    expect(figures.votePrecision).toEqual({
      hits: held.filter(({ accepted, erred }) => accepted && !erred).length,
      all: held.filter(({ accepted }) => accepted).length,
    });
    expect(figures.voteRecall).toEqual({ hits: right.filter(({ accepted }) => accepted).length, all: right.length });
    expect(figures.recallAt5).toEqual({ hits: TASKS, all: TASKS });
    expect(figures.adaptCorrect.hits).toBe(figures.adaptCorrect.all);
    expect(figures.falseFails.hits).toBe(0);
  });
});

/** One rule for every task and entry: both stand in the prompt. */
async function rulesOf(prepared: Prepared, says: (task: TaskSummary, path: string) => boolean) {
  const { entries } = await readIndex(bench, prepared.index);
  const described = await Promise.all(tasks.map(async (task) => ({ task, text: await descriptionOf(task) })));
  const rules = described.flatMap(({ task, text }) =>
    entries.map(entryPath).map((path) => ({
      match: { purpose: 'vote', contains: [text, `\`${path}\``] },
      answer: JSON.stringify({ answer: says(task, path) ? 'YES' : 'NO', reason: 'scripted' }),
    })),
  );
  return { rules };
}

async function descriptionOf({ sha256 }: TaskSummary): Promise<string> {
  return (JSON.parse((await bench.blobs.get(sha256)).toString('utf8')) as { description: string }).description;
}

/** Every task on the candidate, with a model that votes. */
async function calibrate(made: Awaited<ReturnType<typeof derive>>, server: ScriptedModelServer): Promise<TrialFacts[]> {
  const judge: ModelSpec = {
    ...{ name: 'scripted', baseUrl: server.url, apiKeyEnv: null, price: 'free' as const },
    ...{ maxOutputTokens: 300, temperature: null, timeoutSeconds: 300 },
  };
  const spec = specOf('renamed', 1, { models: { judge } });
  const endpoint = createOpenAiModel({ readKey: () => undefined });
  const ask = ({ messages, maxOutputTokens = 300, purpose, ordinal }: Question) => {
    const request = { messages, maxOutputTokens, temperature: null, json: false };
    const label = { purpose, call: sha256Hex(`${ordinal} ${messages.at(-1)?.content}`) };
    return endpoint.complete(judge, request, new AbortController().signal, { label });
  };
  const trialOf = async (task: TaskSummary) => {
    const { verdict, steps } = await runTrial({ ...bench, spec, ask }, { system: spec.systems[0], task, ...made });
    const outcome = verdict.passed ? 'passed' : 'failed';
    const [reason = null] = verdict.reasons;
    return { trial: { taskId: task.id, systemId: 'renamed', group: 'textkit', outcome, reason }, steps };
  };
  const trials = await Promise.all(tasks.map(trialOf));
  const generations = [{ generation: { systemId: 'renamed', scope: 'textkit' }, steps: made.steps }];
  const { facts } = await readFacts({ spec, trials, generations, blobs: bench.blobs } as unknown as CalibrationInput);
  return facts;
}
