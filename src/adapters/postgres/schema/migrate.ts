import type { Kysely, Transaction } from 'kysely';
import { sql } from '../query-builder.js';
import type { Problem } from '../../../contract/problem.js';
import type { Database } from './database.js';
import { onDatabase } from './database-failure.js';
import type { Migration } from './migrations/migration.js';
import { MIGRATIONS } from './migrations.js';
import { UserError } from '../../../domain/failure/user-error.js';

// Any fixed number of our own: one migration at a time in a database, whoever runs it.
const MIGRATION_LOCK = 7_316_402_215;

/**
 * Brings the schema up to this version of Durabench, in one transaction under an advisory lock.
 * @throws UserError when the database was written by a newer version
 */
export async function migrate(database: Database, migrations: readonly Migration[] = MIGRATIONS): Promise<void> {
  const kysely = database.kysely as Kysely<unknown>;
  await onDatabase(() =>
    kysely.transaction().execute(async (transaction) => {
      await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`.execute(transaction);
      const applied = await appliedVersions(transaction);
      const problem = newerProblem(applied, migrations);
      if (problem !== undefined) throw new UserError('environment', problem);
      for (const migration of migrations.filter(({ version }) => !applied.includes(version))) {
        await migration.up(transaction);
        await sql`insert into schema_migrations (version, name) values (${migration.version}, ${migration.name})`.execute(
          transaction,
        );
      }
    }),
  );
}

/**
 * Why the records cannot be kept in a database as it is, or undefined; changes nothing. An empty database is fine, and
 * so is an older schema: {@link migrate} brings both up to date.
 */
export async function schemaProblem(database: Database): Promise<Problem | undefined> {
  const kysely = database.kysely as Kysely<unknown>;
  return onDatabase(async () => {
    const { rows } = await sql<{ known: boolean }>`
      select to_regclass('schema_migrations') is not null as known`.execute(kysely);
    return rows[0]?.known ? newerProblem(await versionsIn(kysely), MIGRATIONS) : undefined;
  });
}

async function appliedVersions(transaction: Transaction<unknown>): Promise<number[]> {
  await sql`create table if not exists schema_migrations (
    version integer primary key, name text not null, applied_at timestamptz not null default now())`.execute(
    transaction,
  );
  return versionsIn(transaction);
}

/** A list, not the highest: two lines of development may have brought 6 before 5. */
async function versionsIn(kysely: Kysely<unknown>): Promise<number[]> {
  const { rows } = await sql<{ version: number }>`select version from schema_migrations`.execute(kysely);
  return rows.map(({ version }) => version);
}

function newerProblem(applied: readonly number[], migrations: readonly Migration[]): Problem | undefined {
  const newest = Math.max(...applied, 0);
  const known = Math.max(...migrations.map(({ version }) => version));
  if (newest <= known) return undefined;
  return {
    message: `The database has schema version ${newest}; this Durabench knows versions up to ${known}.`,
    fix: 'Use the newer Durabench, or name another database with DATABASE_URL (embedded: another DURABENCH_HOME).',
  };
}
