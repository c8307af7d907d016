import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dealer, designed, plannedGraph } from '../../../../../tests/fixtures/zerorepo/random-graph.js';
import { graphText, parseGraph, stageOf } from './graph-format.js';
import { begunProblems, graphProblems } from './graph-problems.js';
import { mermaidOf, svgOf } from './graph-views.js';
import { addFeatures } from '../growth/grow-features.js';
import { layoutProblems } from '../growth/grow-files.js';
import { baseClassProblems } from '../growth/grow-interfaces.js';
import { moduleHints, moduleMetrics } from './module-metrics.js';
import { emptyGraph } from './planning-graph.js';
import { packageName, packageProblem } from './python-names.js';
import { topologicalOrder } from './topological-order.js';
import { moduleOrder, unitOrder, upstreamModules } from './unit-order.js';
import { scaled } from '../../../../../tests/vitest/yardstick.js';

const RUNS = { numRuns: 1000 };

describe('a layout', () => {
  it(
    'of as many features as an answer can hold is judged in a moment',
    () => {
      const features = Array.from({ length: 200_000 }, (_, place) => `f${place}`);
      const files = [{ path: 'a/b.py', description: 'All.', features, after: [] }];
      const graph = emptyGraph({ title: 'Kit', purpose: 'Tools.', package: 'kit' });
      expect(layoutProblems(graph, 'Parts', { folder: 'a', files })).toHaveLength(features.length);
    },
    scaled(20_000),
  );
});

