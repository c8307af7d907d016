import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ExecutionReport } from '../../tasks/repocraft/execution/execution-report.js';
import { openRunnerBench, type RunnerBench } from '../fixtures/repocraft/runner-bench.js';

// What one run of a candidate can do to the process that serves all its runs, and what becomes of the next.

const WITH_NUMPY = 'repocraft-statsmodels';
let bench: RunnerBench;

beforeAll(async () => {
  bench = await openRunnerBench(WITH_NUMPY);
});

afterAll(async () => bench?.close());

/** A candidate that harms when it is asked to; the server is the parent of the test process's parent. */
const lib = (harm: string): string => `
import ctypes, os, re, resource, signal, time
def parent_of(pid):
    with open(f'/proc/{pid}/stat') as file:
        return int(file.read().rpartition(')')[2].split()[1])
SERVER = parent_of(os.getppid())
IOPRIO_SET = {'x86_64': 251, 'aarch64': 30}.get(os.uname().machine)
def harm():
${harm.replace(/^/gm, '    ')}
def answer():
    return 42
`;
const HARMED = 'import lib\ndef test_it():\n    lib.harm()\n    assert lib.answer() == 42\n';
const UNHARMED = 'import lib\ndef test_it():\n    assert lib.answer() == 42\n';
const LITTLE = { cpuSeconds: 4, wallSeconds: 8 };

/** The run that harms, and the next one of the same candidate. */
async function harmedAndNext(harm: string, limits = {}): Promise<[ExecutionReport, ExecutionReport]> {
  const candidate = { 'lib.py': lib(harm) };
  const harmed = await bench.grade({ candidate, test: HARMED, limits });
  return [harmed, await bench.grade({ candidate, test: UNHARMED })];
}

test('runs of one candidate are served one after another, by one process', async () => {
  const candidate = { 'lib.py': lib('pass') };
  const say = "import lib\ndef test_it():\n    print('served by', lib.SERVER)\n    assert lib.answer() == 42\n";
  const [first, second] = [await bench.grade({ candidate, test: say }), await bench.grade({ candidate, test: say })];
  expect([first.message, second.message]).toEqual([null, null]);
  expect([first.timings.container, second.timings.container]).toEqual(['fresh', 'pooled']);
  const servers = [first, second].map(({ output }) => /served by \d+/.exec(output.bytes.toString())?.[0]);
  expect(servers[0]).toBe(servers[1]);
});

test('the runner as a command of its own reports the same', async () => {
  const surroundings = `import os, resource, sys, lib\ndef test_it():\n    limits = [resource.getrlimit(limit) for limit in range(16)]\n    print(sorted(os.environ.items()), sys.argv, os.getcwd(), limits, sys.path, os.umask(0), sys.stdin.read())\n    assert lib.answer() == 42\n`;
  for (const lib of ['def answer():\n    return 42\n', 'def answer():\n    return 41\n', 'raise SystemExit(0)\n']) {
    const attempt = { candidate: { 'lib.py': lib }, test: surroundings };
    const [served, alone] = [await bench.grade(attempt), await bench.grade({ ...attempt, alone: true })];
    // What pytest shows of its progress comes from the test or from its copy, whichever is first.
    const [shown, expected] = [served, alone].map(({ output }) => output.bytes.toString().split('\n', 1)[0]);
    expect(shown).toBe(expected?.replace(/^[.F]$/, shown ?? ''));
    expect([served.reason, served.tests.length]).toEqual([alone.reason, alone.tests.length]);
  }
});

test('a server that was killed passes nothing that the tests do not, and the next run has another', async () => {
  // What is left of the run may report, where it ends soon; on a busy machine it is given up before.
  const [harmed, next] = await harmedAndNext('os.kill(SERVER, signal.SIGKILL)');
  expect([null, 'candidate.no-report']).toContain(harmed.reason);
  const [wrong] = await harmedAndNext('os.kill(SERVER, signal.SIGKILL)\nraise AssertionError');
  expect(wrong.passed).toBe(false);
  expect(next).toMatchObject({ passed: true, timings: { container: 'fresh' } });
});

test('a server that was stopped passes nothing: right or wrong, and the next run has another', async () => {
  const stop = 'os.kill(SERVER, signal.SIGSTOP)';
  // Its report has come and is believed as far as it fails; nobody told the status that a pass must agree with.
  await expect(harmedAndNext(stop, LITTLE)).rejects.toThrow('its report says that all passed; its process: wall');
  const [wrong, next] = await harmedAndNext(`${stop}\nraise AssertionError`, LITTLE);
  expect(wrong).toMatchObject({ passed: false, reason: 'test.assertion' });
  expect(next).toMatchObject({ passed: true, timings: { container: 'fresh' } });
});

test.each([
  ['a limit', 'resource.prlimit(SERVER, resource.RLIMIT_NOFILE, (8, 8))'],
  ['a limit Python has no name for', 'resource.prlimit(SERVER, 10, (7, 7))'],
  ['its priority', 'os.setpriority(os.PRIO_PROCESS, SERVER, 1)'],
  ['its processors', 'os.sched_setaffinity(SERVER, {max(os.sched_getaffinity(0))})'],
  ['how it is scheduled', 'os.sched_setscheduler(SERVER, os.SCHED_IDLE, os.sched_param(0))'],
  ['its turn at the disk', 'assert ctypes.CDLL(None).syscall(IOPRIO_SET, 1, SERVER, (3 << 13) | 7) == 0'],
])('a server of which a run has changed %s serves no other: later runs would inherit it', async (_what, harm) => {
  const [harmed, next] = await harmedAndNext(harm);
  expect(harmed.message).toBe(null);
  expect(next).toMatchObject({ passed: true, timings: { container: 'fresh' } });
});

