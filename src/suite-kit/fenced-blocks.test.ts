import { describe, expect, it } from 'vitest';
import { fencedBlocks } from './fenced-blocks.js';

const blocks = (text: string): [info: string, body: string][] =>
  [...fencedBlocks(text.split('\n'))].map(({ info, lines }) => [info, lines.join('|')]);

describe('the blocks of an answer', () => {
  it.each<[string, string, [string, string][]]>([
    [
      'two',
      'a\n```py\nx\n```\nb\n~~~\ny\n\n~~~',
      [
        ['py', 'x'],
        ['', 'y|'],
      ],
    ],
    ['one in a longer fence', '````md\n```py\nx\n```\n````', [['md', '```py|x|```']]],
    ['one that holds the other fence', '```\n~~~\n```', [['', '~~~']]],
    ['one that holds an indented fence', '```py\n"""\n  ```\n"""\n```', [['py', '"""|  ```|"""']]],
    ['an indented one', ' ```py\n x\n```', [['py', ' x']]],
    ['an empty one', '```\n```', [['', '']]],
    ['lines of Windows', '```py\r\nx\r\n```\r\n', [['py', 'x\r']]],
    ['none of code within a line', '```a``` and ```b```\n', []],
    ['none that was cut off, nor after it', '```\na\n```\n```py\nx\n~~~\n~~~\n', [['', 'a']]],
  ])('%s', (_, text, expected) => expect(blocks(text)).toEqual(expected));
});
