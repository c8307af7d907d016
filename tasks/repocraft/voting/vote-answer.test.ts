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
  ['YES: it has no side effects', 'yes', 'it has no side effects'],
  [
    '{"answer": "YES", "reason": "no helper is needed, and it parses yes or no"}',
    'yes',
    'no helper is needed, and it parses yes or no',
  ],
  ['<think>If it logged, NO. But it parses.</think>\n{"answer": "YES", "reason": "ok"}', 'yes', 'ok'],
  ['If it only logged I would say NO.\n\n{"answer": "YES", "reason": "ok"}', 'yes', 'ok'],
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
  'YES. NO. On reflection the code does it, that is, YES',
  'YES. No, wait.',
  'Yes: it parses cookies. No.',
  'YES, although the answer could be NO',
  'NO\n{"answer": "YES", "reason": "ok"}',
  '{"answer": "YES", "answer": "NO"}',
  '{"answer": "YES", "reason": "No. It only logs."}',
  '<think>The answer is YES',
  'null',
  '{',
])('refuses %j', (text) => {
  expect(readVoteAnswer(text)).toBeNull();
});
