import { expect, it } from 'vitest';
import { readFiles } from '../../../../src/suite-kit/answer-files.js';
import { shownTree } from './shown-tree.js';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

it('shows a tree as an answer would give it: reading it back changes nothing', () => {
  const tree = new Map([
    ['pkg/b.py', bytes('x = 1\n')],
    ['README.md', bytes('Use:\n\n```\nb\n```\n')],
  ]);
  const read = readFiles(shownTree(tree));
  expect('files' in read && read.files).toEqual(tree);
  expect(shownTree(new Map())).toBe('(It is empty.)');
});

it('names files for which there is no room', () => {
  const tree = new Map([
    ['a.py', bytes(`${'#'.repeat(250_000)}\n`)],
    ['b.py', bytes('x = 1\n')],
  ]);
  expect(shownTree(tree)).toBe('### a.py\n\n(2 lines, not shown)\n\n### b.py\n\n```\nx = 1\n```');
});