test.each([
  ['changed when a device was last changed', "os.utime('/dev/null')"],
  // Its file system keeps whole seconds: read in the second in which it was made, it shows nothing to anybody.
  ['read a folder of all runs', "time.sleep(1.1)\nos.listdir('/dev/mqueue')"],
])('a run that has %s is the last of its container: later ones could read it as a note', async (_what, harm) => {
  const [harmed, next] = await harmedAndNext(harm);
  expect(harmed.message).toBe(null);
  expect(next).toMatchObject({ passed: true, timings: { container: 'fresh' } });
});

test('two runs draw other random numbers, whatever the server has loaded', async () => {
  const candidate = { 'lib.py': 'def answer():\n    return 42\n' };
  const draw = `import random, numpy, lib\ndef test_it():\n    print('drawn', random.random(), numpy.random.random(), 'end')\n    assert lib.answer() == 42\n`;
  const drawn: (string | undefined)[] = [];
  for (let run = 0; run < 2; run += 1) {
    const report = await bench.grade({
      candidate,
      test: draw,
      dependencies: ['numpy'],
      image: 'repocraft-statsmodels',
    });
    drawn.push(/drawn .* end/.exec(report.output.bytes.toString())?.[0]);
  }
  expect(drawn[0]).toMatch(/drawn [\d.e-]+ [\d.e-]+ end/);
  const [[one, two], [three, four]] = drawn.map((line = '') => line.split(' ').slice(1, 3)) as [string[], string[]];
  expect(new Set([one, two, three, four]).size).toBe(4);
});

test('what a run leaves is emptied however deep and locked it is', async () => {
  const [, next] = await harmedAndNext(`
os.chdir('/tmp')
for name in ('words', *['d'] * 3000):
    os.mkdir(name)
    os.chdir(name)
os.makedirs('x/y')
os.chmod('x', 0)
os.chmod('.', 0)
os.chdir('/work/test')
`);
  expect(next).toMatchObject({ passed: true, timings: { container: 'pooled' } });
});

test('nothing of the server can be read, opened, traced or written', async () => {
  const [{ message }, next] = await harmedAndNext(`
def refused(what):
    try:
        what()
    except OSError:
        return
    raise SystemExit('not refused')
for name in ('mem', 'environ', 'maps', 'fd/0', 'fd/1', 'fd/2', 'oom_score_adj'):
    for pid in (SERVER, os.getppid()):
        refused(lambda: open(f'/proc/{pid}/{name}', 'wb' if name in ('mem', 'fd/1', 'oom_score_adj') else 'rb'))
libc = ctypes.CDLL(None, use_errno=True)
PTRACE_ATTACH, PIDFD_OPEN, PIDFD_GETFD = 16, 434, 438
assert libc.ptrace(PTRACE_ATTACH, SERVER, 0, 0) == -1
assert libc.syscall(PIDFD_GETFD, libc.syscall(PIDFD_OPEN, SERVER, 0), 1, 0) == -1
piece = (ctypes.c_size_t * 2)(id(libc), 8)
assert libc.process_vm_readv(SERVER, piece, 1, piece, 1, 0) == -1
`);
  expect(message).toBe(null);
  expect(next).toMatchObject({ passed: true, timings: { container: 'pooled' } });
});

test('the server knows nothing of a run: no copy of it has what an earlier one was delivered in its memory', async () => {
  const look = `
def regions():
    for line in open('/proc/self/maps'):
        place, access = line.split()[:2]
        begin, end = (int(address, 16) for address in place.split('-'))
        if 'r' in access and '[v' not in line:
            yield ctypes.string_at(begin, end - begin)
of_a_run, of_the_server = b'said[_]before', b'Runs one request after[ ]another'
found = [sum(len(re.findall(what, region)) for region in regions()) for what in (of_a_run, of_the_server)]
print('found', found[0], 'and', 'more' if found[1] else 'nothing')
`;
  const candidate = { 'lib.py': lib(look) };
  // Many and of many sizes: what is freed is soon written over.
  const sizes = Array.from({ length: 60 }, (_, n) => [`note_${n}.txt`, 'said_before '.repeat(10 * (n + 1))]);
  const extraFiles = Object.fromEntries(sizes) as Record<string, string>;
  expect((await bench.grade({ candidate, test: UNHARMED, extraFiles })).message).toBe(null);
  const after = await bench.grade({ candidate, test: HARMED });
  expect(after).toMatchObject({ passed: true, timings: { container: 'pooled' } });
  expect(after.output.bytes.toString()).toContain('found 0 and more\n');
});

test('what forks faster than it can be ended is reported, though the server may go with it', async () => {
  const [harmed, next] = await harmedAndNext(
    `
if os.fork() == 0:
    while True:
        try:
            os.fork()
        except OSError:
            pass
`,
    // Each more of them takes its share of the processors from what ends them: with all that a run may have it takes minutes.
    { cpuSeconds: 120, wallSeconds: 300, pids: 48 },
  );
  expect(harmed.report?.leftovers.length).toBeGreaterThan(0);
  expect(next.message).toBe(null);
});
