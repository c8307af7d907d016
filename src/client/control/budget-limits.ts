import type { BudgetSpec } from '../../contract/campaign.js';
import type { Problem } from '../../contract/problem.js';
import { isAccountId } from '../../domain/campaign/ids.js';

/** Whose budget: a campaign's or the account's of a dataset build (`SUITE@VERSION`), by name; or that over all campaigns. */
export type BudgetOwner = string | { installation: true };

/** Limits to change, in dollars, tokens, hours, trials and a share of these; null takes one away, what is left out stays. */
export type BudgetChange = Partial<Pick<BudgetSpec, 'usd' | 'tokens' | 'wallHours' | 'trials' | 'soft'>>;

/** What a limit may be. */
export interface LimitRule {
  /** The option of `durabench budget`. */
  flag: string;
  isAllowed: (value: number) => boolean;
  /** In words. */
  allowed: string;
  example: string;
}

/** The limits there are. */
export const LIMIT_RULES: Readonly<Record<keyof BudgetChange, LimitRule>> = {
  usd: {
    ...{ flag: '--usd', isAllowed: (value) => value === 0 || (value >= 1e-6 && value <= 1e9) },
    ...{ allowed: 'dollars: 0, or from 0.000001 (the ledger counts millionths) to 1,000,000,000', example: '25.50' },
  },
  tokens: {
    ...{ flag: '--tokens', isAllowed: (value) => Number.isSafeInteger(value) && value >= 0 },
    ...{ allowed: 'a whole number, 0 or more', example: '2000000' },
  },
  wallHours: {
    ...{ flag: '--wall-hours', isAllowed: (value) => value > 0 && value <= 1e5 },
    ...{ allowed: 'hours above 0 and up to 100,000', example: '24' },
  },
  trials: {
    ...{ flag: '--trials', isAllowed: (value) => Number.isSafeInteger(value) && value > 0 },
    ...{ allowed: 'a whole number, 1 or more', example: '100' },
  },
  soft: {
    ...{ flag: '--soft', isAllowed: (value) => value > 0 && value <= 1 },
    ...{ allowed: 'a share above 0 and up to 1', example: '0.9' },
  },
};

/** Limits that an owner does not have. */
const NOT_OF = {
  campaign: [],
  installation: ['wallHours', 'trials'],
  account: ['wallHours', 'trials', 'soft'],
} as const satisfies Record<string, readonly (keyof BudgetChange)[]>;

/** What is wrong with a change: values that are none, and limits that its owner does not have. */
export function budgetProblems(owner: BudgetOwner, change: BudgetChange): Problem[] {
  const isOfAll = typeof owner !== 'string';
  const wrong = Object.entries(change).flatMap(([name, value]): Problem[] => {
    const { flag, isAllowed, allowed, example } = LIMIT_RULES[name as keyof BudgetChange];
    if (value === null || value === undefined || isAllowed(value)) return [];
    return [{ message: `${flag} is "${value}"`, expected: `${allowed}, or none`, fix: `${flag} ${example}` }];
  });
  const notHad = NOT_OF[isOfAll ? 'installation' : isAccountId(owner) ? 'account' : 'campaign'];
  const given = notHad.filter((name) => change[name] !== undefined);
  if (given.length > 0)
    wrong.push({
      message: `budget ${isOfAll ? '--installation' : owner} was given ${given.map((name) => LIMIT_RULES[name].flag).join(' and ')}`,
      expected: isOfAll
        ? '--usd, --tokens and --soft: hours and trials are limits of a campaign'
        : '--usd and --tokens: the others are limits of a campaign',
      fix: 'durabench budget CAMPAIGN --wall-hours 24',
    });
  return wrong;
}
