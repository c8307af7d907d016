import { expect, it } from 'vitest';
import { readBudgetChange } from './read-budget-change.js';

it('takes what the ledger can count, and none', () => {
  expect(readBudgetChange({ usd: '0.000001', tokens: '5', wallHours: '0.5', trials: '3', soft: '0.9' })).toEqual({
    ...{ usd: 0.000001, tokens: 5, wallHours: 0.5, trials: 3, soft: 0.9 },
  });
  expect(readBudgetChange({ usd: '0', tokens: 'none' })).toEqual({ usd: 0, tokens: null });
});

it.each([
  // Rounded it would be a limit of nothing.
  [{ usd: '0.0000001' }, /--usd is "0.0000001"/],
  [{ usd: '-1' }, /--usd is "-1"/],
  [{ usd: '1e3' }, /--usd is "1e3"/],
  [{ tokens: '1.5' }, /--tokens is "1.5"/],
  [{ trials: '0' }, /--trials is "0"/],
  [{ soft: '1.1' }, /--soft is "1.1"/],
])('refuses %j', (options, words) => {
  expect(() => readBudgetChange(options)).toThrow(words);
});
