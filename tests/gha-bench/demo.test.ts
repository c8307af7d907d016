import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { StatusReport } from '../../src/contract/status.js';
import { readEnvironment } from '../../src/config/env.js';
import { readRulesFile } from '../../src/fakes/rules-file.js';
import { startScriptedModelServer, type ScriptedModelServer } from '../../src/fakes/scripted-model-server.js';
import { createCliProject, type CliProject } from '../fixtures/cli/cli-project.js';
import { ensureImages } from '../fixtures/docker/ensure-images.js';
import { PACKAGE_ROOT } from '../fixtures/engine/engine.js';

// The demo of GHA-Bench as a user runs it: real server, database and worker, the scripted model for a provider.

const DEMO = join(PACKAGE_ROOT, 'examples', 'gha-bench');

let project: CliProject;
let server: ScriptedModelServer;
let campaign: string;

beforeAll(async () => {
  await ensureImages(readEnvironment().cacheDir, 'gha-lint');
  const rules = readRulesFile(join(DEMO, 'rules.yaml'));
  if ('problems' in rules) throw new Error(JSON.stringify(rules.problems));
  server = await startScriptedModelServer(rules);
  project = await createCliProject();
  const file = await readFile(join(DEMO, 'demo.yaml'), 'utf8');
  await writeFile(join(project.folder, 'demo.yaml'), file.replace('http://127.0.0.1:8901/v1', server.url));
  await project.json(['up']);
  const { stdout, stderr, code } = await project.durabench('run', 'demo.yaml', '--json');
  if (code !== 0) throw new Error(stderr);
  campaign = (JSON.parse(stdout.split('\n')[0] ?? '{}') as { campaign_id: string }).campaign_id;
});

afterAll(async () => {
  await project?.close();
  await server?.close();
});

const passed = async (): Promise<Record<string, string>> => {
  const { systems } = await project.json<StatusReport>(['status', campaign]);
  return Object.fromEntries(systems.map((system) => [system.id, `${system.passed} of ${system.trials}`]));
};

/** As the demo's file says. */
const EXPECTED = {
  ...{ oracle: '7 of 7', alternative: '7 of 7', null: '0 of 7', template: '0 of 7', prompted: '4 of 7' },
};

test('its table is the one its file names', async () => {
  expect(await passed()).toEqual(EXPECTED);
  expect(await readFile(join(DEMO, 'demo.yaml'), 'utf8')).toMatch(
    /oracle and alternative 7 of 7, null 0 of 7, template 0 of 7[^]*prompted 4 of 7/,
  );
});

test('what failed is told with its place, on one screen', async () => {
  const shown = async (task: string): Promise<string> => {
    const { stdout, code } = await project.durabench('show', `${campaign}/${task}/prompted/1`);
    expect(code).toBe(0);
    expect(stdout.trimEnd().split('\n').length).toBeLessThanOrEqual(60);
    return stdout;
  };
  expect(await shown('t4-deploy-pipeline')).toMatch(/syntax: \.github\/workflows\/pipeline\.yml:\d+:\d+: .*script/);
  expect(await shown('t2-version-matrix')).toMatch(/the answer holds no candidate: the answer holds no file/);
});

test('a regrade repeats the verdicts, and asks nobody again', async () => {
  const asked = server.requests.length;
  await project.json(['regrade', campaign]);
  expect(await passed()).toEqual(EXPECTED);
  expect(server.requests).toHaveLength(asked);
});
