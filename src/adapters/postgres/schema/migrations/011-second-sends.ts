import { sql } from '../../query-builder.js';
import type { Migration } from './migration.js';

/**
 * Calls that were sent again are few, and every total asks which: found by an index of those alone, instead of looking
 * through all sends of all campaigns.
 */
export const secondSendsMigration: Migration = {
  version: 11,
  name: '011-second-sends',
  async up(transaction) {
    await sql`create index sends_again on sends (key) where attempt > 1`.execute(transaction);
  },
};
