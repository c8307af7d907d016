import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ExecutionReport } from '../../tasks/repocraft/execution/execution-report.js';
import { openRunnerBench, type Attempt, type RunnerBench } from '../fixtures/repocraft/runner-bench.js';
import { scaled } from '../vitest/yardstick.js';

// The cheats and faults here are small and our own; each names what must become of it.

let bench: RunnerBench;

beforeAll(async () => {
  bench = await openRunnerBench();
});

afterAll(async () => bench?.close());

const grade = (attempt: Attempt): Promise<ExecutionReport> => bench.grade(attempt);

const IMPORTS_LIB = 'import lib\ndef test_it():\n    assert lib.answer() == 42\n';
const RIGHT = 'def answer():\n    return 42\n';

test('a right candidate passes, with every case of a parametrised test', async () => {
  const report = await grade({
    candidate: { 'lib.py': RIGHT },
    test: `import pytest, lib\n@pytest.mark.parametrize('x', [1, 2])\ndef test_it(x):\n    assert lib.answer() == 42\nclass TestMore:\n    def test_that(self):\n        pass\n`,
    select: ['test_it', 'TestMore::test_that'],
  });
  expect(report).toMatchObject({ passed: true, reason: null, message: null });
  expect(report.tests.map((one) => one.id)).toEqual(['test_it[1]', 'test_it[2]', 'TestMore::test_that']);
  expect(report.timings.cpuSeconds).toBeGreaterThan(0);
});

test.each([
  ['a wrong answer', 'def answer():\n    return 41\n', IMPORTS_LIB, 'test.assertion'],
  ['a missing function', '', IMPORTS_LIB, 'test.attribute'],
  ['a missing name', '', 'from lib import answer\ndef test_it():\n    pass\n', 'test.import'],
  ['a missing module', '', 'import absent\ndef test_it():\n    pass\n', 'test.import'],
  ['a package that is not there', 'import absent\n', IMPORTS_LIB, 'test.missing-package'],
  ['the same in a function', 'def answer():\n    from absent.part import x\n', IMPORTS_LIB, 'test.missing-package'],
  ['a part of the candidate that is not there', 'import lib.absent\n', IMPORTS_LIB, 'test.import'],
  [
    'a module by a name that is no statement',
    'import importlib\ndef answer():\n    importlib.import_module("absent")\n',
    IMPORTS_LIB,
    'test.import',
  ],
  ['an import error that is made up', 'raise ImportError("no absent", name="absent")\n', IMPORTS_LIB, 'test.import'],
  ['a syntax error', 'def answer(:\n', IMPORTS_LIB, 'test.other'],
  ['another signature', 'def answer(x):\n    return 42\n', IMPORTS_LIB, 'test.signature'],
  ['a wrong type', 'def answer():\n    return 1 + "2"\n', IMPORTS_LIB, 'test.type'],
  ['an undefined name', 'def answer():\n    return fortytwo\n', IMPORTS_LIB, 'test.name'],
  [
    'an exception that is expected and does not come',
    '',
    'import pytest\ndef test_it():\n    with pytest.raises(ValueError):\n        pass\n',
    'test.assertion',
  ],
  ['a skip', '', 'import pytest\ndef test_it():\n    pytest.skip("no")\n', 'test.skipped'],
  ['a candidate that skips', 'import pytest\ndef answer():\n    pytest.skip("no")\n', IMPORTS_LIB, 'test.skipped'],
  ['a test that is not there', '', 'def test_other():\n    pass\n', 'test.not-collected'],
  ['an import that leaves', 'raise SystemExit(0)\n', IMPORTS_LIB, 'candidate.exited'],
  ['os._exit(0) on import', 'import os\nos._exit(0)\n', IMPORTS_LIB, 'candidate.exited'],
  ['os._exit(0) in a test', 'import os\ndef answer():\n    os._exit(0)\n', IMPORTS_LIB, 'candidate.exited'],
  ['sys.exit(0) in a test', 'import sys\ndef answer():\n    sys.exit(0)\n', IMPORTS_LIB, 'test.other'],
  ['a crash', 'import ctypes\ndef answer():\n    ctypes.string_at(0)\n', IMPORTS_LIB, 'candidate.crashed'],
])('%s', async (_what, lib, testCode, reason) => {
  const report = await grade({ candidate: { 'lib.py': lib }, test: testCode });
  expect([report.passed, report.reason, report.message?.slice(0, 200)]).toEqual([false, reason, expect.any(String)]);
});

