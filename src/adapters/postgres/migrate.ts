import { sql, type Kysely, type Transaction } from 'kysely';
import type { Database } from './database.js';
import { onDatabase } from './database-failure.js';
import type { Migration } from './migrations/migration.js';
import { MIGRATIONS } from './migrations/index.js';
import { RecordsProblem } from './records-problem.js';

// Any fixed number of our own: one migration at a time in a database, whoever runs it.
const MIGRATION_LOCK = 7_316_402_215;

/**
 * Brings the schema up to this version of Durabench, in one transaction under an advisory lock.
 * @throws RecordsProblem when the database was written by a newer version
 */
export async function migrate(database: Database, migrations: readonly Migration[] = MIGRATIONS): Promise<void> {
  const kysely = database.kysely as Kysely<unknown>;
  await onDatabase(() =>
    kysely.transaction().execute(async (transaction) => {
      await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`.execute(transaction);
      const applied = await appliedVersion(transaction);
      refuseNewer(applied, migrations.length);
      for (const migration of migrations.slice(applied)) {
        await migration.up(transaction);
        await sql`insert into schema_migrations (version, name) values (${migration.version}, ${migration.name})`.execute(
          transaction,
        );
      }
    }),
  );
}

async function appliedVersion(transaction: Transaction<unknown>): Promise<number> {
  await sql`create table if not exists schema_migrations (
    version integer primary key, name text not null, applied_at timestamptz not null default now())`.execute(
    transaction,
  );
  const { rows } = await sql<{ version: number }>`
    select coalesce(max(version), 0) as version from schema_migrations`.execute(transaction);
  return rows[0]?.version ?? 0;
}

function refuseNewer(applied: number, known: number): void {
  if (applied <= known) return;
  throw new RecordsProblem({
    what: `The database has schema version ${applied}; this Durabench knows versions up to ${known}.`,
    allowed: 'Allowed: a database written by this version of Durabench or an earlier one.',
    remedy: 'Use the newer Durabench, or name another database with DATABASE_URL (embedded: another DURABENCH_HOME).',
  });
}
