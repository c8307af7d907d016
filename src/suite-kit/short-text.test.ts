import { expect, it } from 'vitest';
import { shortText } from './short-text.js';

it('leaves short, clean text alone', () => {
  expect(shortText('Komponenttia ei löydy', 100)).toBe('Komponenttia ei löydy');
});

it('replaces what Postgres refuses in jsonb, and line ends', () => {
  expect(shortText('a\u0000b\nc\ud800d', 100)).toBe('a b c\u{fffd}d');
});

it.each(['x'.repeat(500), '"'.repeat(500), 'ö'.repeat(500), '😀'.repeat(500)])(
  'cuts by the bytes of its JSON',
  (text) => {
    const short = shortText(text, 100);
    expect(Buffer.byteLength(JSON.stringify(short))).toBeLessThanOrEqual(100);
    expect(Buffer.byteLength(JSON.stringify(short))).toBeGreaterThan(92);
    expect(short.endsWith('…')).toBe(true);
    expect(JSON.parse(JSON.stringify(short))).toBe(short);
  },
);
