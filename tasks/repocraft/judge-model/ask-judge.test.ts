import { expect, test } from 'vitest';
import type { ModelAnswer } from '../../../src/ports/model.js';
import { readVoteAnswer } from '../voting/vote-answer.js';
import { askJudge } from './ask-judge.js';

const question = { purpose: 'vote', model: 'judge', prompt: 'vote.v1', ordinal: 1, messages: [] };
const answer = (parts: Partial<ModelAnswer>): ModelAnswer => ({
  ...{ text: '', finishReason: 'stop', usage: null, providerRequestId: null },
  ...parts,
});

test.each<[string, string, Partial<ModelAnswer>]>([
  [
    'a refusal in the place of a content, though it begins with No',
    'refused by the provider',
    { text: 'No, not this one.', raw: { role: 'assistant', content: null, refusal: 'No, not this one.' } },
  ],
  ['a filter', 'refused by the provider', { text: 'NO', finishReason: 'content_filter' }],
  ['the cap', 'cut at its output cap', { text: 'NO', finishReason: 'length' }],
  [
    'a call of a tool in the place of a text',
    'silent',
    { raw: { content: null, tool_calls: [{ id: 'a', function: { name: 'vote', arguments: '{"answer": "NO"}' } }] } },
  ],
  ['no word', 'silent', {}],
  ['thoughts that never end', 'not clear', { text: '<think>No. Or is it?' }],
])('%s is no vote', async (_what, why, parts) => {
  const asked: number[] = [];
  const ask = ({ ordinal }: { ordinal: number }): Promise<ModelAnswer> => {
    asked.push(ordinal);
    return Promise.resolve(answer(parts));
  };
  const again = [{ role: 'user' as const, content: 'YES or NO?' }];
  expect(await askJudge({ ask }, { question, read: readVoteAnswer, again })).toMatchObject({ read: null, why });
  expect(asked).toEqual(why === 'silent' || why === 'not clear' ? [1, 2] : [1]);
});
