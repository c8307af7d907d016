/**
 * How long `durabench cancel` takes for a campaign of TRIALS trials: with its worker, and where that is dead and the command
 * ends it by the records. Real engine, real Postgres, the command as a process.
 *
 *   npm run build && npx tsx bench/engine/cancelling.ts [TRIALS]        (default 100000; some five minutes)
 *
 * Prints one JSON line for each: the command's exit code (0: ended; 5: a worker ends the rest) and seconds, how many trials
 * were still open when it left, seconds until the record was closed, and the load.
 */
import { cpus, loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { startStandalonePostgres } from '../../tests/fixtures/postgres/standalone-postgres.js';
import { heldCampaign, type HeldCampaign } from '../../tests/fixtures/engine/held-campaign.js';
import { BUILT_BUNDLE } from '../../tests/fixtures/engine/workflow-bundle.js';
import { untilInterrupted } from '../until-interrupted.js';

const trials = Number(process.argv[2] ?? 100_000);

async function measure(by: string, campaign: HeldCampaign): Promise<void> {
  const { id, engine, project } = campaign;
  const startedAt = performance.now();
  const seconds = (): number => Math.round((performance.now() - startedAt) / 100) / 10;
  const { code, stderr } = await project.durabench('cancel', id);
  const took = seconds();
  const { planned, done } = (await engine.records.campaign(id)).trials;
  // What the command leaves is a worker's to end.
  if (code !== 0) await engine.startWorker({ bundle: BUILT_BUNDLE });
  while ((await engine.records.campaign(id)).endedAt === null) await sleep(200);
  const line = { by, trials, exit: code, seconds: took, open: planned - done, closedAfter: seconds() };
  process.stdout.write(`${JSON.stringify({ ...line, cores: cpus().length, load: loadavg()[0] })}\n`);
  process.stderr.write(stderr);
}

async function bench(by: string, before: (campaign: HeldCampaign) => Promise<void>): Promise<void> {
  const postgres = await startStandalonePostgres();
  try {
    const campaign = await heldCampaign(postgres.databaseUrl, trials);
    try {
      await before(campaign);
      await measure(by, campaign);
    } finally {
      await campaign.close();
    }
  } finally {
    await postgres.close();
  }
}

await untilInterrupted(
  (async () => {
    await bench('its worker', async () => undefined);
    await bench('the records', ({ worker }) => worker.stop('SIGKILL'));
  })(),
);
