import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import type { StatusReport } from '../../src/contract/status.js';
import { readEnvironment } from '../../src/config/env.js';
import { readRulesFile } from '../../src/fakes/rules-file.js';
import { startScriptedModelServer, type ScriptedModelServer } from '../../src/fakes/scripted-model-server.js';
import { RUN_IMAGES } from '../../tasks/gha-bench/runs/run-scenario.js';
import { createCliProject, type CliProject } from '../fixtures/cli/cli-project.js';
import { ensureImages } from '../fixtures/docker/ensure-images.js';
import { PACKAGE_ROOT } from '../fixtures/package-root.js';
import { IS_WHOLE_RUN } from '../vitest/drawn.js';

// The demo of GHA-Bench as a user runs it: real server, database, worker and engine, the scripted model for a provider. Two of its
// systems fail by what their files mean: those are not run here. But in a whole run a part of the tasks is enough for the others.

const DEMO = join(PACKAGE_ROOT, 'examples', 'gha-bench');

interface DemoFile {
  models: { scripted: object };
  systems: { id: string }[];
}

let project: CliProject;
let server: ScriptedModelServer;
let oracle: string;
let prompted: string;
let onlyRead: string;
let folder: string;

beforeAll(async () => {
  await ensureImages(readEnvironment().cacheDir, 'gha-lint', ...RUN_IMAGES);
  const rules = readRulesFile(join(DEMO, 'rules.yaml'));
  if ('problems' in rules) throw new Error(JSON.stringify(rules.problems));
  folder = await mkdtemp(join(tmpdir(), 'durabench-demo-'));
  server = await startScriptedModelServer(rules);
  project = await createCliProject();
  await project.json(['up']);
  [oracle, prompted, onlyRead] = await Promise.all([
    run('oracle', ['oracle'], TRIED.oracle.settings),
    run('prompted', ['prompted'], TRIED.prompted.settings),
    run('only-read', ['null', 'template'], { judge: { execute: 'none' } }),
  ]);
});

afterAll(async () => {
  await project?.close();
  await server?.close();
  await rm(folder, { recursive: true, force: true });
});

/** The demo with these of its systems. @returns the campaign's id, once it has ended */
async function run(name: string, systems: readonly string[], settings: object): Promise<string> {
  const demo = parse(await readFile(join(DEMO, 'demo.yaml'), 'utf8')) as DemoFile;
  Object.assign(demo.models.scripted, { base_url: server.url, rules: undefined });
  demo.systems = demo.systems.filter(({ id }) => systems.includes(id));
  await writeFile(join(project.folder, `${name}.yaml`), stringify({ ...demo, name, ...settings }));
  const { stdout, stderr, code } = await project.durabench('run', `${name}.yaml`, '--json');
  if (code !== 0) throw new Error(stderr);
  return (JSON.parse(stdout.split('\n')[0] ?? '{}') as { campaign_id: string }).campaign_id;
}

async function passed(of: CliProject, campaign: string): Promise<Record<string, string>> {
  const { systems } = await of.json<StatusReport>(['status', campaign]);
  return Object.fromEntries(systems.map((system) => [system.id, `${system.passed} of ${system.trials}`]));
}

/** The answers to all but the first fail, each for another reason. */
const PROMPTED = ['t1-push-pr', 't2-version-matrix', 't3-database-job', 't4-deploy-pipeline', 't4-tagged-release'];
const ORACLE = ['t2-gated-deploy', 't3-dynamic-matrix', 't4-tagged-release'];
const TRIED = IS_WHOLE_RUN
  ? {
      oracle: { settings: {}, passed: '12 of 12', oneLess: '11 of 12' },
      prompted: { settings: {}, passed: '7 of 12' },
    }
  : {
      oracle: { settings: { dataset: { tasks: ORACLE } }, passed: '3 of 3', oneLess: '2 of 3' },
      prompted: { settings: { dataset: { tasks: PROMPTED } }, passed: '1 of 5' },
    };

test('its table is the one its file names', async () => {
  expect(await passed(project, oracle)).toEqual({ oracle: TRIED.oracle.passed });
  expect(await passed(project, prompted)).toEqual({ prompted: TRIED.prompted.passed });
  expect(await passed(project, onlyRead)).toEqual({ null: '0 of 12', template: '0 of 12' });
  expect(await readFile(join(DEMO, 'demo.yaml'), 'utf8')).toMatch(
    /oracle 12 of 12, null 0 of 12, template 0 of 12[^]*prompted 7 of 12/,
  );
});

