import { DomainFailure } from '../domain/domain-failure.js';
import type { PreparedCall } from './prepared-call.js';

/** By `budget.on_ambiguous`: the most that lost answers may cost. */
const MOST_AMBIGUOUS_SENDS = { retry: 2, fail: 1 } as const;

/** Ambiguous sends of this call after which it is given up. */
export const mostAmbiguous = ({ asker }: PreparedCall): number =>
  MOST_AMBIGUOUS_SENDS[asker.spec.budget.onAmbiguous ?? 'retry'];

/** A call that is given up: no attempt, retry or resume sends it again, since each finds the sends that are spent. */
export function givenUp(call: PreparedCall, sends: number, last?: unknown): DomainFailure {
  const [lastWords = ''] = last instanceof Error ? last.message.split('\n') : [];
  const what =
    `${sends === 1 ? 'A request' : `${sends} requests`} to ${call.model.name} for this call ended without an answer and ` +
    `may have been billed; no further one is sent.${lastWords && ` Last: ${lastWords}`}`;
  const again =
    call.asker.owner.kind === 'trial'
      ? 'npx durabench retry ID --trial TRIAL --fresh --reason "…" (asks and pays anew)'
      : 'npx durabench run FILE (a shared candidate whose call was given up is made in a new campaign)';
  const remedy = `see that its base_url leads to an endpoint that answers whole and in time, then: ${again}`;
  return new DomainFailure(
    'model.ambiguous',
    { what, allowed: `${mostAmbiguous(call)} such requests for one call (budget.on_ambiguous)`, remedy },
    { billing: 'ambiguous', final: true, cause: last },
  );
}
