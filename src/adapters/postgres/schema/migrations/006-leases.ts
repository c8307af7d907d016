import { sql } from '../../query-builder.js';
import type { Migration } from './migration.js';

/** Which installation this database is, and who used which content volume when: what the reaper goes by. */
export const leasesMigration: Migration = {
  version: 6,
  name: '006-leases',
  async up(transaction) {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(transaction);
  },
};

const INSTALLATION = `
  create table installation (
    id text primary key default gen_random_uuid()::text,
    only_one boolean not null default true unique check (only_one)
  );
  insert into installation default values;`;

const CONTENT_USES = `
  create table content_uses (
    volume text not null,
    instance text not null,
    used_at timestamptz not null default now(),
    primary key (volume, instance)
  );`;

const STATEMENTS = [INSTALLATION, CONTENT_USES];
