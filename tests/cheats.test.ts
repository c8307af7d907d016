import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { integrityMarks } from '../src/domain/campaign/integrity-marks.js';
import { mountedFiles, type Tree } from '../tasks/repocraft/archives/packed-files.js';
import type { ExecutionReport } from '../tasks/repocraft/execution/execution-report.js';
import type { Prepared } from '../tasks/repocraft/candidate/candidate-index.js';
import { CHEATS, type Caught, type Expected } from './cheats/expected.js';
import { openExamRoom, type Exam, type ExamRoom } from './fixtures/exam-room.js';
import { scaled } from './vitest/yardstick.js';

// Every candidate under tests/cheats/ sits the exam there, in the real sandbox; what is reported as passed goes the whole
// way through the stages. Then a grader that trusts the exit code and what pytest printed grades them all.

const corpus = join(import.meta.dirname, 'cheats');
const AT_ONCE = 2;
/** Who waits until its time is over has less of it, which is not counted by the clock. */
const WAITING = ['second-draw-asleep', 'second-draw-page-cache', 'second-draw-runner-stopped'];
let room: ExamRoom;
let exam: Exam;
/** By how the names of those begin that sit another one. */
let others: Record<string, Exam>;
let honest: Tree;
/** What satisfies the exam of exceptions. */
let raising: Tree;

beforeAll(async () => {
  room = await openExamRoom(AT_ONCE);
  const functions = ['test_count', 'test_title', 'test_refuses_nothing', 'TestUnit::test_both'];
  const read = (name: string): Promise<string> => readFile(join(corpus, name), 'utf8');
  exam = { text: await read('exam.py'), functions };
  const refusals = ['test_refuses_nothing', 'test_refuses_numbers'];
  others = {
    helper: {
      text: await read('exam-helped.py'),
      functions,
      beside: { 'exam_checks.py': await read('exam_checks.py') },
    },
    early: { text: await read('exam-lib-first.py'), functions },
    raising: { text: await read('exam-raises.py'), functions: refusals },
  };
  honest = await treeOf('honest.py');
  raising = await treeOf('exam-raises-reference.py');
});

afterAll(async () => room?.close());

/** A candidate of the corpus: a folder, or one file that is its `lib.py`. */
async function treeOf(name: string): Promise<Tree> {
  const folder = join(corpus, name);
  if (name.endsWith('.py')) return new Map([['lib.py', await readFile(folder)]]);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const read = async (path: string) => [path.slice(folder.length + 1), await readFile(path)] as const;
  return new Map(await Promise.all(paths.map(read)));
}

/** What a candidate of the corpus sits. */
function examOf(name: string): Exam {
  const sat = others[name.split('-', 1)[0] ?? ''] ?? exam;
  return WAITING.includes(plain(name)) ? { ...sat, wallSeconds: 5 } : sat;
}

/** The layer that caught a candidate, and what is held against it afterwards. */
async function grade(name: string): Promise<Pick<Expected, 'caught' | 'marks'>> {
  const tree = await treeOf(name);
  const report = await room.run(tree, examOf(name));
  if (!report.passed) return { caught: caughtBy(report), marks: marksOf(report.reason ?? '', []) };
  const { verdict, prepared } = await room.trial(tree, examOf(name), name.startsWith('raising-') ? raising : honest);
  const reason = verdict.reasons[0] ?? '';
  const caught = reason === 'candidate.vacuous' ? 'canary' : reason === '' ? 'nothing' : 'tests';
  return { caught, marks: marksOf(reason, prepared.flags) };
}

function caughtBy({ reason, message, report }: ExecutionReport): Caught {
  if (reason === 'candidate.forged-report') {
    if (report !== null && report.strayLines > 0) return 'secret';
    if (/not what was delivered/.test(message ?? '')) return 'files';
    if (/without what its body compares|without all the values/.test(message ?? '')) return 'choice';
    return /was replaced|trace function/.test(message ?? '') ? 'seals' : 'checkpoint';
  }
  if (reason === 'candidate.vacuous') return 'choice';
  if (reason?.startsWith('candidate.')) return 'process';
  return /No module named|refused/.test(message ?? '') ? 'imports' : 'tests';
}

/** As reports show them after so many trials with that reason; `suspect` takes three. */
function marksOf(reason: string, flags: Prepared['flags'], trials = 3): string[] {
  const forgedTrials = Number(reason === 'candidate.forged-report');
  const vacuousTrials = reason === 'candidate.vacuous' ? trials : 0;
  const row = { systemId: 'cheat', scope: 'requests', repeat: 1, sha256: '', canaries: vacuousTrials };
  const copiedTrials = Number(reason === 'candidate.hidden-copy');
  return integrityMarks({ ...row, flags, forgedTrials, vacuousTrials, copiedTrials });
}

