import { sql } from '../../query-builder.js';
import type { Migration } from './migration.js';

/**
 * What is recorded under words that the field does not use, or uses for something else: a canary is a marker of
 * contamination there, so that a test altered to fail is a negative control; a batch runs in a phase.
 */
export const standardWordsMigration: Migration = {
  version: 22,
  name: '022-standard-words',
  async up(transaction) {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(transaction);
  },
};

/** Gives a key of the JSON object in `column` another name, where the object has it. */
const renamedKey = (column: string, from: string, to: string): string =>
  `case when ${column} ? '${from}' then ${column} - '${from}' || jsonb_build_object('${to}', ${column} -> '${from}') else ${column} end`;

const STATEMENTS = [
  'alter table batches rename column lane to phase',
  ...['steps', 'attempts', 'evidence'].map((table) => `update ${table} set step = 'control' where step = 'canary'`),
  `update evidence set name = regexp_replace(name, '^canary', 'control') where name ~ '^canary[.-]'`,
  `update steps set result = ${renamedKey('result', 'canaryDue', 'controlDue')} where result ? 'canaryDue'`,
  `update steps set result = ${renamedKey('result', 'canary', 'control')} where result ? 'canary'`,
  `update steps set result = jsonb_set(result, '{metrics}', ${renamedKey("(result -> 'metrics')", 'canary', 'negative_control')})
    where result -> 'metrics' ? 'canary'`,
  `update trials set metrics = ${renamedKey('metrics', 'canary', 'negative_control')} where metrics ? 'canary'`,
  `update trial_runs set verdict = jsonb_set(verdict, '{metrics}', ${renamedKey("(verdict -> 'metrics')", 'canary', 'negative_control')})
    where verdict -> 'metrics' ? 'canary'`,
];
