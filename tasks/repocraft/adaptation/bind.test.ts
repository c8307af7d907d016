import { describe, expect, it } from 'vitest';
import type { RepocraftTask } from '../dataset/repocraft-task.js';
import { likeness } from './alike.js';
import { createBinder, type Binder, type Bound } from './bind.js';
import type { CandidateEntry, CandidateIndex } from '../candidate/candidate-index.js';

type Names = Record<string, string | null>;

/** An index from `module: names`; names in capitals are classes, others functions, `UPPER` and `_x` plain values. */
function indexOf(packages: string[], modules: Record<string, Names>, methods: string[] = []): CandidateIndex {
  const made = Object.entries(modules).flatMap(([module, names]) =>
    Object.entries(names).flatMap(([name, source]) => (source === null ? [{ module, name }] : [])),
  );
  const entry = (module: string, qualname: string, kind: CandidateEntry['kind']): CandidateEntry => ({
    kind,
    name: qualname.split('.').at(-1) ?? '',
    module,
    qualname,
    owner: qualname.includes('.') ? (qualname.split('.')[0] ?? null) : null,
    signature: '',
    doc: '',
    file: `${module.replaceAll('.', '/')}.py`,
    lines: [1, 2],
  });
  return {
    roots: ['.'],
    packages,
    files: 1,
    entries: [
      ...made
        .filter(({ name }) => name !== name.toUpperCase())
        .map(({ module, name }) => entry(module, name, /^[A-Z]/.test(name) ? 'class' : 'function')),
      ...methods.map((path) => {
        const [, module = '', qualname = ''] = /^(.*?)\.([A-Z].*)$/.exec(path) ?? [];
        return entry(module, qualname, 'method');
      }),
    ],
    modules: Object.fromEntries(Object.entries(modules).map(([module, names]) => [module, { file: '', names }])),
    problems: [],
  };
}

const reference = indexOf(['lib'], {
  lib: { fetch: 'lib.api.fetch', Session: 'lib.sessions.Session', api: 'lib.api', CODES: 'lib.codes.CODES' },
  'lib.api': { fetch: null },
  'lib.sessions': { Session: null, make_session: null },
  'lib.codes': { CODES: null },
  'lib.errors': { FetchError: null },
});

function taskUsing(uses: string[], targets: string[]): RepocraftTask {
  const imports = [{ module: 'lib', name: null, local: 'lib', uses }];
  return { targets, imports, test_code: '' } as unknown as RepocraftTask;
}

/** What binds the tests of two libraries, for one of them. */
const bindTask = ({ task, voted, ...libraries }: Parameters<typeof createBinder>[0] & Parameters<Binder>[0]): Bound =>
  createBinder(libraries)({ task, voted });

const bind = (candidate: CandidateIndex, uses: string[], targets: string[], votedPath: string | null) => {
  const voted = candidate.entries.find((entry) => `${entry.module}.${entry.qualname}` === votedPath) ?? null;
  if (votedPath !== null && voted === null) throw new Error(`no ${votedPath}`);
  return bindTask({ task: taskUsing(uses, targets), reference, candidate, voted });
};

describe('what only the set-up of a file asks for', () => {
  const small = indexOf(['easy'], { easy: { fetch: null } });
  const task = (...imports: object[]): RepocraftTask =>
    ({ targets: ['lib.api.fetch'], imports, test_code: '' }) as unknown as RepocraftTask;
  const own = { module: 'lib', name: null, local: 'lib', uses: ['lib.fetch'] };
  const setUp = { module: 'lib.sessions', name: 'make_session', local: '_make', uses: ['lib.sessions.make_session'] };

  it('a candidate may lack', () => {
    expect(bindTask({ task: task(own, setUp), reference, candidate: small, voted: null })).toMatchObject({
      kind: 'renamed',
      bindings: [
        { path: 'lib.fetch', module: 'easy', name: 'fetch' },
        { path: 'lib.sessions.make_session', absent: true },
      ],
    });
  });

  it('is bound where the candidate has it, and asked for where the test itself uses it', () => {
    expect(bindTask({ task: task(own, setUp), reference, candidate: reference, voted: null }).kind).toBe('identical');
    const used = { ...own, uses: ['lib.fetch', 'lib.sessions.make_session'] };
    expect(bindTask({ task: task(used, setUp), reference, candidate: small, voted: null })).toMatchObject({
      kind: 'refused',
      code: 'adapt.unbound',
    });
  });
});

