import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect, UserError, type ClientEvent, type Durabench, type StatusReport } from '../../src/client/index.js';
import { createCliProject, type CliProject } from '../fixtures/cli/cli-project.js';
import { PACKAGE_ROOT } from '../fixtures/engine/engine.js';

// What `import { connect } from 'durabench'` gives: campaigns without a command line.

const CAMPAIGN = `
name: library
suite: echo
dataset: { tasks: 6 }
systems:
  - { id: perfect, generator: echo }
  - { id: noise, generator: noise }
`;

let project: CliProject;
let durabench: Durabench;
const events: ClientEvent[] = [];

beforeAll(async () => {
  project = await createCliProject();
  await writeFile(join(project.folder, 'campaign.yaml'), CAMPAIGN);
  const variables = { ...process.env, DURABENCH_HOME: project.stateDir };
  durabench = await connect({ folder: project.folder, variables, onEvent: (event) => events.push(event) });
});

afterAll(async () => {
  await durabench?.close();
  await project?.close();
});

test('opens an engine, and tells what it starts', () => {
  expect(events).toContainEqual({ type: 'step', step: 'worker', message: expect.stringMatching(/^up/) as string });
});

test('starts a campaign, follows it to its end, and reads its results', async () => {
  const started = await durabench.start('campaign.yaml', { id: 'library-1' });
  expect(started).toMatchObject({ id: 'library-1', state: 'started', trials: 12 });
  const states: StatusReport[] = [];
  for await (const state of durabench.follow('library-1')) states.push(state);
  expect(states.at(-1)).toMatchObject({ campaign: { id: 'library-1', status: 'completed' }, trials: { done: 12 } });
  const report = await durabench.report('library');
  expect(report.systems[0]).toMatchObject({ id: 'perfect', passed: 6, pass_rate: 1, rates: { voted: 1 } });
  const rows = await durabench.trials('latest');
  expect(rows.map(({ outcome }) => outcome)).not.toContain(null);
  expect(rows).toHaveLength(12);
  const [first] = rows;
  expect((await durabench.trial(first!.id)).steps.length).toBeGreaterThan(0);
  expect((await durabench.campaigns()).map(({ id }) => id)).toEqual(['library-1']);
  // The same question under the same id is the same campaign.
  expect(await durabench.start('campaign.yaml', { id: 'library-1' })).toMatchObject({ state: 'ended' });
});

test('leaving the loop leaves the campaign running; another one can be cancelled', async () => {
  await writeFile(join(project.folder, 'long.yaml'), CAMPAIGN.replace('tasks: 6', 'tasks: 400'));
  const { id } = await durabench.start('long.yaml');
  for await (const { campaign } of durabench.follow(id)) if (campaign.status === 'running') break;
  expect((await durabench.status(id)).campaign.status).toBe('running');
  await durabench.cancel(id, { reason: 'enough' });
  let last: StatusReport | undefined;
  for await (const state of durabench.follow(id)) last = state;
  expect(last?.campaign.status).toBe('cancelled');
  // What there is nothing to do about is no failure, as on the command line.
  expect(await durabench.pause(id, { reason: 'too late' })).toMatchObject({ state: 'ended', status: 'cancelled' });
});

test('throws what is wrong with a file as data', async () => {
  await writeFile(join(project.folder, 'wrong.yaml'), CAMPAIGN.replace('suite: echo', 'suite: ecko'));
  const error = await durabench.start('wrong.yaml').catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(UserError);
  expect((error as UserError).problems[0]).toMatchObject({ fix: expect.stringContaining('echo') as string });
  await expect(durabench.status('nobody')).rejects.toMatchObject({ kind: 'usage' });
});

test('the example runs, by the name of the package', async () => {
  const script = join(PACKAGE_ROOT, 'examples', 'library', 'run-campaign.mjs');
  const env = { ...process.env, DURABENCH_HOME: project.stateDir };
  const { stdout } = await promisify(execFile)(process.execPath, [script, 'campaign.yaml'], {
    cwd: project.folder,
    env,
  });
  expect(JSON.parse(stdout)).toMatchObject({
    status: 'completed',
    systems: [{ id: 'perfect', passed: 6 }, { id: 'noise' }],
  });
});
