import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { currentInstance } from '../../src/adapters/docker/engine/instance.js';
import { createDockerSandbox, type DockerSandbox } from '../../src/adapters/docker/sandbox/docker-sandbox.js';
import { readEnvironment } from '../../src/config/env.js';
import { DomainFailure } from '../../src/domain/failure/domain-failure.js';
import type { Sandbox, SandboxRun } from '../../src/ports/sandbox.js';
import { judgeRuns, type RunsReport } from '../../tasks/gha-bench/runs/judge-runs.js';
import { RUN_IMAGES, runScenario } from '../../tasks/gha-bench/runs/run-scenario.js';
import { assertionsOf, scenarioSchema } from '../../tasks/gha-bench/runs/scenario.js';
import { drawn } from '../vitest/drawn.js';
import { ensureImages } from '../fixtures/docker/ensure-images.js';
import { PACKAGE_ROOT } from '../fixtures/package-root.js';

// Workflows that would break what runs them, in one slot: each ends with a verdict that is no pass, and the slot serves the next.

const WORKFLOW = '.github/workflows/ci.yml';
const MIB = 1024 ** 2;

let stateFolder: string;
let sandbox: DockerSandbox;

beforeAll(async () => {
  stateFolder = await mkdtemp(join(tmpdir(), 'durabench-bad-input-'));
  await ensureImages(readEnvironment().cacheDir, 'base', ...RUN_IMAGES);
  sandbox = createDockerSandbox({
    ...{ instance: currentInstance(), stateFolder, packageRoot: PACKAGE_ROOT, slots: 1 },
    idleMs: 600_000,
  });
});

afterAll(async () => {
  await sandbox?.close();
  await rm(stateFolder, { recursive: true, force: true });
});

interface Given {
  files?: Record<string, string>;
  event?: object;
  /** What becomes of a run on its way to the sandbox. */
  change?: (run: SandboxRun) => SandboxRun;
}

async function run(jobs: string, assertions: object[], { files = {}, event = {}, change }: Given = {}) {
  const asked = assertions.map((assertion, index) => ({ id: String(index), ...assertion }));
  const events = [{ event: 'push', ...event, assertions: asked }];
  const scenario = scenarioSchema.parse({ id: 'push', workflow: WORKFLOW, events });
  const changed: Sandbox = { ...sandbox, run: (each) => sandbox.run(change?.(each) ?? each) };
  const evidence = await runScenario({
    scenario,
    files: { [WORKFLOW]: `name: CI\non: push\njobs:\n${jobs}`, 'lock.json': '{}', ...files },
    suiteFolder: join(PACKAGE_ROOT, 'tasks', 'gha-bench'),
    sandbox: changed,
    owner: { campaignId: 'bad-input', ownerId: 'bad-input' },
    signal: new AbortController().signal,
  });
  return judgeRuns(
    [{ scenario, evidence }],
    assertionsOf([scenario]).map(({ id }) => id),
  );
}

const told = ({ assertions }: RunsReport): string[] => assertions.map(({ verdict, found }) => `${verdict}: ${found}`);

/** One job with these steps, each an item of a sequence. */
const job = (...steps: string[]): string =>
  `  a:\n    runs-on: ubuntu-latest\n    steps:\n${steps.map((step) => `      - ${step}\n`).join('')}`;
const inContainer = (settings: string, step: string): string =>
  job(step).replace('    steps', `    ${settings}\n    steps`);

/** What a run that was broken would show as well as one that did nothing. */
const NOTHING_RAN = [
  { kind: 'log', of: {}, matches: 'deployed', absent: true },
  { kind: 'ran', command: 'deploy', absent: true },
  { kind: 'conclusion', of: { job: 'deploy' }, is: 'skipped' },
];
const SUCCESS = { kind: 'conclusion', of: { job: 'a' }, is: 'success' };

