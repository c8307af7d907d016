import { randomBytes } from 'node:crypto';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type Docker from 'dockerode';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createFileBlobs } from '../../src/adapters/blobs/file-blobs.js';
import { createProcessMemory } from '../../src/adapters/memory/process-memory.js';
import { connectDocker } from '../../src/adapters/docker/engine/connect-docker.js';
import { createDockerSandbox } from '../../src/adapters/docker/sandbox/docker-sandbox.js';
import { currentInstance } from '../../src/adapters/docker/engine/instance.js';
import { LABEL } from '../../src/adapters/docker/engine/labels.js';
import { scratchIn } from '../../src/adapters/docker/sandbox/scratch.js';
import type { SandboxLimits } from '../../src/contract/sandbox-limits.js';
import type { TrialEnd } from '../../src/contract/verdict.js';
import { DomainFailure } from '../../src/domain/failure/domain-failure.js';
import { endOfFailure, endOfVerdict } from '../../src/domain/campaign/trial-end.js';
import type { Embedder } from '../../src/ports/embedder.js';
import type { Sandbox } from '../../src/ports/sandbox.js';
import { packFiles } from '../../src/suite-kit/packed-files.js';
import { readProjectSettings } from '../../tasks/repocraft/dataset/project-settings.js';
import type { RepocraftTask } from '../../tasks/repocraft/dataset/repocraft-task.js';
import { taskText } from '../../tasks/repocraft/dataset/task-blobs.js';
import { repocraftPlans } from '../../tasks/repocraft/plan.js';
import { repocraft } from '../../tasks/repocraft/repocraft.js';
import type { RunResult } from '../../tasks/repocraft/results.js';
import { PACKAGE_ROOT } from '../fixtures/package-root.js';
import {
  campaignSpec,
  makeCandidate,
  runTrial,
  type Bench,
  type RanStep,
  systemSpec,
} from '../../src/fakes/suite-bench.js';
import { ensureImages } from '../fixtures/docker/ensure-images.js';
import { scaled } from '../vitest/yardstick.js';

/**
 * What candidates do to a machine, and where it must land: whole RepoCraft trials in the real sandbox, with limits so tight that a
 * test can wait for them. `tests/crash/docker-away.test.ts` has the faults that are the machine's own.
 */
const suiteFolder = join(PACKAGE_ROOT, 'tasks', 'repocraft');
const TIGHT = { memoryBytes: 200 * 2 ** 20, pids: 64 } satisfies Partial<SandboxLimits>;
const SLEEP_SECONDS = 4;
const SPIN_SECONDS = 3;
const BOMB_SECONDS = 15;
/** More than the runner, a library of one file and the tools of the suite; far less than what the filler tries to write. */
const DELIVERED_BYTES = 2 ** 20;
/** The design's allowance beyond a limit, on an idle machine. */
const ALLOWANCE_SECONDS = 2;

const LIBRARY = `import os, signal, socket, sys, time

def right():
    return 42

def hog_memory():
    return [bytearray(2 ** 20) for _ in range(4096)]

def bomb():
    while True:
        os.fork()

def fill_disks():
    """Bytes written to each place, until it is refused."""
    written = {}
    for place in ('/tmp', '/work', '/dev/shm', '/', '/var/tmp', '/candidate', '/runner', '/run/lock', '/home'):
        written[place] = 0
        try:
            for number in range(64):
                with open(f'{place}/filler-{number}', 'wb') as file:
                    while file.tell() < 2 ** 26:
                        written[place] += file.write(b'x' * 2 ** 20)
        except OSError:
            pass
    return written

def flood():
    for _ in range(100):
        sys.stdout.write('x' * 1_000_000)
    print('last words', flush=True)
    return 42

def ignore_signals():
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    time.sleep(600)

def spin():
    while True:
        pass

def call_home():
    """Why each address could not be reached."""
    errors = []
    for address in (('1.1.1.1', 443), ('169.254.169.254', 80), ('172.17.0.1', 22)):
        try:
            socket.create_connection(address, timeout=2).close()
            errors.append('reached')
        except OSError as error:
            errors.append(type(error).__name__)
    try:
        socket.getaddrinfo('example.org', 443)
        errors.append('resolved')
    except OSError as error:
        errors.append(type(error).__name__)
    return errors
`;