describe('a candidate with the same names', () => {
  it('needs no change, whoever voted', () => {
    expect(bind(reference, ['lib.fetch', 'lib.CODES.ok'], ['lib.api.fetch'], null).kind).toBe('identical');
    expect(bind(reference, ['lib.fetch'], ['lib.api.fetch'], 'lib.api.fetch').kind).toBe('identical');
  });

  it('needs one where the module to import from lies elsewhere, although its parent has a name for it', () => {
    const moved = indexOf(['lib'], { lib: { codes: 'lib.parts.codes' }, 'lib.parts.codes': { CODES: null } });
    expect(bind(moved, ['lib.codes.CODES'], [], null)).toMatchObject({
      kind: 'renamed',
      bindings: [{ path: 'lib.codes.CODES', module: 'lib.parts.codes', name: 'CODES' }],
    });
  });

  it('keeps the entry of the same name of the target beside the voted symbol', () => {
    expect(bind(reference, ['lib.Session'], ['lib.sessions.Session.get'], 'lib.sessions.make_session').kind).toBe(
      'identical',
    );
  });

  it('is not taken for it where a function has the name of a module that lies elsewhere', () => {
    const solvers = indexOf(['lib'], {
      'lib.solve': { solve: 'lib.solve.solve.solve' },
      'lib.solve.solve': { solve: null, solve_real: null },
    });
    const moved = indexOf(['lib'], {
      'lib.solve': { solve: 'lib.solve.inner.solve.solve' },
      'lib.solve.inner.solve': { solve: null, solve_real: null },
    });
    const task = taskUsing(['lib.solve.solve.solve_real'], ['lib.solve.solve.solve']);
    expect(bindTask({ task, reference: solvers, candidate: moved, voted: null })).toMatchObject({
      kind: 'renamed',
      bindings: [{ module: 'lib.solve.inner.solve', name: 'solve_real', rest: [] }],
    });
  });

  it('is not taken by what lies in the module it hides', () => {
    const finding = indexOf(['lib'], {
      'lib.find': { find_roots: null },
      'lib.solve.solve': { solve_real: null },
    });
    const moved = indexOf(['lib'], {
      'lib.solve': { solve: 'lib.solve.inner.solve.solve' },
      'lib.solve.inner.solve': { solve: null, solve_real: null },
    });
    const task = taskUsing(['lib.find.find_roots', 'lib.solve.solve.solve_real'], ['lib.find.find_roots']);
    const voted = moved.entries.find(({ name }) => name === 'solve') ?? null;
    expect(bindTask({ task, reference: finding, candidate: moved, voted })).toMatchObject({
      kind: 'renamed',
      bindings: [{ name: 'solve' }, { name: 'solve_real' }],
    });
  });

  it('answers to paths that a text is composed of, where it can', () => {
    const renamed = indexOf(['other'], { other: {}, 'other.faults': { FetchError: null } });
    const test_code =
      'NAMES = [f"{lib.__name__}.errors.FetchError", f"{lib.__name__}.codes.CODES", f"{os.__name__}.path"]';
    const task = { ...taskUsing(['lib.__name__'], []), test_code };
    const bound = bindTask({ task, reference, candidate: renamed, voted: null });
    expect(bound).toMatchObject({ kind: 'renamed' });
    expect('bindings' in bound && bound.bindings.map(({ path, module, name }) => [path, module, name])).toEqual([
      ['lib.__name__', 'other', ''],
      ['lib.errors.FetchError', 'other.faults', 'FetchError'],
    ]);
  });

  it('is bound to the voted symbol where that is another one', () => {
    const bound = bind(reference, ['lib.fetch'], ['lib.api.fetch'], 'lib.sessions.make_session');
    expect(bound).toEqual({
      kind: 'renamed',
      bindings: [
        { path: 'lib.fetch', reference: 'lib.api.fetch', module: 'lib.sessions', name: 'make_session', rest: [] },
      ],
    });
  });
});

