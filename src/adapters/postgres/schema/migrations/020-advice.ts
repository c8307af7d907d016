import { sql } from '../../query-builder.js';
import type { Migration } from './migration.js';

/** What was expected and how to fix it, apart from the message of a trial's end. */
export const adviceMigration: Migration = {
  version: 20,
  name: '020-advice',
  async up(transaction) {
    await sql`drop view scored_runs`.execute(transaction);
    for (const table of ['trials', 'trial_runs']) {
      await sql.raw(`alter table ${table} add column advice jsonb`).execute(transaction);
      // Before, the three stood on lines of one text.
      await sql
        .raw(
          `update ${table} set message = split_part(message, E'\\n', 1), advice = jsonb_build_object(
             'expected', substr(split_part(message, E'\\n', 2), 10), 'fix', substr(split_part(message, E'\\n', 3), 10))
           where message ~ E'^[^\\n]*\\nallowed: [^\\n]*\\nto mend: [^\\n]*$'`,
        )
        .execute(transaction);
    }
    // As it was, with the new column: a view keeps the columns it was made with.
    await sql`
      create view scored_runs as
        select t.campaign_id, t.n as last_n, r.* from trials t
        join trial_runs r on r.trial_id = t.id and r.n = t.scored_n where t.scored_n is not null`.execute(transaction);
  },
};
