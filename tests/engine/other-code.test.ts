import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startCampaign } from '../../src/adapters/temporal/campaign-workflow.js';
import type { StatusReport } from '../../src/contract/status.js';
import { startScriptedModelServer, type ScriptedModelServer } from '../../src/fakes/scripted-model-server.js';
import { workflowCode } from '../../src/stack/code-digest.js';
import { waitUntil } from '../../src/stack/wait-until.js';
import { createCliProject, type CliProject } from '../fixtures/cli/cli-project.js';
import { echoPlan } from '../fixtures/engine/echo-campaign.js';
import { startEngine, type Engine, type TestWorker } from '../fixtures/engine/engine.js';
import { freshDatabase, type FreshDatabase } from '../fixtures/postgres/postgres.js';
import { scriptedSpec } from '../fixtures/engine/throttled-run.js';
import { drawn } from '../vitest/drawn.js';
import { alteredPackage, BUILT_BUNDLE, IMPORTED_SLEEP, type Alteration } from '../fixtures/engine/workflow-bundle.js';

/** Workers of other workflow code than the one a campaign was begun on, as real processes on a real server. */
const TASKS = 10;
const WIDTH = 4;
const LONG = { timeoutMs: 300_000 };

const TRIAL = 'workflows/trial.ts';
const CLAIM = '    const claim = await records.claimTrial(';
const SPEC = '    const spec = claim.spec as unknown as TrialSpec;\n';
const before = { file: TRIAL, from: CLAIM, to: `    await sleep(1);\n${CLAIM}` };
const after = { file: TRIAL, from: SPEC, to: `${SPEC}    await sleep(1);\n` };
const inReplay = {
  file: TRIAL,
  from: SPEC,
  to: `${SPEC}    if (workflowInfo().unsafe.isReplaying) await sleep(1);\n`,
};
const renamed = ['workflows/trial.ts', 'activities/records.ts'].flatMap((file): Alteration[] => [
  { file, from: 'claimTrial', to: 'claimOneTrial' },
]);
/** The port keeps its name. */
const port = [
  { file: 'activities/records.ts', from: 'records.claimOneTrial', to: 'records.claimTrial' },
  { file: 'activities/records.ts', from: " | 'claimOneTrial'", to: '' },
  {
    file: 'activities/records.ts',
    from: '  /** Closes a trial;',
    to: "  claimOneTrial: Records['claimTrial'];\n  /** Closes a trial;",
  },
];

const answers = { isHeld: false, waiting: [] as (() => void)[] };
let folder: string;
let fresh: FreshDatabase;
let engine: Engine;
let model: ScriptedModelServer;
let project: CliProject;
/** For a cancel that does not come to its end: it uses up its time. */
let hurried: CliProject;
let bundle: string;

beforeAll(async () => {
  [folder, fresh, model] = await Promise.all([
    mkdtemp(join(tmpdir(), 'durabench-codes-')),
    freshDatabase(),
    startScriptedModelServer({
      rules: { rules: [{ match: { regex: '.*:\\n(.*)' }, template: 'Answer: {{1}}' }] },
      onRequest: async () =>
        answers.isHeld ? new Promise<void>((resolve) => answers.waiting.push(resolve)) : undefined,
    }),
  ]);
  engine = await startEngine(fresh.databaseUrl);
  bundle = BUILT_BUNDLE;
  project = await createCliProject(servers());
  hurried = await createCliProject({ ...servers(), DURABENCH_CANCEL_SECONDS: '10' });
});

function servers(): Record<string, string> {
  return {
    ...{ DATABASE_URL: fresh.databaseUrl, TEMPORAL_ADDRESS: engine.address, TEMPORAL_NAMESPACE: engine.namespace },
    DURABENCH_BLOBS: engine.blobsFolder,
  };
}

afterAll(async () => {
  release();
  await hurried?.close();
  await project?.close();
  await engine?.close();
  await model?.close();
  await fresh?.drop();
  await rm(folder, { recursive: true, force: true });
});

function release(): void {
  answers.isHeld = false;
  for (const answer of answers.waiting.splice(0)) answer();
}

