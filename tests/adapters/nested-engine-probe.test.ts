import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Docker from 'dockerode';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { currentInstance } from '../../src/adapters/docker/engine/instance.js';
import { ENGINE_CHECKS } from '../../src/adapters/docker/nested/engine-checks.js';
import { probeEngine, tryEngine } from '../../src/adapters/docker/nested/probe-engine.js';
import { createDockerSandbox } from '../../src/adapters/docker/sandbox/docker-sandbox.js';
import { findingsOf } from '../../src/adapters/docker/sandbox/probe-sandbox.js';
import { DEFAULT_SANDBOX_LIMITS } from '../../src/domain/limits/sandbox-limits.js';
import { createCliProject, type CliProject } from '../fixtures/cli/cli-project.js';
import { startDockerProxy, type DockerProxy, type EngineRequest } from '../fixtures/docker/docker-proxy.js';
import { ensureImages } from '../fixtures/docker/ensure-images.js';
import { PACKAGE_ROOT } from '../fixtures/package-root.js';
import { scaled } from '../vitest/yardstick.js';

/** The probe of the second profile on the real engine, which is told more, or less, than the sandbox asked for. */

type HostConfig = NonNullable<Docker.ContainerCreateOptions['HostConfig']>;

let folder: string;
let proxy: DockerProxy;
let project: CliProject;
/** Of containers that hold an engine alone. */
let change: (asked: HostConfig) => HostConfig;
let variables: string[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'durabench-nested-probe-'));
  await ensureImages(join(folder, 'cache'), 'base', 'gha-engine', 'gha-lint', 'gha-runner');
  await ensureImages(join(folder, 'cache'), 'gha-postgres', 'gha-redis', 'gha-nginx');
  const loosened = ({ path, body }: EngineRequest): Record<string, unknown> => {
    const asked = body.HostConfig as HostConfig | undefined;
    if (path !== '/containers/create' || asked?.CapAdd === undefined) return body;
    return { ...body, HostConfig: change(asked), Env: [...(body.Env as string[]), ...variables] };
  };
  proxy = await startDockerProxy(join(folder, 'docker.sock'), loosened);
  project = await createCliProject({ DOCKER_HOST: proxy.host });
});

afterAll(async () => {
  await project?.close();
  await proxy?.close();
  await rm(folder, { recursive: true, force: true });
});

async function onEngine<Result>(look: (probe: Parameters<typeof probeEngine>[0]) => Promise<Result>): Promise<Result> {
  const docker = new Docker({ socketPath: proxy.socketPath });
  const parts = { instance: currentInstance(), stateFolder: folder, packageRoot: PACKAGE_ROOT, slots: 2, docker };
  const sandbox = createDockerSandbox(parts);
  const signal = AbortSignal.timeout(scaled(300_000));
  try {
    return await look({ sandbox, packageRoot: PACKAGE_ROOT, image: 'gha-engine', signal });
  } finally {
    await sandbox.close();
  }
}

const failing = async (): Promise<string[]> =>
  (await onEngine(probeEngine)).filter(({ ok }) => !ok).map(({ check, detail }) => `${check}: ${detail}`);

test('as it is, every promise is kept', async () => {
  [change, variables] = [(asked) => asked, []];
  expect(await failing()).toEqual([]);
});

test('an engine that keeps none of them is found out, one by one', async () => {
  change = (asked) => ({
    ...asked,
    NetworkMode: 'bridge',
    Memory: 0,
    MemorySwap: 0,
    PidsLimit: 0,
    CapAdd: [...(asked.CapAdd as string[]), 'DAC_READ_SEARCH'],
    SecurityOpt: ['seccomp=unconfined', 'apparmor=unconfined'],
    Binds: ['/etc:/mnt:ro', '/var/run/docker.sock:/run/host.sock'],
    DeviceCgroupRules: ['b *:* rwm'],
  });
  variables = ['OPENAI_API_KEY=sk-nothing'];
  const found = (await failing()).map((line) => line.slice(0, line.indexOf(':')));
  // A machine may keep its disk even from its own root: then no container opens it, whatever it is allowed.
  expect(found.filter((check) => check !== 'no disk of the machine')).toEqual([
    'no interface but its own',
    'no route out',
    'reaches no service of this machine',
    'a job reaches no service of this machine, nor of another engine',
    'no socket of the host',
    'no capabilities but those of engines',
    'no new privileges',
    'its memory limit holds for jobs that have none',
    'its limit of processes holds for jobs that have none',
    'no path of the host',
    'no variable of the worker',
  ]);
});

test('quickstart names the suites that have a demo where it is asked for another', async () => {
  const end = await project.durabench('quickstart', '--suite', 'nothing');
  expect(end.code).toBe(1);
  expect(end.stderr).toMatch(/there is no demo of a suite "nothing"\n\s+expected: one of .*gha-bench/);
});

test('a disk that was opened, from the container or from a job, is told', () => {
  const findings = findingsOf(
    'slot-device\tmade vda\njob-device\t/dev/sda\nend\t\n',
    ENGINE_CHECKS,
    DEFAULT_SANDBOX_LIMITS,
  );
  const told = findings.filter(({ check, ok }) => !ok && check.startsWith('no disk')).map(({ detail }) => detail);
  expect(told).toEqual(['made vda', '/dev/sda']);
});

test('a probe that did not come to its end proves nothing', async () => {
  const findings = findingsOf('slot-privileges\t1\nprivileged\trefused\n', ENGINE_CHECKS, DEFAULT_SANDBOX_LIMITS);
  expect(findings.filter(({ ok }) => ok)).toEqual([]);
});

test('where no engine can run in a container, what is missing is named, and a campaign goes without or not at all', async () => {
  // An engine that gives no SYS_ADMIN, as rootless ones and many hosted ones do.
  [change, variables] = [(asked) => ({ ...asked, CapAdd: ['NET_ADMIN'] }), []];
  await expect(onEngine(tryEngine)).rejects.toMatchObject({
    type: 'sandbox.lost',
    message: expect.stringMatching(
      /^the nested engine does not work: it lacks control groups it may write to/,
    ) as string,
  });
  const doctor = await project.durabench('doctor', '--sandbox');
  expect(doctor.code).toBe(5);
  expect(doctor.stdout).toMatch(/nested engine: it runs\s+MISSING\s+.*it lacks control groups/);

  const campaign = (judge: string): Promise<void> =>
    writeFile(
      join(project.folder, 'campaign.yaml'),
      `name: t\nsuite: gha-bench\ndataset: { tasks: [t1-push-pr] }\nsystems: [{ id: nothing, generator: 'null' }]\n${judge}`,
    );
  await project.json(['up']);
  await campaign('');
  const refused = await project.durabench('run', 'campaign.yaml');
  expect(refused.code).toBe(5);
  expect(refused.stderr).toMatch(/cannot hold another in a container: .*it lacks control groups[^]*execute: none/);
  await campaign('judge: { execute: none }\n');
  const without = await project.durabench('run', 'campaign.yaml');
  expect(without.code, without.stderr).toBe(0);
});
