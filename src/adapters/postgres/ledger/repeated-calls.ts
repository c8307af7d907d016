import type { RawBuilder } from 'kysely';
import { sql } from '../query-builder.js';

/**
 * Keys of the calls that were charged more than once: sent again after a crash, the first answer lost. Only calls with
 * a second try can be among them, so only their sends are counted call by call.
 */
export function repeatedCallKeys(): RawBuilder<unknown> {
  return sql`
    select key from sends where state in ('settled', 'ambiguous')
      and key in (select key from sends where attempt > 1)
    group by key having count(*) > 1`;
}
