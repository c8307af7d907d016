import { describe, expect, it } from 'vitest';
import { leadOf, queryVector } from './query.js';

describe('leadOf', () => {
  it('ends where the first labelled sentence begins', () => {
    const lead = 'A class for query set, in the area of query. Represent a lazy database lookup for a set of objects.';
    expect(leadOf(`${lead} Operations used: order by. Expected behaviour: reverse; a label: inside.`)).toBe(lead);
    expect(leadOf('A function for zeros. Expected behaviour: zeros.')).toBe('A function for zeros.');
  });

  it('is the first sentence where nothing has a label', () => {
    expect(leadOf('Parses e.g. a header into pairs. Quotes are taken off.')).toBe('Parses e.g. a header into pairs.');
    expect(leadOf('Parses a header')).toBe('Parses a header');
    expect(leadOf('')).toBe('');
  });
});

describe('queryVector', () => {
  it('stands half way between the whole text and its lead', async () => {
    const vectors = new Map([
      ['A map. Operations used: get.', Float32Array.of(1, 0)],
      ['A map.', Float32Array.of(0, 1)],
    ]);
    const embed = (texts: string[]) => Promise.resolve(texts.map((text) => vectors.get(text) ?? new Float32Array(2)));
    expect(await queryVector({ embed }, 'A map. Operations used: get.')).toEqual(Float32Array.of(0.5, 0.5));
  });
});
