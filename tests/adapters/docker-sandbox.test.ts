import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Docker from 'dockerode';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { connectDocker } from '../../src/adapters/docker/engine/connect-docker.js';
import { contentVolume, createContentVolumes } from '../../src/adapters/docker/volumes/content-volumes.js';
import { createDockerSandbox, type DockerSandbox } from '../../src/adapters/docker/sandbox/docker-sandbox.js';
import { createImages } from '../../src/adapters/docker/images/images.js';
import { currentInstance } from '../../src/adapters/docker/engine/instance.js';
import { LABEL, ownerLabels } from '../../src/adapters/docker/engine/labels.js';
import { packTar } from '../../src/adapters/docker/engine/tar-archive.js';
import { removeContent, unusedContent } from '../../src/adapters/docker/volumes/unused-content.js';
import { sha256Hex } from '../../src/domain/text/content-hash.js';
import { sandboxConformance } from '../../src/ports/conformance/sandbox.conformance.js';
import type { ContentMount, SandboxResult, SandboxRun } from '../../src/ports/sandbox.js';
import { candidateMount } from '../../tasks/repocraft/execution/candidate-mount.js';
import { deadInstance } from '../fixtures/docker/dead-instance.js';
import { startDockerProxy } from '../fixtures/docker/docker-proxy.js';
import { ensureImages } from '../fixtures/docker/ensure-images.js';
import { scaled } from '../vitest/yardstick.js';

const packageRoot = join(import.meta.dirname, '..', '..');
const docker = connectDocker();
let stateFolder: string;
let sandbox: DockerSandbox;
const volumesMade = new Set<string>();

beforeAll(async () => {
  stateFolder = await mkdtemp(join(tmpdir(), 'durabench-sandbox-'));
  await ensureImages(join(stateFolder, 'cache'), 'base');
  sandbox = createDockerSandbox({ instance: currentInstance(), stateFolder, packageRoot, slots: 2 });
});

afterAll(async () => {
  await sandbox?.close();
  for (const name of volumesMade) {
    const made = [name, `${name}-filled`].map((volume) => docker.getVolume(volume).remove({ force: true }));
    // A test whose fill was refused made only one of the two.
    await Promise.allSettled(made);
  }
  await rm(stateFolder, { recursive: true, force: true });
});

sandboxConformance('Docker', () => ({
  sandbox,
  bench: {
    image: 'base',
    copyStdin: ['cat'],
    failWithThree: ['sh', '-c', 'echo no >&2; exit 3'],
    showFile: (path) => ['cat', path],
    showVariable: (name) => ['sh', '-c', `echo "$${name}"`],
    flood: (bytes) => ['sh', '-c', `head -c ${bytes} /dev/zero | tr '\\0' x`],
    floodErrors: (bytes) => ['sh', '-c', `head -c ${bytes} /dev/zero | tr '\\0' x >&2`],
    sleep: ['sleep', '600'],
    hog: ['python3', '-c', 'x = bytearray(10**9)'],
    leaveProcess: ['sh', '-c', 'sleep 600 >/dev/null 2>&1 </dev/null & exit 0'],
    leaveFile: (name) => [
      'sh',
      '-c',
      `for place in /work /tmp /dev/shm; do mkdir $place/deep; echo x | tee $place/${name} >$place/deep/file; chmod 0 $place/deep; done`,
    ],
    writeFile: (path, text) => ['sh', '-c', 'printf %s "$1" >"$0"', path, text],
    content: (name, text, path) => content({ [name]: text }, path),
    changeContent: (path, name) => ['sh', '-c', `(echo no >${path}/${name}) 2>/dev/null; cat ${path}/${name}`],
  },
}));

async function run(script: string, extra: Partial<SandboxRun> = {}, on = sandbox): Promise<SandboxResult> {
  return on.run({
    image: 'base',
    command: ['sh', '-c', script],
    mounts: [],
    poolKey: 'docker-test',
    owner: { campaignId: 'docker-test', ownerId: 'docker-test' },
    signal: new AbortController().signal,
    ...extra,
  });
}

const text = (result: SandboxResult): string => result.stdout.bytes.toString('utf8').trim();

