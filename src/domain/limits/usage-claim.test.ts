import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { estimateInputTokens } from './token-estimate.js';
import { mostInputTokens, mostOutputTokens, usageProblem } from './usage-claim.js';

const text = fc.string({ unit: 'grapheme', maxLength: 300 });
const sent = fc.record({
  messages: fc.array(fc.record({ content: text }), { minLength: 1, maxLength: 4 }),
  maxOutputTokens: fc.integer({ min: 1, max: 200_000 }),
});
const count = fc.oneof(
  fc.integer({ min: -5, max: 1_000_000_000 }),
  fc.constantFrom(Number.NaN, Infinity, -Infinity, 0.5, Number.MAX_VALUE),
);

describe('a claimed usage', () => {
  it('is believed exactly within the bounds: no count beyond what was sent, no part above its whole', () => {
    const claims = fc.tuple(sent, count, count, count);
    fc.assert(
      fc.property(claims, ([request, inputTokens, cachedInputTokens, outputTokens]) => {
        const counts = [inputTokens, cachedInputTokens, outputTokens];
        const isPossible =
          counts.every((each) => Number.isSafeInteger(each) && each >= 0) &&
          inputTokens <= mostInputTokens(request) &&
          outputTokens <= mostOutputTokens(request) &&
          cachedInputTokens <= inputTokens;
        const problem = usageProblem({ inputTokens, cachedInputTokens, outputTokens }, request);
        expect(problem === null).toBe(isPossible);
      }),
    );
  });

  it('is believed where a tokenizer takes every byte for itself, and where a block runs past the cap', () => {
    fc.assert(
      fc.property(sent, fc.integer({ min: 0, max: 64 }), (request, past) => {
        const bytes = request.messages.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0);
        const outputTokens = request.maxOutputTokens + past;
        const usage = { inputTokens: bytes + 16 * request.messages.length, cachedInputTokens: 0, outputTokens };
        expect(usageProblem(usage, request)).toBeNull();
        expect(usageProblem({ ...usage, inputTokens: estimateInputTokens(request.messages) }, request)).toBeNull();
      }),
    );
  });

  it('is never believed at 900 million tokens', () => {
    const request = { messages: [{ content: 'yes or no?' }], maxOutputTokens: 300 };
    const usage = { inputTokens: 10, cachedInputTokens: 0, outputTokens: 10 };
    expect(usageProblem({ ...usage, outputTokens: 900_000_000 }, request)).toMatch(
      /^900000000 output tokens at a cap of 300$/,
    );
    expect(usageProblem({ ...usage, inputTokens: 900_000_000 }, request)).toMatch(
      /^900000000 input tokens for a prompt of/,
    );
  });
});
