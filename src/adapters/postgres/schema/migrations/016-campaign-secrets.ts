import { sql } from '../../query-builder.js';
import type { Migration } from './migration.js';

/**
 * What graders draw by, one for each campaign: only workers read it, to answer `ownerContext`. In a table of its own, so that no
 * query of campaigns shows it.
 */
export const campaignSecretsMigration: Migration = {
  version: 16,
  name: '016-campaign-secrets',
  async up(transaction) {
    await sql`
      create table campaign_secrets (
        campaign_id text primary key references campaigns on delete cascade,
        secret text not null
      )`.execute(transaction);
    // Two of 122 random bits each.
    await sql`
      insert into campaign_secrets
      select id, replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '') from campaigns`.execute(
      transaction,
    );
  },
};