test('what failed is told with its place, on one screen, and the command that runs it again', async () => {
  const shown = async (task: string): Promise<string> => {
    const { stdout, code } = await project.durabench('show', `${prompted}/${task}/prompted/1`);
    expect(code).toBe(0);
    // With eight lines of the answer.
    expect(stdout.trimEnd().split('\n').length).toBeLessThanOrEqual(50);
    expect(stdout).toContain(
      `run again    durabench retry ${prompted} --trial ${task}/prompted/1 --reason "a second look"\n`,
    );
    return stdout;
  };
  expect(await shown('t4-deploy-pipeline')).toMatch(/syntax: \.github\/workflows\/pipeline\.yml:\d+:\d+: .*script/);
  expect(await shown('t2-version-matrix')).toMatch(/the answer holds no candidate: the answer holds no file/);
  expect(await shown('t4-tagged-release')).toMatch(/lint: \.github\/workflows\/release\.yml:\d+:\d+: zizmor excessive/);
  expect(await shown('t3-database-job')).toMatch(/runs: schema: migrated: found /);
});

/** The answer that a task's author wrote. */
const oracleOf = (task: string): string => join(PACKAGE_ROOT, 'tasks', 'gha-bench', 'dataset', 'tasks', task, 'oracle');

test('answers made elsewhere are graded in one command', async () => {
  const answers = join(folder, 'answers');
  await cp(oracleOf('t1-push-pr'), join(answers, 't1-push-pr'), { recursive: true });
  const { campaign } = await project.json<StatusReport>(['grade', answers, '--suite', 'gha-bench']);
  expect(await passed(project, campaign.id)).toEqual({ answers: '1 of 12' });
});

test('predictions of several models are graded in one command, each as a system', async () => {
  const ci = await readFile(join(oracleOf('t1-push-pr'), '.github', 'workflows', 'ci.yml'), 'utf8');
  const patch = (path: string, text: string): string => {
    const lines = text.replace(/\n$/, '').split('\n');
    return `--- /dev/null\n+++ b/${path}\n@@ -0,0 +1,${lines.length} @@\n${lines.map((line) => `+${line}\n`).join('')}`;
  };
  const lines = [
    {
      instance_id: 't1-push-pr',
      model_name_or_path: 'Lab/Model-1',
      prediction: `Here it is:\n\n\`\`\`yaml\n${ci}\`\`\`\n`,
    },
    { instance_id: 't2-keyed-cache', model_name_or_path: 'Lab/Model-1', prediction: 'I cannot do this.' },
    { instance_id: 't1-push-pr', model_name_or_path: 'other', model_patch: patch('.github/workflows/ci.yml', ci) },
    { instance_id: 't1-output-chain', model_name_or_path: 'other', model_patch: null },
  ];
  await writeFile(join(project.folder, 'p.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const { stdout, stderr, code } = await project.durabench('grade', 'p.jsonl', '--suite', 'gha-bench', '--json');
  expect(code, stderr).toBe(0);
  expect(stderr).toContain('warning: Lab/Model-1 answers 2 of 12 tasks; the others count as failed');
  expect(stderr).toContain('warning: other answers 1 of 12 tasks');
  const { id } = (JSON.parse(stdout) as StatusReport).campaign;
  expect(await passed(project, id)).toEqual({ 'lab-model-1': '1 of 12', other: '1 of 12' });
  const refused = await project.durabench('show', `${id}/t2-keyed-cache/lab-model-1/1`);
  expect(refused.stdout).toMatch(/the answer holds no candidate: the answer holds no file/);
});

test('a detector that is mended changes verdicts, and nothing is run or asked again', async () => {
  const trial = `${oracle}/t4-tagged-release/oracle/1`;
  const stepsOf = async (of: CliProject): Promise<string[]> => {
    const { steps } = await of.json<{ steps: { stage: string; step: string; ended_at: string }[] }>(['show', trial]);
    return steps.map(({ stage, step, ended_at: at }) => `${stage} ${step} ${at}`);
  };
  const [before, asked] = [await stepsOf(project), server.requests.length];
  await project.json(['down']);
  const mended = await createCliProject({ DURABENCH_HOME: project.stateDir }, await mendedPackage());
  try {
    await mended.json(['up']);
    await mended.json(['regrade', oracle]);
    expect(await passed(mended, oracle)).toEqual({ oracle: TRIED.oracle.oneLess });
    const after = await stepsOf(mended);
    expect(after.filter((step) => !before.includes(step))).toEqual([expect.stringMatching(/^score /)]);
    expect(server.requests).toHaveLength(asked);
  } finally {
    await mended.close();
  }
});

/** A copy of the package whose detector of releases knows notes by another option. */
async function mendedPackage(): Promise<string> {
  for (const part of ['bin', 'dist', 'deploy', 'tasks', 'package.json'])
    await cp(join(PACKAGE_ROOT, part), join(folder, part), { recursive: true });
  await symlink(join(PACKAGE_ROOT, 'node_modules'), join(folder, 'node_modules'));
  const path = join(folder, 'dist', 'tasks', 'gha-bench', 'semantics', 'detectors', 'tier4', 'builds.js');
  const text = await readFile(path, 'utf8');
  const altered = text.replace('--generate-notes', '--some-other-notes');
  expect(altered).not.toBe(text);
  await writeFile(path, altered);
  return folder;
}
