import { sql } from '../../query-builder.js';
import type { Migration } from './migration.js';

/** What each worker can run at once (`contract/worker-limits.ts`): commands say how much of what a file asks for there is. */
export const workerLimitsMigration: Migration = {
  version: 18,
  name: '018-worker-limits',
  async up(transaction) {
    await sql`alter table workers add column limits jsonb`.execute(transaction);
  },
};
