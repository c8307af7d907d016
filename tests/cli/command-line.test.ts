import { spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { Revision } from '../../src/contract/revision.js';
import type { StatusReport } from '../../src/contract/status.js';
import { startScriptedModelServer, type ScriptedModelServer } from '../../src/fakes/scripted-model-server.js';
import { freePort } from '../fixtures/free-port.js';
import { PACKAGE_ROOT } from '../fixtures/package-root.js';
import type { EventRow } from '../../src/ports/records.js';
import type { StackState } from '../../src/stack/stack-state.js';
import { waitUntil } from '../fixtures/wait-until.js';
import { CampaignRecord } from '../fixtures/chaos/campaign-record.js';
import { createCliProject, printedBy, type CliProject, type CommandEnd } from '../fixtures/cli/cli-project.js';
import { CountedAnswers } from '../fixtures/cli/counted-answers.js';

/** The built command line on a stack of its own, with echo campaigns: exit codes, contract, detaching, attaching. */
let project: CliProject;
let model: ScriptedModelServer;
/** Of the model `held`. */
const answers = new CountedAnswers();

beforeAll(async () => {
  project = await createCliProject();
  model = await startScriptedModelServer({
    rules: {
      rules: [
        { match: { model: 'refused' }, status: 401 },
        { match: { model: 'garbled' }, answer: 'x', malformed: 'not-json', plain: true },
        { match: { model: 'silent' }, answer: '' },
        { match: { model: 'unmetered' }, answer: 'Answer: no', usage: 'none' },
        { match: { model: 'limited' }, status: 429, error: { message: 'slow down' } },
        { match: { model: 'failing' }, status: 500, error: { message: 'on fire' } },
        { match: { model: 'held', regex: '.*:\\n(.*)' }, template: 'Answer: {{1}}' },
        { answer: 'Answer: no', usage: { input: 1000, output: 10 } },
      ],
    },
    onRequest: async ({ model: asked }) => {
      if (asked === 'held') await answers.next();
    },
  });
  await project.json(['up']);
});

afterAll(async () => {
  await project?.close();
  await model?.close();
});

async function campaign(name: string, text: string): Promise<string> {
  await writeFile(join(project.folder, `${name}.yaml`), `name: ${name}\nsuite: echo\n${text}`);
  return `${name}.yaml`;
}

const PERFECT = 'systems: [{ id: perfect, generator: echo }]\n';
/** So many trials of each system in a row, each of which ends when the model `held` may answer. */
const held = (name: string, tasks: number, systems = ['asked'], settings = ''): Promise<string> => {
  const models = `models: { held: { name: held, base_url: "${model.url}", price: free } }\n`;
  const asked = systems.map((id) => `  - { id: ${id}, generator: model, model: held }\n`).join('');
  const rest = `systems:\n${asked}concurrency: { trials: 2 }\n${settings}`;
  return campaign(name, `dataset: { tasks: ${tasks} }\n${models}${rest}`);
};

/** The first line is `{"campaign_id"}`, the rest the contract. */
function parsed({ stdout }: CommandEnd): { id: string; report: StatusReport } {
  const [first = '', ...rest] = stdout.split('\n');
  const { campaign_id: id } = JSON.parse(first) as { campaign_id: string };
  return { id, report: JSON.parse(rest.join('\n')) as StatusReport };
}

/** Ends a command by Ctrl-C once it watches: before that a signal would end it as any other process. */
async function interrupted(...commandLine: string[]): Promise<CommandEnd> {
  const child = project.start(...commandLine);
  const end = printedBy(child);
  expect(await waitUntil(() => /\d of \d+ done/.test(end.stderr))).toBe(true);
  child.kill('SIGINT');
  await once(child, 'close');
  return end;
}

/** Starts `run`, and returns once one trial has ended and the command watches; the others wait for their answers. */
async function startAndWaitForTrials(file: string): Promise<{ child: ChildProcess; end: CommandEnd; id: string }> {
  answers.letThrough(1);
  const child = project.start('run', file, '--json');
  const end = printedBy(child);
  const id = await waitUntil(() => /"campaign_id":"([^"]+)"/.exec(end.stdout)?.[1]);
  if (id === undefined) throw new Error(`run did not start: ${end.stderr}`);
  const isUnderWay = async (): Promise<boolean> =>
    (await query(`select from trials where campaign_id = '${id}' and state = 'done' limit 1`)) > 0;
  expect(await waitUntil(isUnderWay)).toBe(true);
  // Its progress is watched from then on.
  expect(await waitUntil(() => /\d of 6 done/.test(end.stderr))).toBe(true);
  return { child, end, id };
}

