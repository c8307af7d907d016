import type { Migration } from './migration.js';
import { recordsMigration } from './001-records.js';

/** Every migration in order; `migrate` applies the ones a database lacks. */
export const MIGRATIONS: readonly Migration[] = [recordsMigration];