/** Content nobody else has. */
async function content(files: Record<string, string>, path: string): Promise<ContentMount & { loads: number }> {
  const tar = await packTar({ ...files, unique: randomBytes(8).toString('hex') });
  const sha256 = sha256Hex(tar);
  const mount = {
    sha256,
    path,
    loads: 0,
    load: async () => {
      mount.loads += 1;
      return tar;
    },
  };
  volumesMade.add(contentVolume(mount));
  return mount;
}

async function owned(instance: string): Promise<Docker.ContainerInfo[]> {
  return docker.listContainers({ all: true, filters: { label: [`${LABEL.instance}=${instance}`] } });
}

/** At most one. */
async function volumesNamed(name: string): Promise<Docker.VolumeInspectInfo[]> {
  return (await docker.listVolumes()).Volumes.filter((volume) => volume.Name === name);
}

/** What no cleaner would find. */
async function unlabelled(name: string): Promise<Docker.VolumeInspectInfo[]> {
  return (await volumesNamed(name)).filter(({ Labels: labels }) => labels?.[LABEL.content] === undefined);
}

function ignoreAbsent(error: unknown): void {
  if ((error as { statusCode?: number }).statusCode !== 404) throw error;
}

async function holdersOf(volume: string): Promise<Docker.ContainerInfo[]> {
  return docker.listContainers({ all: true, filters: { volume: [volume] } });
}

describe('hardening, as seen from inside', () => {
  test('user, capabilities, privileges, system calls', async () => {
    const status = text(await run('cat /proc/self/status; id -u; id -g'));
    expect(status).toMatch(/CapEff:\s+0+$/m);
    expect(status).toMatch(/CapBnd:\s+0+$/m);
    expect(status).toMatch(/NoNewPrivs:\s+1/);
    expect(status).toMatch(/Seccomp:\s+2/);
    expect(status).toMatch(/65534\n65534$/);
  });

  test('no network but loopback, no Docker socket, no secret of the worker', async () => {
    expect(
      text(await run('ls /sys/class/net; ls /var/run/docker.sock /run/docker.sock 2>/dev/null; env | sort')),
    ).toMatch(/^lo\n(?!.*docker)(?!.*DATABASE_URL)(?!.*API_KEY)/s);
  });

  test('a read-only root, and folders of a size for what must be written', async () => {
    const script = `
      for place in / /usr /etc /opt /var/tmp /home; do (echo x > $place/x) 2>/dev/null && echo "wrote $place"; done
      echo x > /tmp/x && echo x > /work/x && echo ok
      df -m --output=size /tmp /work | tail -n 2 | tr -d ' '`;
    expect(text(await run(script))).toBe('ok\n256\n256');
  });

  test('limits for processes, descriptors, file size, memory and CPU time', async () => {
    const { HostConfig: host, Config: config } = await inspectOwn();
    expect(host).toMatchObject({
      NetworkMode: 'none',
      ReadonlyRootfs: true,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      Privileged: false,
      Init: true,
      PidsLimit: 256,
      Memory: 2 ** 31,
      MemorySwap: 2 ** 31,
      NanoCpus: 1e9,
      Binds: null,
    });
    expect(host.CpuShares).toBeLessThan(1024);
    expect(config.Labels).toMatchObject({
      [LABEL.campaign]: 'docker-test',
      [LABEL.slot]: expect.any(String) as string,
    });
    const script =
      'ulimit -n; ulimit -f; ulimit -c; ulimit -S -t; head -c 200000000 /dev/zero > /tmp/big; ls -s /tmp/big';
    const result = await run(script, { limits: { cpuSeconds: 7 } });
    expect(text(result).split('\n').slice(0, 4)).toEqual(['1024', String((128 * 2 ** 20) / 512), '0', '7']);
  });

  async function inspectOwn(): Promise<Docker.ContainerInspectInfo> {
    await run('true');
    const own = await owned(currentInstance());
    const mine = own.find((one) => one.Labels[LABEL.owner] === 'docker-test');
    return docker.getContainer(mine?.Id ?? '').inspect();
  }
});