async function stackState(): Promise<StackState> {
  return JSON.parse(await readFile(join(project.stateDir, 'stack.json'), 'utf8')) as StackState;
}

/** Gives the number of rows. */
async function query(sql: string): Promise<number> {
  const client = new pg.Client({ connectionString: (await stackState()).addresses.databaseUrl! });
  await client.connect();
  const { rowCount } = await client.query(sql).finally(() => client.end());
  return rowCount ?? 0;
}

test('a second `up` finds the first stack', async () => {
  const again = await project.json<{ up: boolean; was_up: boolean }>(['up']);
  expect(again).toMatchObject({ up: true, was_up: true });
});

describe('a campaign that completes', () => {
  let id: string;

  test('run --json: the id first, the contract last, exit code 0 whatever the scores', async () => {
    const file = await campaign(
      'noisy',
      'dataset: { tasks: 8 }\nsystems:\n  - { id: perfect, generator: echo }\n  - { id: noise, generator: noise }\n',
    );
    const end = await project.durabench('run', file, '--json');
    expect(end.code, end.stderr).toBe(0);
    const { id: started, report } = parsed(end);
    id = started;
    expect(id).toMatch(/^noisy-[0-9a-z]{10}$/);
    const keys = [
      'version',
      'campaign',
      'trials',
      'spend',
      'judge',
      'systems',
      'report',
      'temporal_ui',
      'temporal_queries',
    ];
    expect(Object.keys(report)).toEqual(keys);
    expect(report.campaign).toEqual({
      id,
      name: 'noisy',
      status: 'completed',
      suite: 'echo',
      dataset: 'echo@1 (8 tasks)',
      revises: null,
      revised_by: [],
    });
    expect(report.trials).toMatchObject({ planned: 16, done: 16, errored: 0, not_run: 0 });
    expect(report.trials.passed + report.trials.failed).toBe(16);
    expect(report.systems[0]).toMatchObject({
      id: 'perfect',
      trials: 8,
      passed: 8,
      pass_rate: 1,
      rates: { localized: 1, voted: 1 },
    });
    expect(report.systems[1]!.pass_rate).toBe(report.systems[1]!.passed / 8);
    expect(existsSync(report.report.path!)).toBe(true);
    expect(report.temporal_ui).toMatch(
      new RegExp(`^http://127\\.0\\.0\\.1:\\d+/namespaces/durabench/workflows/[0-9a-f]{12}%2Fcampaign%2F${id}$`),
    );
    expect(await project.json(['status', 'latest'])).toEqual(report);
    expect(await project.json(['report', id.slice(0, 8)])).toEqual(report);
  });

  test('list, show and report know it', async () => {
    const { campaigns } = await project.json<{ campaigns: { campaign: { id: string } }[] }>(['list']);
    expect(campaigns[0]?.campaign.id).toBe(id);
    const trial = await project.json<{ steps: { stage: string }[]; votes: unknown[] }>([
      'show',
      `${id}/authored-plain/perfect`,
    ]);
    expect(trial.steps.map((step) => step.stage)).toEqual([
      'harvest',
      'generate',
      'localize',
      'vote',
      'execute',
      'score',
    ]);
    expect(trial.votes).toHaveLength(3);
    const words = await project.durabench('show', `${id}/authored-plain/perfect`);
    expect(words.stdout).toMatch(/answer\.txt \(\d+ bytes\) \//);
    expect((await project.durabench('report', id, '--format', 'md')).stdout).toContain('# noisy');
  });

  test('the worker writes the report of a campaign that nobody watches; status names none that is older than the record', async () => {
    const systems = 'systems:\n  - { id: perfect, generator: echo }\n';
    const file = await campaign('unwatched', `dataset: { tasks: 3 }\n${systems}`);
    const detached = (await project.durabench('run', file, '--detach')).stdout.trim();
    const written = async (): Promise<string | undefined> =>
      (await project.json<StatusReport>(['status', detached])).report.path ?? undefined;
    const markdown = (await waitUntil(written, { timeoutMs: 300_000 })) ?? '';
    expect(await readFile(markdown, 'utf8')).toContain('3 of 3 trials done: 3 passed');
    expect((await project.durabench('status', detached)).stdout).toMatch(/^report {7}\S+\.html \(written 20\S+\)$/m);

    await project.durabench('budget', detached, '--usd', '5');
    const status = (await project.durabench('status', detached)).stdout;
    expect(status).toMatch(/^report {7}out of date \(written 20\S+\): durabench report unwatched-\S+$/m);
    expect(await written()).toBeUndefined();

    const retry = ['retry', detached, '--trial', 'authored-plain/perfect', '--reason', 'again', '--detach'];
    const again = await project.durabench(...retry);
    expect([again.code, again.stderr]).toEqual([
      0,
      expect.stringMatching(/^unwatched-\S+ (continues in the background; reattach: durabench status|has ended)/m),
    ]);
    await waitUntil(written, { timeoutMs: 300_000 });
    expect(await readFile(markdown, 'utf8')).toContain('Run again');
  });

  test('--id attaches where the question is the same, and refuses where it is not', async () => {
    const same = await campaign(
      'noisy',
      'dataset: { tasks: 8 }\nsystems:\n  - { id: perfect, generator: echo }\n  - { id: noise, generator: noise }\nconcurrency: { trials: 2 }\n',
    );
    const attached = await project.durabench('run', same, '--id', id, '--json');
    expect(attached.code, attached.stderr).toBe(0);
    expect(parsed(attached).report.campaign.id).toBe(id);
    expect(attached.stderr).toContain(`${id} already finished (completed)`);
    expect(attached.stderr).not.toContain('started');
    const other = await campaign('noisy', `dataset: { tasks: 9 }\n${PERFECT}`);
    const refused = await project.durabench('run', other, '--id', id);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/asks another question. What differs: dataset\.tasks, .*systems\.noise/);
    expect(refused.stderr).toContain(`durabench run FILE --revises ${id}`);
  });

  test('--revises starts a new campaign linked to the old one, and says what that invalidates; --dry-run only says it', async () => {
    const file = await campaign('noisy', `dataset: { tasks: 9 }\n${PERFECT}`);
    const dry = await project.durabench('run', file, '--revises', id, '--dry-run', '--json');
    expect(dry.code, dry.stderr).toBe(0);
    const { revision, trials } = JSON.parse(dry.stdout) as { revision: Revision; trials: number };
    expect(trials).toBe(9);
    expect(revision).toMatchObject({ of: id, trials: { planned: 16, invalidated: 0, left_out: 8, unchanged: 8 } });
    expect(revision.changes.map(({ part }) => part)).toEqual(['dataset.tasks', 'systems.noise', 'tasks']);

    const started = await project.durabench('run', file, '--revises', id, '--reason', 'one more', '--json');
    expect(started.code, started.stderr).toBe(0);
    expect(started.stderr).toContain('dataset.tasks: 8 → 9');
    const { campaign: revised } = parsed(started).report;
    expect(revised).toMatchObject({ revises: id, revised_by: [] });
    const [words, list, old] = await Promise.all([
      project.durabench('status', revised.id),
      project.durabench('list', '--json'),
      project.durabench('report', id, '--format', 'md'),
    ]);
    expect(words.stdout).toMatch(new RegExp(`revises +${id}: .*systems\\.noise`));
    const { campaigns } = JSON.parse(list.stdout) as { campaigns: Pick<StatusReport, 'campaign'>[] };
    expect(campaigns.find((each) => each.campaign.id === id)?.campaign).toMatchObject({ revised_by: [revised.id] });
    expect(old.stdout).toContain(`Revised by ${revised.id}`);
    const { events } = JSON.parse((await project.durabench('show', id, '--json')).stdout) as { events: EventRow[] };
    expect(events.at(-1)).toMatchObject({ action: 'revised', reason: 'one more', details: { by: revised.id } });

    const nothing = await project.durabench('run', file, '--revises', revised.id);
    expect(nothing.code).toBe(1);
    expect(nothing.stderr).toMatch(/asks the same question as .*nothing to revise/);
  });
});

