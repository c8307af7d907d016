import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/adapters/postgres/query-builder.js';
import { startCampaign } from '../../src/adapters/temporal/campaign-workflow.js';
import { openDatabase, type Database } from '../../src/adapters/postgres/schema/database.js';
import type { StatusReport } from '../../src/contract/status.js';
import {
  startScriptedModelServer,
  type ScriptedModelServer,
  type SeenRequest,
} from '../../src/fakes/scripted-model-server.js';
import { waitUntil } from '../fixtures/wait-until.js';
import { createCliProject, type CliProject } from '../fixtures/cli/cli-project.js';
import { echoPlan } from '../fixtures/engine/echo-campaign.js';
import { startEngine, type Engine } from '../fixtures/engine/engine.js';
import { freshDatabase, type FreshDatabase } from '../fixtures/postgres/postgres.js';
import { scriptedSpec } from '../fixtures/engine/throttled-run.js';
import { BUILT_BUNDLE } from '../fixtures/engine/workflow-bundle.js';

/** Two Temporal servers, each with its worker, on one Postgres and one blob store: what two machines share. */
const TASKS = 12;
/** Calls that are still under way when the campaign changes hands: the second four of the model's. */
const isHeld = ({ n }: SeenRequest): boolean => n > 4 && n <= 8;
let release: () => void;
const released = new Promise<void>((resolve) => (release = resolve));

let fresh: FreshDatabase;
let database: Database;
let blobs: string;
let model: ScriptedModelServer;
let older: Engine;
let newer: Engine;
/** The command line of whoever sits at the newer server. */
let project: CliProject;

beforeAll(async () => {
  [fresh, blobs, model] = await Promise.all([
    freshDatabase(),
    mkdtemp(join(tmpdir(), 'durabench-blobs-')),
    startScriptedModelServer({
      rules: { rules: [{ match: { regex: '.*:\\n(.*)' }, template: 'Answer: {{1}}' }] },
      onRequest: async (request) => (isHeld(request) ? released : undefined),
    }),
  ]);
  database = openDatabase({ connectionString: fresh.databaseUrl, maxConnections: 2 });
  older = await startEngine(fresh.databaseUrl);
  newer = await startEngine(fresh.databaseUrl);
  const bundle = BUILT_BUNDLE;
  const variables = { DURABENCH_BLOBS: blobs };
  await Promise.all([older.startWorker({ bundle, variables }), newer.startWorker({ bundle, variables })]);
  project = await createCliProject({
    ...{ DATABASE_URL: fresh.databaseUrl, TEMPORAL_ADDRESS: newer.address, TEMPORAL_NAMESPACE: newer.namespace },
    ...variables,
  });
});

afterAll(async () => {
  await project?.close();
  await newer?.close();
  await older?.close();
  await model?.close();
  await database?.close();
  await fresh?.drop();
  await rm(blobs, { recursive: true, force: true });
});

test('a campaign is taken over while the old server runs it: superseded there, its paid answers kept, nothing else written', async () => {
  const asked = { ...scriptedSpec(model.url), timeoutSeconds: 600 };
  const plan = await echoPlan({
    ...{ name: 'taken', generators: ['model'], dataset: { tasks: TASKS }, model: asked },
    concurrency: { trials: 4, model: 4 },
  });
  const { id } = plan;
  await older.records.createCampaign(plan);
  await startCampaign(older, id);
  // The first four trials end; the calls of the next four wait for their answers.
  const isUnderWay = async (): Promise<boolean> =>
    (await older.records.campaign(id)).trials.done >= 4 && model.requests.length >= 8;
  expect(await waitUntil(isUnderWay)).toBe(true);
  const { epoch } = await older.records.campaign(id);

  const refused = await project.durabench('resume', id);
  expect(refused.code, refused.stderr).toBe(1);
  expect(refused.stderr).toMatch(/is running on another server/);
  expect(refused.stderr).toContain(`durabench resume ${id} --take-over`);
  expect((await older.records.campaign(id)).epoch).toBe(epoch);

  const isTaken = async (): Promise<boolean> => (await older.records.campaign(id)).epoch > epoch;
  const taken = waitUntil(isTaken).then((is) => {
    release();
    return is;
  });
  const end = await project.json<StatusReport>(['resume', id, '--take-over', '--reason', 'new machine']);
  expect(await taken).toBe(true);
  expect(end).toMatchObject({ campaign: { status: 'completed' }, trials: { planned: TASKS, passed: TASKS } });
  // Paid once, whoever asked: calls in flight on the old server were waited for, not sent again.
  expect(model.requests).toHaveLength(TASKS);
  expect(end.spend).toMatchObject({ calls: TASKS, repeated_calls: 0 });
  const [event] = await older.records.events(id);
  expect(event).toMatchObject({ action: 'resume', reason: 'new machine', details: { take_over: true } });
  expect(await answersKept(id, event!.at)).toBeGreaterThan(0);
  expect(await writtenByTheOld(id, epoch, event!.at)).toBe(0);

  // On the old server everything comes to its end, and says why.
  const open = `ExecutionStatus = 'Running'`;
  const isQuiet = async (): Promise<boolean> => (await older.client.workflow.count(open)).count === 0;
  expect(await waitUntil(isQuiet)).toBe(true);
  expect(await older.client.workflow.getHandle(older.names.campaign(id)).result()).toEqual({ status: null });
  const superseded = (await older.records.trials(id)).filter(({ runs }) => runs > 1);
  expect(superseded.length).toBeGreaterThan(0);
  for (const trial of superseded) {
    const result: unknown = await older.client.workflow.getHandle(older.names.trial(trial.id)).result();
    expect(result).toEqual({ ended: 'stopped', reason: 'operator.superseded' });
    const { runs } = await older.records.trial(trial.id);
    expect(runs[0]).toMatchObject({ outcome: null, reason: 'run.interrupted' });
  }
  expect((await older.records.campaign(id)).status).toBe('completed');
});

/** Answers that came to the worker of the old server after it had lost the campaign. */
async function answersKept(campaignId: string, since: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from sends s join calls c on c.key = s.key join workers w on w.instance = s.worker
    join campaigns p on p.id = c.campaign_id
    where c.campaign_id = ${campaignId} and w.server <> p.server and s.state = 'settled' and s.ended_at > ${since}
      and c.state = 'answered'`.execute(database.kysely);
  return rows[0]!.count;
}

/** Attempts, steps and claims of the old epoch after it was over. */
async function writtenByTheOld(campaignId: string, epoch: number, since: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select (select count(*) from attempts a join trials t on t.id = a.owner_id
        where t.campaign_id = ${campaignId} and a.epoch <= ${epoch} and a.ended_at > ${since})
      + (select count(*) from trial_runs r join trials t on t.id = r.trial_id
        where t.campaign_id = ${campaignId} and r.epoch <= ${epoch}
          and (r.started_at > ${since} or (r.ended_at > ${since} and r.outcome is not null)))
      + (select count(*) from sends s join calls c on c.key = s.key join workers w on w.instance = s.worker
        join campaigns p on p.id = c.campaign_id
        where c.campaign_id = ${campaignId} and w.server <> p.server and s.reserved_at > ${since}) as count`.execute(
    database.kysely,
  );
  return rows[0]!.count;
}
