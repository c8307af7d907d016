import type { TestProject } from 'vitest/node';
import { startStandalonePostgres } from '../fixtures/postgres/standalone-postgres.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** A Postgres server for the run, where test files make databases of their own. */
    postgresUrl: string;
  }
}

/** Vitest's global set-up: the server of DURABENCH_TEST_DATABASE_URL, else an embedded one that ends with the run. */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const given = process.env['DURABENCH_TEST_DATABASE_URL'];
  if (given !== undefined) {
    project.provide('postgresUrl', given);
    return undefined;
  }
  const server = await startStandalonePostgres();
  project.provide('postgresUrl', server.databaseUrl);
  return () => server.close();
}
