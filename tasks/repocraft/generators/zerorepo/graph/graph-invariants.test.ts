import fc from 'fast-check';
import { expect, it } from 'vitest';
import { plannedGraph } from '../../../../../tests/fixtures/zerorepo/random-graph.js';
import { graphProblems } from './graph-problems.js';
import type { PlanningGraph } from './planning-graph.js';
import { upstreamModules } from './unit-order.js';

it('a graph is found out when an edit breaks any one invariant, with a sentence that names the place', () => {
  const broken = new Map(Object.keys(EDITS).map((rule) => [rule, 0]));
  fc.assert(
    fc.property(plannedGraph, fc.nat(1000), (graph, at) => {
      for (const [rule, { edit, says }] of Object.entries(EDITS)) {
        const edited = edit(graph, at);
        if (edited === null) continue;
        broken.set(rule, (broken.get(rule) ?? 0) + 1);
        expect(graphProblems(edited, 'interfaces').join('\n'), rule).toMatch(says);
      }
    }),
    { numRuns: 1000 },
  );
  // Every rule was put to the test, also those that need several modules, files or classes.
  expect([...broken].filter(([, count]) => count < 50)).toEqual([]);
});

/** What breaks one rule and how it is told; null where there is nothing to break. */
interface Edit {
  edit: (graph: PlanningGraph, at: number) => PlanningGraph | null;
  says: RegExp;
}

const picked = <Item>(items: readonly Item[], at: number): Item | undefined => items[at % Math.max(1, items.length)];

/** The graph with one item of a list changed. */
function changed<Key extends 'features' | 'modules' | 'files' | 'flows' | 'interfaces'>(
  key: Key,
  change: (item: PlanningGraph[Key][number], graph: PlanningGraph) => Partial<PlanningGraph[Key][number]> | null,
  isFit: (item: PlanningGraph[Key][number]) => boolean = () => true,
): Edit['edit'] {
  return (graph, at) => {
    const items: readonly PlanningGraph[Key][number][] = graph[key];
    const item = picked(items.filter(isFit), at);
    const other = item === undefined ? null : change(item, graph);
    if (item === undefined || other === null) return null;
    return { ...graph, [key]: items.map((one) => (one === item ? { ...item, ...other } : one)) };
  };
}

type Design = PlanningGraph['interfaces'][number];
const isFunction = ({ kind }: Design): boolean => kind === 'function';
const isClass = ({ kind }: Design): boolean => kind === 'class';
const method = { name: 'run', signature: '(self)', docstring: 'Runs.' };
const flow = (source: string, target: string) => ({ source, target, id: 'extra', type: 'str', transformation: '' });

