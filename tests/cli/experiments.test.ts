import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DocumentBody } from '../../src/report/documents/documents.js';
import { createCliProject, type CliProject } from '../fixtures/cli/cli-project.js';
import { PACKAGE_ROOT } from '../fixtures/package-root.js';

// The shipped experiments as a user runs them: real server, database and worker, the scripted model that their files name for a provider.

const FOLDER = join(PACKAGE_ROOT, 'examples', 'experiments');

let project: CliProject;

beforeAll(async () => {
  project = await createCliProject();
  await project.json(['up']);
});

afterAll(async () => project?.close());

/** Passed of 50, then gained and lost: drawn by line and seed, so that it is the same on every machine. */
test.each([
  ['few-shot', 'ADOPT', { passed: [31, 46], gained: 19, lost: 4 }],
  ['error-handling', 'UNDECIDED', { passed: [37, 38], gained: 12, lost: 11 }],
  ['dependency-order', 'KEEP', { passed: [49, 49], gained: 1, lost: 1 }],
])('%s decides what its file says: %s', async (name, decision, { passed, gained, lost }) => {
  const text = await readFile(join(FOLDER, `${name}.yaml`), 'utf8');
  expect(text).toContain(`Expected: ${decision}.`);
  const { code, stdout, stderr } = await project.durabench('experiment', join(FOLDER, `${name}.yaml`), '--id', name);
  expect(code, stderr).toBe(0);
  expect(stdout).toContain(` ${decision} `);
  const { pairs } = await project.json<DocumentBody<'comparison'>>(['compare', name]);
  const [score_a, score_b] = passed.map((count) => expect.closeTo(count / 50, 12) as number);
  expect(pairs).toEqual([
    expect.objectContaining({ tasks: 50, decision: decision.toLowerCase(), gained, lost, score_a, score_b }),
  ]);
});
