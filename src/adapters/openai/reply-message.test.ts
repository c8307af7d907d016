import { expect, test } from 'vitest';
import type { JsonObject } from '../../contract/json.js';
import { createReplyMessage } from './reply-message.js';

const of = (...pieces: JsonObject[]): ReturnType<typeof createReplyMessage> => {
  const message = createReplyMessage();
  for (const piece of pieces) message.add(piece);
  return message;
};
const text = (words: string) => ({ type: 'text', text: words });
const thinking = (words: string) => ({ type: 'thinking', thinking: [text(words)] });

test('content that is a list of parts is the text of its parts; thoughts stand beside it', () => {
  const whole = of({ role: 'assistant', content: [thinking('If it logged, NO.'), text('YES: '), text('it parses')] });
  expect(whole.text()).toBe('YES: it parses');
  expect(whole.raw()).toMatchObject({ content: 'YES: it parses', reasoning_content: 'If it logged, NO.' });
});

test('parts that come in pieces of a stream are put together, with texts among them', () => {
  const pieces = [{ content: [thinking('Well')] }, { content: [thinking(', NO')] }, { content: [text('YES')] }];
  expect(of(...pieces, { content: ': it parses' }).text()).toBe('YES: it parses');
});

test.each<[string, JsonObject]>([
  ['null', { content: null }],
  ['a list of nothing', { content: [] }],
  ['parts without a text', { content: [{ type: 'image' }, 3, null] }],
  ['thoughts alone', { content: [thinking('YES')] }],
  ['a call of a tool', { content: null, tool_calls: [{ id: 'a', function: { name: 'answer', arguments: '"YES"' } }] }],
])('%s is no text', (_what, message) => {
  expect(of(message).text()).toBe('');
});
