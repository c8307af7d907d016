import type { Kysely, Transaction } from 'kysely';
import { sql } from '../query-builder.js';
import type { Tables } from './tables.js';

/**
 * For one transaction. Sums over 100,000 trials and their calls need more memory than the server's default of 4 MB gives a
 * sort or a hash before it spills to disk (measured: twice as slow). Times in UTC are read without a calendar
 * (`database.ts`). Compiling such a query takes longer than running it.
 */
export const WITH_MEMORY = sql`
  select set_config('work_mem', '64MB', true), set_config('timezone', 'UTC', true), set_config('jit', 'off', true)`;

/** Runs the queries of one report on one snapshot of the records. */
export function reading<Result>(
  kysely: Kysely<Tables>,
  read: (transaction: Transaction<Tables>) => Promise<Result>,
): Promise<Result> {
  return kysely
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (transaction) => {
      await WITH_MEMORY.execute(transaction);
      return read(transaction);
    });
}
