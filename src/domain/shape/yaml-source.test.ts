import { describe, expect, it } from 'vitest';
import { yamlSource } from './yaml-source.js';

const problemsOf = (text: string): string[] => yamlSource(text, 'f.yaml').problems.map(({ message }) => message);

describe('YAML that a plain value would not hold whole', () => {
  it.each([
    ['a value that holds itself', 'a: &x [1, *x]', /f\.yaml:1:\d+: \*x stands inside of what &x names/],
    ['a mapping that holds itself', 'a: &x\n  b: { c: *x }', /f\.yaml:2:\d+: \*x stands inside/],
    ['keys that become one', '1: a\n"1": b', /f\.yaml:2:1: the key "1" is there twice/],
    ['a list as a key', '? [a, b]\n: 1', /f\.yaml:1:\d+: a list or mapping stands where a key belongs/],
    ['a tag nobody knows', 'a: !secret b', /f\.yaml:1:4: .*!secret/],
  ])('%s is a problem with its place', (_, text, what) => {
    expect(problemsOf(text)).toEqual([expect.stringMatching(what)]);
  });

  it('an alias of something that has ended is none', () => {
    const { problems, value } = yamlSource('a: &x { b: 1 }\nc: *x', 'f.yaml');
    expect(problems).toEqual([]);
    expect(value).toEqual({ a: { b: 1 }, c: { b: 1 } });
  });
});
