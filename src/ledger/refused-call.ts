import { DomainFailure } from '../domain/failure/domain-failure.js';
import { amountText, dollars, grouped } from '../domain/text/amount-text.js';
import type { BudgetScope, BudgetStanding } from '../ports/ledger.js';
import type { PreparedCall } from './prepared-call.js';

/** Why a budget does not allow a call, in its figures. Who owns the limit decides what it means: the operator's stops the campaign or build, the system's own ends its candidate. */
export function exhausted(
  { scope, budget }: { scope: BudgetScope; budget: BudgetStanding },
  call: PreparedCall,
): DomainFailure {
  const { account, system } = call.asker;
  const figures = figuresOf(budget, call);
  const expected = 'room for what the next call may cost: its input and as much output as its cap allows';
  const cheaper = `a lower max_output_tokens of model ${call.modelKey}`;
  if (scope === 'build')
    return new DomainFailure('budget.exhausted', {
      ...{ message: `The budget of the build does not allow another model call: ${figures}.`, expected },
      fix: `durabench budget ${account.id} --usd N, then the same durabench dataset build with --usd N; or ${cheaper}`,
    });
  if (scope === 'campaign' || scope === 'installation') {
    const raise = `durabench budget ${scope === 'campaign' ? account.id : '--installation'} --usd N`;
    return new DomainFailure('budget.exhausted', {
      ...{ message: `The budget of the ${scope} does not allow another model call: ${figures}.`, expected },
      fix: `${raise}, then durabench resume ${account.id}; ${cheaper} makes calls cheaper`,
    });
  }
  const whose = scope === 'system' ? `system ${system.id}` : `this ${scope}`;
  return new DomainFailure(
    'system.limit-reached',
    `The limit of ${whose} does not allow another model call: ${figures}.`,
  );
}

/** What was spent, what calls under way hold, what is left of each limit, and what the call may cost at most. */
function figuresOf({ limit, settled, reserved }: BudgetStanding, { estimate }: PreparedCall): string {
  const left = (['microUsd', 'tokens'] as const).flatMap((unit) => {
    const most = limit[unit];
    if (most === null) return [];
    const room = Math.max(0, most - settled[unit] - reserved[unit]);
    const text = (amount: number): string =>
      unit === 'microUsd' ? dollars(amount / 1_000_000) : `${grouped(amount)} tokens`;
    return [`${text(room)} of ${text(most)} left`];
  });
  const used = `${amountText(settled)} spent, ${amountText(reserved)} reserved by calls under way`;
  return `${[used, ...left].join(', ')}; this call may cost ${amountText(estimate)}`;
}

/** The call belongs to an account that another server has opened since. */
export function supersededBy({ asker: { account } }: PreparedCall): DomainFailure {
  return new DomainFailure('operator.superseded', `Another server has taken this ${account.kind} over.`);
}

/** When to look again for a call that another worker has in flight. */
const LOOK_AGAIN_MS = 2_000;

/** Another worker has it: its answer is to be waited for. */
export function callInFlight(message = 'Another worker just took this call up.'): DomainFailure {
  return new DomainFailure('call.in-flight', message, { retryAfterMs: LOOK_AGAIN_MS });
}