let folder: string;
let bench: Bench;
/** Of the time, for the next test: everything but the act itself must have all the time a busy machine needs. */
let timeLimits: Partial<SandboxLimits> = {};
let instance: string;
let sandbox: Sandbox;
/** Containers by id, the volumes they held by name, and the most that one of them had written to a disk of its own. */
const seen = { containers: new Set<string>(), volumes: new Set<string>(), writtenBytes: 0 };

const gold = systemSpec({ id: 'gold', generator: 'gold', vote: { voter: 'oracle' } });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'durabench-faults-'));
  instance = `test-host/1/faults-${randomBytes(4).toString('hex')}`;
  await ensureImages(folder, 'base', 'repocraft-requests');
  sandbox = createDockerSandbox({ instance, stateFolder: folder, packageRoot: PACKAGE_ROOT, slots: 2 });
  bench = {
    ...{ suite: repocraft, plans: repocraftPlans, suiteFolder, sandbox: tightened(sandbox) },
    blobs: createFileBlobs({ folder: join(folder, 'blobs') }),
    spec: campaignSpec({ suite: 'repocraft', systems: [gold] }),
    // The oracle hands targets over: nothing is searched, and nobody is asked.
    embedder: {} as Embedder,
    memory: createProcessMemory(),
    ask: () => Promise.reject(new Error('nobody is asked')),
  };
  const { pin } = await readProjectSettings('requests', suiteFolder);
  const tree = new Map([
    ['faulty/__init__.py', Buffer.from('')],
    ['faulty/acts.py', Buffer.from(LIBRARY)],
  ]);
  const tar = await bench.blobs.put(await packFiles(tree), { name: 'reference.tar', mediaType: 'application/x-tar' });
  await bench.blobs.remember(`repocraft/reference/requests/${pin.sha256}`, tar);
});

afterAll(async () => {
  await sandbox?.close();
  await rm(folder, { recursive: true, force: true });
});

/** Tests of a task run within limits a test can wait for; every container is remembered. */
function tightened(real: Sandbox): Sandbox {
  const run: Sandbox['run'] = async (request) => {
    const isTest = request.command.some((part) => part.endsWith('runner.py'));
    const limits = isTest ? { ...request.limits, ...TIGHT, ...timeLimits } : request.limits;
    const result = await real.run({ ...request, limits, onProgress: () => void look() });
    await look();
    return result;
  };
  return { ...real, run };
}

async function look(): Promise<void> {
  const filters = { label: [`${LABEL.instance}=${instance}`] };
  const found = await connectDocker().listContainers({ all: true, size: true, filters });
  for (const { Id, Mounts, SizeRw = 0 } of found as (Docker.ContainerInfo & { SizeRw?: number })[]) {
    seen.containers.add(Id);
    for (const { Type, Name = '' } of Mounts) if (Type === 'volume') seen.volumes.add(Name);
    seen.writtenBytes = Math.max(seen.writtenBytes, SizeRw);
  }
}

interface Graded {
  end: TrialEnd;
  run: RunResult;
  steps: RanStep[];
}

/** One trial of one task whose test calls one function of the library. */
async function grade(act: string, assertion: string, limits: Partial<SandboxLimits> = {}): Promise<Graded> {
  timeLimits = limits;
  const name = `test_${act}`;
  const path = `faulty.acts.${act}`;
  const task: RepocraftTask = {
    ...{
      id: `requests-${act.replaceAll('_', '-')}-001`,
      project: 'requests',
      category: 'faulty.acts',
      subcategory: act,
    },
    ...{ description: `Does what ${act} says.`, fixtures: [], auxiliary_code: {}, functions: [name], targets: [path] },
    test_code: `from faulty.acts import ${act}\n\n\ndef ${name}():\n    ${assertion}\n`,
    imports: [{ module: 'faulty.acts', name: act, local: act, uses: [path] }],
    ...{ loc: 2, difficulty: 'easy', seed: 1 },
    source: { file: 'tests/test_acts.py', lines: [[1, 2]], sha256: '0'.repeat(64) },
  };
  const { sha256 } = await bench.blobs.put(taskText(task), { name: 'task.json', mediaType: 'application/json' });
  const summary = { id: task.id, sha256, group: 'requests', category: task.category, candidateScope: 'requests' };
  const made = await makeCandidate(bench, gold, 'requests');
  const { verdict, skipped, steps } = await runTrial(bench, { system: gold, task: summary, ...made });
  const run = steps.find(({ stage, step }) => `${stage} ${step}` === 'execute run')?.result as RunResult;
  return { end: endOfVerdict(verdict, skipped), run, steps };
}

