import { createServer, type AddressInfo } from 'node:net';
import { afterAll, beforeAll, test } from 'vitest';
import { sql } from '../../src/adapters/postgres/query-builder.js';
import { openDatabase, type Database } from '../../src/adapters/postgres/schema/database.js';
import { onDatabase } from '../../src/adapters/postgres/schema/database-failure.js';
import { freshDatabase, type FreshDatabase } from '../fixtures/postgres/postgres.js';

let fresh: FreshDatabase;
let database: Database;

beforeAll(async () => {
  fresh = await freshDatabase();
  database = openDatabase({ connectionString: fresh.databaseUrl, maxConnections: 1 });
});

afterAll(async () => {
  await database?.close();
  await fresh?.drop();
});

test.concurrent(
  'who waits for a free connection waits as long as it takes: only connecting has a limit',
  async ({ expect }) => {
    const slow = sql`select pg_sleep(12)`.execute(database.kysely);
    const waiting = sql<{ one: number }>`select 1 as one`.execute(database.kysely);
    expect((await waiting).rows).toEqual([{ one: 1 }]);
    await slow;
  },
);

test.concurrent(
  'a server that accepts and says nothing is told as records that cannot be reached',
  async ({ expect }) => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const silent = openDatabase({ connectionString: `postgresql://postgres:x@127.0.0.1:${port}/x`, maxConnections: 1 });
    const asking = onDatabase(() => sql`select 1`.execute(silent.kysely));
    await expect(asking).rejects.toMatchObject({ name: 'DomainFailure', type: 'records.unavailable' });
    await silent.close();
    server.close();
  },
);