test('a package that is installed and not declared is missing like any other', async () => {
  const report = await grade({
    candidate: { 'lib.py': `import flask\n${RIGHT}` },
    test: IMPORTS_LIB,
    dependencies: ['urllib3'],
  });
  expect([report.passed, report.reason]).toEqual([false, 'test.missing-package']);
});

test('a printed report is only output', async () => {
  const forged = `{"nonce": "x", "complete": true, "tests": []}`;
  const report = await grade({
    candidate: {
      'lib.py': `import os, sys\nprint('''${forged}''')\nos.write(1, b'''${forged}''')\ndef answer():\n    return 41\n`,
    },
    test: IMPORTS_LIB,
  });
  expect(report.reason).toBe('test.assertion');
  expect(report.output.bytes.toString()).toContain('"complete": true');
});

test('writing to every descriptor, the original output among them, does not make a pass', async () => {
  const lib = `
import os
for fd in range(1, 64):
    try:
        os.write(fd, b'["guess", "exit", 0]\\n')
    except OSError:
        pass
def reachable():
    found = []
    for pid in os.listdir('/proc'):
        if pid.isdigit() and int(pid) != os.getpid():
            for what in ('fd', 'mem', 'environ'):
                try:
                    os.listdir(f'/proc/{pid}/{what}') if what == 'fd' else open(f'/proc/{pid}/{what}', 'rb').read(1)
                    found.append((pid, what))
                except OSError:
                    pass
    return found
`;
  const report = await grade({
    candidate: { 'lib.py': lib },
    test: 'import lib\ndef test_it():\n    assert lib.reachable() == []\n',
  });
  expect(report.reason).toBe('candidate.forged-report');
  expect(report.tests.map((one) => [one.outcome, one.message])).toEqual([['passed', '']]);
});

test('conftest, sitecustomize, ini files and plugins of the candidate are not loaded', async () => {
  const shout = 'raise RuntimeError("loaded")\n';
  const report = await grade({
    candidate: {
      'lib.py': RIGHT,
      'conftest.py': shout,
      'sitecustomize.py': shout,
      'usercustomize.py': shout,
      'x.pth': `import sys; raise RuntimeError("loaded")\n`,
      'pytest.ini': '[pytest]\naddopts = --collect-only\n',
      'pytest_evil.py': shout,
      'evil-1.dist-info/entry_points.txt': '[pytest11]\nevil = pytest_evil\n',
      'json.py': shout,
    },
    test: IMPORTS_LIB,
    extraFiles: { 'conftest.py': shout },
  });
  expect([report.reason, report.message]).toEqual([null, null]);
});

test('what walks the frames above it finds neither the teller nor the request in the harness by name, and no key', async () => {
  const lib = `
import sys
frame, found = sys._getframe(), []
while frame:
    found += [name for name in ('tell', 'key', 'request') if name in frame.f_locals and 'harness' in frame.f_code.co_filename]
    for name, value in list(frame.f_locals.items()):
        held = [value, getattr(value, '__self__', None), *getattr(value, '__dict__', {}).values()]
        held += [inner for each in held if type(each) in (list, tuple) for inner in each]
        found += [name for each in held if isinstance(each, bytes) and len(each) == 32]
    frame = frame.f_back
def answer():
    return found
`;
  const test = 'import lib\ndef test_it():\n    assert lib.answer() == []\n';
  const report = await grade({ candidate: { 'lib.py': lib }, test });
  expect([report.reason, report.message]).toEqual([null, null]);
});

