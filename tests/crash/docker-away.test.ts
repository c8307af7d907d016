import { appendFile, cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type Docker from 'dockerode';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CallLimits } from '../../src/adapters/docker/engine/call-limits.js';
import { connectDocker } from '../../src/adapters/docker/engine/connect-docker.js';
import { createDockerSandbox } from '../../src/adapters/docker/sandbox/docker-sandbox.js';
import { LABEL } from '../../src/adapters/docker/engine/labels.js';
import type { SandboxLimits } from '../../src/contract/sandbox-limits.js';
import type { StatusReport } from '../../src/contract/status.js';
import type { SandboxResult } from '../../src/ports/sandbox.js';
import { waitUntil } from '../fixtures/wait-until.js';
import { createCliProject, type CliProject, type CommandEnd } from '../fixtures/cli/cli-project.js';
import { startDockerProxy, type DockerProxy, type ProxyFaults } from '../fixtures/docker/docker-proxy.js';
import { startEngine, type Engine, type TestWorker } from '../fixtures/engine/engine.js';
import { PACKAGE_ROOT } from '../fixtures/package-root.js';
import { freshDatabase, type FreshDatabase } from '../fixtures/postgres/postgres.js';
import { ensureImages } from '../fixtures/docker/ensure-images.js';

/** Docker goes away and comes back, and disks fill up: seen by one sandbox, then by campaigns of a real engine. */

const docker = connectDocker();
const NAME = 'docker-away';
let folder: string;
let proxy: DockerProxy;
const faults: ProxyFaults = {};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'durabench-away-'));
  await ensureImages(join(folder, 'cache'), 'base', 'repocraft-requests');
  proxy = await startDockerProxy(join(folder, 'docker.sock'), undefined, faults);
});

afterAll(async () => {
  await proxy?.close();
  await rm(folder, { recursive: true, force: true });
});

async function containersWith(label: string): Promise<Docker.ContainerInfo[]> {
  return docker.listContainers({ all: true, filters: { label: [label] } });
}

describe('a sandbox whose engine is cut off', () => {
  const instance = 'test-host/1/docker-away';
  const open = (limits?: CallLimits) =>
    createDockerSandbox({
      ...{ instance, stateFolder: folder, packageRoot: PACKAGE_ROOT, slots: 4 },
      docker: connectDocker({ socketPath: proxy.socketPath, ...(limits ? { limits } : {}) }),
    });
  const run = (
    sandbox: ReturnType<typeof open>,
    script: string,
    limits: Partial<SandboxLimits> = {},
    poolKey: string | null = 'away',
  ): Promise<SandboxResult> =>
    sandbox.run({
      limits,
      ...{ image: 'base', command: ['sh', '-c', script], mounts: [], poolKey },
      owner: { campaignId: NAME, ownerId: NAME },
      signal: new AbortController().signal,
    });
  const ids = async (): Promise<string[]> =>
    (await containersWith(`${LABEL.instance}=${instance}`)).map(({ Id }) => Id);

  test('in the middle of a run: unavailable, later it goes on, and the container it could not remove goes too', async () => {
    const sandbox = open();
    try {
      const running = run(sandbox, 'sleep 600').catch((error: unknown) => error);
      expect(await waitUntil(() => proxy.streams() > 0)).toBe(true);
      const [lost] = await ids();
      await proxy.cut();
      expect(await running).toMatchObject({ type: 'sandbox.unavailable' });
      await expect(run(sandbox, 'true')).rejects.toMatchObject({ type: 'sandbox.unavailable' });
      await proxy.open();
      expect(await run(sandbox, 'echo again')).toMatchObject({ exitCode: 0, container: 'fresh' });
      expect(await waitUntil(async () => !(await ids()).includes(lost ?? ''))).toBe(true);
    } finally {
      await sandbox.close();
    }
    expect(await ids()).toEqual([]);
  });

  test('an engine that was restarted has killed every idle container: only one run finds that out', async () => {
    const sandbox = open();
    try {
      await Promise.all([1, 2, 3, 4].map(() => run(sandbox, 'sleep 0.5')));
      const idle = await ids();
      expect(idle).toHaveLength(4);
      await Promise.all(idle.map((id) => docker.getContainer(id).kill()));
      await expect(run(sandbox, 'true')).rejects.toMatchObject({ type: 'sandbox.lost' });
      expect(await run(sandbox, 'true')).toMatchObject({ exitCode: 0, container: 'fresh' });
    } finally {
      await sandbox.close();
    }
    expect(await ids()).toEqual([]);
  });

  test('by an engine that accepts everything and says nothing: unavailable, and what was asked for meanwhile goes too', async () => {
    const limits = { callMs: 60_000, busyMs: 600_000, statsMs: 2_000 };
    const sandbox = open(limits);
    try {
      const running = run(sandbox, 'sleep 600').catch((error: unknown) => error);
      expect(await waitUntil(() => proxy.streams() > 0)).toBe(true);
      limits.callMs = 500;
      proxy.hush();
      const silent = { type: 'sandbox.unavailable', message: expect.stringContaining('no answer to') as string };
      expect(await running).toMatchObject(silent);
      // Its container is asked for, and is made once the engine hears of it.
      await expect(run(sandbox, 'true')).rejects.toMatchObject(silent);
      limits.callMs = 60_000;
      proxy.speak();
      expect(await run(sandbox, 'echo again', {}, null)).toMatchObject({ exitCode: 0, container: 'fresh' });
      expect(await waitUntil(async () => (await ids()).length === 0)).toBe(true);
    } finally {
      proxy.speak();
      await sandbox.close();
    }
    expect(await ids()).toEqual([]);
  });

  test('a wall limit ends its run even where the engine does not tell what the container used', async () => {
    const sandbox = open();
    try {
      proxy.hush((path) => path.endsWith('/stats'));
      const ended = await run(sandbox, 'sleep 600', { wallSeconds: 1 });
      expect(ended).toMatchObject({ timeLimit: 'wall', cpuSeconds: null });
    } finally {
      proxy.speak();
      await sandbox.close();
    }
  });

  test('a worker that itself stood still past a wall limit says that the run was lost, not that the limit was reached', async () => {
    const sandbox = open();
    const wallSeconds = 1;
    // As one that is stopped, a moment after the command has begun: its timers see the time only afterwards.
    faults.output = (frame) => {
      if (frame.bytes.includes('begun')) setTimeout(() => standStill(wallSeconds * 1000 + 2_500), 50);
      return [frame];
    };
    try {
      const command = 'sleep 0.3; echo begun; sleep 600';
      await expect(run(sandbox, command, { wallSeconds })).rejects.toMatchObject({
        type: 'sandbox.lost',
        result: { evidence: { killed: 'stalled' } },
      });
      delete faults.output;
      expect(await run(sandbox, 'true')).toMatchObject({ exitCode: 0, container: 'fresh' });
    } finally {
      delete faults.output;
      await sandbox.close();
    }
    expect(await ids()).toEqual([]);
  });
});

