import { expect, it } from 'vitest';
import { withOwnCommands } from './own-commands.js';

it('puts the campaign and the trial into commands that were written down without them', () => {
  const fix = 'run FILE --id ID; then: npx durabench retry ID --trial TRIAL --fresh (an ID in prose stays)';
  expect(withOwnCommands({ message: 'm', expected: 'ID', fix }, 'c-1/task/sys/2')).toEqual({
    ...{ message: 'm', expected: 'ID' },
    fix: 'run FILE --id c-1; then: npx durabench retry c-1 --trial task/sys/2 --fresh (an ID in prose stays)',
  });
  expect(withOwnCommands({ message: 'm', fix: 'retry ID --trial TRIAL' }, 'c-1')).toEqual({
    message: 'm',
    fix: 'retry c-1 --trial TRIAL',
  });
  expect(withOwnCommands({ message: 'm' }, 'c-1')).toEqual({ message: 'm' });
});
