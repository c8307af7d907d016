import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Tree } from '../../../src/suite-kit/packed-files.js';
import { drawn } from '../../vitest/drawn.js';
import { scaled } from '../../vitest/yardstick.js';
import { isControlFirstIn, openExamRoom, type Exam, type ExamRoom } from '../../fixtures/repocraft/exam-room.js';

// Candidates that leave a note of having seen a test, and are honest when it comes again, or only then are not. They sit an exam
// without written values, where nothing but the negative control can tell.

const corpus = join(import.meta.dirname, 'cheats');
let room: ExamRoom;
let text: string;
let honest: Tree;

beforeAll(async () => {
  room = await openExamRoom(2);
  text = await readFile(join(corpus, 'exam-computed.py'), 'utf8');
  honest = await treeOf('honest');
}, scaled(600_000));

afterAll(async () => room?.close());

const treeOf = async (name: string): Promise<Tree> => new Map([['lib.py', await readFile(join(corpus, `${name}.py`))]]);

/** A form of the exam of which the negative control comes first, or the test does, as is drawn for it. */
function examWith(control: 'first' | 'second'): Exam {
  const functions = ['test_count', 'test_title', 'test_refuses_nothing', 'TestUnit::test_both'];
  for (let form = 0; ; form += 1) {
    const exam = { text: `${text}# form ${form}\n`, functions };
    if (isControlFirstIn(exam) === (control === 'first')) return exam;
  }
}

async function sits(name: string, control: 'first' | 'second'): Promise<string | undefined> {
  const { verdict } = await room.trial(await treeOf(name), examWith(control), honest);
  return verdict.passed ? 'passed' : verdict.reasons[0];
}

/** What a shared container keeps. */
const KEPT = [
  ...['note-process-numbers', 'note-inode-numbers', 'note-server-times', 'note-most-memory'],
  ...['note-page-faults', 'note-loopback-bytes', 'note-closed-connection'],
];
/** What is not kept, or cannot be left. */
const LOST = [
  ...['note-page-cache', 'note-resident-pages', 'note-device-times', 'note-listing-times', 'note-keyring'],
  ...['note-server-limits', 'note-held-lock', 'note-shared-memory', 'note-folder-times', 'note-terminal-numbers'],
  'note-written-anywhere',
];

describe('a note that a shared container keeps is worth nothing where nobody knows what comes second', () => {
  test.concurrent.each(drawn(KEPT, 3))(
    '%s equals everything at first sight: where the control was first, the test fails',
    async (name) => {
      // Its control passed, which counts against the candidate and not the trial: who is wrong may be so as an altered test expects.
      expect(await sits(name, 'first')).toBe('test.assertion');
    },
  );

  test('honest at first sight, it fails a test that comes first', async () => {
    expect(await sits('note-honest-first', 'second')).toBe('test.assertion');
  });
});

describe('a note that cannot be left or read', () => {
  test.concurrent.each(drawn(LOST, 3))('%s finds nothing when its control comes second', async (name) => {
    expect(await sits(name, 'second')).toBe('candidate.vacuous');
  });
});

test.each(['first', 'second'] as const)('an honest candidate passes where its control comes %s', async (control) => {
  expect(await sits('honest', control)).toBe('passed');
});
