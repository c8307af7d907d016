import { sql } from '../../query-builder.js';
import type { Migration } from './migration.js';

/** What a provider claimed that a request came to, and why that cannot be: such a send is charged at its estimate. */
export const usageClaimsMigration: Migration = {
  version: 13,
  name: '013-usage-claims',
  async up(transaction) {
    await sql`alter table sends add column usage_claim jsonb`.execute(transaction);
  },
};
