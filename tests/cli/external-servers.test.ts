import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { StatusReport } from '../../src/contract/status.js';
import { isAlive } from '../../src/stack/supervisor/process-identity.js';
import { SERVICE_NAMES, type StackState } from '../../src/stack/stack-state.js';
import { createCliProject, type CliProject, type CommandEnd } from '../fixtures/cli/cli-project.js';
import { startEngine, type Engine } from '../fixtures/engine/engine.js';
import { freshDatabase, type FreshDatabase } from '../fixtures/postgres/postgres.js';

/** Servers that somebody else runs, named by DATABASE_URL and Temporal's standard variables: `up` starts a worker only. */
const NAMESPACE = 'somebody-elses';
const CAMPAIGN = `
name: elsewhere
suite: echo
dataset: { tasks: 8 }
systems:
  - { id: perfect, generator: echo }
`;

let database: FreshDatabase;
let servers: Engine;
let project: CliProject;
let state: StackState;
let run: CommandEnd;
let status: StatusReport;

beforeAll(async () => {
  database = await freshDatabase();
  servers = await startEngine(database.databaseUrl);
  project = await createCliProject({
    DATABASE_URL: database.databaseUrl,
    TEMPORAL_ADDRESS: servers.address,
    TEMPORAL_NAMESPACE: NAMESPACE,
  });
  await writeFile(join(project.folder, 'campaign.yaml'), CAMPAIGN);
  await project.json(['up']);
  state = JSON.parse(await readFile(join(project.stateDir, 'stack.json'), 'utf8')) as StackState;
  run = await project.durabench('run', 'campaign.yaml', '--json');
  status = await project.json(['status', 'latest']);
});

afterAll(async () => {
  await project?.close();
  await servers?.close();
  await database?.drop();
});

test('only the worker is started; no server of the project’s own, and no folder for one', () => {
  const modes = SERVICE_NAMES.map((name) => [name, state.services[name].mode, state.services[name].process?.pid ?? 0]);
  const workerPid = state.services.worker.process?.pid ?? 0;
  expect(modes).toEqual([
    ['postgres', 'external', 0],
    ['temporal', 'external', 0],
    ['worker', 'embedded', workerPid],
  ]);
  expect(workerPid).toBeGreaterThan(0);
  expect(state.addresses).toEqual({});
  for (const folder of ['postgres', 'temporal']) expect(existsSync(join(project.stateDir, folder)), folder).toBe(false);
});

test('a campaign runs on them', async () => {
  expect(run.code, run.stderr).toBe(0);
  expect(status).toMatchObject({
    campaign: { status: 'completed', suite: 'echo' },
    trials: { planned: 8, done: 8, passed: 8 },
    // Nobody told where their Web UI is.
    temporal_ui: null,
  });
  const { id } = status.campaign;
  // The record is in their Postgres, the workflow on their Temporal server, in the namespace that was named.
  expect((await servers.records.campaign(id)).trials.passed).toBe(8);
  const { workflowExecutionInfo } = await servers.client.workflowService.describeWorkflowExecution({
    namespace: NAMESPACE,
    execution: { workflowId: servers.names.campaign(id) },
  });
  expect(workflowExecutionInfo?.type?.name).toBe('campaign');
});

test('no password of theirs is written into the project’s state', async () => {
  const password = new URL(database.databaseUrl).password;
  expect(password).not.toBe('');
  for (const file of ['stack.json', 'logs/supervisor.log', 'logs/worker.log'])
    expect(await readFile(join(project.stateDir, file), 'utf8'), file).not.toContain(password);
});

test('`down` ends the worker and leaves the servers alone', async () => {
  const worker = state.services.worker.process;
  expect((await project.durabench('down')).code).toBe(0);
  expect(worker && isAlive(worker)).toBe(false);
  expect((await servers.records.campaign(status.campaign.id)).status).toBe('completed');
  const systemInfo = await servers.client.workflowService.getSystemInfo({});
  expect(systemInfo.serverVersion).toBeTruthy();
});
