import type { BudgetSpec } from '../../contract/campaign.js';
import type { Problem } from '../../contract/problem.js';
import { UserError } from '../../domain/failure/user-error.js';

/** The limits that options of `budget` change; null takes one away. */
export type BudgetChange = Partial<Pick<BudgetSpec, 'usd' | 'tokens' | 'wallHours' | 'trials' | 'soft'>>;

interface Reader {
  flag: string;
  isRight: (value: number) => boolean;
  allowed: string;
  example: string;
}

const READERS: Readonly<Record<keyof BudgetChange, Reader>> = {
  usd: {
    ...{ flag: '--usd', isRight: (value) => value === 0 || (value >= 1e-6 && value <= 1e9) },
    ...{ allowed: 'dollars: 0, or from 0.000001 (the ledger counts millionths) to 1,000,000,000', example: '25.50' },
  },
  tokens: { flag: '--tokens', isRight: Number.isSafeInteger, allowed: 'a whole number, 0 or more', example: '2000000' },
  wallHours: {
    ...{ flag: '--wall-hours', isRight: (value) => value > 0 && value <= 1e5 },
    ...{ allowed: 'hours above 0 and up to 100,000', example: '24' },
  },
  trials: {
    ...{ flag: '--trials', isRight: (value) => Number.isSafeInteger(value) && value > 0 },
    ...{ allowed: 'a whole number, 1 or more', example: '100' },
  },
  soft: {
    ...{ flag: '--soft', isRight: (value) => value > 0 && value <= 1 },
    ...{ allowed: 'a share above 0 and up to 1', example: '0.9' },
  },
};

/**
 * What the options of `budget` say, and only that; `none` is null.
 * @throws UserError with all that is wrong
 */
export function readBudgetChange(options: Record<string, unknown>): BudgetChange {
  const problems: Problem[] = [];
  const change: BudgetChange = {};
  for (const [name, { flag, isRight, allowed, example }] of Object.entries(READERS)) {
    const text = options[name];
    if (typeof text !== 'string') continue;
    const value = text === 'none' ? null : /^\d+(\.\d+)?$/.test(text) ? Number(text) : NaN;
    if (value === null || isRight(value)) change[name as keyof BudgetChange] = value;
    else problems.push({ message: `${flag} is "${text}"`, expected: `${allowed}, or none`, fix: `${flag} ${example}` });
  }
  if (problems.length > 0) throw new UserError('usage', problems);
  return change;
}
