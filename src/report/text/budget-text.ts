import type { BudgetSpec } from '../../contract/campaign.js';
import type { CampaignRow } from '../../ports/records.js';
import { dollars, grouped } from './number-text.js';

/** The limits of a budget, or what was used up of each. */
export type BudgetAmounts = Pick<BudgetSpec, 'usd' | 'tokens' | 'wallHours' | 'trials'>;

type Limit = keyof BudgetAmounts;

const hours = (count: number): string => String(Number(count.toFixed(count < 1 ? 4 : 2)));
const WORDS: Readonly<Record<Limit, { amount: (count: number) => string; unit: string }>> = {
  usd: { amount: dollars, unit: '' },
  tokens: { amount: grouped, unit: ' tokens' },
  wallHours: { amount: hours, unit: ' h' },
  trials: { amount: grouped, unit: ' trials' },
};

/** What was spent, as a budget counts it. */
export function spentAmounts({ microUsd, tokens }: { microUsd: number; tokens: number }): {
  usd: number;
  tokens: number;
} {
  return { usd: microUsd / 1_000_000, tokens };
}

/** What a campaign has used up of whatever may be limited. */
export function budgetUse({ spend, work }: Pick<CampaignRow, 'spend' | 'work'>): Record<Limit, number> {
  return { ...spentAmounts(spend), wallHours: work.seconds / 3600, trials: work.trials };
}

/** `$20.00 and 24 h, nothing admitted from 90 % on`, or `not limited`. */
export function budgetText(budget: BudgetSpec): string {
  const limits = limitsOf(budget).map(({ amount, unit, limit }) => `${amount(limit)}${unit}`);
  return `${limits.join(' and ') || 'not limited'}${softText(budget)}`;
}

/** Each limit with what is used of it: `$3.20 of $20.00, 1.5 of 24 h`; null where there is no limit. */
export function usedText(budget: BudgetSpec, used: BudgetAmounts): string | null {
  const limits = limitsOf(budget).map(
    ({ name, amount, unit, limit }) => `${amount(used[name] ?? 0)} of ${amount(limit)}${unit}`,
  );
  return limits.length === 0 ? null : `${limits.join(', ')}${softText(budget)}`;
}

/** `2 requests came to $0.0012 and 34 tokens more than was reserved`, or null. */
export function overshootText({ overshoot }: CampaignRow['spend']): string | null {
  const { microUsd, tokens, requests } = overshoot;
  if (requests === 0) return null;
  const who = requests === 1 ? '1 request' : `${grouped(requests)} requests`;
  return `${who} came to ${dollars(microUsd / 1_000_000)} and ${grouped(tokens)} tokens more than was reserved`;
}

/** `12 answers of other campaigns reused, $0.34 saved`, or null. */
export function reusedText({ reusedCalls, saved }: Pick<CampaignRow['spend'], 'reusedCalls' | 'saved'>): string | null {
  if (reusedCalls === 0) return null;
  const what = reusedCalls === 1 ? '1 answer' : `${grouped(reusedCalls)} answers`;
  return `${what} of other campaigns reused, ${dollars(saved.microUsd / 1_000_000)} saved`;
}

/** `2 requests whose usage cannot be are booked at what was reserved`, or null. */
export function implausibleText({ implausible }: CampaignRow['spend']): string | null {
  if (implausible === 0) return null;
  const who =
    implausible === 1
      ? '1 request whose usage cannot be is'
      : `${grouped(implausible)} requests whose usage cannot be are`;
  return `${who} booked at what was reserved`;
}

/** `2 requests without a usable answer count at their estimate, not among the calls`, or null. */
export function unansweredText({ unanswered }: CampaignRow['spend']): string | null {
  if (unanswered === 0) return null;
  const who =
    unanswered === 1
      ? '1 request without a usable answer counts at its'
      : `${grouped(unanswered)} requests without a usable answer count at their`;
  return `${who} estimate, not among the calls`;
}

/** Whatever there is to say of what was spent, each without a full stop. */
export function spendNotes(spend: CampaignRow['spend']): string[] {
  return [unansweredText, reusedText, overshootText, implausibleText]
    .map((text) => text(spend))
    .filter((note) => note !== null);
}

function limitsOf(budget: BudgetSpec) {
  return Object.entries(WORDS).flatMap(([key, words]) => {
    const name = key as Limit;
    const limit = budget[name] ?? null;
    return limit === null ? [] : [{ name, limit, ...words }];
  });
}

function softText({ soft = null }: BudgetSpec): string {
  return soft === null ? '' : `, nothing admitted from ${soft * 100} % on`;
}
