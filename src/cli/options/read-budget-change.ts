import { LIMIT_RULES, type BudgetChange } from '../../client/control/budget-limits.js';
import type { Problem } from '../../contract/problem.js';
import { UserError } from '../../domain/failure/user-error.js';

/**
 * What the options of `budget` say, and only that; `none` is null.
 * @throws UserError with all that is wrong
 */
export function readBudgetChange(options: Record<string, unknown>): BudgetChange {
  const problems: Problem[] = [];
  const change: BudgetChange = {};
  for (const [name, { flag, isAllowed, allowed, example }] of Object.entries(LIMIT_RULES)) {
    const text = options[name];
    if (typeof text !== 'string') continue;
    const value = text === 'none' ? null : /^\d+(\.\d+)?$/.test(text) ? Number(text) : NaN;
    if (value === null || isAllowed(value)) change[name as keyof BudgetChange] = value;
    else problems.push({ message: `${flag} is "${text}"`, expected: `${allowed}, or none`, fix: `${flag} ${example}` });
  }
  if (problems.length > 0) throw new UserError('usage', problems);
  return change;
}