/** A campaign of which some trials have ended and the questions of the others wait for their answers. */
async function underWay(name: string): Promise<{ id: string; asked: number; finished: string[] }> {
  const asked = model.requests.length;
  const plan = await echoPlan({
    ...{
      name,
      generators: ['model'],
      dataset: { tasks: TASKS },
      model: { ...scriptedSpec(model.url), timeoutSeconds: 250 },
    },
    concurrency: { trials: WIDTH, model: WIDTH },
  });
  const { id } = plan;
  await engine.records.createCampaign(plan);
  await startCampaign(engine, id);
  const done = async (): Promise<string[]> =>
    (await engine.records.trials(id)).filter(({ state }) => state === 'done').map((trial) => trial.id);
  expect(await waitUntil(async () => (await done()).length >= 2, LONG)).toBe(true);
  answers.isHeld = true;
  expect(await waitUntil(() => answers.waiting.length === Math.min(WIDTH, TASKS), LONG)).toBe(true);
  return { id, asked, finished: await done() };
}

async function untilEnded(id: string): Promise<void> {
  const isEnded = async (): Promise<boolean> => (await engine.records.campaign(id)).endedAt !== null;
  expect(await waitUntil(isEnded, LONG)).toBe(true);
}

/** Nothing of any campaign is left running on the server. */
async function untilQuiet(): Promise<void> {
  const running = { query: `ExecutionStatus = 'Running'` };
  const isQuiet = async (): Promise<boolean> => (await engine.client.workflow.count(running.query)).count === 0;
  expect(await waitUntil(isQuiet, LONG)).toBe(true);
}

/** Ends in order: what it has asked is answered meanwhile, and stored. */
async function stopInOrder(worker: TestWorker): Promise<void> {
  const stopped = worker.stop();
  release();
  await stopped;
}

describe('a worker of other workflow code takes a campaign over in the middle', () => {
  const CODES: Record<string, { old: Alteration[]; next: Alteration[] }> = {
    'a command added': { old: [], next: [IMPORTED_SLEEP, before] },
    'a command removed': { old: [IMPORTED_SLEEP, before], next: [] },
    'two commands reordered': { old: [IMPORTED_SLEEP, before], next: [IMPORTED_SLEEP, after] },
    'an activity renamed': { old: [], next: [...renamed, ...port] },
  };

  test.each(drawn(Object.keys(CODES), 4))(
    '%s: it goes on by the records, and no answer is asked for twice',
    async (name) => {
      const { old, next } = CODES[name]!;
      const [first, second] = [await built(`${name} old`, old), await built(`${name} next`, next)];
      const worker = await engine.startWorker(first);
      const { id, asked, finished } = await underWay('code');
      expect((await engine.records.campaign(id)).code).toBe(workflowCode(first.bundle));
      const kept = (await engine.records.trials(id)).filter((trial) => finished.includes(trial.id));
      await stopInOrder(worker);

      const other = await engine.startWorker(second);
      await untilEnded(id);
      const campaign = await engine.records.campaign(id);
      expect(campaign).toMatchObject({ status: 'completed', code: workflowCode(second.bundle) });
      expect(campaign.trials).toMatchObject({ planned: TASKS, passed: TASKS });
      expect(campaign.spend).toMatchObject({ calls: TASKS, repeatedCalls: 0 });
      expect(model.requests.length - asked).toBe(TASKS);
      const trials = await engine.records.trials(id);
      expect(trials.filter((trial) => finished.includes(trial.id))).toEqual(kept);
      // What was in the middle is done again, and nothing else.
      expect(trials.filter(({ runs }) => runs > 1).length).toBeLessThanOrEqual(WIDTH);
      const details = { from: workflowCode(first.bundle), to: workflowCode(second.bundle) };
      expect(await engine.records.events(id)).toMatchObject([{ action: 'take-over', details }]);
      const { stdout } = await project.durabench('status', id);
      expect(stdout).toMatch(new RegExp(`^taken over +.* by workflow code ${details.to}, from ${details.from}$`, 'm'));
      await untilQuiet();
      await other.stop();
    },
  );

  test('where the old worker was killed, what was in flight is asked at most once more', async () => {
    const next = await built('killed', [IMPORTED_SLEEP, before]);
    const worker = await engine.startWorker({ bundle });
    const { id, asked } = await underWay('killed');
    await worker.stop('SIGKILL');
    release();
    const other = await engine.startWorker(next);
    await untilEnded(id);
    const { status, trials, spend } = await engine.records.campaign(id);
    expect({ status, passed: trials.passed }).toEqual({ status: 'completed', passed: TASKS });
    expect(spend.repeatedCalls).toBeLessThanOrEqual(WIDTH);
    expect(model.requests.length - asked).toBe(TASKS + spend.repeatedCalls);
    await untilQuiet();
    await other.stop();
  });

  test('but not while a living worker has the old code: a history is replayed by the code that wrote it', async () => {
    const next = await built('beside', [IMPORTED_SLEEP, before]);
    const worker = await engine.startWorker({ bundle });
    const { id } = await underWay('beside');
    const other = await engine.startWorker(next);
    release();
    await untilEnded(id);
    expect(await engine.records.campaign(id)).toMatchObject({ status: 'completed', code: workflowCode(bundle) });
    expect(await engine.records.events(id)).toEqual([]);
    // It is closed before its workflow ends.
    await untilQuiet();
    await Promise.all([worker.stop(), other.stop()]);
  });
});