/** pytest in the candidate's own folder, believed when it exits with 0 and nothing it printed says otherwise. */
async function trustingGrader(name: string): Promise<boolean> {
  const candidate = await mountedFiles(await treeOf(name), '/candidate');
  const { text, beside } = examOf(name);
  const repo = Object.keys(beside ?? {}).map((path) => `cp ${path} repo/ && `);
  const result = await room.sandbox.run({
    image: 'repocraft-requests',
    command: [
      'sh',
      '-c',
      `cp -r /candidate repo && ${repo.join('')}cp exam.py repo/test_task.py && cd repo && PYTHONPATH=. python3 -m pytest -q`,
    ],
    files: { ...beside, 'exam.py': text },
    mounts: [candidate],
    limits: { cpuSeconds: 4, wallSeconds: examOf(name).wallSeconds ?? scaled(60) },
    poolKey: null,
    owner: { campaignId: 'cheats', ownerId: 'cheats' },
    signal: new AbortController().signal,
  });
  return result.exitCode === 0 && !/\b\d+ (failed|error)/.test(result.stdout.bytes.toString('latin1'));
}

/** Does the work for every candidate, two at once; results by name, in the order of the names. */
async function ofEach<Result>(work: (name: string) => Promise<Result>): Promise<Record<string, Result>> {
  const names = await candidates();
  const waiting = [...names];
  const results = new Map<string, Result>();
  const worker = async (): Promise<void> => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) results.set(name, await work(name));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return Object.fromEntries(names.map((name) => [plain(name), results.get(name) as Result]));
}

const candidates = async (): Promise<string[]> =>
  (await readdir(corpus)).filter((name) => !name.startsWith('exam') && !name.endsWith('.ts')).sort();
/** The first line of its `lib.py`. */
const triesOf = async (name: string): Promise<string> =>
  Buffer.from((await treeOf(name)).get('lib.py') ?? [])
    .toString('utf8')
    .split('\n', 1)[0] ?? '';
const plain = (name: string): string => name.replace(/\.py$/, '');

test('the corpus is what the expectations list, each with a line that says what it tries', async () => {
  const names = await candidates();
  expect(names.map(plain).sort()).toEqual(Object.keys(CHEATS).sort());
  for (const name of names) {
    expect([name, await triesOf(name)]).toEqual([name, expect.stringMatching(/^"""[A-Z].+\."""$/)]);
  }
});

test(
  'nothing that must not pass passes, what must be marked is, each caught by the layer named for it',
  async () => {
    const expected = Object.entries(CHEATS).map(([name, { caught, marks }]) => [name, { caught, marks }]);
    expect(await ofEach(grade)).toEqual(Object.fromEntries(expected));
  },
  scaled(900_000),
);

test('an honest candidate passes with a module beside the test', async () => {
  expect(await room.run(honest, others.helper!)).toMatchObject({ passed: true, reason: null, message: null });
});

test.each(['always-equal', 'checkpoint-joined', 'knows-the-selection', 'equal-by-class-taken', 'equal-by-mock'])(
  '%s passes where every expected value is computed: each trial ends at its canary, and the third makes it suspect',
  async (name) => {
    const computed = { text: await readFile(join(corpus, 'exam-computed.py'), 'utf8'), functions: exam.functions };
    const tree = await treeOf(`${name}.py`);
    expect(await room.run(tree, computed)).toMatchObject({ passed: true });
    const reasons: string[] = [];
    for (const comment of ['one', 'two', 'three']) {
      const { verdict } = await room.trial(tree, { ...computed, text: `${computed.text}# ${comment}\n` }, honest);
      reasons.push(...verdict.reasons.slice(0, 1));
    }
    expect(reasons).toEqual(['candidate.vacuous', 'candidate.vacuous', 'candidate.vacuous']);
    const marks = [2, 3].map((trials) => marksOf('candidate.vacuous', [], reasons.slice(0, trials).length));
    expect(marks).toEqual([[], ['suspect']]);
  },
  scaled(900_000),
);

test(
  'a grader that trusts the exit code and the output lets through what is said of it',
  async () => {
    const expected = Object.entries(CHEATS).map(([name, { trusted }]) => [name, trusted]);
    expect(await ofEach(trustingGrader)).toEqual(Object.fromEntries(expected));
  },
  scaled(900_000),
);

test('the table of docs/guarantees.md is this one', async () => {
  const page = await readFile(join(import.meta.dirname, '..', 'docs', 'guarantees.md'), 'utf8');
  const rows = await Promise.all(
    (await candidates()).map(async (name) => {
      const { caught, marks, trusted } = CHEATS[plain(name)] as Expected;
      const cells = [
        plain(name),
        (await triesOf(name)).slice(3, -3),
        caught,
        marks.join(', ') || '–',
        trusted ? 'passes' : 'fails',
      ];
      return `| ${cells.join(' | ')} |`;
    }),
  );
  for (const row of rows) expect(page).toContain(row);
});