test('trials that errored: complete, exit code 2', async () => {
  const end = await project.durabench(
    'run',
    await campaign('broken', `dataset: { tasks: 4, brokenEvery: 2 }\n${PERFECT}`),
    '--json',
  );
  expect(end.code, end.stderr).toBe(2);
  expect(parsed(end).report.trials).toMatchObject({ planned: 4, errored: 2 });
});

test('Ctrl-C detaches with 0, resume does nothing while it runs, status --watch comes back', async () => {
  const { child, end, id } = await startAndWaitForTrials(await held('detached', 6));
  child.kill('SIGINT');
  await once(child, 'close');
  expect(end.code).toBe(0);
  expect(end.stderr).toContain(`detached; ${id} continues in the background; reattach: durabench status ${id} --watch`);
  const refused = await project.durabench('resume', id);
  expect(refused.code).toBe(0);
  expect(refused.stderr).toMatch(/is running: there is nothing to resume/);
  const left = await interrupted('status', id, '--watch', '--json');
  expect(left.code).toBe(0);
  expect(JSON.parse(left.stdout)).toMatchObject({ campaign: { id, status: 'running' }, trials: { planned: 6 } });
  answers.letThrough(Infinity);
  const watched = await project.json<StatusReport>(['status', id, '--watch']);
  expect(watched.trials).toMatchObject({ planned: 6, passed: 6 });
});

