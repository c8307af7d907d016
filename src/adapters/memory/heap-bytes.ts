/** Of a machine word; V8 in Node does not compress pointers. */
const WORD = 8;
/** Object, with its three words; array, with the header of its elements. */
const OBJECT = 3 * WORD;
const ARRAY = 6 * WORD;
/** Header of a string, and of a number that is no small integer. */
const BOXED = 2 * WORD;
/** What V8 keeps of a property of a shape it has not seen: descriptor, transition, or a slot of a dictionary twice as large as filled. */
const NEW_PROPERTY = 12 * WORD;
/** A slot of a Map or Set, at the load they have on average. */
const SLOT = 6 * WORD;
/** A view of bytes with its buffer. */
const VIEW = 25 * WORD;

/**
 * About what a value occupies in memory: objects, arrays, strings, Maps, Sets and bytes, whatever is reached twice counted
 * once. By the layout of V8 and not by the text it was read from, beside which an index of many small objects is several
 * times as large. What a function holds is not seen.
 */
export function heapBytes(value: unknown): number {
  const seen = new Set<unknown>();
  const shapes = new Set<string>();
  const open: unknown[] = [value];
  let bytes = 0;
  while (open.length > 0) {
    const one = open.pop();
    if (typeof one === 'number') bytes += Number.isInteger(one) ? 0 : BOXED;
    else if (typeof one === 'string' || (typeof one === 'object' && one !== null)) {
      if (seen.has(one)) continue;
      seen.add(one);
      bytes += typeof one === 'string' ? stringBytes(one) : ownBytes(one, open, shapes);
    }
  }
  return bytes;
}

/** Of an object without what it refers to, which is added to `open`. */
function ownBytes(one: object, open: unknown[], shapes: Set<string>): number {
  if (ArrayBuffer.isView(one)) return VIEW + one.byteLength;
  if (one instanceof Map || one instanceof Set) {
    for (const [key, value] of one.entries()) open.push(key, value);
    return OBJECT + SLOT * one.size;
  }
  if (Array.isArray(one)) {
    for (const each of one as unknown[]) open.push(each);
    return ARRAY + WORD * one.length;
  }
  const keys = Object.keys(one);
  for (const value of Object.values(one)) open.push(value);
  const shape = keys.join();
  if (shapes.has(shape)) return OBJECT + WORD * keys.length;
  shapes.add(shape);
  return OBJECT + keys.reduce((sum, key) => sum + NEW_PROPERTY + stringBytes(key), 0);
}

/** One byte a character where all of them are Latin-1, else two; whole words. */
function stringBytes(text: string): number {
  const width = /[^\u0000-\u00ff]/.test(text) ? 2 : 1;
  return BOXED + WORD * Math.ceil((width * text.length) / WORD);
}