describe('limits that end a command', () => {
  test('CPU time', async () => {
    const result = await run('while :; do :; done', { limits: { cpuSeconds: 1, wallSeconds: scaled(60) } });
    expect(result).toMatchObject({ exitCode: null, timedOut: true, timeLimit: 'cpu' });
  });

  test('the wall, whatever the command does about signals, with the CPU time it used', async () => {
    const result = await run("trap '' TERM INT HUP; sleep 600 & wait; sleep 600", { limits: { wallSeconds: 1 } });
    expect(result).toMatchObject({ exitCode: null, timeLimit: 'wall' });
    expect(result.cpuSeconds).toBeGreaterThanOrEqual(0);
    expect(result.cpuSeconds).toBeLessThan(1);
  });

  test('memory that stays full for a moment after the command: who asks then is killed as well', async () => {
    const filler = 'echo 1000 >/proc/self/oom_score_adj; exec head -c 60M /dev/zero >/tmp/full';
    const script = `(sleep 1; rm /tmp/full) >/dev/null 2>&1 </dev/null & sh -c '${filler}'; kill -9 $$`;
    const ended = await run(script, { limits: { memoryBytes: 32 * 2 ** 20 } });
    expect(ended).toMatchObject({ exitCode: null, outOfMemory: true, timeLimit: null });
  });

  test('processes: a fork bomb stays in its container', async () => {
    const result = await run('f() { f | f & }; f; sleep 1', { limits: { pids: 32, wallSeconds: 20 } });
    expect(result.wallSeconds).toBeLessThan(scaled(60));
    expect(text(await run('echo still here'))).toBe('still here');
  });
});

test('input nobody reads hurts nobody', async () => {
  const stdin = Buffer.alloc(5_000_000, 'x');
  expect(await run('exit 4', { stdin })).toMatchObject({ exitCode: 4 });
  expect(text(await run('exec <&-; sleep 0.3; echo ok', { stdin }))).toBe('ok');
});

describe('the pool', () => {
  test('after a process left behind that holds the output the container is replaced', async () => {
    const key = { poolKey: 'output held' };
    expect(await run('sleep 600 & exit 0', { ...key, limits: { wallSeconds: 60 } })).toMatchObject({ exitCode: 0 });
    expect((await run('true', key)).container).toBe('fresh');
  });

  test('without a key every run has its own container, gone afterwards', async () => {
    const instance = `test-host/1/own-${randomBytes(4).toString('hex')}`;
    const other = createDockerSandbox({ instance, stateFolder, packageRoot, slots: 1 });
    expect((await run('true', { poolKey: null }, other)).container).toBe('fresh');
    expect((await run('true', { poolKey: null }, other)).container).toBe('fresh');
    await other.close();
    expect(await owned(instance)).toEqual([]);
  });

  test('a container nobody uses any more goes by itself', async () => {
    const instance = `test-host/1/idle-${randomBytes(4).toString('hex')}`;
    const other = createDockerSandbox({ instance, stateFolder, packageRoot, slots: 1, idleMs: scaled(2_000) });
    await run('true', {}, other);
    expect(await owned(instance)).toHaveLength(1);
    await until(async () => (await owned(instance)).length === 0);
    await other.close();
  });

  test('an exclusive run has the sandbox to itself', async () => {
    const order: string[] = [];
    const note = async (name: string, script: string, extra: Partial<SandboxRun>): Promise<void> => {
      await run(script, extra);
      order.push(name);
    };
    await Promise.all([
      note('slow', 'sleep 1', {}),
      note('alone', 'true', { exclusive: true }),
      note('last', 'true', {}),
    ]);
    expect(order).toEqual(['slow', 'alone', 'last']);
  });

  test('a command cannot end the container it runs in', async () => {
    const key = { poolKey: 'kill-all' };
    await run('kill -9 -1; kill -9 1', key);
    expect((await run('true', key)).container).toBe('pooled');
  });
});

