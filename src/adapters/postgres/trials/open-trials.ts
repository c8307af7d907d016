import type { Kysely, RawBuilder } from 'kysely';
import { sql } from '../query-builder.js';
import type { TrialEnd } from '../../../contract/verdict.js';
import { storableJson, storableText } from '../../../domain/text/storable.js';
import type { Tables } from '../schema/tables.js';

/**
 * Gives every trial that the condition (over `trials t`) selects and that is still open the same end, in one statement.
 * @returns how many there were
 */
export async function endOpenTrials(
  kysely: Kysely<Tables>,
  condition: RawBuilder<unknown>,
  end: TrialEnd,
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    with ended as (
      update trials t set state = 'done', outcome = ${end.outcome}, blame = ${end.blame}, reason = ${end.reason},
        message = ${messageText(end)}, advice = ${jsonText(end.advice)}::jsonb, metrics = ${jsonText(end.verdict?.metrics)}::jsonb, ended_at = now()
      where t.state <> 'done' and (${condition})
      returning t.id, t.n)
    update trial_runs r set outcome = ${end.outcome}, blame = ${end.blame}, reason = ${end.reason},
      message = ${messageText(end)}, advice = ${jsonText(end.advice)}::jsonb, verdict = ${jsonText(end.verdict)}::jsonb, skipped = ${jsonText(end.skipped)}::jsonb,
      ended_at = now()
    from ended where r.trial_id = ended.id and r.n = ended.n`.execute(kysely);
  return Number(numAffectedRows);
}

/** The message for a text column; SQL null when absent. */
export function messageText({ message }: TrialEnd): string | null {
  return message === null ? null : storableText(message);
}

/** JSON text for a jsonb column; SQL null when absent. */
export function jsonText(value: object | null | undefined): string | null {
  return value === null || value === undefined ? null : storableJson(value);
}