/** No timer of this process fires meanwhile, and nothing is read. */
function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

describe('a campaign', () => {
  let database: FreshDatabase;
  let engine: Engine;
  let project: CliProject;
  let variables: Record<string, string>;
  let sandboxWorker: TestWorker;

  const startSandboxWorker = (variables: Record<string, string> = {}): Promise<TestWorker> =>
    engine.startWorker({
      arguments: ['--roles', 'sandbox'],
      variables: { DOCKER_HOST: proxy.host, ...variables },
    });

  beforeAll(async () => {
    database = await freshDatabase();
    engine = await startEngine(database.databaseUrl);
    variables = {
      ...{ DATABASE_URL: database.databaseUrl, TEMPORAL_ADDRESS: engine.address, TEMPORAL_NAMESPACE: engine.namespace },
      ...{ DURABENCH_HOME: engine.folder, DOCKER_HOST: proxy.host },
    };
    project = await createCliProject(variables);
    await project.json(['dataset', 'fetch', 'repocraft', '--project', 'requests']);
    await engine.startWorker({ arguments: ['--roles', 'workflows,light,model'] });
    sandboxWorker = await startSandboxWorker();
  });

  afterAll(async () => {
    await engine?.close();
    await project?.close();
    await database?.drop();
  });

  async function campaignFile(tasks: number): Promise<string> {
    const file = join(project.folder, 'campaign.yaml');
    await writeFile(
      file,
      `name: ${NAME}
suite: repocraft
dataset: { projects: [requests], limit: ${tasks} }
systems:
  - { id: gold, generator: gold, vote: { voter: oracle } }
concurrency: { batches: 1, trials: 8, sandbox: 2 }
`,
    );
    return file;
  }

  async function start(tasks: number): Promise<string> {
    const { stdout, stderr } = await project.durabench('run', await campaignFile(tasks), '--detach', '--json');
    if (!stdout.startsWith('{')) throw new Error(`${stdout}\n${stderr}`);
    return (JSON.parse(stdout.split('\n')[0] ?? '') as { campaign_id: string }).campaign_id;
  }

  const statusText = async (id: string): Promise<string> => (await project.durabench('status', id)).stdout;
  const isCompleted = async (id: string): Promise<boolean> =>
    (await project.json<StatusReport>(['status', id])).campaign.status === 'completed';

  describe('is not started, but refused with 5 in three lines,', () => {
    async function refused({ code, stderr }: CommandEnd): Promise<string> {
      expect(code, stderr).toBe(5);
      const [, what] = /(?:^|\n)error: (.*)\n(?: {2}expected: .*\n)? {2}fix: (?:.*)\n$/.exec(stderr) ?? [];
      expect(what, stderr).toBeDefined();
      expect(await engine.records.listCampaigns(1)).toEqual([]);
      return stderr;
    }

    test('while the disk is nearly full', async () => {
      const full = await createCliProject({ ...variables, DURABENCH_MIN_FREE_GIB: '1000000' });
      const said = await refused(await full.durabench('run', await campaignFile(1)));
      await rm(full.folder, { recursive: true });
      expect(said).toMatch(/MiB free[\s\S]*at least 1024000000 MiB[\s\S]*durabench clean/);
    });

    test('while Docker is down', async () => {
      await proxy.cut();
      const said = await refused(await project.durabench('run', await campaignFile(1))).finally(() => proxy.open());
      expect(said).toMatch(/Docker does not answer on unix:.*docker\.sock[\s\S]*start Docker/);
    });

    test('while an image of it is missing', async () => {
      // The same package, whose recipe asks for one thing more than the image on the engine was built from.
      const copy = join(folder, 'package');
      const parts = ['bin', 'dist', 'deploy', 'tasks', 'package.json'];
      await Promise.all(parts.map((part) => cp(join(PACKAGE_ROOT, part), join(copy, part), { recursive: true })));
      await symlink(join(PACKAGE_ROOT, 'node_modules'), join(copy, 'node_modules'));
      await appendFile(join(copy, 'deploy', 'images', 'repocraft-requests', 'requirements.lock.txt'), '\n# changed\n');
      const older = await createCliProject(variables, copy);
      const said = await refused(await older.durabench('run', await campaignFile(1)));
      await rm(older.folder, { recursive: true });
      expect(said).toMatch(
        /the image repocraft-requests .* is not built[\s\S]*durabench images build repocraft-requests/,
      );
    });
  });

  test('waits for Docker that was cut off in the middle, says so, and loses nothing', async () => {
    const id = await start(6);
    const isMidway = async (): Promise<boolean> => {
      const { trials } = await engine.records.campaign(id);
      return trials.done >= 2 && proxy.streams() > 0;
    };
    expect(await waitUntil(isMidway)).toBe(true);
    await proxy.cut();
    const says = async (): Promise<boolean> => /waiting for Docker since \d\d:/.test(await statusText(id));
    expect(await waitUntil(says)).toBe(true);
    expect(await statusText(id)).toMatch(/the Docker engine does not answer/);
    const during = await engine.records.campaign(id);
    expect(during.trials).toMatchObject({ errored: 0, failed: 0, not_run: 0 });
    expect(during.trials.done).toBeLessThan(6);
    await proxy.open();

    expect(await waitUntil(() => isCompleted(id))).toBe(true);
    expect((await engine.records.campaign(id)).trials).toMatchObject({ planned: 6, passed: 6 });
    expect(await engine.records.waits(id)).toEqual([]);
    const trials = await engine.records.trials(id);
    const details = await Promise.all(trials.map((trial) => engine.records.trial(trial.id)));
    const failures = details.flatMap(({ attempts }) => attempts.flatMap(({ failure }) => failure?.type ?? []));
    expect(failures).toContain('sandbox.unavailable');
    // What was cut in the middle of an answer may read as a container that was lost; nothing else may be said.
    expect(failures.filter((type) => !['sandbox.unavailable', 'sandbox.lost'].includes(type))).toEqual([]);
  });

  test('admits no sandbox run while the disk is nearly full, says so, and goes on with room', async () => {
    await sandboxWorker.stop();
    const full = await startSandboxWorker({ DURABENCH_MIN_FREE_GIB: '1000000' });
    const id = await start(2);
    const says = async (): Promise<boolean> => /waiting for room on the disk since \d\d:/.test(await statusText(id));
    expect(await waitUntil(says)).toBe(true);
    expect(await statusText(id)).toMatch(/MiB free/);
    expect(await containersWith(`${LABEL.campaign}=${id}`)).toEqual([]);
    await full.stop();
    sandboxWorker = await startSandboxWorker();
    expect(await waitUntil(() => isCompleted(id))).toBe(true);
    expect((await engine.records.campaign(id)).trials).toMatchObject({ planned: 2, passed: 2 });
  });

  test('leaves no container behind, once its worker has stopped', async () => {
    await sandboxWorker.stop();
    const ours = await docker.listContainers({ all: true, filters: { label: [LABEL.campaign] } });
    expect(ours.filter(({ Labels }) => Labels[LABEL.campaign]?.startsWith(`${NAME}-`))).toEqual([]);
  });
});
