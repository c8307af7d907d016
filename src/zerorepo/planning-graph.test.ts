import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { graphText, parseGraph, stageOf } from './graph-format.js';
import { graphProblems } from './graph-problems.js';
import { mermaidOf, svgOf } from './graph-views.js';
import { addFeatures } from './grow-features.js';
import { layOut, layoutProblems, mendLayout, type ModuleLayout } from './grow-files.js';
import { mendFlows } from './grow-flows.js';
import {
  addBaseClasses,
  availableTo,
  baseClassProblems,
  designFile,
  interfaceProblems,
  mendInterfaces,
} from './grow-interfaces.js';
import { changeModules, settleModules, type ModuleChanges } from './grow-modules.js';
import { moduleHints, moduleMetrics } from './module-metrics.js';
import { emptyGraph, type PlanningGraph } from './planning-graph.js';
import { packageName, packageProblem } from './python-names.js';
import { topologicalOrder } from './topological-order.js';
import { fileOrder, moduleOrder, unitOrder, upstreamModules } from './unit-order.js';

const RUNS = { numRuns: 1000 };
const WORDS = ['count', 'split', 'class', 'Text stats', 'json', 'é moji', 'import', 'words', 'a-b', '../x', '9 lives'];

/** A model that answers everything at random, right or wrong: what is made of it must hold all the same. */
const plannedGraph = fc
  .record({
    title: fc.constantFrom('TextKit', 'json', 'Été', '3D Tools', ''),
    leaves: fc.array(
      fc.tuple(fc.constantFrom('A', 'B', 'C'), fc.constantFrom('x', 'y'), fc.constantFrom(...WORDS), fc.nat(20)),
      { minLength: 1, maxLength: 25 },
    ),
    dice: fc.array(fc.nat(1000), { minLength: 80, maxLength: 80 }),
  })
  .map(({ title, leaves, dice }) => {
    const roll = dealer(dice);
    const about = { title, purpose: 'a purpose', package: packageName(title) };
    const features = leaves.map(([area, sub, leaf, n]) => ({ path: [area, sub, `${leaf} ${n}`], description: leaf }));
    let graph = addFeatures(emptyGraph(about), features).graph;
    graph = settleModules(changeModules(graph, randomModules(graph, roll)).graph).graph;
    for (const { name } of graph.modules) graph = layOut(graph, name, legalLayout(graph, name, roll));
    graph = mendFlows(graph, randomFlows(graph, roll));
    graph = addBaseClasses(graph, roll(2) === 0 ? [] : [baseClass(graph, roll)]);
    const order = fileOrder(graph);
    if ('cycle' in order) throw new Error(order.cycle.join());
    for (const path of order.order) if (!path.endsWith('/base.py')) graph = designed(graph, path, roll);
    return graph;
  });

type Roll = (sides: number) => number;

function dealer(dice: number[]): Roll {
  let at = 0;
  return (sides) => ((dice[at++ % dice.length] ?? 0) + at) % Math.max(1, sides);
}

function randomModules(graph: PlanningGraph, roll: Roll): ModuleChanges {
  const names = ['One', 'Two', 'Three', 'Four'].slice(0, 1 + roll(4));
  const assign = graph.features.filter(() => roll(10) > 0).map(({ id }) => [id, names[roll(5)] ?? 'Nowhere'] as const);
  return {
    modules: names.map((name) => ({ name, description: name })),
    assign: Object.fromEntries(assign),
    merge: roll(4) === 0 ? { Two: 'One', One: 'Two' } : {},
    rename: roll(4) === 0 ? { One: 'Two', Five: 'Six' } : {},
  };
}

function legalLayout(graph: PlanningGraph, module: string, roll: Roll): ModuleLayout {
  const own = graph.features.filter((feature) => feature.module === module);
  const folder = ['core', 'class', 'json', 'text'][roll(4)] ?? 'core';
  const files = own.map(({ id }, index) => ({
    path: `${roll(9) === 0 ? '..' : folder}/${['a', 'b', 'if', 'deep/c', 'deep'][roll(5)] ?? 'a'}.py`,
    description: 'a file',
    features: roll(8) === 0 ? ['f99'] : [id],
    after: index > 0 && roll(3) === 0 ? [`${folder}/a.py`] : [],
  }));
  const layout = { folder, files };
  return layoutProblems(graph, module, layout).length === 0 && graphAllows(graph, module, layout)
    ? layout
    : mendLayout(graph, module, layout);
}