describe('workflows that cannot go on', () => {
  /** Its trials do something else in a replay: after a crash, none of those that ran can go on. */
  async function stuck(name: string): Promise<{ id: string; worker: TestWorker }> {
    const code = await built('stuck', [IMPORTED_SLEEP, inReplay]);
    const first = await engine.startWorker(code);
    const { id } = await underWay(name);
    await first.stop('SIGKILL');
    release();
    const worker = await engine.startWorker(code);
    // Nobody looks at it.
    const isTold = async (): Promise<boolean> => (await engine.records.campaign(id)).stuck !== null;
    expect(await waitUntil(isTold, LONG)).toBe(true);
    const problem = async (): Promise<boolean> =>
      /^problem +.*cannot go on \(.*TMPRL1100.*\): durabench resume /m.test(
        (await project.durabench('status', id)).stdout,
      );
    expect(await waitUntil(problem, LONG)).toBe(true);
    return { id, worker };
  }

  test('are told by the record, though nobody looks: in list, in status and in the log of the worker; and end by cancel', async () => {
    const { id, worker } = await stuck('unwatched');
    const told = (await engine.records.events(id)).filter(({ action }) => action === 'stuck');
    expect(told).toMatchObject([{ author: expect.stringMatching(/^worker@/) as string, details: { epoch: 1 } }]);
    expect(told[0]?.reason).toContain('TMPRL1100');
    expect((await engine.records.campaign(id)).stuck).toBe(told[0]?.reason);
    const words = new RegExp(`${id} .*cannot go on \\(.*TMPRL1100.*\\): durabench resume ${id}`);
    expect((await project.durabench('list')).stdout).toMatch(words);
    const { campaigns } = await project.json<{ campaigns: { campaign: { id: string }; problem?: string }[] }>(['list']);
    expect(campaigns.find(({ campaign }) => campaign.id === id)?.problem).toContain('TMPRL1100');
    expect((await project.durabench('status', id)).stdout).toMatch(/^stuck +since .*, told by worker@.*TMPRL1100/m);
    const log = (await readFile(worker.logFile, 'utf8')).split('\n').filter((line) => line.includes('cannot go on'));
    expect(log.map((line) => JSON.parse(line) as object)).toMatchObject([{ level: 50, campaign: id }]);

    expect((await project.json<StatusReport>(['cancel', id])).campaign.status).toBe('cancelled');
    expect((await engine.records.campaign(id)).stuck).toBeNull();
    expect((await project.durabench('list')).stdout).not.toMatch(words);
    await untilQuiet();
    await worker.stop();
  });

  test('are told by status, and started anew by resume', async () => {
    const { id, worker } = await stuck('stuck');
    const end = await project.json<StatusReport>(['resume', id]);
    expect(end).toMatchObject({ campaign: { status: 'completed' }, trials: { planned: TASKS, passed: TASKS } });
    expect(end.spend.repeated_calls).toBeLessThanOrEqual(WIDTH);
    await untilQuiet();
    await worker.stop();
  });

  test('end by cancel where no living worker has their code', async () => {
    const worker = await engine.startWorker({ bundle });
    const { id } = await underWay('unpolled');
    await worker.stop('SIGKILL');
    release();
    expect(await waitUntil(async () => !(await engine.records.isCodePolled(id)), LONG)).toBe(true);
    // Temporal is asked for seconds only, and a busy one does not answer in them.
    const says = async (): Promise<boolean> =>
      /^problem +no living worker has the workflow code it runs on/m.test(
        (await project.durabench('status', id)).stdout,
      );
    expect(await waitUntil(says, LONG)).toBe(true);
    expect((await project.json<StatusReport>(['cancel', id])).campaign.status).toBe('cancelled');
    await untilQuiet();
  });

  test('end by cancel where Temporal is unavailable, and there once it is back', async () => {
    const worker = await engine.startWorker({ bundle });
    const { id } = await underWay('away');
    await engine.killServer();
    const end = await project.durabench('cancel', id);
    expect(end).toMatchObject({ code: 0, stderr: expect.stringContaining('Temporal does not answer') as string });
    expect((await engine.records.campaign(id)).status).toBe('cancelled');
    await engine.restartServer();
    release();
    await untilQuiet();
    expect((await engine.records.campaign(id)).status).toBe('cancelled');
    await worker.stop();
  });
});