test('a test runs once: its copy undoes nothing, and is over before the test goes on', async () => {
  const test = `
import os, socket
import pytest
@pytest.fixture
def noted():
    yield
    os.mkdir('/tmp/undone')
def test_it(noted):
    os.mkdir('/tmp/done')
    server = socket.create_server(('127.0.0.1', 5000))
def test_next():
    assert os.listdir('/tmp') == ['done', 'undone'] or os.listdir('/tmp') == ['undone', 'done']
    with pytest.raises(ChildProcessError):
        os.wait()
`;
  const report = await grade({ test, select: ['test_it', 'test_next'] });
  expect(report).toMatchObject({ passed: true, report: { rounds: 1 } });
  expect(report.tests.map(({ told }) => told)).toEqual(['both', 'both']);
});

test('what was left beside the test is gone when it runs once more', async () => {
  const lib = `
def right():
    return True
def answer():
    with open('lib.py', 'w') as file:
        file.write('def right(): return True\\ndef answer(): return 42')
    return 41
`;
  const test = `import lib\ndef test_right():\n    assert lib.right()\ndef test_it():\n    assert lib.answer() == 42\n`;
  const report = await grade({ candidate: { 'lib.py': lib }, test, select: ['test_right', 'test_it'] });
  expect(report).toMatchObject({ passed: false, reason: 'test.assertion', report: { rounds: 2 } });
});

test('what runs once more finds nothing of the test as it came in its memory, freed parts and all', async () => {
  const lib = `
import ctypes, re
def memory():
    for line in open('/proc/self/maps'):
        place, access = line.split()[:2]
        begin, end = (int(address, 16) for address in place.split('-'))
        if 'r' in access and '[v' not in line:
            yield ctypes.string_at(begin, end - begin)
def right():
    return True
def answer():
    found = [value for part in memory() for value in re.findall(rb'lib[.]answer[(][)] == ([0-9]{6})', part)]
    return int(found[0]) if found else 0
`;
  // As long as many tests are: short texts are written over.
  const others = Array.from({ length: 200 }, (_, n) => `def other_${n}():\n    assert lib.answer(${n}) == ${n}\n`);
  const test = `import lib\ndef test_right():\n    assert lib.right()\ndef test_it():\n    assert lib.answer() == 987654\n${others.join('')}`;
  const report = await grade({ candidate: { 'lib.py': lib }, test, select: ['test_right', 'test_it'] });
  expect(report).toMatchObject({ passed: false, reason: 'test.assertion', report: { rounds: 2 } });
});

const UNDOES = `
import os, unittest
class TestIt(unittest.TestCase):
    def setUp(self):
        os.mkdir('/tmp/own')
    def tearDown(self):
        os.rmdir('/tmp/own')
    def test_it(self):
        pass
`;
/** What it waits for at its end is done by a thread, and a copy has none. */
const WAITS = `
import threading, unittest
class TestIt(unittest.TestCase):
    def setUp(self):
        self.ends, self.ended = threading.Event(), threading.Event()
        threading.Thread(target=lambda: self.ends.wait() and self.ended.set()).start()
    def tearDown(self):
        self.ends.set()
        self.ended.wait()
    def test_it(self):
        pass
`;
/** What wakes its event loop is kept by the system for it and its copy, which gives it up at its end. */
const WAKES = `
import asyncio, time, unittest
class TestIt(unittest.IsolatedAsyncioTestCase):
    async def asyncTearDown(self):
        await asyncio.to_thread(time.sleep, 0.2)
    async def test_it(self):
        pass
`;

test.each([
  ['is undone by the copy, and then by the test itself,', UNDOES],
  ['waits in its copy for a thread', WAITS],
  ['waits for what its copy gave up', WAKES],
])('what %s runs once more in two rounds without copies, and that decides', async (_what, test) => {
  const report = await grade({ test, select: ['TestIt::test_it'] });
  expect([report.passed, report.message, report.report?.rounds]).toEqual([true, null, 2]);
  expect(report.tests.map(({ told }) => told)).toEqual([expect.stringMatching(/^(go|raise)$/)]);
});

