import type { EvidenceRef } from '../../contract/evidence.js';
import type { CallRow } from '../../ports/records.js';
import type { Connection } from '../connection.js';
import { callTexts, type CallTexts } from '../view/call-texts.js';

/** A model call that was answered, with its words and the evidence that holds the answer whole. */
export type LastAnswer = CallTexts & { call: CallRow & { response: EvidenceRef } };

/** Calls of one trial that are looked through: the last ones count, and an agent asks some hundreds. */
const MOST_CALLS = 100_000;

/**
 * What a model answered last in a trial: the system that is evaluated before a judge (a vote comes after what was made).
 * Null where no call of its own was answered: the model calls of a shared candidate belong to its generation.
 */
export async function lastAnswer(
  { records, blobs }: Pick<Connection, 'records' | 'blobs'>,
  trial: string,
): Promise<LastAnswer | null> {
  const { calls } = await records.calls({ kind: 'trial', id: trial }, { offset: 0, limit: MOST_CALLS });
  const answered = calls.flatMap((call) => (call.response === null ? [] : [{ ...call, response: call.response }]));
  const call = answered.findLast(({ stage }) => stage === 'generate') ?? answered.at(-1);
  return call === undefined ? null : { ...(await callTexts(blobs, call)), call };
}
