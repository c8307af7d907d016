import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPackageIndex } from '../../../src/adapters/docker/pip/package-index.js';
import { readEnvironment } from '../../../src/config/env.js';
import type { Tree } from '../../../src/suite-kit/packed-files.js';
import { openExamRoom, type Exam, type ExamRoom } from '../../fixtures/repocraft/exam-room.js';
import { drawn } from '../../vitest/drawn.js';
import { requestsRelease } from './honest/requests-release.js';

// Copies of the reference that do not lie open, made by tests/repocraft/integrity/hidden/pack.py: each either passes nothing or is flagged.

const packageRoot = join(import.meta.dirname, '..', '..', '..');
const FUNCTIONS = ['test_length', 'test_headers', 'TestPrepared::test_query', 'TestPrepared::test_refused'];

/**
 * How it is hidden → what the integrity scan says of it; `ran`: only a run shows it, and the trial fails; `unwatched`: so it does, since
 * nobody can know what ran. The last ones attack what watches the run.
 */
const FORMS: Record<string, 'vendored' | 'unread' | 'ran' | 'unwatched'> = {
  'zip-on-path': 'vendored',
  'nested-archives': 'vendored',
  'zlib-base64': 'vendored',
  'lzma-base85': 'vendored',
  'bz2-hex': 'vendored',
  'gzip-bytes': 'vendored',
  'reversed-base64': 'vendored',
  'plain-texts': 'vendored',
  marshalled: 'vendored',
  sourceless: 'vendored',
  pickled: 'vendored',
  'one-byte-xor': 'vendored',
  'long-key': 'unread',
  'long-key-literal': 'unread',
  pieces: 'vendored',
  numbers: 'vendored',
  'behind-image': 'vendored',
  'in-comments': 'vendored',
  'own-encoding': 'unread',
  turned: 'vendored',
  'in-pages': 'vendored',
  words: 'ran',
  'words-as-functions': 'ran',
  'words-as-swapped-code': 'ran',
  'words-written-first': 'ran',
  'words-by-visible-loader': 'ran',
  'words-by-planted-bytecode': 'ran',
  'words-restoring-loader': 'ran',
  'words-returning-loader': 'ran',
  'words-traceback': 'ran',
  'words-evil-name': 'ran',
  'words-evil-constant': 'ran',
  'words-second-hook': 'ran',
  'words-garbage': 'ran',
  'words-constants-changed': 'ran',
  'words-teller-muted': 'ran',
  'words-flooded': 'unwatched',
  'words-memory-searched': 'unwatched',
  'words-by-c-api': 'unwatched',
};

let room: ExamRoom;
let requests: Tree;
let exam: Exam;

beforeAll(async () => {
  room = await openExamRoom(2);
  const { cacheDir: cacheFolder, variable } = readEnvironment();
  const packages = createPackageIndex({ packageRoot, cacheFolder, variable });
  const release = await requestsRelease(packages);
  requests = release.requests;
  exam = { text: release.text, functions: FUNCTIONS };
});

afterAll(async () => room?.close());

async function packed(form: string): Promise<Tree> {
  const files = Object.fromEntries([...requests].map(([path, bytes]) => [path, Buffer.from(bytes).toString('utf8')]));
  const result = await room.sandbox.run({
    image: 'base',
    command: ['python3', '/work/pack.py', '/work/request.json'],
    files: {
      'pack.py': await readFile(join(import.meta.dirname, 'hidden', 'pack.py')),
      'request.json': JSON.stringify({ package: 'requests', files, form }),
    },
    mounts: [],
    limits: { outputBytes: 16 * 1024 * 1024 },
    poolKey: null,
    owner: { campaignId: 'hidden', ownerId: 'hidden' },
    signal: new AbortController().signal,
  });
  expect(result.stderr.bytes.toString('utf8')).toBe('');
  const made = JSON.parse(result.stdout.bytes.toString('utf8')) as { files: Record<string, string> };
  return new Map(Object.entries(made.files).map(([path, data]) => [path, Buffer.from(data, 'base64')]));
}

test.concurrent.each(drawn(Object.entries(FORMS), 6))(
  'a copy of the reference hidden by %s is found: %s',
  async (form, found) => {
    const { verdict, prepared } = await room.trial(await packed(form), exam, requests);
    const flags = prepared.flags.map(({ flag }) => flag);
    const reason = { ran: 'candidate.hidden-copy', unwatched: 'candidate.unwatched', vendored: null, unread: null }[
      found
    ];
    if (reason === null) expect(flags).toContain(found);
    else expect([verdict.passed, verdict.reasons[0]]).toEqual([false, reason]);
  },
);

test('what lies open is told of by no run', async () => {
  const { passed, report } = await room.run(requests, exam);
  expect(passed).toBe(true);
  // The exam's own functions, and what small texts the standard library executes.
  expect(report?.code.length).toBeLessThan(20);
});