test('so it does where it waits until the time is over, since its copy was there', async () => {
  const test = UNDOES.replace(
    "os.rmdir('/tmp/own')",
    "__import__('time').sleep(0 if os.path.exists('/tmp/own') else 600); os.rmdir('/tmp/own')",
  );
  // The limit ends it, or the runner, which waits ten seconds for a copy: what is first is up to the machine.
  const report = await grade({ test, select: ['TestIt::test_it'], limits: { wallSeconds: 4 } });
  const ends = report.runs.map(({ end }) => end.kind);
  expect(ends).toEqual(ends.length === 1 ? ['exited'] : ['wall', 'exited']);
  expect(report).toMatchObject({ passed: true, timings: { attempts: ends.length }, report: { rounds: 2 } });
});

test('every run with one key hides the same values in the same order, and one with another key others', async () => {
  const candidate = {
    'lib.py':
      "import re\ndef answer():\n    print('found', *re.findall('__among__.*', open('test_task.py').read()), 'end')\n    return 345678\n",
  };
  const test =
    "import lib\ndef test_it():\n    assert lib.answer() == 345678\n    assert 'some text'.upper() == 'SOME TEXT'\n";
  const shown = async (key: string, again: Partial<Attempt> = {}): Promise<[boolean, string | undefined]> => {
    const { passed, output } = await grade({ candidate, test, key, ...again });
    return [passed, /found .* end/s.exec(output.bytes.toString())?.[0]];
  };
  const [one, another] = ['ab'.repeat(32), 'cd'.repeat(32)];
  const first = await shown(one);
  expect(first).toEqual([true, expect.stringMatching(/__among__.*345678.*SOME TEXT/s)]);
  expect(await shown(one)).toEqual(first);
  expect((await shown(another))[1]).not.toBe(first[1]);
  // Altered to be failed it is the same text, and another value is right.
  const altered = test.replace("'SOME TEXT'", "'SOME TEXT AND MORE'");
  expect(await shown(one, { test: altered, before: test })).toEqual([false, first[1]]);
});

test('who comes to an empty value is not called equal to others', async () => {
  const lib = 'def empty():\n    return [[], "", (), {}, b""]\n';
  const body = ['[] == lib.empty()[0]', "lib.empty()[1] == ''", 'lib.empty()[2] == ()', 'lib.empty()[3] == {}'];
  const test = `import lib\ndef test_it():\n${body.map((one) => `    assert ${one}\n`).join('')}`;
  for (const key of ['1', '2', '3']) {
    const report = await grade({ candidate: { 'lib.py': lib }, test, key: key.repeat(64) });
    expect(report).toMatchObject({ message: null, passed: true });
  }
});

test('a candidate is denied what tells or chooses which of its pages are in memory', async () => {
  const lib = `
import ctypes, mmap, os
libc = ctypes.CDLL(None, use_errno=True)
def refused(call, *arguments):
    return libc.syscall(call, *arguments) == -1 and ctypes.get_errno() == 38
def answer():
    file = os.open(__file__, os.O_RDONLY)
    os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
    assert len(os.preadv(file, [bytearray(4)], 0) * [0]) == 4
    try:
        os.preadv(file, [bytearray(4)], 0, os.RWF_NOWAIT)
    except OSError as error:
        assert error.errno == 95
    else:
        raise SystemExit('not refused')
    io_uring_setup, process_madvise, cachestat, mincore = 425, 440, 451, {'x86_64': 27}.get(os.uname().machine, 232)
    assert all(refused(call, 0, 0, 0, 0, 0) for call in (io_uring_setup, process_madvise, cachestat, mincore))
    for advice in (20, 21):
        try:
            mmap.mmap(-1, 4096).madvise(advice)
        except OSError:
            continue
        raise SystemExit('not refused')
    return 42
`;
  const test = 'import lib\ndef test_it():\n    assert lib.answer() == 42\n';
  expect(await grade({ candidate: { 'lib.py': lib }, test })).toMatchObject({ message: null, passed: true });
});

