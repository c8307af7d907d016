import { describe, expect, it } from 'vitest';
import { fileParts, joinParts, needsClosure, packageFiles, placeholderOf, type UnitProduct } from './compose.js';
import { fingerprints } from './fingerprints.js';
import { emptyGraph, interfaceId, type InterfaceDesign, type PlanningGraph } from './planning-graph.js';
import { nearestInterfaces } from './search-graph.js';
import { workItems } from './work-items.js';

const design = (file: string, name: string, parts: Partial<InterfaceDesign> = {}): InterfaceDesign => ({
  ...{ id: interfaceId(file, name), file, kind: 'function', name, signature: '(text: str) -> int', methods: [] },
  ...{ docstring: `Does ${name}.`, features: [], invokes: [], inherits: [] },
  ...parts,
});

/** Two modules; `b` needs `a` of its file, `far` of the other module needs `b`. */
function graph(parts: Partial<PlanningGraph> = {}): PlanningGraph {
  const flow = { source: 'One', target: 'Two', id: 'x', type: 'int', transformation: '' };
  return {
    ...emptyGraph({ title: 'Kit', purpose: 'p', package: 'kit' }),
    modules: ['One', 'Two'].map((name) => ({ name, description: `${name}.`, folder: name.toLowerCase() })),
    flows: [flow],
    files: [
      { path: 'one/base.py', module: 'One', description: 'Bases.', after: [] },
      { path: 'one/x.py', module: 'One', description: 'X.', after: [] },
      { path: 'two/y.py', module: 'Two', description: 'Y.', after: [] },
    ],
    interfaces: [
      design('one/x.py', 'b', { invokes: ['one/x.py::a'] }),
      design('one/x.py', 'a'),
      design('one/x.py', 'c'),
      design('two/y.py', 'far', { invokes: ['one/x.py::b'] }),
    ],
    ...parts,
  };
}

describe('a file', () => {
  it('is its base with the patches of its units in topological order, whatever the order they were made in', () => {
    const product = (name: string): UnitProduct => {
      return {
        imports: ['import re', 'from os import path'],
        helpers: `_H_${name} = 1`,
        source: `def ${name}(text): ...`,
      };
    };
    const products = [['one/x.py::b', product('b')] as const, ['one/x.py::a', product('a')] as const];
    const one = joinParts(fileParts(graph(), 'one/x.py', new Map(products), new Map([['one/x.py::c', 'failed']])));
    const other = joinParts(
      fileParts(graph(), 'one/x.py', new Map([...products].reverse()), new Map([['one/x.py::c', 'failed']])),
    );
    expect(one).toBe(other);
    expect(one).toBe(
      [
        '"""X."""\nfrom __future__ import annotations\nfrom os import path\nimport re',
        '_H_a = 1\n\n\ndef a(text): ...',
        '_H_b = 1\n\n\ndef b(text): ...',
        'def c(text: str) -> int:\n    """Does c."""\n    raise NotImplementedError("c could not be generated")  # durabench: failed\n',
      ].join('\n\n\n'),
    );
  });

  it('keeps what a docstring says from ending it', () => {
    const text = placeholderOf(design('one/x.py', 'a', { docstring: 'Say """x""" \\ \n  two"' }), 'open');
    expect(text).toContain('"""Say \\"\\"\\"x\\"\\"\\" \\\\\n      two\\""""');
  });

  it('is in a package whose folders all have their __init__', () => {
    expect(packageFiles(graph()).map(({ path }) => path)).toEqual([
      'kit/__init__.py',
      'kit/one/__init__.py',
      'kit/two/__init__.py',
    ]);
  });
});

describe('items of work', () => {
  it('hold functions of one file that do not need one another, and come after what they need', () => {
    const names = (batch: number) =>
      workItems(graph(), 'One', batch).map(({ units, after }) => [units.map(({ id }) => id.slice(-1)).join(), after]);
    expect(names(5)).toEqual([
      ['a,c', []],
      ['b', [0]],
    ]);
    expect(names(1)).toEqual([
      ['a', []],
      ['b', [0]],
      ['c', []],
    ]);
  });

  it('know what a unit needs through others', () => {
    expect(needsClosure(graph(), ['two/y.py::far'])).toEqual(['one/x.py::a', 'one/x.py::b']);
  });
});

describe('a fingerprint', () => {
  const edited = (id: string, docstring: string): PlanningGraph => {
    const old = graph();
    return { ...old, interfaces: old.interfaces.map((one) => (one.id === id ? { ...one, docstring } : one)) };
  };
  const changed = (other: PlanningGraph): string[] => {
    const [before, after] = [fingerprints(graph()), fingerprints(other)];
    return [...before].filter(([id, print]) => after.get(id) !== print).map(([id]) => id);
  };

  it('changes with the design of a unit and of what it needs, and with nothing else', () => {
    expect(changed(edited('one/x.py::a', 'Other.')).sort()).toEqual(['one/x.py::a', 'one/x.py::b', 'two/y.py::far']);
    expect(changed(edited('two/y.py::far', 'Other.'))).toEqual(['two/y.py::far']);
    expect(changed({ ...graph(), purpose: 'another', features: [] })).toEqual([]);
  });
});

it('finds the nearest interfaces by name and docstring', () => {
  const interfaces = [
    design('one/x.py', 'split_words'),
    design('one/x.py', 'count_lines'),
    design('one/x.py', 'words'),
  ];
  expect(nearestInterfaces(graph({ interfaces }), 'split words', 2)).toEqual([
    'one/x.py::split_words',
    'one/x.py::words',
  ]);
});
