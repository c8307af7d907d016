import { sql } from '../../query-builder.js';
import type { Migration } from './migration.js';

/** By what a lost answer can be fetched from its provider, and which ones were. */
export const recoveredAnswersMigration: Migration = {
  version: 8,
  name: '008-recovered-answers',
  async up(transaction) {
    await sql`
      alter table sends
        -- The provider's id of the answer, from its first piece; null where none came or the model is not stored.
        add column completion_id text,
        add column is_recovered boolean not null default false`.execute(transaction);
  },
};
