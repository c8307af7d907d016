import type { FileBlobs } from '../adapters/blobs/file-blobs.js';
import { temporalNames, type TemporalNames } from '../domain/campaign/temporal-names.js';
import type { Records } from '../ports/records.js';
import type { Services } from '../stack/services.js';
import { suiteNamed, type KnownSuite } from '../suite/registry.js';
import type { Context } from './context.js';
import { UserError } from '../domain/failure/user-error.js';

/** The record a command works on. */
export interface Connection {
  services: Services;
  records: Records;
  blobs: FileBlobs;
  /** What this database is called on a Temporal server. */
  names: TemporalNames;
  /** The suite of that id, of this tree or of a package. @throws UserError for an unknown one */
  suiteNamed: (id: string) => Promise<KnownSuite>;
}

/** Runs some work with records and blobs opened ({@link openConnection}), and closes them after it. */
export async function withConnection<Result>(
  context: Context,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  const { connection, close } = await openConnection(context);
  try {
    return await work(connection);
  } finally {
    await close();
  }
}

/**
 * Opens records and blobs.
 * @throws UserError where no server is known, or Postgres does not answer
 */
export async function openConnection(
  context: Context,
): Promise<{ connection: Connection; close: () => Promise<void> }> {
  const [
    { resolveServices },
    { databaseFailure },
    { openDatabase },
    { migrate },
    { createRecords },
    { createFileBlobs },
  ] = await Promise.all([
    import('../stack/services.js'),
    import('../stack/servers/postgres.js'),
    import('../adapters/postgres/schema/database.js'),
    import('../adapters/postgres/schema/migrate.js'),
    import('../adapters/postgres/records.js'),
    import('../adapters/blobs/file-blobs.js'),
  ]);
  const environment = context.environment();
  const services = resolveServices(environment);
  const failure = await databaseFailure(services.databaseUrl);
  if (failure !== undefined) throw postgresAway(services.databaseUrl, failure, environment.databaseUrl !== undefined);
  const database = openDatabase({ connectionString: services.databaseUrl, maxConnections: 4 });
  const close = (): Promise<void> => database.close();
  try {
    await migrate(database);
    const records = createRecords(database);
    const names = temporalNames(await records.installation());
    const blobs = createFileBlobs({ folder: environment.blobsDir });
    const suite = (id: string): Promise<KnownSuite> => suiteNamed(id, environment);
    return { connection: { services, records, names, blobs, suiteNamed: suite }, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function postgresAway(databaseUrl: string, failure: string, isExternal: boolean): UserError {
  const { hostname, port } = new URL(databaseUrl);
  return new UserError('environment', {
    message: `Postgres at ${hostname}:${port || '5432'} does not answer: ${failure}`,
    expected: isExternal ? 'the server DATABASE_URL names, up and reachable' : 'the stack of this project, up',
    fix: isExternal ? 'start it or correct DATABASE_URL' : 'durabench up',
  });
}
