import { expect, it } from 'vitest';
import { readOrder } from './rerank.js';

it.each<[string, number[] | null]>([
  ['{"order": [3, 1, 2]}', [3, 1, 2]],
  ['Sure.\n```json\n{"order":[2]}\n```', [2]],
  ['{"order": [9, 2, 2, 0, "1", 1.5, 4]}', [2, 4]],
  ['{"order": [1, 2]} as I said: {"order": [1, 2]}', [1, 2]],
  ['{"order": [1, 2]} or {"order": [2, 1]}', null],
  ['{"order": [9]}', null],
  ['{"order": []}', null],
  ['{"order": "1"}', null],
  ['3, 1, 2', null],
  ['', null],
])('reads %j', (text, order) => expect(readOrder(text, 4)).toEqual(order));
