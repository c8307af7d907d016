import { sql } from '../../query-builder.js';
import type { Migration } from './migration.js';

/** Which campaign a campaign changes; what exactly it changes is in the event of both. */
export const revisionsMigration: Migration = {
  version: 9,
  name: '009-revisions',
  async up(transaction) {
    await sql`
      alter table campaigns add column revises text references campaigns on delete set null`.execute(transaction);
    await sql`create index campaigns_revises on campaigns (revises) where revises is not null`.execute(transaction);
  },
};
