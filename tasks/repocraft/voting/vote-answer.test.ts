import { expect, it } from 'vitest';
import { readVoteAnswer } from './vote-answer.js';

it.each([
  ['{"answer": "YES", "reason": "it does"}', 'yes', 'it does'],
  ['Sure!\n```json\n{"answer":"partial","reason":"half of it"}\n```', 'partial', 'half of it'],
  ['{"answer": "NO", "reason": "returns {} and {\\"a\\": 1}"}', 'no', 'returns {} and {"a": 1}'],
  ['First {"answer": "YES"}, and again {"answer": "yes"}', 'yes', ''],
  ['YES: it parses cookies', 'yes', 'it parses cookies'],
  ['**No.** It only logs.', 'no', 'It only logs.'],
  ['Answer: PARTIAL - needs a helper', 'partial', 'needs a helper'],
])('reads %j', (text, answer, reason) => {
  expect(readVoteAnswer(text)).toEqual({ answer, reason });
});

it.each([
  '',
  'maybe',
  'Nothing here',
  'YES\nNO',
  '{"answer": 3}',
  '{"answer": "YESNO"}',
  '{"answer": "YES"} {"answer": "NO"}',
  'null',
  '{',
])('refuses %j', (text) => {
  expect(readVoteAnswer(text)).toBeNull();
});