test('what fails before anything was copied is not run again', async () => {
  const report = await grade({ candidate: { 'lib.py': 'def answer():\n    return 41\n' }, test: IMPORTS_LIB });
  expect(report).toMatchObject({ passed: false, report: { rounds: 1 } });
});

test('nor is a guess at a hidden value, at whose end it was first copied', async () => {
  const lib = `
import re
def answer():
    values = re.findall('[0-9]{6}', open('test_task.py').read())
    return next(value for value in map(int, values) if value != 345678)
`;
  const test = `import lib\ndef test_it():\n    assert lib.answer() == 345678\n`;
  const report = await grade({ candidate: { 'lib.py': lib }, test });
  expect(report).toMatchObject({ passed: false, reason: 'test.assertion', report: { rounds: 1 } });
  expect(report.tests.map(({ told }) => told)).toEqual(['both']);
});

test('a case that fails after another was copied fails in rounds, too, with its own message', async () => {
  const test = `import pytest, lib\n@pytest.mark.parametrize('x', [42, 43])\ndef test_it(x):\n    assert lib.answer() == int(str(x))\n`;
  const report = await grade({ candidate: { 'lib.py': RIGHT }, test });
  expect(report).toMatchObject({ passed: false, reason: 'test.assertion', report: { rounds: 2 } });
  expect(report.message).toContain('test_it[43]');
});

test('hooks on a fork are called, find nothing of the harness below the test, and change nothing', async () => {
  const lib = `
import os, sys
found = []
def look():
    frame = sys._getframe(1)
    while frame.f_code.co_name != 'test_it':
        found.append(frame.f_code.co_filename)
        frame = frame.f_back
    found.append('test')
os.register_at_fork(before=look, after_in_parent=look, after_in_child=look)
`;
  const test = `
import pytest
import lib
@pytest.fixture
def noted():
    yield
    assert lib.found == ['test', 'test']
def test_it(noted):
    assert lib.found == []
`;
  const report = await grade({ candidate: { 'lib.py': lib }, test });
  expect([report.message, report.report?.rounds]).toEqual([null, 1]);
});

const HELPED = `
import lib
from checks import filter, same
def test_it():
    with same.agreeing(lib.answer(), filter.kept(42)):
        pass
`;
const BESIDE = {
  'checks/__init__.py': '',
  'checks/same.py': `
import contextlib
from . import hash
LOOSE = 0
@contextlib.contextmanager
def agreeing(one, other):
    assert hash.of(one) == hash.of(other) + LOOSE
    yield
`,
  'checks/filter.py': 'def kept(value):\n    return value\n',
  'checks/hash.py': 'def of(value):\n    return value\n',
};

test('modules beside a test may be packages, with names of built-in functions for modules', async () => {
  const report = await grade({ candidate: { 'lib.py': RIGHT }, test: HELPED, extraFiles: BESIDE });
  expect(report.message).toBe(null);
});

test.each([
  ['a plain value', 'same.LOOSE = -1', 'LOOSE was replaced'],
  ['what is below a decorator', 'same.agreeing.__wrapped__.__code__ = anything.__code__', '__wrapped__ was replaced'],
])('of modules beside a test is sealed: %s', async (_what, change, message) => {
  const anything = 'def anything(one, other):\n    yield\n';
  const lib = `from checks import same\n${anything}${change}\ndef answer():\n    return 41\n`;
  const report = await grade({ candidate: { 'lib.py': lib }, test: HELPED, extraFiles: BESIDE });
  expect(report.message).toContain(message);
});

