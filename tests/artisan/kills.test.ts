import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readEnvironment } from '../../src/config/env.js';
import { readRulesFile } from '../../src/fakes/rules-file.js';
import { startScriptedModelServer, type ScriptedModelServer } from '../../src/fakes/scripted-model-server.js';
import type { FullReport } from '../../src/report/full-report.js';
import { readStackState, type ServiceName } from '../../src/stack/stack-state.js';
import { writeCampaign } from '../fixtures/artisan/killed-trials.js';
import { CampaignRecord, isNeedless, type StepRecord } from '../fixtures/chaos/campaign-record.js';
import { createCliProject, type CliProject } from '../fixtures/cli/cli-project.js';
import { killService } from '../fixtures/cli/kill-service.js';
import { ensureImages } from '../fixtures/docker/ensure-images.js';
import { PACKAGE_ROOT } from '../fixtures/package-root.js';
import { waitUntil } from '../fixtures/wait-until.js';

// Worker and Temporal's server are killed with SIGKILL while scripts are made and judged; nobody does anything then.

const DEMO = join(PACKAGE_ROOT, 'examples', 'artisan-demo');
const TASKS = ['silver-fit', 'ozone-anova'];
/** Of an agent of the demo: it looks, writes, stumbles, submits. */
const TURNS = 4;

let project: CliProject;
let server: ScriptedModelServer;
let record: CampaignRecord;
let undisturbed: string;
let killed: string;

beforeAll(async () => {
  await ensureImages(readEnvironment().cacheDir, 'base', 'artisan-python');
  const rules = readRulesFile(join(DEMO, 'rules.yaml'));
  if ('problems' in rules) throw new Error(JSON.stringify(rules.problems));
  server = await startScriptedModelServer(rules);
  project = await createCliProject();
  await project.json(['up']);
  await project.json(['dataset', 'fetch', 'artisan', '--project', 'employment,ozone,silicon,silver']);
  record = new CampaignRecord(async () => readStackState(project.stateDir)?.addresses.databaseUrl ?? '');
  undisturbed = await runDemo('undisturbed', []);
  killed = await runDemo('killed', [
    { service: 'worker', at: ({ step }) => step.startsWith('think/') },
    // A submission is under way, or its runs are.
    { service: 'worker', at: ({ step }) => step === 'think/4' },
    { service: 'temporal', at: ({ step }) => step === 'judge/whole' },
    { service: 'worker', at: ({ step }) => step === 'judge/twin/jitter' },
  ]);
});

afterAll(async () => {
  await project?.close();
  await server?.close();
});

interface Kill {
  service: ServiceName;
  /** Once such a step has ended: others of the kind are under way. */
  at: (step: StepRecord) => boolean;
}

/** The demo with three of its systems on two tasks, every run one of its own. @returns the campaign's id, once it has ended */
async function runDemo(name: string, kills: readonly Kill[]): Promise<string> {
  await writeCampaign(project, { name, systems: ['reference', 'copy', 'agent'], tasks: TASKS }, server.url);
  const cli = project.start('run', `${name}.yaml`, '--json');
  cli.stdout?.resume();
  cli.stderr?.resume();
  const ended = once(cli, 'close') as Promise<[number | null]>;
  for (const { service, at } of kills) {
    await waitUntil(async () => {
      const id = await record.campaignNamed(name).catch(() => null);
      return id !== null && (await record.steps(id).catch(() => [])).some(at);
    });
    await killService(project.stateDir, service);
  }
  expect(await ended).toEqual([0, null]);
  return (await record.campaignNamed(name)) ?? '';
}

test('verdicts and scripts are those of the undisturbed campaign, byte for byte', async () => {
  const told = async (id: string) => {
    const trials = await record.trials(id);
    const scripts = await Promise.all(trials.map((trial) => record.evidence(trial.id, 'repro.sh')));
    return trials.map(({ task, system, outcome, reason }, index) => [task, system, outcome, reason, scripts[index]]);
  };
  const trials = await told(undisturbed);
  expect(
    trials.map(([, system, outcome, reason]) => `${String(system)} ${String(outcome)} ${String(reason)}`).sort(),
  ).toEqual([
    ...['agent passed null', 'agent passed null', 'copy failed copied.result-file', 'copy failed copied.result-file'],
    ...['reference passed null', 'reference passed null'],
  ]);
  expect(await told(killed)).toEqual(trials);
});

test('no answered call is sent again, and no step that ended is done again', async () => {
  const sends = await record.sends(killed);
  const answered = new Set(sends.filter(({ answeredAt }) => answeredAt !== null).map(({ key }) => key));
  expect(answered.size).toBe(TASKS.length * TURNS);
  expect(sends.filter(isNeedless)).toEqual([]);
  const named = (steps: StepRecord[], id: string): string[] =>
    steps.map(({ owner, stage, step }) => `${owner.slice(id.length)} ${stage} ${step}`).sort();
  expect(named(await record.steps(killed), killed)).toEqual(named(await record.steps(undisturbed), undisturbed));
});

test('turns, submissions and what an agent was told of them are counted once', async () => {
  const counted = async (id: string) => {
    const { stdout } = await project.durabench('report', id, '--format', 'json');
    return (JSON.parse(stdout) as FullReport).trial_rows
      .filter(({ system }) => system === 'agent')
      .map(({ task, metrics: { turns, submissions, revealed } }) => ({ task, turns, submissions, revealed }))
      .sort((one, other) => one.task.localeCompare(other.task));
  };
  const counts = await counted(undisturbed);
  const own = { turns: TURNS, submissions: 1 };
  expect(counts).toMatchObject([...TASKS].sort().map((task) => ({ task, ...own })));
  expect(await counted(killed)).toEqual(counts);
});
