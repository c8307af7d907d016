import { expect, it } from 'vitest';
import { dollars, grouped } from './amount-text.js';

it('shows amounts, and what they are below another one, with the sign before the currency', () => {
  expect([0, 0.0123, 0.999, 1, 12.345, -0.0123, -49.9977].map(dollars)).toEqual([
    ...['$0.00', '$0.0123', '$0.9990', '$1.00', '$12.35', '−$0.0123', '−$50.00'],
  ]);
  expect([0, 999, 12_345, -14_750].map(grouped)).toEqual(['0', '999', '12,345', '−14,750']);
});
