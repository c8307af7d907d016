import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { integrityMarks } from '../../../src/domain/campaign/integrity-marks.js';
import type { ExecutionReport } from '../../../tasks/repocraft/execution/execution-report.js';
import type { Prepared } from '../../../tasks/repocraft/candidate/candidate-index.js';
import { ofEach, plain, read, readCorpus, treeOf, type Corpus } from './cheats/corpus.js';
import { CHEATS, type Caught, type Expected } from './cheats/expected.js';
import { openExamRoom, type ExamRoom } from '../../fixtures/repocraft/exam-room.js';
import { PACKAGE_ROOT } from '../../fixtures/package-root.js';
import { drawn } from '../../vitest/drawn.js';
import { scaled } from '../../vitest/yardstick.js';

// Candidates under cheats/ sit the exam there, in the real sandbox; what is reported as passed goes the whole way
// through the stages. What a grader lets through that trusts the exit code and what pytest printed:
// bench/repocraft/trusting-grader.ts.

let room: ExamRoom;
let corpus: Corpus;

beforeAll(async () => {
  corpus = await readCorpus();
  room = await openExamRoom(2);
});

afterAll(async () => room?.close());

/** The layer that caught a candidate, and what is held against it afterwards. */
async function grade(name: string): Promise<Pick<Expected, 'caught' | 'marks'>> {
  const tree = await treeOf(name);
  const report = await room.run(tree, corpus.examOf(name));
  if (!report.passed) return { caught: caughtBy(report), marks: marksOf(report.reason ?? '', []) };
  const { verdict, prepared } = await room.trial(tree, corpus.examOf(name), corpus.referenceOf(name));
  const reason = verdict.reasons[0] ?? '';
  const caught = reason === 'candidate.vacuous' ? 'control' : reason === '' ? 'nothing' : 'tests';
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
  const row = { systemId: 'cheat', scope: 'requests', repeat: 1, sha256: '', negativeControls: vacuousTrials };
  const copiedTrials = Number(reason === 'candidate.hidden-copy');
  return integrityMarks({ ...row, flags, forgedTrials, vacuousTrials, copiedTrials });
}

/** The first line of its `lib.py`. */
const triesOf = async (name: string): Promise<string> =>
  Buffer.from((await treeOf(name)).get('lib.py') ?? [])
    .toString('utf8')
    .split('\n', 1)[0] ?? '';

test('the corpus is what the expectations list, each with a line that says what it tries', async () => {
  const { names } = corpus;
  expect(names.map(plain).sort()).toEqual(Object.keys(CHEATS).sort());
  for (const name of names) {
    expect([name, await triesOf(name)]).toEqual([name, expect.stringMatching(/^"""[A-Z].+\."""$/)]);
  }
});

test(
  'nothing that must not pass passes, what must be marked is, each caught by the layer named for it',
  async () => {
    const names = drawn(corpus.names, 8);
    const results = await ofEach(names, grade);
    const expected = names.map(plain).map((name) => {
      const { caught, orCaught, marks } = CHEATS[name] as Expected;
      return [
        name,
        { caught: orCaught !== undefined && results[name]?.caught === orCaught ? orCaught : caught, marks },
      ];
    });
    expect(results).toEqual(Object.fromEntries(expected));
  },
  scaled(900_000),
);

test('an honest candidate passes with a module beside the test', async () => {
  expect(await room.run(corpus.honest, corpus.others['helper']!)).toMatchObject({
    passed: true,
    reason: null,
    message: null,
  });
});

const COMPUTED = ['always-equal', 'checkpoint-joined', 'knows-the-selection', 'equal-by-class-taken', 'equal-by-mock'];

test.each(drawn(COMPUTED, 4))(
  '%s passes where every expected value is computed: each trial ends at its control, and the third makes it suspect',
  async (name) => {
    const computed = { text: await read('exam-computed.py'), functions: corpus.exam.functions };
    const tree = await treeOf(`${name}.py`);
    expect(await room.run(tree, computed)).toMatchObject({ passed: true });
    const reasons: string[] = [];
    for (const comment of ['one', 'two', 'three']) {
      const { verdict } = await room.trial(
        tree,
        { ...computed, text: `${computed.text}# ${comment}\n` },
        corpus.honest,
      );
      reasons.push(...verdict.reasons.slice(0, 1));
    }
    expect(reasons).toEqual(['candidate.vacuous', 'candidate.vacuous', 'candidate.vacuous']);
    const marks = [2, 3].map((trials) => marksOf('candidate.vacuous', [], reasons.slice(0, trials).length));
    expect(marks).toEqual([[], ['suspect']]);
  },
  scaled(900_000),
);

test('the table of docs/guarantees/cheats.md is this one', async () => {
  const page = await readFile(join(PACKAGE_ROOT, 'docs', 'guarantees', 'cheats.md'), 'utf8');
  const rows = await Promise.all(
    corpus.names.map(async (name) => {
      const { caught, marks, trusted } = CHEATS[plain(name)] as Expected;
      const cells = [plain(name), (await triesOf(name)).slice(3, -3), caught, marks.join(', ') || '–', trusted];
      return `| ${cells.join(' | ')} |`;
    }),
  );
  for (const row of rows) expect(page).toContain(row);
});
