import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { StatusReport } from '../src/contract/status.js';
import { readRulesFile } from '../src/fakes/rules-file.js';
import { startScriptedModelServer, type ScriptedModelServer } from '../src/fakes/scripted-model-server.js';
import type { FullReport } from '../src/report/full-report.js';
import type { StackState } from '../src/stack/stack-state.js';
import { waitUntil } from '../src/stack/wait-until.js';
import { createCliProject, type CliProject } from './fixtures/cli-project.js';
import { PACKAGE_ROOT } from './fixtures/engine.js';

/** 20 tasks, two systems: 40 real trials, one system with a model that generates and votes. */
const TASKS = 20;
const TRIALS = TASKS * 2;
const NAME = 'crash-repocraft';

let project: CliProject;
let model: ScriptedModelServer;
let undisturbed: Map<string, string>;

beforeAll(async () => {
  project = await createCliProject();
  const rules = readRulesFile(join(PACKAGE_ROOT, 'examples', 'quickstart', 'rules.yaml'));
  if ('problems' in rules) throw new Error(JSON.stringify(rules.problems));
  model = await startScriptedModelServer({ rules: rules.rules });
  await writeFile(join(project.folder, 'campaign.yaml'), campaignFile(model.url));
  await project.json(['dataset', 'fetch', 'repocraft', '--project', 'requests']);
  await project.json(['images', 'build', 'repocraft-requests']);
  await project.json(['up']);
  const { campaign_id: id } = firstLine(await project.durabench('run', 'campaign.yaml', '--json'));
  undisturbed = await verdictsOf(id);
}, 600_000);

afterAll(async () => {
  await project.close();
  await model.close();
}, 60_000);

describe.each(['worker', 'temporal'] as const)('SIGKILL of the %s in the middle of 40 real trials', (service) => {
  let after: StatusReport;
  let answeredBefore: number;

  test('the campaign ends by itself with the verdicts of the undisturbed run', async () => {
    answeredBefore = answered();
    const { campaign_id: id } = firstLine(await project.durabench('run', 'campaign.yaml', '--detach', '--json'));
    const isMidway = await waitUntil(async () => between(await status(id), 6, TRIALS - 10), { timeoutMs: 120_000 });
    expect(isMidway, 'the campaign was caught in the middle').toBe(true);
    const killed = (await stackState()).services[service].process;
    process.kill(killed?.pid ?? 0, 'SIGKILL');
    const isCompleted = async (): Promise<boolean> => (await status(id)).campaign.status === 'completed';
    expect(await waitUntil(isCompleted, { timeoutMs: 240_000 })).toBe(true);

    after = await status(id);
    expect(after.trials).toMatchObject({ planned: TRIALS, done: TRIALS, errored: 0, not_run: 0 });
    expect(await verdictsOf(id)).toEqual(undisturbed);
    expect((await stackState()).services[service].restarts).toBeGreaterThan(0);
  }, 400_000);

  test('no answered model call is asked again', () => {
    // Every reply the endpoint gave is either a paid call's own or that of a call which was in flight at the kill.
    expect(answered() - answeredBefore).toBeLessThanOrEqual(after.spend.calls + after.spend.repeated_calls);
    expect(after.spend.repeated_calls).toBeLessThanOrEqual(8);
  });

  test('no container of a dead worker is left', async () => {
    const instance = JSON.parse(await readFile(join(project.stateDir, 'worker.ready.json'), 'utf8')) as {
      instance: string;
    };
    await waitUntil(async () => (await containers()).every((owner) => owner === instance.instance), {
      timeoutMs: 30_000,
    });
    expect((await containers()).filter((owner) => owner !== instance.instance)).toEqual([]);
  });
});

test('after `down` no container is left at all', async () => {
  expect((await project.durabench('down')).code).toBe(0);
  expect(await containers()).toEqual([]);
});

function campaignFile(url: string): string {
  return `
name: ${NAME}
suite: repocraft
dataset: { projects: [requests], limit: ${TASKS} }
models:
  scripted: { name: scripted-1, base_url: '${url}', price: { input: 0.15, output: 0.60 } }
systems:
  - { id: gold, generator: gold, vote: { voter: oracle } }
  - { id: single-prompt, generator: single-prompt, model: scripted, vote: { voter: model, model: scripted } }
concurrency: { batches: 2, trials: 16, model: 8, sandbox: 2 }
`;
}

const firstLine = ({ stdout, stderr }: { stdout: string; stderr: string }): { campaign_id: string } => {
  const line = stdout.split('\n')[0] ?? '';
  if (!line.startsWith('{')) throw new Error(`no campaign id: ${stdout}\n${stderr}`);
  return JSON.parse(line) as { campaign_id: string };
};

const status = (id: string): Promise<StatusReport> => project.json<StatusReport>(['status', id]);

const between = ({ trials }: StatusReport, low: number, high: number): boolean =>
  trials.done >= low && trials.done <= high;

/** Task and system → outcome with its reason, from the full report. */
async function verdictsOf(id: string): Promise<Map<string, string>> {
  await project.json(['report', id]);
  const text = await readFile(join(project.stateDir, 'reports', id, 'report.json'), 'utf8');
  const { trial_rows: rows } = JSON.parse(text) as FullReport;
  expect(rows).toHaveLength(TRIALS);
  const entries = rows.map(({ task, system, outcome, reason }): [string, string] => [
    `${task} ${system}`,
    `${outcome ?? 'open'} ${reason ?? ''}`,
  ]);
  return new Map(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

async function stackState(): Promise<StackState> {
  return JSON.parse(await readFile(join(project.stateDir, 'stack.json'), 'utf8')) as StackState;
}

const answered = (): number => model.requests.filter((request) => request.status === 200).length;

/** The owning worker instance of every container of this test's campaigns; other projects on the machine are not ours. */
async function containers(): Promise<string[]> {
  const format = '{{.Label "durabench.campaign"}} {{.Label "durabench.lease"}}';
  const { stdout } = await promisify(execFile)('docker', ['ps', '--all', '--format', format]);
  const ours = stdout.split('\n').filter((line) => line.startsWith(`${NAME}-`));
  return ours.map((line) => line.split(' ')[1] ?? '');
}