test('Ctrl-C the moment a campaign is recorded detaches from it, and says so', async () => {
  const child = project.start('run', await held('early', 2), '--json');
  const end = printedBy(child);
  child.stdout!.once('data', () => child.kill('SIGINT'));
  await once(child, 'close');
  const id = /"campaign_id":"([^"]+)"/.exec(end.stdout)?.[1];
  expect(end.code, end.stderr).toBe(0);
  // The answers that others were let may have ended it by now.
  expect(end.stderr).toMatch(new RegExp(`^detached; ${id} (continues in the background|has ended)`, 'm'));
  answers.letThrough(Infinity);
  expect((await project.json<StatusReport>(['status', String(id), '--watch'])).trials).toMatchObject({ passed: 2 });
});

test('an experiment that is left by Ctrl-C answers with its id alone, and compare with its decision later', async () => {
  const decided = 'experiment: { baseline: asked, smallest_effect: 0.05 }\n';
  const file = await held('left', 3, ['asked', 'other'], decided);
  answers.letThrough(1);
  const { code, stdout } = await interrupted('experiment', file, '--json');
  expect(code).toBe(0);
  const answer = JSON.parse(stdout) as Record<string, unknown>;
  expect(answer).toEqual({ version: 2, campaign_id: expect.stringMatching(/^left-/) as string });
  const id = String(answer.campaign_id);
  answers.letThrough(Infinity);
  await project.json(['status', id, '--watch']);
  expect(await project.json(['compare', id])).toMatchObject({ pairs: [{ tasks: 3, decision: 'undecided' }] });
});

