import { describe, expect, it } from 'vitest';
import { estimateInputTokens } from './token-estimate.js';

describe('estimateInputTokens', () => {
  it('is above four bytes a token by design', () => {
    const text = 'def add(a, b):\n    return a + b\n'.repeat(100);
    expect(estimateInputTokens([{ content: text }])).toBeGreaterThan(text.length / 4);
    expect(estimateInputTokens([{ content: text }])).toBeLessThan(text.length / 2);
  });

  it('counts bytes, so that scripts with long encodings are not underestimated', () => {
    expect(estimateInputTokens([{ content: '漢'.repeat(100) }])).toBeGreaterThan(95);
  });

  it('counts an empty conversation as more than nothing', () => {
    expect(estimateInputTokens([])).toBeGreaterThan(0);
  });
});
