import { expect, it } from 'vitest';
import { missingProblems } from './refuse-missing.js';

const lack = (name: string) => ({ name, message: `a.py:1 imports ${name}`, expected: 'all of it', fix: 'bring it' });

it('refuses with everything that is missing, but for what is allowed', () => {
  const missing = [lack('kettle'), lack('pot'), lack('cup')];
  expect(missingProblems(missing, ['pot'])).toEqual([
    {
      message: 'grade: a.py:1 imports kettle',
      expected: 'all of it',
      fix: 'bring it; or count what needs it as failed: --allow-missing pot,kettle,cup',
    },
    expect.objectContaining({ message: 'grade: a.py:1 imports cup' }),
  ]);
  expect(missingProblems(missing, ['kettle', 'pot', 'cup', 'spoon'])).toEqual([]);
  expect(missingProblems([{ name: 'kettle', message: 'no kettle' }], [])).toEqual([
    { message: 'grade: no kettle', fix: 'count what needs it as failed: --allow-missing kettle' },
  ]);
});