test('cancel ends `run` with 4; resume goes on to the end', async () => {
  const { child, end, id } = await startAndWaitForTrials(await held('cancelled', 6));
  const ended = once(child, 'close');
  expect((await project.json<StatusReport>(['cancel', id])).campaign.status).toBe('cancelled');
  await ended;
  expect(end.code).toBe(4);
  const { passed } = (await project.json<StatusReport>(['status', id])).trials;
  expect(passed).toBe(1);
  expect((await project.durabench('cancel', id)).code).toBe(0);
  answers.letThrough(Infinity);
  const resumed = await project.json<StatusReport>(['resume', id]);
  expect(resumed.campaign.status).toBe('completed');
  expect(resumed.trials).toMatchObject({ planned: 6, passed: 6 });
  expect((await project.durabench('resume', id)).stderr).toMatch(/every trial has ended/);
});

test('a campaign whose workflow was terminated can be cancelled, and then resumed', async () => {
  const { child, id } = await startAndWaitForTrials(await held('terminated', 6));
  child.kill('SIGKILL');
  const { addresses } = await stackState();
  const names = await new CampaignRecord(async () => addresses.databaseUrl ?? '').names();
  const connection = await Connection.connect({ address: `127.0.0.1:${addresses.temporalPort}` });
  await new Client({ connection, namespace: 'durabench' }).workflow.getHandle(names.campaign(id)).terminate('test');
  await connection.close();
  expect((await project.json<StatusReport>(['cancel', id])).campaign.status).toBe('cancelled');
  answers.letThrough(Infinity);
  const resumed = await project.json<StatusReport>(['resume', id]);
  expect(resumed).toMatchObject({ campaign: { status: 'completed' }, trials: { planned: 6, passed: 6 } });
});

test('a campaign that stayed open after its last trial is closed by resume, which then has nothing to do', async () => {
  const { id } = parsed(
    await project.durabench('run', await campaign('open', `dataset: { tasks: 2 }\n${PERFECT}`), '--json'),
  );
  const again = await project.durabench('run', 'open.yaml', '--id', id, '--detach');
  expect(again.stderr).toContain(`${id} has ended (completed); see its result: durabench report ${id}`);
  expect(again.stderr).not.toContain('goes on');
  await query(`update campaigns set ended_as = null, ended_at = null where id = '${id}'`);
  expect((await project.json<StatusReport>(['status', id])).campaign.status).toBe('running');
  expect((await project.json<StatusReport>(['resume', id])).campaign.status).toBe('completed');
  expect((await project.durabench('resume', id)).stderr).toMatch(/every trial has ended/);
});

test('a paused campaign says so, names resume, and goes on with it', async () => {
  const { child, end, id } = await startAndWaitForTrials(await held('paused', 6));
  await query(`update campaigns set desired_state = 'pause' where id = '${id}'`);
  child.kill('SIGINT');
  await once(child, 'close');
  expect(end.stderr).toContain(`detached; ${id} is paused; go on with: durabench resume ${id}`);
  const { stdout } = await project.durabench('status', id);
  expect(stdout).toMatch(new RegExp(`^status +paused[\\s\\S]*^next +durabench resume ${id}$`, 'm'));
  answers.letThrough(Infinity);
  const resumed = await project.json<StatusReport>(['resume', id]);
  expect(resumed).toMatchObject({ campaign: { status: 'completed' }, trials: { planned: 6, passed: 6 } });
});

