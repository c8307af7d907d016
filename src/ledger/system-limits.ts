import type { SpendLimit } from '../contract/campaign.js';
import { microUsd } from '../domain/limits/prices.js';
import type { SystemLimit } from '../ports/ledger.js';
import type { Asker } from '../ports/model.js';

/**
 * The limits of a system that a call counts in, narrow to wide. Only what its generator asks counts: grading a
 * candidate that used up its money must still be possible.
 */
export function systemLimitsOf({ account, owner, stage, system }: Asker): SystemLimit[] {
  const { limits } = system;
  if (!limits || stage !== 'generate' || owner.kind === 'build') return [];
  return [...limitOf(owner.kind, owner.id, limits), ...limitOf('system', `${account.id}/${system.id}`, limits.total)];
}

function limitOf(scope: SystemLimit['scope'], id: string, { usd, tokens }: SpendLimit): SystemLimit[] {
  if (usd === null && tokens === null) return [];
  return [{ scope, id, limit: { microUsd: usd === null ? null : microUsd(usd), tokens } }];
}
