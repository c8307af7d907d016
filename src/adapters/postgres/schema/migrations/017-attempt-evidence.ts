import { sql } from '../../query-builder.js';
import type { Migration } from './migration.js';

/** What an attempt had attached when it failed. */
export const attemptEvidenceMigration: Migration = {
  version: 17,
  name: '017-attempt-evidence',
  async up(transaction) {
    await sql`alter table attempts add column evidence jsonb not null default '[]'`.execute(transaction);
  },
};