test('a key exported after `up` reaches the worker with `run`, without anything else being stopped', async () => {
  const keyed = await createCliProject({ DURABENCH_HOME: project.stateDir, LATE_KEY: 'sk-late' });
  const models = `models: { m: { name: m, base_url: "${model.url}", api_key_env: LATE_KEY, price: free } }\n`;
  const file = await campaign(
    'keyed',
    `dataset: { tasks: 2 }\n${models}systems: [{ id: asked, generator: model, model: m }]\n`,
  );
  const before = await stackState();
  const end = await keyed.durabench('run', join(project.folder, file), '--json');
  const after = await stackState();
  await rm(keyed.folder, { recursive: true });
  expect(end.code, end.stderr).toBe(0);
  expect(end.stderr).toContain('restarting: LATE_KEY');
  expect(parsed(end).report.trials).toMatchObject({ done: 2, errored: 0, not_run: 0 });
  expect(after.services.worker.process).not.toEqual(before.services.worker.process);
  expect(after.services.temporal.process).toEqual(before.services.temporal.process);
});

describe('a model endpoint that lets a campaign down is told in three lines', () => {
  /** One system and one trial for each model. */
  const asking = (name: string, models: Record<string, string>): Promise<string> => {
    const entry = ([key, url]: [string, string]): string =>
      `  ${key}: { name: ${key}, base_url: "${url}", price: { input: 1, output: 1 }, max_output_tokens: 50 }\n`;
    const systems = Object.keys(models).map((key) => `{ id: ${key}, generator: model, model: ${key} }`);
    const entries = Object.entries(models).map(entry).join('');
    return campaign(
      name,
      `dataset: { tasks: 1 }\nmodels:\n${entries}systems: [${systems.join(', ')}]\nconcurrency: { batches: 4 }\n`,
    );
  };

  test('401, no JSON, an empty answer, an answer without usage: at the end of `run`, in `show` and in the report', async () => {
    const names = ['refused', 'garbled', 'silent', 'unmetered'];
    const file = await asking('let-down', Object.fromEntries(names.map((name) => [name, model.url])));
    const end = await project.durabench('run', file);
    expect(end.code, end.stderr).toBe(2);
    const { host } = new URL(model.url);
    const refused = [
      `refused at ${host} answered 401: .*`,
      'expected: an endpoint that asks for no key.*',
      'fix: name the variable .*npx durabench retry let-down-\\w+ --errored',
    ];
    const garbled = [
      // Its usage is not known, so it may have been billed each time: twice, and no more.
      `2 requests to garbled .* no further one is sent. Last: garbled at ${host} sent a whole reply, but its body is not JSON`,
      'expected: 2 such requests for one call .*',
      'fix: .* base_url .*npx durabench retry let-down-\\w+ --trial \\S+ --fresh .*',
    ];
    const empty = ['the answer is empty', 'expected: an answer with a line .*', 'fix: .*max_output_tokens.*'];
    const { campaign: subject } = await project.json<StatusReport>(['status', 'latest']);
    const below = (label: string, lines: string[]): RegExp => new RegExp(`^${label} *${lines.join('\\n +')}$`, 'm');
    const report = (await project.durabench('report', subject.id)).stdout;
    for (const said of [end.stdout, (await project.durabench('status', subject.id)).stdout, report]) {
      expect(said).toMatch(below('.*refused: 1 errored, model.unauthorized:', refused));
      expect(said).toMatch(below('.*garbled: 1 errored, model.ambiguous:', garbled));
    }
    const shown = async (system: string): Promise<string> =>
      (await project.durabench('show', `${subject.id}/authored-plain/${system}`)).stdout;
    expect(await shown('refused')).toMatch(below('message', refused));
    expect(await shown('garbled')).toMatch(below('message', garbled));
    expect(await shown('silent')).toMatch(below('because', empty));
    expect(report).toMatch(
      below('', [
        '1 of these calls came without usage, from unmetered; .* at its estimate.',
        'expected: .*usage.*',
        'fix: have the endpoint report usage.*',
      ]),
    );
    const markdown = (await project.durabench('report', subject.id, '--format', 'md')).stdout;
    expect(markdown).toMatch(/answered 401: .*<br>expected: .*<br>fix: .*--errored \|/);
  });

  test('429, 500 and an endpoint that is down: in `status`, while they are waited for', async () => {
    const down = `http://127.0.0.1:${await freePort()}/v1`;
    const file = await asking('held-up', { limited: model.url, failing: model.url, down });
    const { stdout } = await project.durabench('run', file, '--detach', '--json');
    const { campaign_id: id } = JSON.parse(stdout) as { campaign_id: string };
    const expected = [
      /^waiting for the rate limit .*: limited at \S+ answered 429: .*slow down\n {2}expected: .*limits of the account.*\n {2}fix: .*by itself/m,
      /^waiting for the model provider \(server errors\) since .*: failing at \S+ answered 500: .*on fire\n {2}expected: .*status 200\n {2}fix: it is tried 8 times/m,
      /^waiting for the model provider \(unreachable\) since .*: down at \S+ cannot be reached \(ECONNREFUSED\)\n {2}expected: .*base_url\n {2}fix: it is tried 8 times/m,
    ];
    let status = '';
    const isTold = async (): Promise<boolean> => {
      status = (await project.durabench('status', id)).stdout;
      return expected.every((words) => words.test(status));
    };
    await waitUntil(isTold);
    for (const words of expected) expect(status).toMatch(words);
    expect((await project.json<StatusReport>(['cancel', id])).campaign.status).toBe('cancelled');
  });
});