const graphAllows = (graph: PlanningGraph, module: string, layout: ModuleLayout): boolean =>
  layOut(graph, module, layout).files.length > 0;

function randomFlows(graph: PlanningGraph, roll: Roll) {
  const names = [...graph.modules.map(({ name }) => name), 'Nowhere'];
  return Array.from({ length: roll(8) }, (_, index) => ({
    source: names[roll(names.length)] ?? '',
    target: names[roll(names.length)] ?? '',
    ...{ id: `flow${index}`, type: 'str', transformation: '' },
  }));
}

function baseClass(graph: PlanningGraph, roll: Roll) {
  const module = graph.modules[roll(graph.modules.length)]?.name ?? '';
  return { name: 'Document', module, docstring: 'A text.', methods: [] };
}

function designed(graph: PlanningGraph, path: string, roll: Roll): PlanningGraph {
  const own = graph.features.filter(({ file }) => file === path);
  const available = availableTo(graph, path).map(({ id }) => id);
  const proposed = own.map(({ id }, index) => ({
    kind: roll(3) === 0 ? ('class' as const) : ('function' as const),
    name: ['make', 'Maker', 'def', 'make_it'][roll(4)] + (roll(3) === 0 ? '' : String(index)),
    signature: roll(6) === 0 ? 'text' : '(text: str) -> int',
    docstring: 'Makes it.',
    methods: [],
    features: roll(9) === 0 ? ['f99'] : [id],
    invokes: available.filter(() => roll(4) === 0).concat(roll(5) === 0 ? [`${path}::make0`] : []),
    inherits: available.filter(() => roll(9) === 0),
  }));
  const isGood = interfaceProblems(graph, path, proposed).length === 0;
  return designFile(graph, path, isGood ? proposed : mendInterfaces(graph, path, proposed));
}

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

  it('is found out when one edit breaks it', () => {
    fc.assert(
      fc.property(plannedGraph, fc.nat(7), fc.nat(1000), (graph, edit, at) => {
        const broken = breakGraph(structuredClone(graph), edit, at);
        if (broken === null) return;
        expect(graphProblems(broken, 'interfaces')).not.toEqual([]);
        expect('problems' in parseGraph(JSON.stringify(broken), 'interfaces')).toBe(true);
      }),
      RUNS,
    );
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
        expect(mermaid.match(/ features, /g)).toHaveLength(graph.files.length);
        expect(svg.match(/<rect /g)).toHaveLength(graph.modules.length);
        expect(svg.match(/<path d="M\S+ \S+ C/g) ?? []).toHaveLength(graph.flows.length);
      }),
      { numRuns: 200 },
    );
  });
});

/** One edit that no graph survives; null where there is nothing to edit. */
function breakGraph(graph: PlanningGraph, edit: number, at: number): PlanningGraph | null {
  const feature = graph.features[at % graph.features.length];
  const one = graph.interfaces[at % graph.interfaces.length];
  const flow = graph.flows[at % Math.max(1, graph.flows.length)];
  if (!feature || !one) return null;
  if (edit === 0) feature.module = null;
  if (edit === 1) feature.file = 'nowhere.py';
  if (edit === 2) graph.features.push({ ...feature });
  if (edit === 3) one.invokes.push('nowhere.py::x');
  if (edit === 4) one.name = 'lambda';
  if (edit === 5) graph.interfaces = graph.interfaces.filter(({ features }) => features.length === 0);
  if (edit === 6) {
    if (!flow) return null;
    graph.flows.push({ ...flow, source: flow.target, target: flow.source });
  }
  if (edit === 7) one.invokes.push(one.id);
  return graph;
}

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
