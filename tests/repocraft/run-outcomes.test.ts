import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Docker from 'dockerode';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { ExecutionReport } from '../../tasks/repocraft/execution/execution-report.js';
import { RunDisturbed } from '../../tasks/repocraft/execution/run-tests.js';
import {
  startDockerProxy,
  type DockerProxy,
  type OutputChange,
  type ProxyFaults,
} from '../fixtures/docker/docker-proxy.js';
import { PACKAGE_ROOT } from '../fixtures/package-root.js';
import { runnerBenchOn, type RunnerBench } from '../fixtures/repocraft/runner-bench.js';

// What becomes of a run of tests where something between its runner and this process fails: real containers, behind a connection with
// faults. No candidate fails by it, none passes by it, and none gets another try by what it does itself.

let folder: string;
let proxy: DockerProxy;
let bench: RunnerBench;
const faults: ProxyFaults = {};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'durabench-outcomes-'));
  proxy = await startDockerProxy(join(folder, 'docker.sock'), undefined, faults);
  bench = await runnerBenchOn(new Docker({ socketPath: proxy.socketPath }));
});

afterAll(async () => {
  await bench?.close();
  await proxy?.close();
  await rm(folder, { recursive: true, force: true });
});

beforeEach(() => {
  // Each with connections of its own, over which nothing has passed.
  delete faults.output;
  delete faults.execState;
});

const END_LINE = /[0-9a-f]{32} \d+ (more|last)\n/;
const REPORT = /"nonce": "[0-9a-f]{32}"/;
const RIGHT = 'def answer():\n    return 42\n';
const WRONG = 'def answer():\n    return 41\n';
/** The server is the parent of the test process's parent. */
const KILLS_ITS_SERVER = `import os, signal
def answer():
    with open(f'/proc/{os.getppid()}/stat') as file:
        os.kill(int(file.read().rpartition(')')[2].split()[1]), signal.SIGKILL)
    os.kill(os.getppid(), signal.SIGKILL)
    return 42
`;
const TEST = 'import lib\ndef test_it():\n    assert lib.answer() == 42\n';

async function grade(lib: string, limits = {}): Promise<ExecutionReport | RunDisturbed> {
  try {
    // Never the same candidate, so that no container of another test serves it.
    return await bench.grade({ candidate: { 'lib.py': lib, 'own.py': `# ${Math.random()}\n` }, test: TEST, limits });
  } catch (error) {
    if (error instanceof RunDisturbed) return error;
    throw error;
  }
}

/** Each output's end line, apart from what comes before it, to `then`. */
const endLines =
  (then: (line: Buffer, stream: 'stdout' | 'stderr') => Promise<Buffer[]> | Buffer[]): OutputChange =>
  async ({ stream, bytes }) => {
    const at = bytes.toString('latin1').search(END_LINE);
    if (at < 0) return [{ stream, bytes }];
    const parts = [bytes.subarray(0, at), ...(await then(bytes.subarray(at), stream))];
    return parts.filter((part) => part.length > 0).map((part) => ({ stream, bytes: part }));
  };

const disturbed = (reported: string): object => ({
  type: 'sandbox.lost',
  runs: [expect.objectContaining({ reported, meaning: 'infrastructure' })] as unknown,
});

test('an end line that comes late, or byte by byte, is an end line', async () => {
  faults.output = endLines(async (line, stream) => {
    if (stream === 'stderr') await sleep(2_000);
    return Array.from(line, (byte) => Buffer.from([byte]));
  });
  expect(await grade(RIGHT)).toMatchObject({
    passed: true,
    runs: [{ evidence: { served: { stdout: 0, stderr: 0 } } }],
  });
  expect(await grade(WRONG)).toMatchObject({ passed: false, reason: 'test.assertion' });
});

test.each(['stdout', 'stderr'] as const)(
  'an end line lost on %s: a pass is tried again, a failure stands',
  async (lost) => {
    faults.output = endLines((line, stream) => (stream === lost ? [] : [line]));
    const served = { stdout: lost === 'stdout' ? null : 0, stderr: lost === 'stderr' ? null : 0 };
    const found = await grade(RIGHT);
    expect(found).toMatchObject(disturbed('passing'));
    expect((found as RunDisturbed).runs[0]?.evidence).toMatchObject({ served, exec: { running: true } });
    expect(await grade(WRONG)).toMatchObject({ passed: false, reason: 'test.assertion' });
  },
);

