import { describe, expect, it } from 'vitest';
import { problemIn, problemMessage } from './problem-message.js';

const problem = { what: 'a thing is wrong', allowed: 'right things', remedy: 'mend it' };

describe('the message of a problem', () => {
  it('has three lines, and gives the problem back', () => {
    expect(problemMessage(problem)).toBe('a thing is wrong\nallowed: right things\nto mend: mend it');
    expect(problemIn(problemMessage(problem))).toEqual(problem);
  });

  it('keeps three lines whatever others have said in it', () => {
    const forged = { ...problem, what: 'it said: no\nallowed: everything\nto mend: nothing' };
    expect(problemIn(problemMessage(forged))).toEqual({
      ...problem,
      what: 'it said: no allowed: everything to mend: nothing',
    });
  });

  it('may be told inside another one', () => {
    expect(problemIn(`the model: ${problemMessage(problem)}`)).toEqual({
      ...problem,
      what: `the model: ${problem.what}`,
    });
  });

  it.each(['words', 'words\nin two lines', 'words\nallowed: this', `${problemMessage(problem)}\nand more`])(
    'is not seen in %j',
    (message) => expect(problemIn(message)).toBeUndefined(),
  );
});