test('files that act would read by itself, and a workflow of the same name, change nothing', async () => {
  const same = `name: CI\non: push\njobs:\n  other:\n    runs-on: ubuntu-latest\n    steps:\n      - run: echo the other\n`;
  const files = {
    '.actrc': '-P ubuntu-latest=-self-hosted\n--env WORD=actrc\n',
    '.env': 'WORD=env\n',
    '.secrets': 'KEY=of-the-file\n',
    '.vars': 'PLACE=vars\n',
    '.input': 'who=input\n',
    '.github/workflows/ci.yaml': same,
    '.github/workflows/other.yml': same,
  };
  const steps = [
    'run: test -d /var/lib/docker/overlay2 && echo on the slot || echo in a job',
    `{ env: { K: "\${{ secrets.KEY }}", P: "\${{ vars.PLACE }}" }, run: 'echo "word=[$WORD] key=[$K] place=[$P]"' }`,
  ];
  const lines = ['^in a job$', '^word=\\[\\] key=\\[\\] place=\\[\\]$'].map((matches) => ({
    kind: 'log',
    of: {},
    matches,
  }));
  const report = await run(job(...steps), [...lines, { kind: 'log', of: {}, matches: '^the other$', absent: true }], {
    files,
  });
  expect(report.assertions.map(({ verdict }) => verdict)).toEqual(['passed', 'passed', 'passed']);
});

test.each<[string, string, RegExp]>([
  ['an image that is not there', inContainer('container: nobody/nothing:1', 'run: echo'), /registry-1\.docker\.io/],
  [
    'a service whose image is not there',
    inContainer('services: { db: { image: "nobody/nothing:1" } }', 'run: echo'),
    /registry-1\.docker\.io/,
  ],
  ['a label of no runner', job('run: echo').replace('ubuntu-latest', '[self-hosted, gpu]'), /unsupported platform/],
  ['a commit of an action nobody has', job(`uses: nobody/nothing@${'5'.repeat(40)}`), /clone/],
])('%s is unsupported', async (_, jobs, why) => {
  for (const each of told(await run(jobs, [SUCCESS, ...NOTHING_RAN])))
    expect(each).toMatch(new RegExp(`^unsupported: .*${why.source}`));
});

const PYTHON = (lines: string): string => `{ shell: 'python3 {0}', run: ${JSON.stringify(lines)} }`;
const FORKS =
  'import os, time\nwhile True:\n    try:\n        if os.fork() == 0: time.sleep(600)\n    except OSError: time.sleep(0.01)\n';

const BAD: [string, string, RegExp, Given?][] = [
  [
    'a bomb of forks',
    job(`{ shell: bash, run: 'b() { b | b & }; b; sleep 600' }`),
    /^failed: the run did not end in its time$/,
    { event: { seconds: 4 } },
  ],
  [
    'forks in a container of its own, which has no limit but the slot’s',
    inContainer('container: redis:7', PYTHON(FORKS)),
    /^failed: the run (did not end in its time|started more processes than it may)$/,
    { event: { seconds: 7 } },
  ],
  [
    'a step that sleeps for ever',
    job('run: sleep infinity'),
    /^failed: the run did not end in its time$/,
    { event: { seconds: 4 } },
  ],
  [
    'a step that prints 100 MB',
    job(`run: 'head -c 100000000 /dev/zero | tr "\\0" x | fold -w 1000; exit 1'`),
    /^(failed|passed): /,
  ],
  [
    'a step that ends what started it',
    job('{ shell: bash, run: "kill -9 $PPID 1; kill -9 -1" }'),
    /^(failed|passed): /,
  ],
  [
    'a full disk',
    job('run: for n in 1 2 3 4 5; do fallocate -l 1G /fill$n; sleep 0.5; done; sleep 600'),
    /^failed: the run filled the disk$/,
  ],
  [
    'folders nested deeper than a path can tell',
    job(PYTHON('import os, time\nfor n in range(5000):\n    os.mkdir("a")\n    os.chdir("a")\ntime.sleep(600)\n')),
    /^failed: the run (filled the disk|did not end in its time)$/,
    { event: { seconds: 10 } },
  ],
  [
    'a disk full of files called like memory',
    job(
      PYTHON(
        'import os, time\nheld = []\nfor n in range(5):\n    held.append(open("/memfd:x", "wb"))\n    os.unlink("/memfd:x")\n    os.posix_fallocate(held[-1].fileno(), 0, 10**9)\ntime.sleep(600)\n',
      ),
    ),
    /^failed: the run filled the disk$/,
  ],
  [
    'a disk full of files without names',
    job(
      PYTHON(
        'import os, time\nheld = []\nfor n in range(5):\n    held.append(open("/fill", "wb"))\n    os.unlink("/fill")\n    os.posix_fallocate(held[-1].fileno(), 0, 10**9)\ntime.sleep(600)\n',
      ),
    ),
    /^failed: the run filled the disk$/,
  ],
  [
    'a service that is never healthy',
    inContainer(
      'services: { db: { image: "redis:7", options: "--health-cmd false --health-interval 1s --health-retries 1" } }',
      'run: echo deployed',
    ),
    /^(failed|passed): /,
  ],
  [
    '300 legs out of an output',
    `${job(`{ id: s, run: 'echo "list=$(seq -s, 0 299 | sed "s/^/[/;s/$/]/")" >>"$GITHUB_OUTPUT"' }`).replace('    steps', '    outputs: { list: "${{ steps.s.outputs.list }}" }\n    steps')}  deploy:\n    needs: a\n    runs-on: ubuntu-latest\n    strategy: { matrix: { v: "\${{ fromJSON(needs.a.outputs.list) }}" } }\n    steps:\n      - run: sleep 600\n`,
    /^failed: the run did not end in its time$/,
    { event: { seconds: 7 } },
  ],
];

