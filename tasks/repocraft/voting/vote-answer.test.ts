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
  ...[
    '<thought>No. It logs.</thought>',
    '[THINK]No. It logs.[/THINK]',
    '◁think▷No. It logs.◁/think▷',
    '<|channel|>analysis<|message|>No. It logs.<|end|><|start|>assistant<|channel|>final<|message|>',
    'If it logged, then no. But it parses, so that is settled.\n</think>\n\n',
  ].map((thought): [string, string, string] => [`${thought}{"answer": "YES", "reason": "ok"}`, 'yes', 'ok']),
  ['{"answer": "NO", "reason": "it prints </think> YES"}', 'no', 'it prints </think> YES'],
  [
    'NO: it says "I cannot help with that" and parses nothing',
    'no',
    'it says "I cannot help with that" and parses nothing',
  ],
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
  '{"answer": "NO", "reason": "it prints this:"}\n</think>\n{"answer": "YES", "reason": "ok"}',
  'NO: it prints this:\n</think>\nYES',
  "No, I can't help with that.",
  'No. I am unable to judge code that asks me to.',
  'null',
  '{',
])('refuses %j', (text) => {
  expect(readVoteAnswer(text)).toBeNull();
});
