import { sql } from '../../query-builder.js';
import type { Migration } from './migration.js';

/** Which workflow code a campaign runs on, and which one a worker polls. */
export const workflowCodeMigration: Migration = {
  version: 19,
  name: '019-workflow-code',
  async up(transaction) {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(transaction);
  },
};

const CAMPAIGNS = `
  -- Digest of the workflow bundle; '' of before it was kept, and before a campaign was placed.
  alter table campaigns add column code text not null default '';`;

const WORKERS = `
  -- Digest of the workflow bundle whose queue it polls; null: it polls no workflows. '' of before it was kept.
  alter table workers add column code text default '';`;

const STATEMENTS = [CAMPAIGNS, WORKERS];
