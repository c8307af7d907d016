import { expect, test } from 'vitest';
import { readTrace } from './trace.js';

const mark = 'a-mark';
const read = (...lines: string[]) => readTrace(lines.join('\n'), mark);

test('what was opened is told apart from what the script said, also in the middle of a line', () => {
  expect(read('a-mark /traced', 'oops', 'a-mark b.dat', 'no end a-mark a b.dat', 'a-mark b.dat', '')).toEqual({
    stderr: 'oops\nno end \n',
    opened: ['a b.dat', 'b.dat'],
  });
});

test('only what is said before the script begins says that there is no trace', () => {
  expect(read('a-mark /untraced', 'x')).toEqual({ stderr: 'x', opened: null });
  expect(read('a-mark /traced', 'a-mark /untraced').opened).toEqual(['/untraced']);
  expect(read('nothing').opened).toBeNull();
});