test('a module beside a test may import what is tested', async () => {
  const test = 'from checks import right\ndef test_it():\n    assert right()\n';
  const extraFiles = { 'checks.py': 'import lib\ndef right():\n    return lib.answer() == 42\n' };
  expect((await grade({ candidate: { 'lib.py': RIGHT }, test, extraFiles })).message).toBe(null);
});

test('a test whose code the candidate replaced is not a pass', async () => {
  const lib = `
import gc, types
import _pytest.runner as runner
setup = runner.SetupState.setup
def patched(self, item):
    for one in gc.get_objects():
        if isinstance(one, types.FunctionType) and one.__name__ == 'test_it':
            one.__code__ = (lambda: None).__code__
    return setup(self, item)
runner.SetupState.setup = patched
def answer():
    return 41
`;
  const report = await grade({ candidate: { 'lib.py': lib }, test: IMPORTS_LIB });
  expect(report).toMatchObject({ passed: false, reason: 'candidate.forged-report' });
});

test('imports from outside the candidate are refused, by path and by link', async () => {
  const test = `
import os, sys
import pytest
def test_it():
    os.makedirs('/tmp/elsewhere', exist_ok=True)
    open('/tmp/elsewhere/stray.py', 'w').write('')
    os.symlink('/tmp/elsewhere/stray.py', 'linked.py')
    sys.path.insert(0, '/tmp/elsewhere')
    for name in ('stray', 'linked'):
        with pytest.raises(ImportError, match='refused'):
            __import__(name)
`;
  expect(await grade({ test })).toMatchObject({ passed: true });
});

test('a hang reaches the wall limit, is run once more alone, and fails', async () => {
  const lib =
    'import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\ndef answer():\n    time.sleep(600)\n';
  const report = await grade({ candidate: { 'lib.py': lib }, test: IMPORTS_LIB, limits: { wallSeconds: 3 } });
  expect(report).toMatchObject({ passed: false, reason: 'candidate.timeout', timings: { attempts: 2 } });
});

test('a busy loop reaches the CPU limit, whatever it does about the signal', async () => {
  const lib = 'import signal\nsignal.signal(signal.SIGXCPU, signal.SIG_IGN)\ndef answer():\n    while True: pass\n';
  const report = await grade({ candidate: { 'lib.py': lib }, test: IMPORTS_LIB, limits: { cpuSeconds: 2 } });
  expect(report).toMatchObject({ passed: false, reason: 'candidate.timeout', timings: { attempts: 1 } });
});

test('an import that never ends reaches the CPU limit', async () => {
  const limits = { cpuSeconds: 2, wallSeconds: scaled(60) };
  const report = await grade({ candidate: { 'lib.py': 'while True:\n    pass\n' }, test: IMPORTS_LIB, limits });
  expect(report).toMatchObject({ passed: false, reason: 'candidate.timeout' });
});

test('processes that outlive the test are killed and noted, and keep nothing open', async () => {
  const lib = `
import os, time
def answer():
    for _ in range(2):
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                time.sleep(3600)
            os._exit(0)
    return 42
`;
  const report = await grade({ candidate: { 'lib.py': lib }, test: IMPORTS_LIB });
  expect(report.passed).toBe(true);
  // On a busy machine the processes in between may still be there as well.
  expect(report.report?.leftovers.length).toBeGreaterThanOrEqual(2);
  // Far from what they sleep.
  expect(report.timings.wallSeconds).toBeLessThan(scaled(30));
});

test("killing everything in reach leaves no report, and that is the candidate's failure", async () => {
  const report = await grade({
    candidate: { 'lib.py': 'import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\nos.kill(-1, signal.SIGKILL)\n' },
    test: IMPORTS_LIB,
  });
  expect(report).toMatchObject({ passed: false, reason: 'candidate.no-report' });
});

