import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { storable, storableJson, storableText } from './storable.js';

describe('text that goes into the records', () => {
  it('keeps what Postgres keeps, and marks what it refuses', () => {
    expect(storableText('a\0b \ud83d c \udc00 \u{1f388}\t\n\u001b')).toBe(
      'a\u{fffd}b \u{fffd} c \u{fffd} \u{1f388}\t\n\u001b',
    );
  });

  it('knows an escape from text that reads like one', () => {
    const value = { text: 'written out: \\u0000 \\ud83d', real: '\0', half: '\ud83d', pair: '\u{1f388}', nul: '\\\0' };
    expect(JSON.parse(storableJson(value))).toEqual({
      ...{
        text: 'written out: \\u0000 \\ud83d',
        real: '\u{fffd}',
        half: '\u{fffd}',
        pair: '\u{1f388}',
        nul: '\\\u{fffd}',
      },
    });
  });

  it('is the same value wherever nothing is refused, and always one that can be hashed', () => {
    const text = fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)) });
    const values = fc.record({ json: fc.jsonValue(), text, wild: fc.dictionary(text, text) });
    fc.assert(
      fc.property(values, (value) => {
        const kept = storable(value);
        expect(() => canonicalize(kept)).not.toThrow();
        expect(JSON.stringify(kept).replaceAll('\\\\', '')).not.toContain('\\u0000');
        expect(storable(kept)).toBe(kept);
      }),
      { numRuns: 300 },
    );
  });
});