const evidence = async ({ steps }: Graded, name: string): Promise<{ text: string; truncated: boolean }> => {
  const ref = steps.flatMap((step) => step.evidence).find((each) => each.name === name);
  const bytes = await bench.blobs.get(ref?.sha256 ?? '');
  return { text: bytes.toString('utf8'), truncated: ref?.truncated === true };
};

/** What a run of next to nothing takes on this machine now: on a busy one everything beyond a limit is as slow. */
async function usualSeconds(): Promise<number> {
  const { end, run } = await grade('right', 'assert right() == 42');
  expect(end).toMatchObject({ outcome: 'passed', blame: null });
  return run.wallSeconds;
}

const FAILURES: [what: string, act: string, assertion: string, reason: string, limits: Partial<SandboxLimits>][] = [
  // Memory is used up in the time of a run of nothing.
  ['a memory hog', 'hog_memory', 'assert hog_memory()', 'candidate.out-of-memory', {}],
  [
    'a sleep that ignores signals',
    'ignore_signals',
    'ignore_signals()',
    'candidate.timeout',
    { wallSeconds: SLEEP_SECONDS },
  ],
  ['a busy loop', 'spin', 'spin()', 'candidate.timeout', { cpuSeconds: SPIN_SECONDS }],
];

describe('a candidate that harms', () => {
  test.each(FAILURES)(
    '%s ends within its limit, as the model’s failure',
    async (what, act, assertion, reason, limits) => {
      const usual = await usualSeconds();
      const { end, run } = await grade(act, assertion, limits);
      expect(end).toMatchObject({ outcome: 'failed', blame: 'model', reason });
      // How long CPU time takes by the clock is up to who else wants the processors: it is measured as what it is.
      const isOfCpu = limits.cpuSeconds !== undefined;
      const seconds = isOfCpu ? (run.cpuSeconds ?? Infinity) : run.wallSeconds;
      const limit = limits.cpuSeconds ?? limits.wallSeconds ?? 0;
      const unit = `s of ${isOfCpu ? 'CPU' : 'wall'} time`;
      console.log(
        `faults: ${what}: ${seconds.toFixed(1)} ${unit} (limit ${limit}; a run of nothing ${usual.toFixed(1)})`,
      );
      expect(seconds).toBeLessThan(limit + scaled(ALLOWANCE_SECONDS) + (isOfCpu ? 0 : 10 * usual));
      await usualSeconds();
    },
  );

  test('a fork bomb ends with its test, and the next test finds a machine without it', async () => {
    const usual = await usualSeconds();
    const { end, run } = await grade('bomb', 'bomb()', { wallSeconds: BOMB_SECONDS });
    expect(end).toMatchObject({ outcome: 'failed', blame: 'model' });
    expect(run.wallSeconds).toBeLessThan(BOMB_SECONDS + scaled(ALLOWANCE_SECONDS) + 10 * usual);
    await usualSeconds();
  });

  test('a disk filler fills memory of its own container, up to the size it has, and no disk', async () => {
    const graded = await grade('fill_disks', 'assert fill_disks() == {}');
    expect(graded.end).toMatchObject({ outcome: 'failed', blame: 'model' });
    if (graded.end.reason !== 'candidate.out-of-memory') {
      const { text } = await evidence(graded, 'report.json');
      for (const place of ['/', '/var/tmp', '/candidate', '/runner', '/run/lock', '/home'])
        expect(text).toContain(`'${place}': 0`);
    }
    await usualSeconds();
  });

  test('100 MB of output change no verdict; what is kept says that it was cut', async () => {
    const graded = await grade('flood', 'assert flood() == 42');
    expect(graded.end).toMatchObject({ outcome: 'passed' });
    const { text, truncated } = await evidence(graded, 'output.txt');
    expect(text).toMatch(/\[\.\.\. \d+ bytes cut \.\.\.\]/);
    expect(text).toContain('last words');
    expect(text.length).toBeLessThan(2 ** 20);
    expect(truncated).toBe(true);
  });

  test('a network attempt fails inside, at once, and the test decides', async () => {
    const asserts = `found = call_home()\n    assert len(found) == 4 and not {'reached', 'resolved', 'TimeoutError'} & set(found), found`;
    expect((await grade('call_home', asserts)).end).toMatchObject({ outcome: 'passed' });
    const wanting = await grade('call_home', `assert 'reached' in call_home()`);
    expect(wanting.end).toMatchObject({ outcome: 'failed', blame: 'model', reason: 'test.assertion' });
  });
});

