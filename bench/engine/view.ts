/**
 * How soon the pages of `durabench view` are painted where much is stored: one campaign of TRIALS trials, five steps with
 * evidence and CALLS model calls each, on a real Postgres, opened in Chromium.
 *
 *   npx tsx bench/engine/view.ts [TRIALS] [CALLS] [FOLDER]        (default 100000 and 3)
 *
 * Each page is opened in a tab of its own, the server being fresh. Prints one JSON line for each: milliseconds to the first
 * contentful paint as the browser tells it, to the end of loading, and the bytes of the document. With FOLDER a picture of
 * each is written there. The aim is 2 s.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../../src/adapters/postgres/schema/database.js';
import { migrate } from '../../src/adapters/postgres/schema/migrate.js';
import { openContext } from '../../src/client/open-context.js';
import { withConnection } from '../../src/client/connection.js';
import { viewSource } from '../../src/client/view/view-source.js';
import { startViewServer } from '../../src/view/view-server.js';
import { openBrowser } from '../../tests/fixtures/browser/open-browser.js';
import { largeCampaign } from '../../tests/fixtures/engine/large-campaign.js';
import { startStandalonePostgres } from '../../tests/fixtures/postgres/standalone-postgres.js';

const trials = Number(process.argv[2] ?? 100_000);
const calls = Number(process.argv[3] ?? 3);
const pictures = process.argv[4];
const PAGES = [
  '',
  'campaign/bench',
  'trials/bench',
  `trials/bench?page=${Math.ceil(trials / 100)}`,
  'trials/bench?outcome=failed&reason=wrong&task=9',
  'trial/bench/task-0-0/sys/1',
];

/** The entry may come after the page has loaded. */
const PAINTED = `new Promise((resolve) => new PerformanceObserver((list) => {
  for (const { name, startTime } of list.getEntries()) if (name === 'first-contentful-paint') resolve(startTime);
}).observe({ type: 'paint', buffered: true }))`;

const folder = await mkdtemp(join(tmpdir(), 'durabench-bench-view-'));
const postgres = await startStandalonePostgres();
const browser = await openBrowser();
try {
  const database = openDatabase({ connectionString: postgres.databaseUrl, maxConnections: 4 });
  await migrate(database);
  await largeCampaign(database, { trials, calls });
  await database.close();
  const variables = {
    ...{ HOME: folder, PATH: process.env['PATH'], DURABENCH_HOME: join(folder, 'state') },
    ...{ DATABASE_URL: postgres.databaseUrl, TEMPORAL_ADDRESS: '127.0.0.1:1' },
  };
  const context = openContext({ folder, variables });
  await withConnection(context, async (connection) => {
    for (const path of PAGES) {
      const server = await startViewServer(viewSource(context, connection), { port: 0 });
      const page = await browser.newPage();
      page.setDefaultTimeout(0);
      const answer = await page.goto(`${server.url}${path}`);
      const paint = await page.evaluate<number>(PAINTED);
      const loaded = await page.evaluate<number>(`performance.getEntriesByType('navigation')[0].loadEventEnd`);
      const line = { page: path, paintMs: Math.round(paint), loadedMs: Math.round(loaded), status: answer?.status() };
      const bytes = (await answer?.body())?.length;
      process.stdout.write(
        `${JSON.stringify({ ...line, bytes, cores: cpus().length, load: Math.round(loadavg()[0] ?? 0) })}\n`,
      );
      if (pictures !== undefined) {
        await page.waitForTimeout(3_000);
        await page.screenshot({ path: join(pictures, `${path.replace(/\W/g, '_')}.png`) });
      }
      await page.close();
      await server.close();
    }
  });
} finally {
  await browser.close();
  await postgres.close();
  await rm(folder, { recursive: true, force: true });
}