describe('content', () => {
  test('is there, whole and read-only, and read once', async () => {
    const mount = await content({ 'a/b.txt': 'hello' }, '/candidate');
    const script = 'cat /candidate/a/b.txt; echo x > /candidate/a/b.txt; echo x > /candidate/new; ls /candidate';
    const result = await run(`(${script}) 2>/dev/null`, { mounts: [mount] });
    expect(text(result)).toBe('helloa\nunique');
    await run('true', { mounts: [mount], poolKey: 'other' });
    expect(mount.loads).toBe(1);
  });

  test('many fillers at once, of two workers, make one whole volume', async () => {
    const mount = await content({ 'a.txt': 'x'.repeat(200_000) }, '/candidate');
    const { Id: imageId } = await docker.getImage(await baseTag()).inspect();
    // Two sets know nothing of each other, like two processes.
    const first = createContentVolumes(docker, ownerLabels(currentInstance(), null));
    const second = createContentVolumes(docker, ownerLabels(currentInstance(), null));
    const names = await Promise.all([first, second, first, second].map((one) => one.ensure(mount, imageId)));
    expect(new Set(names).size).toBe(1);
    expect(text(await run('wc -c < /candidate/a.txt', { mounts: [mount], poolKey: null }))).toBe('200000');
  });

  test('is prepared once: candidates are compiled, over what they brought, and no less read-only for it', async () => {
    const files = {
      ...{ 'lib/a.py': 'x = 1\n', 'lib/broken.py': 'def (\n', 'lib/__pycache__/a.cpython-311.pyc': 'brought' },
      ...{
        'odd/a.py': 'x = 2\n',
        'odd/__pycache__': 'a file',
        'lib/__pycache__/b.cpython-311.pyc/a': 'x',
        'lib/b.py': '',
      },
    };
    const plain = await content(files, '/candidate');
    const prepared = await compiled(plain);
    const script = `cd /candidate && find . -path "*cache*" -type f | sort; touch lib/__pycache__/x 2>&1 | wc -l
      PYTHONPATH=/candidate python3 -vc "import lib.a, odd.a" 2>&1 | grep -c "code object from '/candidate/.*pyc'"`;
    // Its container stays in the pool and holds the content: no `clean` of a neighbour takes it before the second run.
    const seen = text(await run(script, { mounts: [prepared], poolKey: 'prepared' })).split('\n');
    const bytecode = ['lib/__pycache__/a', 'lib/__pycache__/b', 'odd/__pycache__/a'];
    expect(seen).toEqual([...bytecode.map((path) => `./${path}.cpython-311.pyc`), '1', '2']);
    await run('true', { mounts: [prepared], poolKey: null });
    expect(plain.loads).toBe(1);
  });

  test('is prepared within the room of a run, or not at all: bytecode of hundreds of times its source fills no disk', async () => {
    const words = Array.from({ length: 28_000 }, (_, index) => `"${index + 10_000}"*819`);
    const source = `x = [${words.join(',\n')}]\n`;
    const prepared = await compiled(await content({ 'a.py': source, 'b.py': source, 'c.py': source }, '/candidate'));
    const size = text(await run('du -sm /candidate; ls -a /candidate', { mounts: [prepared], poolKey: null }));
    expect(size).toMatch(/^[12]\t\/candidate\n\.\n\.\.\na\.py\nb\.py\nc\.py\nunique$/);
  });

  async function compiled(mount: ContentMount): Promise<ContentMount> {
    const prepared = await candidateMount(join(packageRoot, 'tasks', 'repocraft'), mount);
    volumesMade.add(contentVolume(prepared));
    return prepared;
  }

  test('a fill that was cut off is not trusted', async () => {
    const mount = await content({ 'a.txt': 'whole' }, '/candidate');
    const name = contentVolume(mount);
    const dead = await deadInstance();
    await docker.createVolume({ Name: name, Labels: { [LABEL.content]: mount.sha256 } });
    const half = await docker.createContainer({
      name: `${name}-fill`,
      Image: await baseTag(),
      User: '0:0',
      Cmd: ['sh', '-c', 'echo ha > /content/a.txt; echo x > /content/stray'],
      // Of an installation of its own: a worker that happens to run on this machine leaves it alone.
      Labels: ownerLabels(dead, randomUUID()),
      HostConfig: { NetworkMode: 'none', Mounts: [{ Type: 'volume', Source: name, Target: '/content' }] },
    });
    await half.start();
    await half.wait();
    expect(text(await run('cat /candidate/a.txt; ls /candidate', { mounts: [mount], poolKey: null }))).toBe(
      'wholea.txt\nunique',
    );
    await expect(half.inspect()).rejects.toMatchObject({ statusCode: 404 });
  });

  test('unused content is cleaned away and comes back when needed; what a container holds stays', async () => {
    const [used, unused] = [
      await content({ 'a.txt': 'used' }, '/candidate'),
      await content({ 'a.txt': 'un' }, '/candidate'),
    ];
    await run('true', { mounts: [used], poolKey: 'holds' });
    await run('true', { mounts: [unused], poolKey: null });
    await until(async () => (await holdersOf(contentVolume(unused))).length === 0);
    const [usedVolume, unusedVolume] = [contentVolume(used), contentVolume(unused)];
    const listed = await unusedContent(docker);
    expect(listed).not.toContain(usedVolume);
    // Or `clean` of a neighbour on this machine was faster.
    if ((await volumesNamed(unusedVolume)).length > 0) expect(listed).toContain(unusedVolume);
    expect(['removed', 'absent']).toContain(await removeContent(docker, unusedVolume));
    expect(await removeContent(docker, usedVolume)).toBe('held');
    expect(text(await run('cat /candidate/a.txt', { mounts: [used], poolKey: null }))).toBe('used');
    expect(text(await run('cat /candidate/a.txt', { mounts: [unused], poolKey: null }))).toBe('un');
    expect(used.loads).toBe(1);
    expect(unused.loads).toBeGreaterThanOrEqual(2);
  });

  describe('that is cleaned away while its container is being made', () => {
    /** A sandbox, and what takes the content as often as told, the moment before its container holds it. */
    async function cleanedSandbox(
      mount: ContentMount,
      times: number,
    ): Promise<{ on: DockerSandbox; taken: () => number }> {
      const socketPath = join(stateFolder, `${randomBytes(4).toString('hex')}.sock`);
      let taken = 0;
      const proxy = await startDockerProxy(socketPath, async ({ path, body }) => {
        const isOfRun = path === '/containers/create' && JSON.stringify(body).includes('"sleep","infinity"');
        if (isOfRun && taken < times && (await removeContent(docker, contentVolume(mount))) !== 'held') taken++;
        return body;
      });
      const own = new Docker({ socketPath });
      const on = createDockerSandbox({ instance: currentInstance(), stateFolder, packageRoot, slots: 1, docker: own });
      closings.push(
        () => on.close(),
        () => proxy.close(),
      );
      return { on, taken: () => taken };
    }

    const closings: (() => Promise<void>)[] = [];
    afterEach(async () => {
      for (const close of closings.splice(0)) await close();
    });

    test('is filled again at once, in a volume that cleaners find', async () => {
      const mount = await content({ 'a.txt': 'whole' }, '/candidate');
      const { on, taken } = await cleanedSandbox(mount, 3);
      expect(text(await run('cat /candidate/a.txt', { mounts: [mount], poolKey: null }, on))).toBe('whole');
      expect(taken()).toBe(3);
      expect(mount.loads).toBeGreaterThanOrEqual(4);
      expect(await unlabelled(contentVolume(mount))).toEqual([]);
    });

    test('is given up after five times, and what Docker made in its place is found by cleaners', async () => {
      const mount = await content({ 'a.txt': 'whole' }, '/candidate');
      const { on, taken } = await cleanedSandbox(mount, Infinity);
      await expect(run('cat /candidate/a.txt', { mounts: [mount], poolKey: null }, on)).rejects.toMatchObject({
        type: 'sandbox.lost',
        message: expect.stringMatching(/cleaned away 5 times/) as string,
      });
      expect([taken(), mount.loads]).toEqual([5, 5]);
      expect(await unlabelled(contentVolume(mount))).toEqual([]);
    });
  });

  test('a volume made anew under the name of a whole one is not trusted', async () => {
    const mount = await content({ 'a.txt': 'whole' }, '/candidate');
    const name = contentVolume(mount);
    await run('true', { mounts: [mount], poolKey: null });
    await until(async () => (await holdersOf(name)).length === 0);
    await docker.getVolume(name).remove().catch(ignoreAbsent);
    // As Docker makes it for a container that names it.
    await docker.createVolume({ Name: name });
    expect(text(await run('cat /candidate/a.txt', { mounts: [mount], poolKey: null }))).toBe('whole');
    expect(mount.loads).toBe(2);
    expect(await unlabelled(name)).toEqual([]);
  });

  test('a mark that was lost is made again for content that is being read, which is not filled anew', async () => {
    const mount = await content({ 'a.txt': 'whole' }, '/candidate');
    const mark = docker.getVolume(`${contentVolume(mount)}-filled`);
    const control = new AbortController();
    let onStart = (): void => undefined;
    const started = new Promise<void>((resolve) => (onStart = resolve));
    // It would see the files vanish: they are its working folder.
    const script = 'cd /candidate && while cat a.txt; do sleep 0.01; done >/dev/null; echo vanished';
    const reading = run(script, {
      ...{ mounts: [mount], poolKey: 'reads', finish: control.signal },
      onStart,
    });
    await Promise.race([started, reading]);
    await mark.remove();
    expect(text(await run('cat /candidate/a.txt', { mounts: [mount], poolKey: 'reads as well' }))).toBe('whole');
    expect(mount.loads).toBe(1);
    await mark.inspect();
    control.abort();
    expect(text(await reading)).toBe('');
  });

  test('content the file system refuses is told in plain words', async () => {
    const mount = await content({ ['x'.repeat(300)]: '' }, '/candidate');
    const refused: unknown = await run('true', { mounts: [mount] }).catch((error: unknown) => error);
    expect(refused).toMatchObject({ type: 'sandbox.lost' });
    expect((refused as Error).message).toMatch(/File name too long/);
    expect((refused as Error).message).not.toMatch(/[\u0000-\u0008]/);
  });
});