test('an image that is missing is the infrastructure’s fault, with the command that builds it', async () => {
  // The same recipe with one more package: what is on the engine was not built from it.
  const packageRoot = join(folder, 'package');
  await cp(join(PACKAGE_ROOT, 'deploy', 'images'), join(packageRoot, 'deploy', 'images'), { recursive: true });
  const recipe = join(packageRoot, 'deploy', 'images', 'repocraft-requests', 'requirements.lock.txt');
  await writeFile(recipe, `${await readFile(recipe, 'utf8')}\n# changed\n`);
  const elsewhere = createDockerSandbox({ instance, stateFolder: folder, packageRoot, slots: 1 });
  const before = bench.sandbox;
  try {
    bench = { ...bench, sandbox: elsewhere };
    const failure = await grade('right', 'assert right() == 42').catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(DomainFailure);
    expect(endOfFailure((failure as DomainFailure).toFailure())).toMatchObject({
      ...{ outcome: 'errored', blame: 'infrastructure', reason: 'sandbox.image-missing' },
      advice: { fix: expect.stringContaining('durabench images build repocraft-requests') as string },
    });
  } finally {
    bench = { ...bench, sandbox: before };
    await elsewhere.close();
  }
});

describe('afterwards nothing of it is left:', () => {
  const docker = connectDocker();
  const filters = (): { label: string[] } => ({ label: [`${LABEL.instance}=${instance}`] });

  test('no container, no control group with its memory, no process', async () => {
    await sandbox.close();
    expect(seen.containers.size).toBeGreaterThanOrEqual(3);
    expect(await docker.listContainers({ all: true, filters: filters() })).toEqual([]);
    expect(await groupsOf(seen.containers)).toEqual([]);
    expect(await processesOf(seen.containers)).toEqual([]);
  });

  test('nothing on a disk: no container has written to one, the volumes hold what was delivered, no folder and no network', async () => {
    expect(seen.writtenBytes).toBeLessThan(DELIVERED_BYTES);
    const { Volumes } = (await docker.df()) as { Volumes: Docker.VolumeInspectInfo[] };
    expect(seen.volumes.size).toBeGreaterThan(0);
    for (const name of seen.volumes) expect(name).toMatch(/^durabench-content-/);
    // Content nobody holds is a cache: `clean` of a neighbour on this machine may have taken some of it.
    for (const { Labels, UsageData } of Volumes.filter(({ Name }) => seen.volumes.has(Name))) {
      expect(Labels).toHaveProperty([LABEL.content]);
      expect(UsageData?.Size).toBeGreaterThan(0);
      expect(UsageData?.Size).toBeLessThan(DELIVERED_BYTES);
    }
    expect((await scratchIn(tmpdir())).filter(({ instance: owner }) => owner === currentInstance())).toEqual([]);
    expect(await docker.listNetworks({ filters: filters() })).toEqual([]);
  });
});

/** Control groups of the host that belong to one of the containers; a group that is gone has given its memory back. */
async function groupsOf(containers: ReadonlySet<string>): Promise<string[]> {
  const lists = await Promise.all(
    ['', 'memory', 'docker', 'memory/docker', 'system.slice', 'memory/system.slice'].map((place) =>
      readdir(join('/sys/fs/cgroup', place)).catch(() => [] as string[]),
    ),
  );
  return lists.flat().filter((name) => [...containers].some((id) => name.includes(id)));
}

async function processesOf(containers: ReadonlySet<string>): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const texts = pids.map((pid) => readFile(`/proc/${pid}/cgroup`, 'utf8').catch(() => '')); // ended meanwhile
  return (await Promise.all(texts)).filter((text) => [...containers].some((id) => text.includes(id)));
}
