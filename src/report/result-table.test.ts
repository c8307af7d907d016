import { describe, expect, it } from 'vitest';
import { plainTable } from './result-table.js';

describe('a table', () => {
  const HEAD = ['name', 'state', 'cost', 'wall'];
  const ROWS = [
    ['one', 'done', '$1', '3 s'],
    ['another', 'running', '$200', '1 min'],
  ];
  const at = (width: number): string =>
    plainTable(HEAD, ROWS, ['left', 'left', 'right'], { width, ranks: [0, 0, 1, 2] });

  it('shows everything where there is room, and where nothing is known of a width', () => {
    expect(at(Infinity)).toBe(plainTable(HEAD, ROWS, ['left', 'left', 'right']));
    expect(at(29)).toBe(at(Infinity));
  });

  it('leaves out the column of the highest rank first, and says so', () => {
    expect(at(28)).toBe(
      ['name     state    cost', 'one      done       $1', 'another  running  $200', 'not shown: wall (--wide)'].join(
        '\n',
      ),
    );
    expect(at(20).split('\n').at(-1)).toBe('not shown: cost, wall (--wide)');
  });

  it('breaks the longest texts into lines where that does not suffice', () => {
    const table = plainTable(
      ['code', 'meaning'],
      [
        ['a', 'Too many requests were sent at once.'],
        ['b', 'No answer.'],
      ],
      [],
      { width: 30, ranks: [] },
    );
    expect(table).toBe(
      ['code  meaning', 'a     Too many requests were', '      sent at once.', 'b     No answer.'].join('\n'),
    );
  });

  it('is padded in one way, by us as by the library, which alone knows the width of every character', () => {
    const plain = plainTable(HEAD, ROWS, ['left', 'left', 'right']);
    const withWide = plainTable(HEAD, [...ROWS, ['漢', '', '', '']], ['left', 'left', 'right']);
    expect(withWide).toBe(`${plain}\n漢`);
  });

  it('keeps what tells rows apart, however narrow it is', () => {
    expect(at(3).split('\n')[0]).toBe('name     state');
  });
});
