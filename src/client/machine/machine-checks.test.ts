import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openContext } from '../open-context.js';
import { withInstaller, type Finding } from './finding.js';
import { dockerEngine } from './machine-checks.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'durabench-checks-'));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

/** What is said of an engine whose socket nobody listens on. */
async function docker(installed: string[], variables: Record<string, string> = {}): Promise<Finding> {
  vi.stubEnv('DOCKER_HOST', `unix://${join(folder, 'docker.sock')}`);
  const host = { has: (program: string) => installed.includes(program) };
  return dockerEngine(openContext({ folder, variables: { HOME: folder, ...variables } }), host);
}

it('an engine that does not answer is started where it is installed, and installed where it is not', async () => {
  const [stopped, absent] = [await docker(['docker', 'dockerd']), await docker([])];
  expect(stopped).toMatchObject({ state: 'missing', installable: 'engine' });
  expect(stopped.fix).toMatch(/^start Docker .*, or set DOCKER_HOST$/);
  expect(absent.fix).toMatch(/^install Docker .*, or set DOCKER_HOST$/);
});

it('elsewhere is its owner’s business, who is not told to install one here', async () => {
  const found = await docker([], { DOCKER_HOST: 'tcp://elsewhere:2375' });
  expect(found).toMatchObject({ detail: expect.stringContaining('tcp://elsewhere:2375') as string });
  expect(withInstaller(found).fix).not.toContain('--install');
});

it('what quickstart can install names it, in doctor as in quickstart', () => {
  const missing: Finding = {
    name: 'Docker',
    state: 'missing',
    detail: '',
    fix: 'install Docker',
    installable: 'engine',
  };
  expect(withInstaller(missing).fix).toBe('install Docker; on Debian and Ubuntu: durabench quickstart --install');
  expect(withInstaller({ ...missing, state: 'ok', fix: null }).fix).toBeNull();
});
