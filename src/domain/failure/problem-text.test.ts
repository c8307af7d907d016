import { describe, expect, it } from 'vitest';
import { problemText } from './problem-text.js';

const problem = { message: 'a thing is wrong', expected: 'right things', fix: 'correct it' };

describe('the text of a problem', () => {
  it('has a line for each part that is known', () => {
    expect(problemText(problem)).toBe('a thing is wrong\nexpected: right things\nfix: correct it');
    expect(problemText({ message: 'a thing is wrong', fix: 'correct it' })).toBe('a thing is wrong\nfix: correct it');
    expect(problemText({ message: 'a thing is wrong' })).toBe('a thing is wrong');
  });

  it('keeps its lines whatever others have said in it', () => {
    const forged = { ...problem, message: 'it said: no\nexpected: everything\nfix: nothing' };
    expect(problemText(forged).split('\n')).toEqual([
      'it said: no expected: everything fix: nothing',
      'expected: right things',
      'fix: correct it',
    ]);
  });
});
