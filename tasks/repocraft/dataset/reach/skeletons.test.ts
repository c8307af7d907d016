import { expect, it } from 'vitest';
import type { CandidateEntry, CandidateIndex } from '../../candidate/candidate-index.js';
import { askedBy } from './skeletons.js';

const entry = (kind: CandidateEntry['kind'], name: string, more: Partial<CandidateEntry> = {}): CandidateEntry => ({
  ...{ kind, name, module: 'lib', qualname: name, owner: null, signature: '', doc: '', file: 'lib.py', lines: [1, 2] },
  ...more,
});

const reference: CandidateIndex = {
  ...{ roots: ['.'], packages: ['lib'], files: 2, problems: [] },
  entries: [
    entry('class', 'Kettle'),
    entry('class', 'Boiled', { bases: ['RuntimeError'] }),
    entry('function', 'pour'),
    entry('function', 'load_tea', { module: 'lib.data' }),
  ],
  modules: {
    lib: { file: 'lib.py', names: { Kettle: null, Boiled: null, pour: null, settings: null } },
    'lib.data': { file: 'data.py', names: { load_tea: null } },
  },
};

const imports = [
  { module: 'lib', name: null, local: 'lib', uses: ['lib.Kettle', 'lib.Boiled', 'lib.pour'] },
  { module: 'lib', name: 'settings', local: '_settings', uses: ['lib.settings'] },
  { module: 'lib.data', name: 'load_tea', local: 'load_tea', uses: ['lib.data.load_tea'] },
];

it('has what the test itself uses, by kind; neither set-up nor what no other library is expected to have', () => {
  expect(askedBy(reference, /^lib\.data\./)({ imports, targets: ['lib.Kettle'] })).toEqual([
    { name: 'Kettle', kind: 'class' },
    { name: 'Boiled', kind: 'exception' },
    { name: 'pour', kind: 'function' },
  ]);
});

it('has the subject, also where that is the reference’s own', () => {
  const names = askedBy(reference, /^lib\.data\./)({ imports, targets: ['lib.data.load_tea'] }).map(({ name }) => name);
  expect(names).toContain('load_tea');
});