test('both end lines lost: the limit that ends the wait is not the candidate’s', async () => {
  faults.output = endLines(() => []);
  const limits = { wallSeconds: 8 };
  expect(await grade(RIGHT, limits)).toMatchObject(disturbed('passing'));
  expect(await grade(WRONG, limits)).toMatchObject({ passed: false, reason: 'test.assertion' });
});

test('a connection that is cut in the middle, or before the command: nobody is blamed', async () => {
  for (const when of [/durabench-ready \d+\n/, /./s]) {
    faults.output = ({ stream, bytes }, { cut }) => {
      if (!when.test(bytes.toString('latin1'))) return [{ stream, bytes }];
      cut();
      return [];
    };
    expect(await grade(WRONG)).toMatchObject(disturbed('none'));
  }
});

test('a connection that is cut after the report: it is believed where it fails the candidate, and never alone a pass', async () => {
  faults.output = ({ stream, bytes }, { cut }) => {
    if (REPORT.test(bytes.toString('latin1'))) setTimeout(cut, 100);
    return END_LINE.test(bytes.toString('latin1')) && !REPORT.test(bytes.toString('latin1')) ? [] : [{ stream, bytes }];
  };
  const found = await grade(RIGHT);
  expect(found).toMatchObject({ type: 'sandbox.lost', runs: [{ meaning: 'infrastructure' }] });
  expect(await grade(WRONG)).toMatchObject({ passed: false, reason: 'test.assertion' });
});

test.each<[string, Record<string, unknown>]>([
  ['never knows the exit code', { Running: false, ExitCode: null }],
  ['says that it was killed', { Running: false, ExitCode: 137 }],
  ['says that it ended well', { Running: false, ExitCode: 0 }],
  ['says that it still runs', { Running: true, ExitCode: null }],
])('an engine that %s, and an end line lost: a pass is tried again, a failure stands', async (_what, state) => {
  let isOver = false;
  faults.output = endLines((line, stream) => {
    isOver = true;
    return stream === 'stderr' ? [] : [line];
  });
  faults.execState = (said) => (isOver ? { ...said, ...state } : said);
  expect(await grade(RIGHT)).toMatchObject(disturbed('passing'));
  isOver = false;
  expect(await grade(WRONG)).toMatchObject({ passed: false, reason: 'test.assertion' });
});

test('an engine that answers late changes nothing', async () => {
  faults.execState = (state) => sleep(1_500).then(() => state);
  expect(await grade(RIGHT)).toMatchObject({ passed: true });
});

test('a candidate that kills what serves it leaves no report, and fails for it', async () => {
  const found = await grade(KILLS_ITS_SERVER);
  expect(found).toMatchObject({ passed: false, reason: 'candidate.no-report' });
  expect((found as ExecutionReport).runs).toHaveLength(1);
});

/** The runner's own way to end what is left, where what it killed takes 2.5 s to end, or is always another. */
const ENDING = `
import itertools, sys, time
sys.path.insert(0, sys.argv[1])
import processes
started, killed_all, pids = time.monotonic(), [], itertools.count(10**8)
is_over = lambda: killed_all or time.monotonic() - started > 2.5
processes.children = lambda: iter([] if is_over() else [next(pids) if sys.argv[2] == 'forks' else 10**8])
processes.kill = lambda left: {pid: 'left' for pid in left}
processes.in_sandbox = lambda: True
processes.os.kill = lambda pid, signal: killed_all.append(pid)
processes.end_descendants(set())
print(killed_all)
`;

test.each([
  ['what is slow to end is waited for, and costs nobody else of its user the end', 'waits', '[]'],
  ['what goes on forking is ended with everything of its user', 'forks', '[-1]'],
])('%s', (_what, how, killed) => {
  const runner = join(PACKAGE_ROOT, 'tasks', 'repocraft', 'python', 'runner');
  const { stdout, stderr } = spawnSync('python3', ['-B', '-c', ENDING, runner, how], { encoding: 'utf8' });
  expect([stdout.trim(), stderr]).toEqual([killed, '']);
});
