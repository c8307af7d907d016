import { sql } from '../../query-builder.js';
import type { Migration } from './migration.js';

/** Which calls were asked again after they were answered, and answered from the record. */
export const replayedCallsMigration: Migration = {
  version: 23,
  name: '023-replayed-calls',
  async up(transaction) {
    await sql`alter table calls add column is_replayed boolean not null default false`.execute(transaction);
  },
};