describe('a candidate with other names', () => {
  const candidate = indexOf(
    ['easy'],
    {
      easy: { load: 'easy.net.load' },
      'easy.net': { load: null, HttpSession: null, STATUS_CODES: null },
      'easy.errors': { FetchFailure: null, Error: null },
    },
    ['easy.net.HttpSession.get'],
  );

  it('binds the main target to the voted symbol, a method standing for its class', () => {
    expect(bind(candidate, ['lib.fetch'], ['lib.api.fetch'], 'easy.net.load')).toMatchObject({
      bindings: [{ module: 'easy.net', name: 'load' }],
    });
    const methods = bind(candidate, ['lib.Session'], ['lib.sessions.Session.get'], 'easy.net.HttpSession.get');
    expect(methods).toMatchObject({ bindings: [{ module: 'easy.net', name: 'HttpSession' }] });
  });

  it('binds everything else by name and kind', () => {
    const uses = ['lib.fetch', 'lib.errors.FetchError', 'lib.CODES.ok', 'lib.Session'];
    expect(bind(candidate, uses, ['lib.api.fetch'], 'easy.net.load')).toMatchObject({ kind: 'refused' });
    const fewer = bind(candidate, ['lib.fetch', 'lib.Session', 'lib'], ['lib.api.fetch'], 'easy.net.load');
    expect(fewer).toEqual({
      kind: 'refused',
      code: 'adapt.unbound',
      message: 'nothing in the candidate answers to lib.Session',
      // Also what comes behind it.
      unbound: {
        path: 'lib.Session',
        taken: [
          { module: 'easy.net', name: 'load' },
          { module: 'easy', name: '' },
        ],
      },
    });
  });

  it('binds what nothing answers to, and nothing else, to what stands in for it', () => {
    const session = { module: 'easy.net', name: 'HttpSession' };
    const standIns = new Map([
      ['lib.Session', session],
      ['lib.fetch', session],
    ]);
    const voted = candidate.entries.find(({ name }) => name === 'load') ?? null;
    const task = taskUsing(['lib.fetch', 'lib.Session'], ['lib.api.fetch']);
    expect(bindTask({ task, reference, candidate, voted, standIns })).toMatchObject({
      kind: 'renamed',
      bindings: [
        { path: 'lib.fetch', module: 'easy.net', name: 'load' },
        { path: 'lib.Session', ...session },
      ],
    });
  });

  it('says where what was accepted cannot stand for the target, which is bound to the next best thing or to nothing', () => {
    const other = indexOf(['easy'], { 'easy.net': { fetch: null, HttpSession: null } }, ['easy.net.HttpSession.get']);
    const uses: [string[], string[]] = [['lib.fetch'], ['lib.api.fetch']];
    expect(bind(other, ...uses, 'easy.net.fetch')).not.toHaveProperty('isOffTarget');
    // A function of that name in the module of what was accepted is taken for it; the class of a method is no function.
    expect(bind(other, ...uses, 'easy.net.HttpSession.get')).not.toHaveProperty('isOffTarget');
    const apart = indexOf(['easy'], { 'easy.net': { HttpSession: null }, 'easy.api': { fetch: null } }, [
      'easy.net.HttpSession.get',
    ]);
    expect(bind(apart, ...uses, 'easy.net.HttpSession.get')).toMatchObject({
      ...{ kind: 'renamed', isOffTarget: true, bindings: [{ module: 'easy.api', name: 'fetch' }] },
    });
    expect(bind(candidate, ...uses, 'easy.net.HttpSession.get')).toMatchObject({
      ...{ kind: 'refused', code: 'adapt.unbound', isOffTarget: true },
    });
  });

  it('prefers the value of that name to the class that was voted on', () => {
    const codes = indexOf(['easy'], { easy: {}, 'easy.codes': { CODES: null, StatusCodes: null } });
    expect(bind(codes, ['lib.CODES.ok'], ['lib.codes.CODES'], 'easy.codes.StatusCodes')).toMatchObject({
      bindings: [{ path: 'lib.CODES.ok', module: 'easy.codes', name: 'CODES', rest: ['ok'] }],
    });
  });

  it('takes the only top package for the reference package', () => {
    expect(bind(candidate, ['lib.fetch', 'lib'], ['lib.api.fetch'], 'easy.net.load')).toMatchObject({
      bindings: [{}, { path: 'lib', module: 'easy', name: '' }],
    });
  });
});

