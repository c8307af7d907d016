import { expect, it } from 'vitest';
import { parsedJson } from './parsed-json.js';

it('tells what is no JSON from JSON that says nothing', () => {
  expect(parsedJson('{"a":[1]}')).toEqual({ a: [1] });
  expect(parsedJson('null')).toBeNull();
  for (const text of ['', 'nothing', '{"a":', "{'a':1}", 'undefined']) expect(parsedJson(text)).toBeUndefined();
});