describe('trouble', () => {
  test('Docker down', async () => {
    const away = new Docker({ socketPath: join(stateFolder, 'no-such.sock') });
    const down = createDockerSandbox({ instance: currentInstance(), stateFolder, packageRoot, slots: 1, docker: away });
    const unavailable = {
      type: 'sandbox.unavailable',
      message: expect.stringMatching(/^.+\nexpected: .+\nfix: .+$/) as string,
    };
    await expect(run('true', {}, down)).rejects.toMatchObject(unavailable);
    await expect(down.imageDigest('base')).rejects.toMatchObject(unavailable);
  });

  test('a container that vanishes under a command', async () => {
    const running = run('sleep 600', {
      poolKey: 'vanish',
      onProgress: () =>
        void owned(currentInstance()).then((all) =>
          all
            .filter((one) => one.Labels[LABEL.owner] === 'vanish')
            .map((one) => docker.getContainer(one.Id).remove({ force: true })),
        ),
    });
    await expect(running).rejects.toMatchObject({ type: 'sandbox.lost' });
  });

  test('a disk nearly full', async () => {
    const minimumFreeBytes = 2 ** 60;
    const full = createDockerSandbox({
      instance: currentInstance(),
      stateFolder,
      packageRoot,
      slots: 1,
      minimumFreeBytes,
    });
    await expect(run('true', {}, full)).rejects.toMatchObject({ type: 'sandbox.disk-full' });
  });

  test('a fork server that does not come up is told with what it said, and no container of it is kept', async () => {
    const forkServer = ['sh', '-c', 'echo cannot load the library >&2; exit 3'];
    const failure = { type: 'sandbox.lost', message: expect.stringContaining('cannot load the library') as string };
    await expect(run('true', { forkServer, poolKey: 'no server' })).rejects.toMatchObject(failure);
    await expect(run('true', { forkServer, poolKey: 'no server' })).rejects.toMatchObject(failure);
    const filters = { label: [`${LABEL.owner}=no server`] };
    await until(async () => (await docker.listContainers({ all: true, filters })).length === 0);
  });

  test('close leaves nothing of its own, even in the middle of a run', async () => {
    const instance = `test-host/1/close-${randomBytes(4).toString('hex')}`;
    const other = createDockerSandbox({ instance, stateFolder, packageRoot, slots: 2 });
    await run('true', { poolKey: 'kept' }, other);
    let closing: Promise<void> | undefined;
    const cut = run('sleep 600', { poolKey: 'cut', onProgress: () => void (closing ??= other.close()) }, other);
    await expect(cut).rejects.toMatchObject({ type: 'sandbox.lost' });
    await closing;
    expect(await owned(instance)).toEqual([]);
  });
});

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(50);
}

async function baseTag(): Promise<string> {
  return (
    await createImages({ docker, packageRoot, cacheFolder: stateFolder, variable: () => undefined }).check('base')
  ).tag;
}