it('never lets one candidate symbol stand for two reference symbols', () => {
  const candidate = indexOf(['lib'], { lib: {}, 'lib.sessions': { Session: null, Request: null } });
  const two = indexOf(['lib'], { lib: {}, 'lib.sessions': { Session: null }, 'lib.models': { Request: null } });
  const job = {
    task: taskUsing(['lib.models.Request', 'lib.sessions.Session'], ['lib.models.Request']),
    reference: two,
    candidate,
    voted: candidate.entries.find((entry) => entry.name === 'Session') ?? null,
  };
  expect(bindTask(job)).toMatchObject({
    bindings: [
      { path: 'lib.models.Request', name: 'Request' },
      { path: 'lib.sessions.Session', name: 'Session' },
    ],
  });
});

it.each([
  ['get_adapter', 'get_adapter', 1],
  ['getAdapter', 'get_adapter', 0.95],
  ['parse_header_links', 'parse_links', 0.6],
  ['fetch', 'load', 0],
])('%s and %s are %d alike', (a, b, expected) => {
  expect(likeness(a, b)).toBeCloseTo(expected, 5);
});

describe('what cannot be read', () => {
  const compiled = (index: CandidateIndex, module: string): CandidateIndex => ({
    ...index,
    modules: { ...index.modules, [module]: { file: `${module}.so`, names: {}, compiled: true } },
  });
  const fast = compiled(indexOf(['lib'], { lib: { Stamp: 'lib._fast.Stamp' } }), 'lib._fast');
  const job = (candidate: CandidateIndex, uses: string[]) =>
    bindTask({ task: taskUsing(uses, [uses[0]!]), reference: fast, candidate, voted: null });

  it('is there all the same: names of a compiled module', () => {
    expect(job(fast, ['lib.Stamp.now'])).toEqual({ kind: 'identical' });
    expect(job(fast, ['lib.Other'])).toMatchObject({ code: 'adapt.unknown-path' });
  });

  it('may be anything elsewhere: its name decides', () => {
    const easy = indexOf(['easy'], { easy: {}, 'easy.time': { Stamp: null } });
    expect(job(easy, ['lib.Stamp.now'])).toMatchObject({
      bindings: [{ module: 'easy.time', name: 'Stamp', rest: ['now'] }],
    });
  });
});

it('binds what every module has without binding it', () => {
  const easy = indexOf(['easy'], { easy: {} });
  const uses = ['lib.__name__'];
  expect(bindTask({ task: taskUsing(uses, []), reference, candidate: reference, voted: null }).kind).toBe('identical');
  expect(bindTask({ task: taskUsing(uses, []), reference, candidate: easy, voted: null })).toMatchObject({
    bindings: [{ path: 'lib.__name__', module: 'easy', name: '', rest: ['__name__'] }],
  });
});
