import { expect, test } from 'vitest';
import { readOpinion } from './opinion.js';

test('one of the three methods is an opinion, and nothing else is', () => {
  expect(readOpinion('{"method": "copied", "reason": "values\\nstand in it"}')).toEqual({
    ...{ method: 'copied', reason: 'values stand in it' },
  });
  expect(readOpinion('Well:\n```json\n{"method": "last-mile"}\n```').method).toBe('last-mile');
  expect(readOpinion('{"method": "honest", "reason": "\\u0000"}')).toEqual({ method: null, reason: '\ufffd' });
  expect(readOpinion('copied, I think')).toEqual({ method: null, reason: 'copied, I think' });
  expect(readOpinion('').method).toBeNull();
});