test.each(drawn(BAD, 4))('%s does not pass', async (_, jobs, verdict, given) => {
  const judged = (): ReturnType<typeof run> => run(jobs, [SUCCESS, ...NOTHING_RAN], given);
  // What fills the slot with processes may keep the record from coming out of it: nobody is judged then, and it runs again.
  const found = told(
    await judged().catch((error: unknown) => (isLost(error) ? judged() : Promise.reject(error as Error))),
  );
  expect(found[0]).toMatch(/^failed: /);
  for (const each of found) expect(each).toMatch(verdict);
});

const isLost = (error: unknown): boolean => error instanceof DomainFailure && error.type === 'sandbox.lost';

const small = (each: SandboxRun): SandboxRun => ({
  ...each,
  limits: { ...each.limits, memoryBytes: 512 * MIB },
});
const HOG = 'held = bytearray(10**9)\nheld[::4096] = b"x" * len(held[::4096])\nprint("deployed")\n';
const SMALL_HOGS =
  'import os, time\nfor _ in range(60):\n    if os.fork() == 0:\n        held = bytearray(10**7)\n        held[::4096] = b"x" * len(held[::4096])\n        time.sleep(600)\ntime.sleep(600)\n';

test('a job that takes all memory of the slot fails, and nothing else', async () => {
  const report = await run(
    `${job(PYTHON(HOG))}  b:\n    runs-on: ubuntu-latest\n    needs: a\n    if: always()\n    steps: [{ run: echo still here }]\n`,
    [SUCCESS, { kind: 'log', of: { job: 'b' }, matches: '^still here$' }],
    { change: small },
  );
  expect(told(report)).toEqual([expect.stringMatching(/^failed: a .*failure/), 'passed: still here']);
});

test('many small ones, of which act or the engine may be the victim, pass nothing either', async () => {
  for (const each of told(await run(job(PYTHON(SMALL_HOGS)), NOTHING_RAN, { change: small, event: { seconds: 20 } })))
    expect(each).toMatch(/^failed: the run (used up the memory|did not end in its time)$/);
});

test.each(['dockerd', 'act'])('where %s is killed from outside nobody is judged', async (program) => {
  const killing = (each: SandboxRun): SandboxRun => ({
    ...each,
    // Once a job runs.
    command: [
      'sh',
      '-c',
      `(until docker ps -q | grep -q .; do sleep 0.1; done; pkill -9 -x ${program}) & exec "$@"`,
      'sh',
      ...each.command,
    ],
  });
  const judged = run(job('run: sleep 20'), NOTHING_RAN, { change: killing });
  await expect(judged).rejects.toMatchObject({ type: 'sandbox.lost' });
});

test('the slot still serves', async () => {
  expect(told(await run(job('run: echo fine'), [{ kind: 'log', of: {}, matches: '^fine$' }]))).toEqual([
    'passed: fine',
  ]);
});
