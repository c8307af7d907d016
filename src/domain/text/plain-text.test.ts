import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonText } from './json-text.js';
import { plainHead, plainLine, plainText } from './plain-text.js';
import { scaled } from '../../../tests/vitest/yardstick.js';

describe('plainText', () => {
  it.each([
    ['colour', '\u001b[31mred\u001b[0m', 'red'],
    ['clear screen and cursor', 'a\u001b[2J\u001b[1;1Hb', 'ab'],
    ['window title', '\u001b]0;pwned\u0007ok', 'ok'],
    ['clipboard', '\u001b]52;c;ZXZpbA==\u001b\\ok', 'ok'],
    ['hyperlink', '\u001b]8;;http://evil\u0007text\u001b]8;;\u0007', 'text'],
    ['unfinished sequence, which hides nothing', 'ok\u001b]0;never closed', 'ok0;never closed'],
    ['8-bit CSI', '\u009b31mred', 'red'],
    ['8-bit title and clipboard', '\u009d0;pwned\u009cok\u009d52;c;ZXZpbA==\u0007', 'ok'],
    ['Arabic letter mark', 'a\u061cb', 'ab'],
    ['8-bit string within another', '\u009d0;a\u0090b\u009cc', '0;ac'],
    ['carriage return over a line', 'failed\rpassed', 'failedpassed'],
    ['backspaces', 'no\b\byes', 'noyes'],
    ['right-to-left override', 'a\u202ecba', 'acba'],
    ['ordinary text', 'Grüße\n\tπ ✓', 'Grüße\n\tπ ✓'],
  ])('%s', (_, text, expected) => expect(plainText(text)).toBe(expected));

  it('leaves no escape whatever the text', () => {
    const hostile = fc
      .array(fc.constantFrom('\u001b', '[', ']', '0', ';', 'm', '\u0007', '\u009b', 'a', '\\', '\r'))
      .map((all) => all.join(''));
    fc.assert(fc.property(hostile, (text) => !/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/.test(plainText(text))));
  });
});

describe('plainText of a text that is out to keep it busy', () => {
  it.each(
    [
      '\u0090',
      '\u009d0;',
      '\u001b]',
      '\u001bP\u009f',
      '\u009b',
      '\u009b0',
      '\u001b ',
      '\u001b[ ',
      '\u0007',
      '\u001b',
    ].map((part) => [encodeURIComponent(part), part]),
  )(
    'is there in a moment: %s',
    (_, part = '') => expect(plainText(part.repeat(1_000_000))).not.toMatch(/[\u001b\u0090-\u009f]/),
    scaled(20_000),
  );
});

describe('plainLine', () => {
  it('is one line of bounded length', () => {
    expect(plainLine(' a\n\n b ')).toBe('a b');
    expect(plainLine('x'.repeat(300), 10)).toBe(`${'x'.repeat(9)}…`);
    expect(plainLine(`abcdefgh\u{1f388}ij`, 10)).toBe('abcdefgh…');
  });

  it('takes no time over 100 MB, and marks that it did not look at the end', () => {
    expect(plainLine(' \u001b[31m'.repeat(16_000_000), 10)).toBe('…');
  });
});

describe('plainHead', () => {
  it('keeps the blanks of a line, is of bounded length and lets no control sequence through', () => {
    expect(plainHead('    a  b', 10)).toBe('    a  b');
    expect(plainHead(`abcdefgh\u{1f388}ij`, 10)).toBe('abcdefgh…');
    expect(plainHead('\u001b[2J\ta', 10)).toBe('\ta');
  });
});

describe('jsonText', () => {
  it('is JSON of the same value, without a character a terminal acts on', () => {
    const hostile = fc.string({ unit: fc.constantFrom('\u001b', '\u009b', '\u007f', '\u202e', '"', '\\', 'a', '\n') });
    fc.assert(
      fc.property(fc.dictionary(hostile, hostile), (value) => {
        expect(JSON.parse(jsonText(value))).toEqual(value);
        expect(jsonText(value)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
      }),
    );
  });
});
