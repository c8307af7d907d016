import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { readRulesFile } from '../../src/fakes/rules-file.js';
import { startScriptedModelServer, type ScriptedModelServer } from '../../src/fakes/scripted-model-server.js';
import type { DocumentBody } from '../../src/report/documents/documents.js';
import { createCliProject, type CliProject } from '../fixtures/cli/cli-project.js';
import { PACKAGE_ROOT } from '../fixtures/package-root.js';

// The shipped experiments as a user runs them: real server, database and worker, the scripted model for a provider.

const FOLDER = join(PACKAGE_ROOT, 'examples', 'experiments');

interface ExperimentFile {
  models: { scripted: { base_url: string } };
}

let project: CliProject;
let model: ScriptedModelServer;

beforeAll(async () => {
  const rules = readRulesFile(join(FOLDER, 'rules.yaml'));
  if ('problems' in rules) throw new Error(JSON.stringify(rules.problems));
  [project, model] = await Promise.all([createCliProject(), startScriptedModelServer(rules)]);
  await project.json(['up']);
});

afterAll(async () => {
  await project?.close();
  await model?.close();
});

/** Passed of 50, then gained and lost: drawn by line and seed, so that it is the same on every machine. */
test.each([
  ['few-shot', 'ADOPT', { passed: [31, 46], gained: 19, lost: 4 }],
  ['error-handling', 'UNDECIDED', { passed: [37, 38], gained: 12, lost: 11 }],
  ['dependency-order', 'KEEP', { passed: [49, 49], gained: 1, lost: 1 }],
])('%s decides what its file says: %s', async (name, decision, { passed, gained, lost }) => {
  const text = await readFile(join(FOLDER, `${name}.yaml`), 'utf8');
  expect(text).toContain(`Expected: ${decision}.`);
  const file = parse(text) as ExperimentFile;
  file.models.scripted.base_url = model.url;
  await writeFile(join(project.folder, `${name}.yaml`), stringify(file));
  const { code, stdout, stderr } = await project.durabench('experiment', `${name}.yaml`, '--id', name);
  expect(code, stderr).toBe(0);
  expect(stdout).toContain(` ${decision} `);
  const { pairs } = await project.json<DocumentBody<'comparison'>>(['compare', name]);
  const [score_a, score_b] = passed.map((count) => expect.closeTo(count / 50, 12) as number);
  expect(pairs).toEqual([
    expect.objectContaining({ tasks: 50, decision: decision.toLowerCase(), gained, lost, score_a, score_b }),
  ]);
});
