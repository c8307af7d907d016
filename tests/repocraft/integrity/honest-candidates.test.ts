import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPackageIndex } from '../../../src/adapters/docker/pip/package-index.js';
import { readEnvironment } from '../../../src/config/env.js';
import type { PackageIndex } from '../../../src/ports/package-index.js';
import type { Tree } from '../../../src/suite-kit/packed-files.js';
import { readArchive } from '../../../src/suite-kit/snapshot/read-archive.js';
import { drawn } from '../../vitest/drawn.js';
import { openExamRoom, type Exam, type ExamRoom } from '../../fixtures/repocraft/exam-room.js';
import { HONEST_PACKAGES } from './honest/packages.js';
import { requestsRelease } from './honest/requests-release.js';

// Whoever does nothing wrong is never marked, whatever its code and its tests look like: a report of a forgery would be a
// false accusation. That a copy of the reference is flagged as one is here too, since it is the same renamed library.

const packageRoot = join(import.meta.dirname, '..', '..', '..');
const NAMES = {
  ...{ requests: 'postman', structures: 'containers', CaseInsensitiveDict: 'CaselessMap', utils: 'oddments' },
  ...{ super_len: 'size_of', parse_header_links: 'read_links', models: 'messages', Request: 'Inquiry' },
  ...{ PreparedRequest: 'ReadyInquiry', prepare: 'make_ready', MissingSchema: 'NoScheme', Session: 'Visit' },
};
const FUNCTIONS = [
  'test_length',
  'test_headers',
  'TestPrepared::test_query',
  'TestPrepared::test_refused',
  'test_links',
];

let room: ExamRoom;
let packages: PackageIndex;
let requests: Tree;
let exam: Exam;

beforeAll(async () => {
  room = await openExamRoom(2);
  const { cacheDir: cacheFolder, variable } = readEnvironment();
  packages = createPackageIndex({ packageRoot, cacheFolder, variable });
  const release = await requestsRelease(packages);
  requests = release.requests;
  exam = { text: release.text, functions: FUNCTIONS };
});

afterAll(async () => room?.close());

/** The library under other names, and the exam with them. */
async function renamed(): Promise<{ tree: Tree; exam: Exam }> {
  const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8');
  const files = Object.fromEntries([...requests].map(([path, bytes]) => [path, text(bytes)]));
  const result = await room.sandbox.run({
    image: 'base',
    command: ['python3', '/work/rename.py', '/work/request.json'],
    files: {
      'rename.py': await readFile(join(import.meta.dirname, 'honest', 'rename.py')),
      'request.json': JSON.stringify({ files, test: exam.text, names: NAMES }),
    },
    mounts: [],
    limits: { outputBytes: 8 * 1024 * 1024 },
    poolKey: null,
    owner: { campaignId: 'honest', ownerId: 'honest' },
    signal: new AbortController().signal,
  });
  const made = JSON.parse(text(result.stdout.bytes)) as { files: Record<string, string>; test: string };
  const tree = new Map(Object.entries(made.files).map(([path, content]) => [path, Buffer.from(content)]));
  return { tree, exam: { text: made.test, functions: FUNCTIONS } };
}

/** Passes both rounds, with nothing in the report that could be held against it. */
async function passes(tree: Tree, sitting: Exam): Promise<void> {
  const { passed, reason, message, report } = await room.run(tree, sitting);
  expect({ passed, reason, message, forged: report?.forged, strayLines: report?.strayLines }).toEqual({
    ...{ passed: true, reason: null, message: null, forged: [], strayLines: 0 },
  });
}

/** Fails every altered form of the exam, as nothing that was really tested can help doing; and is not called a forger for it. */
async function failsEveryMutant(tree: Tree, sitting: Exam): Promise<void> {
  // In the place of a class of the library another one of it is expected, of which nobody is told here.
  const mutants = (await room.mutants(sitting)).filter(({ kind }) => kind !== 'raises');
  expect(mutants.length).toBeGreaterThan(0);
  for (const { kind, task, ...mutant } of mutants.slice(0, 3)) {
    const functions = sitting.functions.filter((name) => name.split('::').at(-1) === mutant.function);
    const { passed, reason } = await room.run(tree, { text: task, functions });
    expect([kind, task, passed, reason]).toEqual([kind, task, false, expect.stringMatching(/^test\./)]);
  }
}

describe('the reference', () => {
  test('passes unmarked', async () => {
    await passes(requests, exam);
    await failsEveryMutant(requests, exam);
  });

  test('passes unmarked under other names, and is called a copy where it claims to be none', async () => {
    const other = await renamed();
    await passes(other.tree, other.exam);
    const { verdict, prepared } = await room.trial(other.tree, other.exam, requests);
    expect(verdict.passed).toBe(true);
    expect(prepared.flags.map(({ flag }) => flag)).toEqual(['vendored']);
  });
});

test.each(drawn(HONEST_PACKAGES, 4))("$name $version, other people's work, passes unmarked", async (wanted) => {
  const tree = await unpacked(wanted);
  const sitting = { text: wanted.exam, functions: wanted.functions };
  const { verdict, prepared, steps } = await room.trial(tree, sitting, requests);
  const run = steps.find(({ stage, step }) => stage === 'execute' && step === 'run')?.result;
  expect({ reasons: verdict.reasons, flags: prepared.flags, run }).toMatchObject({ reasons: [], flags: [] });
  await failsEveryMutant(tree, sitting);
});

async function unpacked({ name, version, sha256 }: (typeof HONEST_PACKAGES)[number]): Promise<Tree> {
  const bytes = await packages.download({ name, version, kind: 'wheel', sha256, byHand: 'connect to a package index' });
  const { files, problems } = await readArchive(`${name}.whl`, bytes);
  expect(problems).toEqual([]);
  return files;
}
