import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { currentInstance } from '../../src/adapters/docker/engine/instance.js';
import { createDockerSandbox, type DockerSandbox } from '../../src/adapters/docker/sandbox/docker-sandbox.js';
import { readEnvironment } from '../../src/config/env.js';
import { ensureImages } from '../fixtures/docker/ensure-images.js';
import { PACKAGE_ROOT } from '../fixtures/engine/engine.js';

const WORKFLOW = `on: push
jobs:
  build:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: echo \${{ github.event.head_commit.message }} \${{ foo.bar }}
      - run: cat $HOME
`;

let stateFolder: string;
let sandbox: DockerSandbox;

beforeAll(async () => {
  stateFolder = await mkdtemp(join(tmpdir(), 'durabench-lint-'));
  await ensureImages(readEnvironment().cacheDir, 'gha-lint');
  sandbox = createDockerSandbox({ instance: currentInstance(), stateFolder, packageRoot: PACKAGE_ROOT, slots: 1 });
});

afterAll(async () => {
  await sandbox?.close();
  await rm(stateFolder, { recursive: true, force: true });
});

async function lint(script: string): Promise<unknown> {
  const result = await sandbox.run({
    image: 'gha-lint',
    command: ['sh', '-c', script],
    files: { '.github/workflows/ci.yml': WORKFLOW },
    mounts: [],
    poolKey: 'lint-image',
    owner: { campaignId: 'lint-image', ownerId: 'lint-image' },
    signal: new AbortController().signal,
  });
  return JSON.parse(result.stdout.bytes.toString('utf8'));
}

test('the lint image has actionlint, zizmor and shellcheck, which find what is wrong with a workflow without a network', async () => {
  const actionlint = await lint("actionlint -format '{{json .}}' .github/workflows/ci.yml");
  // Each is found only with the others there: shellcheck is called by actionlint.
  expect(actionlint).toEqual(
    expect.arrayContaining(['expression', 'shellcheck'].map((kind) => expect.objectContaining({ kind }) as unknown)),
  );
  const zizmor = await lint(
    'zizmor --offline --format json-v1 --no-exit-codes --no-config --quiet .github/workflows/ci.yml',
  );
  expect(zizmor).toEqual(expect.arrayContaining([expect.objectContaining({ ident: 'template-injection' })]));
});
