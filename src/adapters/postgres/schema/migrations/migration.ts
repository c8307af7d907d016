import type { Transaction } from 'kysely';

/** One step of the schema. Never edited once released: a change is a new migration. */
export interface Migration {
  /** 1, 2, 3, … in the order of the list; the highest applied one is the schema's version. */
  version: number;
  name: string;
  up(transaction: Transaction<unknown>): Promise<void>;
}