/** Every invariant of the design, each broken by one edit. */
const EDITS: Record<string, Edit> = {
  'data flow is acyclic': {
    edit: (graph, at) => {
      const one = picked(graph.flows, at);
      return one === undefined ? null : { ...graph, flows: [...graph.flows, flow(one.target, one.source)] };
    },
    says: /^the data flow has a cycle: .+ → .+/m,
  },
  'a flow leads to another module': {
    edit: changed('flows', ({ source }) => ({ target: source })),
    says: /leads from ".+" to itself/,
  },
  'a flow leads between modules there are': {
    edit: changed('flows', () => ({ target: 'Elsewhere' })),
    says: /names the module "Elsewhere", which does not exist/,
  },
  'every module is used': {
    edit: (graph) => (graph.modules.length < 2 ? null : { ...graph, flows: [] }),
    says: /^the module ".+" takes part in no data flow/m,
  },
  'files have an order': {
    edit: (graph, at) => {
      const one = picked(graph.files, at);
      const other = graph.files.find(({ module, path }) => module === one?.module && path !== one.path);
      if (one === undefined || other === undefined) return null;
      const after = new Map([
        [one.path, [other.path]],
        [other.path, [one.path]],
      ]);
      return { ...graph, files: graph.files.map((file) => ({ ...file, after: after.get(file.path) ?? file.after })) };
    },
    says: /^the files come after one another in a cycle: .+ → .+/m,
  },
  'a file comes after files of its module': {
    edit: changed('files', () => ({ after: ['nowhere.py'] })),
    says: /comes after nowhere.py, which is no file of its module/,
  },
  'interfaces do not wait for one another': {
    edit: (graph, at) => {
      const uses = graph.interfaces.filter(({ invokes }) => invokes.length > 0);
      const one = picked(uses, at);
      if (one === undefined) return null;
      const [used] = one.invokes;
      const moduleOf = new Map(graph.files.map(({ path, module }) => [path, module]));
      const other = graph.interfaces.find(({ id }) => id === used);
      if (other === undefined || moduleOf.get(other.file) !== moduleOf.get(one.file)) return null;
      const interfaces = graph.interfaces.map((each) => (each.id === used ? { ...each, invokes: [one.id] } : each));
      return { ...graph, interfaces };
    },
    says: /^the interfaces have a cycle: .+ → .+/m,
  },
  'an interface uses what data flows from': {
    edit: (graph, at) => {
      const one = picked(graph.interfaces, at);
      const moduleOf = new Map(graph.files.map(({ path, module }) => [path, module]));
      const own = moduleOf.get(one?.file ?? '') ?? '';
      const upstream = upstreamModules(graph, own);
      const far = graph.interfaces.find(({ file }) => {
        const other = moduleOf.get(file) ?? '';
        return other !== own && !upstream.has(other);
      });
      if (one === undefined || far === undefined) return null;
      const interfaces = graph.interfaces.map((each) => (each === one ? { ...one, invokes: [far.id] } : each));
      return { ...graph, interfaces };
    },
    says: /but no data flows from ".+" to ".+"/,
  },
  'an interface uses others': {
    edit: changed('interfaces', ({ id }) => ({ invokes: [id] })),
    says: /uses .+, which is itself/,
  },
  'an interface uses what there is': {
    edit: changed('interfaces', () => ({ invokes: ['nowhere.py::x'] })),
    says: /uses nowhere.py::x, which does not exist/,
  },
  'classes derive from classes': {
    edit: changed(
      'interfaces',
      ({ id }, { interfaces }) => {
        const base = interfaces.find((one) => isFunction(one) && one.id !== id);
        return base === undefined ? null : { inherits: [base.id] };
      },
      isClass,
    ),
    says: /derives from .+, which is a function/,
  },
  'every leaf is in a module': {
    edit: changed('features', () => ({ module: null })),
    says: /^feature f\d+ is in no module/m,
  },
  'the module of a leaf exists': {
    edit: changed('features', () => ({ module: 'Elsewhere' })),
    says: /is in the module "Elsewhere", which does not exist/,
  },
  'every leaf is in a file': {
    edit: changed('features', () => ({ file: null })),
    says: /^feature f\d+ is in no file/m,
  },
  'the file of a leaf exists': {
    edit: changed('features', () => ({ file: 'nowhere.py' })),
    says: /is in the file nowhere.py, which does not exist/,
  },
  'the file of a leaf is of its module': {
    edit: changed('features', ({ module }, { files }) => {
      const other = files.find((file) => file.module !== module);
      return other === undefined ? null : { file: other.path };
    }),
    says: /is in .+, a file of another module/,
  },
  'a leaf has an area': {
    edit: changed('features', ({ path }) => ({ path: path.slice(-1) })),
    says: /has no area: its path needs at least two names/,
  },
  'leaves are unique': {
    edit: (graph, at) => ({ ...graph, features: graph.features.concat(picked(graph.features, at) ?? []) }),
    says: /^the feature id f\d+ is given twice\nthe feature ".+" is there twice/m,
  },
  'no module is an orphan': {
    edit: (graph) => ({ ...graph, modules: [...graph.modules, { name: 'Lonely', description: '', folder: 'lonely' }] }),
    says: /^the module "Lonely" has no feature/m,
  },
  'modules are unique': {
    edit: (graph, at) => ({ ...graph, modules: graph.modules.concat(picked(graph.modules, at) ?? []) }),
    says: /^the module ".+" is there twice/m,
  },
  'a folder is a legal name': {
    edit: changed('modules', () => ({ folder: 'class' })),
    says: /^the folder class of the module ".+" is a reserved word of Python/m,
  },
  'folders are unique': {
    edit: changed('modules', ({ name }, { modules }) => {
      const other = modules.find((module) => module.name !== name);
      return other === undefined ? null : { folder: other.folder?.toUpperCase() ?? null };
    }),
    says: /^two modules have the folder /m,
  },
  'no file is an orphan': {
    edit: (graph, at) => {
      const module = picked(graph.modules, at);
      const path = `${module?.folder ?? ''}/lonely.py`;
      return { ...graph, files: [...graph.files, { path, module: module?.name ?? '', description: '', after: [] }] };
    },
    says: /^the file .+\/lonely.py has no feature/m,
  },
  'a file is in the folder of its module': {
    edit: changed('files', () => ({ path: 'elsewhere/a.py' })),
    says: /^the file elsewhere\/a.py is not in the folder .+\/ of its module/m,
  },
  'a file path stays in the tree': {
    edit: changed('files', () => ({ path: '../a.py' })),
    says: /^the file path "..\/a.py" has a part, "..", that is not a Python name/m,
  },
  'files are unique': {
    edit: (graph, at) => ({ ...graph, files: graph.files.concat(picked(graph.files, at) ?? []) }),
    says: /^the file .+ is there twice/m,
  },
  'an interface is in a file': {
    edit: changed('interfaces', ({ name }) => ({ file: 'nowhere.py', id: `nowhere.py::${name}` })),
    says: /is in a file that does not exist/,
  },
  'the id of an interface says where it is': {
    edit: changed('interfaces', ({ file }) => ({ id: `${file}::other` })),
    says: /should have the id/,
  },
  'interfaces are unique': {
    edit: (graph, at) => ({ ...graph, interfaces: graph.interfaces.concat(picked(graph.interfaces, at) ?? []) }),
    says: /^the interface .+ is there twice/m,
  },
  'an interface provides features of its file': {
    edit: changed('interfaces', ({ file, features }, graph) => {
      const other = graph.features.find((feature) => feature.file !== file);
      return other === undefined ? null : { features: [...features, other.id] };
    }),
    says: /provides f\d+, which is not a feature of its file/,
  },
  'no interface is an orphan': {
    edit: changed(
      'interfaces',
      () => ({ features: [] }),
      ({ file }) => !file.endsWith('/base.py'),
    ),
    says: /provides no feature/,
  },
  'every leaf is provided': {
    edit: changed(
      'interfaces',
      () => ({ features: [] }),
      ({ features }) => features.length > 0,
    ),
    says: /^feature f\d+ is provided by no interface/m,
  },
  'a name is no reserved word': {
    edit: changed('interfaces', ({ file }) => ({ name: 'lambda', id: `${file}::lambda` })),
    says: /the name is a reserved word of Python/,
  },
  'a method is there once': {
    edit: changed('interfaces', () => ({ methods: [method, method] }), isClass),
    says: /has the method run twice/,
  },
  'a method has a legal name': {
    edit: changed('interfaces', () => ({ methods: [{ ...method, name: 'a b' }] }), isClass),
    says: /the method name "a b" is not a Python name/,
  },
  'functions have no methods': {
    edit: changed('interfaces', () => ({ methods: [method] }), isFunction),
    says: /is a function and has methods/,
  },
  'a function has a signature': {
    edit: changed('interfaces', () => ({ signature: 'text' }), isFunction),
    says: /the signature has no parentheses/,
  },
  'the package does not shadow the standard library': {
    edit: (graph) => ({ ...graph, package: 'json' }),
    says: /^the package name "json" would shadow the standard library/m,
  },
};
