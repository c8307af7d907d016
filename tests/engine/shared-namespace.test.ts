import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { awaitCampaign, startCampaign } from '../../src/adapters/temporal/campaign-workflow.js';
import { describeBuild, endOfBuild, startBuild } from '../../src/adapters/temporal/dataset-workflow.js';
import type { OwnNamespace } from '../../src/adapters/temporal/open-client.js';
import { createRecords } from '../../src/adapters/postgres/records.js';
import { temporalNames } from '../../src/domain/campaign/temporal-names.js';
import { workflowCode } from '../../src/stack/code-digest.js';
import type { Records } from '../../src/ports/records.js';
import { echoPlan } from '../fixtures/engine/echo-campaign.js';
import { startEngine, type Engine } from '../fixtures/engine/engine.js';
import { migratedDatabase, type MigratedDatabase } from '../fixtures/postgres/postgres.js';
import { BUILT_BUNDLE } from '../fixtures/engine/workflow-bundle.js';

/** Two installations (databases, blob stores, workers) that were given one Temporal server and one namespace of it. */
interface Installation {
  own: OwnNamespace;
  records: Records;
}

let databases: MigratedDatabase[];
let engine: Engine;
let installations: Installation[];

beforeAll(async () => {
  databases = await Promise.all([migratedDatabase(), migratedDatabase()]);
  engine = await startEngine(databases[0]!.databaseUrl);
  const bundle = BUILT_BUNDLE;
  installations = await Promise.all(
    databases.map(async (database, index) => {
      const records = createRecords(database);
      const variables = { DATABASE_URL: database.databaseUrl, DURABENCH_HOME: join(engine.folder, `home-${index}`) };
      await engine.startWorker({ bundle, variables });
      const names = temporalNames(await records.installation());
      return { own: { client: engine.client, names, code: async () => workflowCode(bundle) }, records };
    }),
  );
});

afterAll(async () => {
  await engine?.close();
  await Promise.all((databases ?? []).map((database) => database.close()));
});

test('campaigns of both at once end with every trial passed', async () => {
  const plans = await Promise.all(
    installations.map(() => echoPlan({ name: 'both', generators: ['echo'], dataset: { tasks: 30 } })),
  );
  await Promise.all(
    installations.map(async ({ own, records }, index) => {
      const { id } = plans[index]!;
      await records.createCampaign(plans[index]!);
      await startCampaign(own, id);
      await awaitCampaign(own, id);
    }),
  );
  for (const [index, { records }] of installations.entries())
    expect(await records.campaign(plans[index]!.id)).toMatchObject({
      status: 'completed',
      trials: { planned: 30, passed: 30 },
    });
});

test('both build one version of one dataset, each its own', async () => {
  const builds = installations.map(async ({ own }) => {
    const id = own.names.dataset('repocraft', 1);
    expect(await startBuild(own, id, { suite: 'repocraft', projects: ['nothing'] })).toBe(true);
    const { runId } = (await describeBuild(own.client, id))!;
    return endOfBuild(own.client, id, runId);
  });
  for (const end of await Promise.all(builds))
    expect(end).toMatchObject({ ended: 'done', projects: { nothing: { ended: 'failed' } } });
});