describe('a cancel comes to its end', () => {
  /** Holds rows locked until `free` is called. */
  async function locked(query: string): Promise<{ free: () => Promise<void> }> {
    const client = new pg.Client({ connectionString: fresh.databaseUrl });
    await client.connect();
    await client.query('begin');
    await client.query(query);
    return { free: () => client.end() };
  }

  /** Opened by a worker that is dead. */
  async function abandoned(name: string): Promise<string> {
    const worker = await engine.startWorker({ bundle });
    const { id } = await underWay(name);
    await worker.stop('SIGKILL');
    release();
    return id;
  }

  test('where Temporal hangs: by the records, and there by a worker once it answers', async () => {
    const id = await abandoned('hanging');
    process.kill(engine.serverPid(), 'SIGSTOP');
    const end = await project.durabench('cancel', id).finally(() => process.kill(engine.serverPid(), 'SIGCONT'));
    expect(end).toMatchObject({ code: 0, stderr: expect.stringContaining('Temporal does not answer') as string });
    expect((await engine.records.campaign(id)).status).toBe('cancelled');
    // Nothing but the end of its workflow is left, and no worker has its code any more.
    const other = await engine.startWorker(await built('beside', [IMPORTED_SLEEP, before]));
    await untilQuiet();
    expect(await readFile(join(engine.folder, 'reports', id, 'report.md'), 'utf8')).toContain(id);
    await other.stop();
  });

  test('where its record cannot be written: nothing is recorded, and that is said', async () => {
    const id = await abandoned('locked');
    const lock = await locked(`select from campaigns where id = '${id}' for update`);
    const end = await hurried.durabench('cancel', id).finally(lock.free);
    expect(end).toMatchObject({ code: 5, stderr: expect.stringContaining(`${id} was not cancelled`) as string });
    expect(end.stderr).toContain(`durabench cancel ${id}`);
    expect((await project.json<StatusReport>(['cancel', id])).campaign.status).toBe('cancelled');
    await untilQuiet();
  });

  test('where its trials cannot be ended: it says what is done, and a worker ends the rest by itself', async () => {
    const id = await abandoned('blocked');
    const lock = await locked(`select from batches where campaign_id = '${id}' for update`);
    const end = await hurried.durabench('cancel', id);
    expect(end.code).toBe(5);
    expect(end.stderr).toMatch(new RegExp(`the cancel of ${id} is recorded(, .*)?, but it has not ended within`));
    expect(end.stderr).toContain(`durabench status ${id}`);
    expect((await engine.records.campaign(id)).endedAt).toBeNull();
    const worker = await engine.startWorker({ bundle });
    await lock.free();
    await untilEnded(id);
    expect((await engine.records.campaign(id)).status).toBe('cancelled');
    await untilQuiet();
    await worker.stop();
  });
});

const packages = new Map<string, Promise<{ bundle: string; command?: string[]; cwd?: string }>>();

/** A package with these alterations, made once; the source tree itself where there are none. */
function built(name: string, alterations: Alteration[]): Promise<{ bundle: string; command?: string[]; cwd?: string }> {
  if (alterations.length === 0) return Promise.resolve({ bundle });
  const key = JSON.stringify(alterations);
  const found =
    packages.get(key) ??
    alteredPackage(join(folder, name.replaceAll(' ', '-')), alterations).then(({ root, bundle: own, command }) => ({
      bundle: own,
      command,
      cwd: root,
    }));
  packages.set(key, found);
  return found;
}
