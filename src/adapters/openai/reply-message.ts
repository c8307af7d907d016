import type { Json, JsonObject } from '../../contract/json.js';

/** The message of an answer that comes whole, or in pieces that are put together. */
export interface ReplyMessage {
  /** Takes a message, or the next delta of a stream. */
  add(piece: JsonObject): void;
  /** Its text: the content, else the refusal. */
  text(): string;
  /** Characters of everything that has come. */
  size(): number;
  /** Whether nothing has come that is an answer. */
  isEmpty(): boolean;
  /** The message as one object, where it holds more than a text; else undefined. */
  raw(): JsonObject | undefined;
}

/** Says of itself which piece of a list it belongs to, as the calls of tools in a stream do. */
type Indexed = JsonObject & { index: number };

/** Texts of one name are joined, as streams cut them; of everything else the last word counts. */
export function createReplyMessage(): ReplyMessage {
  const fields = new Map<string, Json>();
  let size = 0;
  const textOf = (name: string): string => {
    const value = fields.get(name);
    return typeof value === 'string' ? value : '';
  };
  return {
    add(piece) {
      size += JSON.stringify(piece).length;
      for (const [name, value] of Object.entries(withTexts(piece)))
        fields.set(name, joined(name, fields.get(name), value));
    },
    text: () => textOf('content') || textOf('refusal'),
    size: () => size,
    isEmpty: () => [...fields].every(([name, value]) => name === 'role' || isNothing(value)),
    raw() {
      const kept = [...fields].filter(([name, value]) => name === 'role' || !isNothing(value));
      const hasMore = kept.some(([name]) => name !== 'role' && name !== 'content');
      return hasMore ? { content: null, ...Object.fromEntries(kept) } : undefined;
    },
  };
}

/** Some models give their content as a list of parts, thoughts among them: its texts as one, and the thoughts beside it. */
function withTexts(piece: JsonObject): JsonObject {
  const { content, ...others } = piece;
  if (!Array.isArray(content)) return piece;
  const thoughts = content.filter((part) => isObject(part) && part.type === 'thinking');
  const texts = content.filter((part) => !thoughts.includes(part)).map(textIn);
  return {
    ...others,
    content: texts.join(''),
    ...(thoughts.length === 0 ? {} : { reasoning_content: thoughts.map(textIn).join('') }),
  };
}

/** Of a part: a text, `{ type: 'text', text }`, or `{ type: 'thinking', thinking }` of such parts. */
function textIn(part: Json): string {
  if (typeof part === 'string') return part;
  if (Array.isArray(part)) return part.map(textIn).join('');
  return isObject(part) ? textIn(part.text ?? part.thinking ?? '') : '';
}

const isNothing = (value: Json): boolean =>
  value === null || value === '' || (Array.isArray(value) && value.length === 0);

/** Names that a stream may repeat whole in each piece. */
const WHOLE: ReadonlySet<string> = new Set(['role', 'id', 'type', 'name', 'index']);

function joined(name: string, before: Json | undefined, value: Json): Json {
  if (before === undefined || before === null) return isIndexedList(value) ? listed([], value) : value;
  if (value === null) return before;
  if (typeof before === 'string' && typeof value === 'string')
    return WHOLE.has(name) ? value || before : before + value;
  if (Array.isArray(before) && isIndexedList(value)) return listed(before, value);
  if (isObject(before) && isObject(value)) return merged(before, value);
  return value;
}

function merged(before: JsonObject, piece: JsonObject): JsonObject {
  const entries = Object.entries(piece).map(([name, value]) => [name, joined(name, before[name], value)] as const);
  return { ...before, ...Object.fromEntries(entries) };
}

/** Pieces of a stream name their place; it is left out of what they come to, as it is in an answer that is not streamed. */
function listed(before: readonly Json[], pieces: readonly Indexed[]): Json[] {
  const list = [...before];
  for (const { index, ...piece } of pieces) {
    const at = list[index];
    list[index] = isObject(at) ? merged(at, piece) : piece;
  }
  return list.filter((entry) => entry !== undefined);
}

/** More calls than this are no answer, and a place far off would fill the memory. */
const MOST_PLACES = 128;

function isIndexedList(value: Json): value is Indexed[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every(
      (entry) =>
        isObject(entry) &&
        Number.isInteger(entry.index) &&
        Number(entry.index) >= 0 &&
        Number(entry.index) < MOST_PLACES,
    )
  );
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
