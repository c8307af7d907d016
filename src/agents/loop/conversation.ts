import type { Json } from '../../contract/json.js';
import type { ModelMessage } from '../../ports/model.js';
import type { TurnRecord } from './turns.js';

/** The messages of the next question: the prompt, then each recorded turn. The same records give the same messages. */
export function conversation(prompt: readonly ModelMessage[], turns: readonly TurnRecord[]): Json[] {
  return [...prompt.map(({ role, content }) => ({ role, content })), ...turns.flatMap(messagesOf)];
}

/** An answer that could not be read is told as a text: providers refuse calls of tools they cannot read. */
function messagesOf({ turn, said: { text, action }, observation }: TurnRecord): Json[] {
  if (action === null || action.callId === null)
    return [
      { role: 'assistant', content: text === '' ? '(nothing)' : text },
      { role: 'user', content: observation },
    ];
  // Ids of a model that numbers its calls anew in each answer would not be distinct.
  const id = `turn-${turn}`;
  const call = { id, type: 'function', function: { name: action.tool, arguments: JSON.stringify(action.input) } };
  return [
    { role: 'assistant', content: text, tool_calls: [call] },
    { role: 'tool', tool_call_id: id, content: observation },
  ];
}