test('clean says what it removed: blobs, containers and content', async () => {
  const cleaned = await project.json<Record<string, number>>(['clean']);
  expect(cleaned).toMatchObject({ removed_blobs: 0 });
  expect(cleaned.removed_containers).toBeGreaterThanOrEqual(0);
  expect(cleaned.removed_contents).toBeGreaterThanOrEqual(0);
});

test('Temporal that does not answer is waited for, in words and without a stack', async () => {
  const { addresses } = await stackState();
  const dead = { TEMPORAL_ADDRESS: `127.0.0.1:${await freePort()}`, DATABASE_URL: addresses.databaseUrl! };
  const elsewhere = await createCliProject({ ...dead, DURABENCH_HOME: project.stateDir });
  const file = await campaign('waiting', `dataset: { tasks: 2 }\n${PERFECT}`);
  const child = elsewhere.start('run', join(project.folder, file));
  let said = '';
  child.stderr?.on('data', (bytes: Buffer) => (said += bytes.toString()));
  const waits = await waitUntil(() => said.includes(`waiting for Temporal at ${dead.TEMPORAL_ADDRESS}`));
  child.kill('SIGKILL');
  await rm(elsewhere.folder, { recursive: true });
  expect(waits, said).toBe(true);
  expect(said).not.toMatch(/^\s+at /m);
});

test('a scripted model is served by the stack from the run that names its rules, anew where they changed, until `down`', async () => {
  const rules = join(project.folder, 'rules.yaml');
  const line = '"Answer: ":\\n(.*)';
  const saying = (answer: string): string => stringify({ rules: [{ match: { regex: line }, template: answer }] });
  const system = 'systems: [{ id: asked, generator: model, model: played }]\n';
  // Several may answer from the same rules.
  const models = ['played', 'other', 'third'].map((name) => [name, { name, rules: 'rules.yaml', price: 'free' }]);
  const file = await campaign(
    'scripted',
    `dataset: { tasks: 2 }\nmodels: ${JSON.stringify(Object.fromEntries(models))}\n${system}`,
  );
  const missing = await project.durabench('validate', file);
  expect([missing.code, missing.stderr]).toEqual([
    1,
    expect.stringMatching(/models\.played\.rules: "rules\.yaml" does not exist/),
  ]);
  const passed = async (): Promise<number> => {
    expect(await project.durabench('run', file)).toMatchObject({ code: 0 });
    return (await project.json<StatusReport>(['status', 'latest'])).trials.passed;
  };
  await writeFile(rules, saying('Answer: {{1}}'));
  expect(await passed()).toBe(2);
  await writeFile(rules, saying('I would rather not.'));
  expect(await passed()).toBe(0);
  const [served = '', ...others] = (await readdir(project.stateDir)).filter((name) => name.startsWith('mock-model-'));
  expect(others).toEqual([]);
  const { port } = JSON.parse(await readFile(join(project.stateDir, served), 'utf8')) as { port: number };
  expect((await fetch(`http://127.0.0.1:${port}/v1/models`)).status).toBe(200);
  expect((await project.json<{ stopped: string[] }>(['down'])).stopped).toContain('scripted models');
  await expect(fetch(`http://127.0.0.1:${port}/v1/models`)).rejects.toThrow();
});