test('a memory hog is out of memory, not a crash', async () => {
  const lib = 'def answer():\n    hog = [bytearray(2**20) for _ in range(4096)]\n    return len(hog)\n';
  const limits = { memoryBytes: 200 * 2 ** 20 };
  const report = await grade({ candidate: { 'lib.py': lib }, test: IMPORTS_LIB, limits });
  expect(report).toMatchObject({ passed: false, reason: 'candidate.out-of-memory' });
});

test('a forked copy of the test process does not speak for it', async () => {
  const lib =
    'import os\ndef answer():\n    if os.fork() == 0:\n        raise SystemExit(1)\n    os.wait()\n    return 42\n';
  expect((await grade({ candidate: { 'lib.py': lib }, test: IMPORTS_LIB })).message).toBe(null);
});

test('a fork bomb ends with the test', async () => {
  const lib = 'import os\ndef answer():\n    while True:\n        os.fork()\n';
  const report = await grade({
    candidate: { 'lib.py': lib },
    test: IMPORTS_LIB,
    limits: { pids: 64, wallSeconds: 5 },
  });
  expect(report.passed).toBe(false);
  expect((await grade({ candidate: { 'lib.py': RIGHT }, test: IMPORTS_LIB })).passed).toBe(true);
});

test('100 MB of output: head and tail are kept, the cut is marked, the verdict stands', async () => {
  const lib = `import sys\ndef answer():\n    sys.stdout.write('first words')\n    for _ in range(100):\n        sys.stdout.write('x' * 1_000_000)\n    print('last words', flush=True)\n    return 42\n`;
  const report = await grade({ candidate: { 'lib.py': lib }, test: IMPORTS_LIB });
  expect(report.passed).toBe(true);
  const text = report.output.bytes.toString();
  expect(text).toContain('first words');
  expect(text).toContain('last words');
  expect(text).toMatch(/\[\.\.\. \d+ bytes cut \.\.\.\]/);
  expect(report.report?.outputBytes).toBeGreaterThan(100_000_000);
  expect(report.output.bytes.length).toBeLessThan(1_100_000);
});

test('nothing of one run is there in the next', async () => {
  const leave = `import os\ndef test_it():\n    os.makedirs('/tmp/a/b')\n    for path in ('/tmp/a/b/c', '/work/d', '/dev/shm/e'):\n        open(path, 'w').write('x')\n    os.chmod('/tmp/a/b', 0)\n`;
  const look = `import os\ndef test_it():\n    assert os.listdir('/tmp') == [] and os.listdir('/dev/shm') == []\n    assert sorted(os.listdir('/work')) == ['run', 'test']\n    assert os.listdir('.') == ['test_task.py']\n`;
  expect((await grade({ test: leave })).reason).toBe(null);
  expect((await grade({ test: look })).message).toBe(null);
});

test('the reference cannot be imported in the candidate image, and no copy of it is in there', async () => {
  const test = `
import importlib.util, os, zipfile
def test_it():
    assert importlib.util.find_spec('requests') is None
    found = []
    for folder, folders, files in os.walk('/'):
        folders[:] = [name for name in folders if os.path.join(folder, name) not in ('/proc', '/sys', '/dev')]
        found += [os.path.join(folder, name) for name in folders + files if name.startswith('requests')]
        for name in files:
            path = os.path.join(folder, name)
            if name.endswith(('.whl', '.zip')) and zipfile.is_zipfile(path):
                found += [path for entry in zipfile.ZipFile(path).namelist() if 'requests/' in entry]
    assert found == []
`;
  expect((await grade({ test })).message).toBe(null);
});

test('httpbin works in there, without requests and without a network', async () => {
  const test = `
import json, urllib3
def test_it(httpbin, httpbin_secure, mocker):
    assert json.loads(urllib3.PoolManager().request('GET', httpbin.url + '/get?a=1').data)['args'] == {'a': '1'}
    assert httpbin_secure.url.startswith('https')
    mocker.patch('json.loads')
`;
  const report = await grade({ test, plugins: ['pytest_httpbin.plugin', 'pytest_mock'] });
  expect(report.message).toBe(null);
});
