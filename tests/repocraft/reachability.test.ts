import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDockerSandbox, type DockerSandbox } from '../../src/adapters/docker/sandbox/docker-sandbox.js';
import { currentInstance } from '../../src/adapters/docker/engine/instance.js';
import type { CandidateEntry, CandidateIndex } from '../../tasks/repocraft/candidate/candidate-index.js';
import type { Draft } from '../../tasks/repocraft/dataset/describing/drafts.js';
import { readProjectSettings } from '../../tasks/repocraft/dataset/project-settings.js';
import { reachability } from '../../tasks/repocraft/dataset/reach/reachability.js';
import { ensureImages } from '../fixtures/docker/ensure-images.js';

// Real binder, real adaptation, real pytest: on skeletons of what each test asks for.

const packageRoot = join(import.meta.dirname, '..', '..');
const suiteFolder = join(packageRoot, 'tasks', 'repocraft');
let stateFolder: string;
let sandbox: DockerSandbox;

beforeAll(async () => {
  stateFolder = await mkdtemp(join(tmpdir(), 'durabench-reach-'));
  await ensureImages(join(stateFolder, 'cache'), 'repocraft-requests');
  sandbox = createDockerSandbox({ instance: currentInstance(), stateFolder, packageRoot, slots: 1 });
});

afterAll(async () => {
  await sandbox?.close();
  await rm(stateFolder, { recursive: true, force: true });
});

const value = (name: string, kind: CandidateEntry['kind']): CandidateEntry => ({
  ...{ kind, name, module: 'lib.core', qualname: name, owner: null, signature: '', doc: '', file: 'core.py' },
  lines: [1, 2],
});

const reference: CandidateIndex = {
  ...{ roots: ['.'], packages: ['lib'], files: 2, problems: [] },
  entries: [value('Model', 'class'), value('letters', 'function'), value('configure', 'function')],
  modules: {
    lib: { file: 'lib/__init__.py', names: { core: 'lib.core' } },
    'lib.core': { file: 'lib/core.py', names: { Model: null, letters: null, configure: null } },
  },
};

const imported = (local: string, ...uses: string[]) => ({ module: 'lib', name: 'core', local, uses });

function draft(test_code: string, imports: object[]): Draft {
  const functions = ['test_it'];
  return { test_code, imports, functions, fixtures: [], auxiliary_code: {}, targets: ['lib.core.Model'] } as never;
}

const BODY =
  'class Cup(core.Model):\n    pass\n\n\na, b = core.letters("a b")\n\n\ndef test_it():\n    assert Cup() == a + b\n';

test('a test is in reach of a library of other modules without a set-up; not where it needs the reference’s own module', async () => {
  const mine = imported('core', 'lib.core.Model', 'lib.core.letters');
  const subjects = [
    { key: 'plain', task: draft(`from lib import core\n\n\n${BODY}`, [mine]) },
    {
      key: 'with-set-up',
      task: draft(`from lib import core as _core\n_core.configure()\nfrom lib import core\n\n\n${BODY}`, [
        imported('_core', 'lib.core.configure'),
        mine,
      ]),
    },
    {
      key: 'module-itself',
      task: draft(`from lib import core\n\n\ndef test_it():\n    assert vars(core)\n`, [imported('core', 'lib.core')]),
    },
    {
      key: 'not-collected',
      task: draft(`from lib import core\n\n\n{}["nothing"]\n${BODY}`, [mine]),
    },
  ];
  const project = await readProjectSettings('requests', suiteFolder);
  const tools = { sandbox, suiteFolder, signal: new AbortController().signal };
  const found = await reachability(project, reference, subjects, tools);
  expect(Object.fromEntries([...found].map(([key, why]) => [key, why?.code ?? null]))).toEqual({
    plain: null,
    'with-set-up': null,
    'module-itself': 'adapt.unbound',
    'not-collected': 'reach.not-collected',
  });
});
