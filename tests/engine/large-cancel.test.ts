import { afterEach, beforeEach, expect, test } from 'vitest';
import type { StatusReport } from '../../src/contract/status.js';
import { heldCampaign, type HeldCampaign } from '../fixtures/engine/held-campaign.js';
import { freshDatabase, type FreshDatabase } from '../fixtures/postgres/postgres.js';
import { scaled } from '../vitest/yardstick.js';

// A cancel takes half a minute at most. Ten times as many trials: bench/engine/cancelling.ts.

/** Closed in several chunks. */
const TRIALS = 10_000;
/** Less than a user has: two thirds of it are spent on waiting for a worker that is dead. */
const hurried = () => ({ DURABENCH_CANCEL_SECONDS: String(scaled(20)) });

let fresh: FreshDatabase;
let campaign: HeldCampaign;

beforeEach(async () => {
  fresh = await freshDatabase();
});

afterEach(async () => {
  await campaign?.close();
  await fresh?.drop();
});

/** Within `DURABENCH_CANCEL_SECONDS`: a later end is another exit code. */
async function cancelled(): Promise<StatusReport> {
  const { id, project, engine } = campaign;
  const report = await project.json<StatusReport>(['cancel', id]);
  const open = (await engine.records.trials(id)).filter(({ state }) => state !== 'done');
  expect(open).toEqual([]);
  return report;
}

test('a campaign of ten thousand trials is cancelled in time, by its worker', async () => {
  campaign = await heldCampaign(fresh.databaseUrl, TRIALS);
  expect(await cancelled()).toMatchObject({
    campaign: { status: 'cancelled' },
    trials: { planned: TRIALS, not_run: TRIALS },
  });
});

test('and by its records, where its worker is dead', async () => {
  campaign = await heldCampaign(fresh.databaseUrl, TRIALS, hurried());
  await campaign.worker.stop('SIGKILL');
  expect(await cancelled()).toMatchObject({
    campaign: { status: 'cancelled' },
    trials: { planned: TRIALS, not_run: TRIALS },
  });
});
