import { expect, test } from 'vitest';
import { maskOf } from './released-mask.js';

const table = (...rows: string[]): string =>
  ['**Table 1**', '', '| Site 1 | Share |', '| --- | ---: |', ...rows, '', 'In 1999.'].join('\n');

test('hides the digits of the body outside the first column, and nothing else', () => {
  expect(maskOf(table('| north 1 | 24.5% (3) |', '| **All** | - |'), null)).toEqual({
    text: table('| north 1 | ??.?% (?) |', '| **All** | - |'),
    by: 'rule',
  });
});

test('hides every sign where there is no digit', () => {
  expect(maskOf(table('| north 1 | yes, no |', '| south | ✓ |'), null)?.text).toBe(
    table('| north 1 | ???? ?? |', '| south | ? |'),
  );
});

test.each([
  ['hides less', '| north 1 |  2?.? |', 'release'],
  ['hides names too', '| north ? | ??.? |', 'release'],
  ['hides nothing', '| north 1 | 24.5 |', 'rule'],
  ['shows another digit', '| north 1 | 3?.? |', 'rule'],
  ['has another form', '| north 1 | ???.? |', 'rule'],
  ['has another row', '| north 1 | ??.? |\n| south | ? |', 'rule'],
])('takes a released mask that fits: one that %s', (_what, row, by) => {
  expect(maskOf(table('| north 1 | 24.5 |'), table(row))?.by).toBe(by);
});

test('has no mask for what is no table', () => {
  expect(maskOf('<table><tr><td>1</td></tr></table>', null)).toBeNull();
});