test('the pages of a stack are served from `up --view` to `down`, and begun anew on their port', async () => {
  const shown = await project.json<{ pages: string }>(['up', '--view']);
  expect(shown.pages).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/);
  expect(await (await fetch(shown.pages)).text()).toContain('<h1>Campaigns</h1>');
  expect((await project.durabench('up')).stdout).toContain(`pages        ${shown.pages}\n`);
  expect(await project.json(['up', '--view'])).toMatchObject({ pages: shown.pages });
  // The port of somebody else is not exchanged for another one.
  const taken = createServer();
  taken.listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  try {
    const { code, stderr } = await project.durabench('up', '--view', String(port));
    expect([code, stderr]).toEqual([5, expect.stringContaining(`port ${port} is taken`)]);
  } finally {
    taken.close();
  }
  expect(await project.json(['up', '--view'])).toMatchObject({ pages: expect.any(String) as string });
  expect((await project.durabench('up', '--view', '--foreground')).stderr).toContain('no effect with --foreground');
  expect((await project.json<{ stopped: string[] }>(['down'])).stopped).toContain('pages');
  await expect(fetch(shown.pages)).rejects.toThrow();
});

test.each([
  ['quickstart', ['quickstart']],
  ['grade', ['grade', '.', '--project', 'requests']],
])('a disk nearly full: %s says so, ends with 5, and starts nothing', async (_, command) => {
  const full = await createCliProject({ DURABENCH_MIN_FREE_GIB: '1000000' });
  try {
    await writeFile(join(full.folder, 'own.py'), 'x = 1\n');
    const { code, stderr } = await full.durabench(...command);
    expect(stderr.trim()).toMatch(/^error: .*free.*\n( {2}expected: .*\n)? {2}fix: .*$/);
    expect(code).toBe(5);
    expect(existsSync(join(full.stateDir, 'stack.json'))).toBe(false);
  } finally {
    await full.close();
  }
});

test('output that finds no room is told in words, and ends with 5', () => {
  const full = openSync('/dev/full', 'w');
  const { status, stderr } = spawnSync(process.execPath, [join(PACKAGE_ROOT, 'bin', 'durabench.js'), '--help'], {
    stdio: ['ignore', full, 'pipe'],
    encoding: 'utf8',
  });
  closeSync(full);
  expect(stderr).toMatch(/^error: standard output cannot be used: the disk is full \(ENOSPC, write\)\n {2}fix: .*\n$/);
  expect(status).toBe(5);
});

test('a worker of one’s own, started by hand, finishes what waits', async () => {
  expect((await project.durabench('status')).code).toBe(5);
  await project.json(['up', '--no-worker']);
  const { stdout } = await project.durabench(
    'run',
    await campaign('by-hand', `dataset: { tasks: 4 }\n${PERFECT}`),
    '--detach',
    '--json',
  );
  const { campaign_id: id } = JSON.parse(stdout) as { campaign_id: string };
  const worker = project.start('worker', '--slots', 'light=4');
  const report = await project.json<StatusReport>(['status', id, '--watch']);
  expect(report.trials).toMatchObject({ planned: 4, passed: 4 });
  worker.kill('SIGTERM');
  const [code] = (await once(worker, 'close')) as [number];
  expect(code).toBe(0);
});