describe('a graph grown from random answers', () => {
  it('holds every invariant at every stage', () => {
    fc.assert(
      fc.property(plannedGraph, (graph) => {
        expect(graphProblems(graph, 'interfaces')).toEqual([]);
        expect(stageOf(graph)).toBe('interfaces');
      }),
      RUNS,
    );
  });

  it('has units in an order that keeps to every dependency, whatever the order of its lists', () => {
    fc.assert(
      fc.property(plannedGraph, (graph) => {
        const ordered = unitOrder(graph);
        if ('cycle' in ordered) throw new Error(ordered.cycle.join());
        const place = new Map(ordered.units.map(({ id }, index) => [id, index]));
        expect([...place.keys()].sort()).toEqual(graph.interfaces.map(({ id }) => id).sort());
        const file = new Map(graph.files.map((one) => [one.path, one]));
        for (const one of graph.interfaces) {
          const own = place.get(one.id) ?? -1;
          for (const used of [...one.invokes, ...one.inherits]) expect(place.get(used)).toBeLessThan(own);
          const upstream = upstreamModules(graph, file.get(one.file)?.module ?? '');
          for (const other of graph.interfaces) {
            const isBefore =
              upstream.has(file.get(other.file)?.module ?? '') || file.get(one.file)?.after.includes(other.file);
            if (isBefore === true) expect(place.get(other.id)).toBeLessThan(own);
          }
        }
        for (const { id, after } of ordered.units)
          for (const other of after) expect(place.get(other)).toBeLessThan(place.get(id) ?? -1);
      }),
      RUNS,
    );
  });

  it('reads back as it was written, byte for byte', () => {
    fc.assert(
      fc.property(plannedGraph, (graph) => {
        const text = graphText(graph);
        const read = parseGraph(text, 'interfaces');
        expect(read).toEqual({ graph });
        expect('graph' in read && graphText(read.graph)).toBe(text);
      }),
      RUNS,
    );
  });

  it('holds also when a file that nothing uses is designed again, whatever was designed after it', () => {
    let again = 0;
    const dice = fc.array(fc.nat(1000), { minLength: 40, maxLength: 40 });
    fc.assert(
      fc.property(plannedGraph, dice, fc.nat(100), (graph, throws, at) => {
        const used = new Set(graph.interfaces.flatMap(({ invokes, inherits }) => [...invokes, ...inherits]));
        const free = graph.files.filter(({ path }) => {
          const own = graph.interfaces.filter(({ file }) => file === path);
          return own.length > 0 && own.every(({ id, features }) => features.length > 0 && !used.has(id));
        });
        const { path = '' } = free[at % Math.max(1, free.length)] ?? {};
        if (path === '') return;
        again += 1;
        const open = { ...graph, interfaces: graph.interfaces.filter(({ file }) => file !== path) };
        expect(begunProblems(open, 'flows')).toEqual([]);
        expect(graphProblems(designed(open, path, dealer(throws)), 'interfaces')).toEqual([]);
      }),
      RUNS,
    );
    expect(again).toBeGreaterThan(RUNS.numRuns / 2);
  });

  it('has metrics between 0 and 1 and views of every module and file', () => {
    fc.assert(
      fc.property(plannedGraph, (graph) => {
        for (const { cohesion, coupling } of moduleMetrics(graph)) {
          const shares = [cohesion, ...Object.values(coupling)];
          expect(shares.every((share) => share >= 0 && share <= 1)).toBe(true);
          expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1);
        }
        const [mermaid, svg] = [mermaidOf(graph), svgOf(graph)];
        expect(mermaid.match(/subgraph /g)).toHaveLength(graph.modules.length);
        expect(mermaid.match(/ features?, /g)).toHaveLength(graph.files.length);
        expect(svg.match(/<rect /g)).toHaveLength(graph.modules.length);
        expect(svg.match(/<path d="M\S+ \S+ C/g) ?? []).toHaveLength(graph.flows.length);
      }),
      { numRuns: 200 },
    );
  });
});

describe('orders', () => {
  it('are Kahn’s for acyclic graphs, and a cycle is shown in the direction of what comes first', () => {
    const before: Record<string, string[]> = { a: ['c'], b: ['a'], c: ['b'], d: [] };
    expect(topologicalOrder(['a', 'b', 'c', 'd'], (node) => before[node] ?? [])).toEqual({
      cycle: ['a', 'b', 'c', 'a'],
    });
    expect(topologicalOrder(['b', 'a'], (node) => (node === 'b' ? ['a'] : []))).toEqual({ order: ['a', 'b'] });
  });

  it('hold for random graphs: an order, or a true cycle', () => {
    const edges = fc.array(fc.tuple(fc.nat(9), fc.nat(9)), { maxLength: 20 });
    fc.assert(
      fc.property(edges, (pairs) => {
        const nodes = Array.from({ length: 10 }, (_, index) => String(index));
        const before = (node: string) => pairs.flatMap(([a, b]) => (String(b) === node && a !== b ? [String(a)] : []));
        const ordered = topologicalOrder(nodes, before);
        const comesBefore = (one = '', other = '') => before(other).includes(one);
        if ('order' in ordered) {
          const place = (node: string) => ordered.order.indexOf(node);
          for (const node of nodes) for (const other of before(node)) expect(place(other)).toBeLessThan(place(node));
        } else {
          expect(ordered.cycle[0]).toBe(ordered.cycle.at(-1));
          ordered.cycle.slice(1).forEach((node, index) => expect(comesBefore(ordered.cycle[index], node)).toBe(true));
        }
      }),
      RUNS,
    );
  });
});

it('names the exact place of a cycle in the data flow', () => {
  const flow = (source: string, target: string) => ({ source, target, id: 'x', type: 'str', transformation: '' });
  const modules = ['A', 'B'].map((name) => ({ name, description: name, folder: name.toLowerCase() }));
  const graph = { ...emptyGraph({ title: 't', purpose: 'p', package: 'tt' }), modules };
  expect(moduleOrder({ ...graph, flows: [flow('A', 'B'), flow('B', 'A')] })).toEqual({ cycle: ['A', 'B', 'A'] });
});

it('hints at modules that are too large or lean on another', () => {
  const graph = emptyGraph({ title: 't', purpose: 'p', package: 'tt' });
  const many = Array.from({ length: 30 }, (_, n) => ({ path: ['A', 'a', `leaf ${n}`], description: 'd' }));
  const few = ['B', 'C', 'D'].map((area) => ({ path: [area, 'b', 'leaf'], description: 'd' }));
  const grown = addFeatures(graph, [...many, ...few, { path: ['A', 'a', 'more'], description: 'd' }]).graph;
  const features = grown.features.map((one) => ({
    ...one,
    module: one.path.at(-1) === 'more' ? 'B' : (one.path[0] ?? ''),
  }));
  const modules = ['A', 'B', 'C', 'D'].map((name) => ({ name, description: name, folder: null }));
  expect(moduleHints({ ...grown, features, modules })).toEqual([
    'split "A": it has 30 features, the mean is 9',
    'merge "B" into "A": 100 % of its relations lead there',
  ]);
});

it('finds base classes that cannot be', () => {
  const modules = [{ name: 'A', description: 'a', folder: 'a' }];
  const graph = { ...emptyGraph({ title: 't', purpose: 'p', package: 'tt' }), modules };
  const one = { name: 'class', module: 'B', docstring: 'd', methods: [{ name: 'x y', signature: '', docstring: 'd' }] };
  expect(baseClassProblems(graph, [one])).toHaveLength(4);
});

it.each(['json', 'class', '', '3D', 'Тест', 'tests', 'TextKit'])('makes a legal package name of "%s"', (title) => {
  expect(packageProblem(packageName(title))).toBeUndefined();
});
