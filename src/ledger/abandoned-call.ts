import { DomainFailure } from '../domain/failure/domain-failure.js';
import type { PreparedCall } from './prepared-call.js';

/** By `budget.on_ambiguous`: the most that lost answers may cost. */
const MOST_AMBIGUOUS_SENDS = { retry: 2, fail: 1 } as const;

/** What asks for such a call once more, by who asked. */
const AGAIN = {
  trial: 'npx durabench retry ID --trial TRIAL --fresh --reason "…" (asks and pays anew)',
  generation: 'npx durabench retry ID (goes on from the last step, and may pay for this call again)',
  build: 'the same npx durabench dataset build (it goes on, and may pay for this call again)',
} as const;

/** Ambiguous sends of this call after which it is given up. */
export const mostAmbiguous = ({ asker: { spec, run = 1 } }: PreparedCall): number =>
  MOST_AMBIGUOUS_SENDS[spec.budget.onAmbiguous ?? 'retry'] * run;

/**
 * A call that is given up: no attempt sends it again, since each finds the sends that are spent. Of a shared candidate,
 * which may have taken hours, a retry does.
 */
export function abandonedCall(call: PreparedCall, sends: number, last?: unknown): DomainFailure {
  const [lastWords = ''] = last instanceof Error ? last.message.split('\n') : [];
  const message =
    `${sends === 1 ? 'A request' : `${sends} requests`} to ${call.model.name} for this call ended without an answer and ` +
    `may have been billed; no further one is sent.${lastWords && ` Last: ${lastWords}`}`;
  const again = AGAIN[call.asker.owner.kind];
  const fix = `see that its base_url leads to an endpoint that answers whole and in time, then: ${again}`;
  return new DomainFailure(
    'model.ambiguous',
    { message, expected: `${mostAmbiguous(call)} such requests for one call (budget.on_ambiguous)`, fix },
    { billing: 'ambiguous', final: true, cause: last },
  );
}
