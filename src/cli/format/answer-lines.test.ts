import { expect, it } from 'vitest';
import type { LastAnswer } from '../../client/inspect/last-answer.js';
import { answerLines } from './answer-lines.js';

const response = { name: 'completion-ask-1.json', sha256: 'ab', sizeBytes: 9, mediaType: 'application/json' };
const lines = (count: number): string => Array.from({ length: count }, (_, n) => `line ${n + 1}`).join('\n');
const WHOLE = 'durabench logs c/t/s/1 --step generate/ask --evidence completion-ask-1.json';

function shown(parts: Partial<LastAnswer>): string[] {
  const call = { stage: 'generate', step: 'ask', purpose: 'code', model: 'm', response } as LastAnswer['call'];
  const texts = { asked: [], heads: { asked: null, answered: null }, model: 'gpt-4o', finishReason: 'stop' };
  return answerLines('c/t/s/1', { ...texts, call, answered: [{ role: 'answer', text: 'a\n  b' }], ...parts });
}

it('shows a short answer as it is, with who gave it and the command that prints it whole', () => {
  expect(shown({})).toEqual([
    'answer       generate ask, code, gpt-4o, stop',
    '  | a',
    '  |   b',
    `whole        ${WHOLE}`,
  ]);
});

it('shows how a long answer begins and ends, and the beginning of a long line', () => {
  const long = shown({ answered: [{ role: 'answer', text: lines(100) }] });
  expect(long).toHaveLength(8);
  expect(long.slice(4, 7)).toEqual(['  | line 4', `  | … 94 more lines: ${WHOLE}`, '  | line 99']);
  expect(shown({ answered: [{ role: 'answer', text: 'x'.repeat(9_000) }] })[1]).toHaveLength(304);
});

it('names what is said beside the text: refusals and calls of tools', () => {
  const answered = ['answer', 'calls of tools'].map((role) => ({ role, text: role[0]! }));
  expect(shown({ answered }).slice(1, -1)).toEqual(['  | a', '  | calls of tools:', '  | c']);
});

it('says where the answer is kept no more, and shows the beginning of one that cannot be read', () => {
  expect(shown({ answered: [], model: null, finishReason: null })).toEqual([
    'answer       generate ask, code, m',
    '  | kept no more',
    `whole        ${WHOLE}`,
  ]);
  const heads = { asked: null, answered: { text: 'not JSON', beyondBytes: 0 } };
  expect(shown({ answered: [], heads })[1]).toBe('  | not JSON');
});

it('lets no control sequence through', () => {
  const hostile = 'a\u001b[2J\u202e\u0007\ud83db';
  const call = { stage: 'vote', step: hostile, purpose: hostile, model: 'm', response: { ...response, name: hostile } };
  const told = shown({
    call: call as LastAnswer['call'],
    answered: [{ role: hostile, text: hostile }],
    model: hostile,
  });
  expect(told.join('')).not.toMatch(/[\u001b\u202e\u0007]|\p{Surrogate}/u);
  expect(told).toContain('  | a\ufffdb');
});
