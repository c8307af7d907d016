import { describe, expect, test } from 'vitest';
import { Likeness, MIN_ALIKE, parametersOf } from './alike.js';
import type { CandidateEntry, CandidateIndex } from '../candidate/candidate-index.js';

const entry = (kind: CandidateEntry['kind'], name: string, parts: Partial<CandidateEntry> = {}): CandidateEntry => ({
  ...{
    kind,
    name,
    module: 'm',
    qualname: name,
    owner: null,
    signature: `${name}()`,
    doc: '',
    file: 'm.py',
    lines: [1, 2],
  },
  ...parts,
});
const methods = (owner: string, file: string, ...names: string[]) =>
  names.map((name) => entry('method', name, { owner, qualname: `${owner}.${name}`, file }));
const index = (...entries: CandidateEntry[]): CandidateIndex => ({
  ...{ roots: ['.'], packages: ['m'], files: 1, entries, modules: {}, problems: [] },
});

describe('definitions under other names', () => {
  const doc = 'The scheme of the address is either invalid or unsupported.';

  test('are known by what their docstrings say', () => {
    const alike = new Likeness(index());
    const other = entry('class', 'BadProtocol', { doc: 'The scheme of an address is invalid or unsupported.' });
    expect(alike.of(entry('class', 'InvalidSchema', { doc }), other)).toBeGreaterThanOrEqual(MIN_ALIKE);
    const neighbour = entry('class', 'BadAddress', { doc: 'The address provided was somehow malformed.' });
    expect(alike.of(entry('class', 'InvalidSchema', { doc }), neighbour)).toBeLessThan(MIN_ALIKE);
  });

  test('classes without a word are known by their methods, which a test needs in any case', () => {
    const [session, visit] = [entry('class', 'Session', { file: 'a.py' }), entry('class', 'Visit', { file: 'b.py' })];
    const both = [
      ...methods('Session', 'a.py', '__init__', 'send', 'close', 'mount'),
      ...methods('Visit', 'b.py', '__enter__', 'send', 'close', 'mount'),
    ];
    expect(new Likeness(index(...both)).of(session, visit)).toBeCloseTo(0.9);
    expect(new Likeness(index()).of(session, visit)).toBe(0);
  });

  test('are not taken for each other for their parameters alone', () => {
    const [load, drop] = ['load', 'drop'].map((name) =>
      entry('function', name, { signature: `${name}(url, **options)` }),
    );
    expect(new Likeness(index()).of(load as CandidateEntry, drop as CandidateEntry)).toBe(0);
  });

  test('a like name counts, whatever is written', () => {
    const [one, other] = [
      entry('function', 'parse_header', { doc }),
      entry('function', 'parseHeader', { doc: 'Does it all at once.' }),
    ];
    expect(new Likeness(index()).of(one, other)).toBeGreaterThanOrEqual(0.95);
  });
});

test.each([
  ['f()', []],
  ['f(self, a: dict[str, int], *rest, key=(1, 2), **more) -> str', ['a', 'rest', 'key', 'more']],
  ['f(...)', []],
  ['class A(Base)', ['Base']],
])('parameters of %s', (signature, names) => {
  expect([...parametersOf(signature)]).toEqual(names);
});
