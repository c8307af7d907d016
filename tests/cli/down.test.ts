import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectDocker } from '../../src/adapters/docker/engine/connect-docker.js';
import { LABEL } from '../../src/adapters/docker/engine/labels.js';
import { readEnvironment } from '../../src/config/env.js';
import { isAlive } from '../../src/stack/supervisor/process-identity.js';
import { readStackState } from '../../src/stack/stack-state.js';
import { createCliProject, type CliProject } from '../fixtures/cli/cli-project.js';
import { ensureImages } from '../fixtures/docker/ensure-images.js';
import { waitUntil } from '../fixtures/wait-until.js';

const CAMPAIGN = `name: ended
suite: repocraft
dataset: { projects: [textkit] }
systems:
  - { id: gold, generator: gold }
`;

const docker = connectDocker();
let project: CliProject;

beforeAll(async () => {
  await ensureImages(readEnvironment().cacheDir, 'base');
  project = await createCliProject();
  await project.json(['up']);
});

afterAll(async () => project?.close());

test('a worker that does not end in time leaves no container', async () => {
  await writeFile(join(project.folder, 'ended.yaml'), CAMPAIGN);
  await project.json(['run', 'ended.yaml', '--detach']);
  const worker = readStackState(project.stateDir)!.services.worker.process!;
  const containers = async (): Promise<string[]> => {
    const found = await docker.listContainers({ all: true, filters: { label: [LABEL.instance] } });
    const owners = found.map(({ Labels: labels }) => labels[LABEL.instance] ?? '');
    return owners.filter((owner) => owner.split('/')[1] === String(worker.pid));
  };
  await waitUntil(async () => (await containers()).length > 0);
  process.kill(worker.pid, 'SIGSTOP'); // as on a machine too busy to let it end
  expect((await containers()).length).toBeGreaterThan(0);
  const { code, stderr } = await project.durabench('down', '--grace', '0');
  expect(code, stderr).toBe(0);
  expect(stderr).toContain('worker    killed');
  expect(isAlive(worker)).toBe(false);
  expect(await containers()).toEqual([]);
});
