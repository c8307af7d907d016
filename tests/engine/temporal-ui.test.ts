import { afterAll, beforeAll, expect, test } from 'vitest';
import { awaitCampaign, startCampaign } from '../../src/adapters/temporal/campaign-workflow.js';
import { queueBacklogs } from '../../src/adapters/temporal/queue-backlog.js';
import { createFileBlobs } from '../../src/adapters/blobs/file-blobs.js';
import { readSubject } from '../../src/report/report-subject.js';
import { temporalQueries } from '../../src/report/text/temporal-queries.js';
import { echoSuite } from '../../tasks/echo/echo.js';
import { echoPlan } from '../fixtures/engine/echo-campaign.js';
import { startEngine, type Engine } from '../fixtures/engine/engine.js';
import { PACKAGE_ROOT } from '../fixtures/package-root.js';
import { BUILT_BUNDLE } from '../fixtures/engine/workflow-bundle.js';
import { freshDatabase, type FreshDatabase } from '../fixtures/postgres/postgres.js';
import { waitUntil } from '../fixtures/wait-until.js';

// What a person finds in Temporal's own Web UI while a campaign runs, and when it has ended.

let database: FreshDatabase;
let engine: Engine;

beforeAll(async () => {
  database = await freshDatabase();
  engine = await startEngine(database.databaseUrl);
  const one = { DURABENCH_SANDBOX_SLOTS: '1', DOCKER_HOST: 'tcp://127.0.0.1:9' };
  await engine.startWorker({ bundle: BUILT_BUNDLE, variables: one });
});

afterAll(async () => {
  await engine?.close();
  await database?.drop();
});

interface Metadata {
  currentDetails: string;
}

const detailsOf = async (workflowId: string): Promise<string> =>
  (await engine.client.workflow.getHandle(workflowId).query<Metadata>('__temporal_workflow_metadata')).currentDetails;

test('a campaign has its totals while it runs, steps wait for slots, and what ended is found by links', async () => {
  const plan = await echoPlan({ name: 'pages', generators: ['echo', 'noise'], dataset: { tasks: 6, sleepMs: 12_000 } });
  await engine.records.createCampaign(plan);
  await startCampaign(engine, plan.id);
  const page = engine.names.campaign(plan.id);
  // Only that it is there while the campaign runs; steps of the sandbox go one after another.
  const details = await waitUntil(async () => (await detailsOf(page).catch(() => '')) || undefined);
  expect(details).toMatch(new RegExp(`^\\*\\*${plan.id}\\*\\*: running\\n\\n- 0 of 12 trials done\\n`));
  expect(details).not.toContain('|');
  // Temporal counts anew every five seconds.
  const backlog = await waitUntil(async () =>
    (await queueBacklogs(engine)).find(
      ({ role, steps, oldestSeconds }) => role === 'sandbox' && steps > 0 && oldestSeconds >= 2,
    ),
  );
  expect(backlog).toBeDefined();
  // They move on while no batch ends: one is over in a moment, the trials of the other take a minute.
  const done = async (): Promise<number> => Number(/^- (\d+) of 12 trials done/m.exec(await detailsOf(page))?.[1] ?? 0);
  const first = (await waitUntil(async () => (await done()) || undefined)) ?? 0;
  const later = await waitUntil(async () => {
    const now = await done();
    return now > first && now;
  });
  expect(later).toBeLessThan(12);
  await awaitCampaign(engine, plan.id);
  expect(await detailsOf(page)).toContain('- 12 of 12 trials done');
  expect(await waitUntil(async () => (await queueBacklogs(engine)).length === 0)).toBe(true);
  const failed = (await engine.records.trials(plan.id)).filter(({ outcome }) => outcome === 'failed');
  expect(failed.length).toBeGreaterThan(0);
  const { id, reason } = failed[0]!;
  expect(await detailsOf(engine.names.trial(id))).toMatch(
    new RegExp(`^\\*\\*${id}\\*\\*: failed\\n\\n- reason: \`${reason}\`, blame model\\n`),
  );
  const workflowUrl = (workflow: string): string => `http://ui/namespaces/n/workflows/${encodeURIComponent(workflow)}`;
  const own = {
    records: engine.records,
    blobs: createFileBlobs({ folder: engine.blobsFolder }),
    names: engine.names,
    packageRoot: PACKAGE_ROOT,
    workflowUrl,
  };
  const parts = { ...own, suiteNamed: () => Promise.resolve(echoSuite) };
  const [list] = temporalQueries({ ...(await readSubject(parts, plan.id)), report: null });
  const query = new URL(list!.url).searchParams.get('query')!;
  const found = await waitUntil(async () => {
    const ids: string[] = [];
    for await (const { workflowId } of engine.client.workflow.list({ query })) ids.push(workflowId);
    return ids.length === failed.length && ids;
  });
  expect(found && [...found].sort()).toEqual(failed.map((trial) => engine.names.trial(trial.id)).sort());
});
