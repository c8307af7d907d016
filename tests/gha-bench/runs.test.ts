import { execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { currentInstance } from '../../src/adapters/docker/engine/instance.js';
import { createDockerSandbox, type DockerSandbox } from '../../src/adapters/docker/sandbox/docker-sandbox.js';
import { readEnvironment } from '../../src/config/env.js';
import { judgeRuns, type RunsReport } from '../../tasks/gha-bench/runs/judge-runs.js';
import { RUN_IMAGES, runScenario } from '../../tasks/gha-bench/runs/run-scenario.js';
import { assertionsOf, scenarioSchema } from '../../tasks/gha-bench/runs/scenario.js';
import { ensureImages } from '../fixtures/docker/ensure-images.js';
import { PACKAGE_ROOT } from '../fixtures/package-root.js';

// Workflows that act really runs in an engine of its own: what the actions of the image do, and who tries to be judged otherwise.

const WORKFLOW = '.github/workflows/ci.yml';

let stateFolder: string;
let sandbox: DockerSandbox;

beforeAll(async () => {
  stateFolder = await mkdtemp(join(tmpdir(), 'durabench-runs-'));
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

/** A push, or several, of a project with this workflow. Each assertion is called by its number. */
async function run(jobs: string, assertions: object[], event: object = {}, times = 1): Promise<RunsReport> {
  const asked = assertions.map((assertion, index) => ({ id: String(index), ...assertion }));
  const events = Array.from({ length: times }, () => ({ event: 'push', ...event, assertions: asked }));
  const scenario = scenarioSchema.parse({ id: 'push', workflow: WORKFLOW, events });
  const evidence = await runScenario({
    scenario,
    files: { [WORKFLOW]: `on: push\njobs:\n${jobs}`, 'lock.json': '{}', 'script.py': 'print(6 * 7)\n' },
    suiteFolder: join(PACKAGE_ROOT, 'tasks', 'gha-bench'),
    sandbox,
    owner: { campaignId: 'runs-test', ownerId: 'runs-test' },
    signal: new AbortController().signal,
  });
  const ids = assertionsOf([scenario]).map(({ id }) => id);
  return judgeRuns([{ scenario, evidence }], ids);
}

const verdicts = ({ assertions }: RunsReport): string[] => assertions.map(({ verdict }) => verdict);

/** One job with these steps, written as a flow sequence's items. */
const job = (...steps: string[]): string =>
  `  a:\n    runs-on: ubuntu-latest\n    steps:\n${steps.map((step) => `      - ${step}\n`).join('')}`;

const RAN = { kind: 'ran', command: '^python3? script\\.py$', exit: 0 };

test('an artifact goes from job to job, and a cache is hit by the second run', async () => {
  const jobs = `${job(
    '{ uses: actions/checkout@v4 }',
    '{ uses: actions/setup-node@v4, with: { node-version: 22 } }',
    '{ uses: actions/cache@v4, id: kept, with: { path: kept, key: "k-${{ hashFiles(\'lock.json\') }}" } }',
    '{ run: "echo hit ${{ steps.kept.outputs.cache-hit }}; mkdir -p kept dist; date > kept/when; node --version > dist/version" }',
    '{ uses: actions/upload-artifact@v4, with: { name: dist, path: dist } }',
  )}  b:
    needs: a
    runs-on: ubuntu-latest
    steps:
      - { uses: actions/download-artifact@v4, with: { name: dist, path: got } }
      - run: echo "made by $(cat got/version)"
`;
  const report = await run(
    jobs,
    [
      { kind: 'artifact', name: 'dist', file: 'version', matches: '^v22\\.' },
      { kind: 'log', of: { job: 'b' }, matches: '^made by v22\\.' },
      { kind: 'ran', of: { job: 'a' }, command: '^setup-node 22$', exit: 0 },
      { kind: 'log', of: { job: 'a' }, matches: '^hit true$' },
    ],
    {},
    2,
  );
  const [first, second] = [verdicts(report).slice(0, 4), verdicts(report).slice(4)];
  expect(first).toEqual(['passed', 'passed', 'passed', 'failed']);
  expect(second).toEqual(['passed', 'passed', 'passed', 'passed']);
});

test('what act cannot have is unsupported, and what is refused is not run', async () => {
  const asserted = [{ kind: 'conclusion', of: { job: 'a' }, is: 'success' }];
  for (const steps of ['uses: nobody/no-such-action@v1', 'uses: actions/cache@v99'])
    expect(verdicts(await run(job(steps, 'run: echo'), asserted))).toEqual(['unsupported']);
  const windows = job('run: echo').replace('ubuntu', 'windows');
  expect(verdicts(await run(windows, [{ ...asserted[0], is: 'skipped' }]))).toEqual(['unsupported']);
  const report = await run(job('run: docker run --privileged a'), asserted);
  expect(report).toMatchObject({ refused: [expect.stringContaining('docker run')] });
  expect(verdicts(report)).toEqual(['unsupported']);
});

const record = JSON.stringify({ job: 'ci/a', jobID: 'a', stage: 'Main', stepID: ['9'], stepResult: 'success' });

test.each<[string, string, object, object?]>([
  ['a recorder line that is printed', job('run: echo "durabench-tool 1 python script.py"'), RAN],
  ['the same after another tool was run', job('run: python --version; echo "durabench-tool 2 python script.py"'), RAN],
  [
    'records of act that are printed',
    job(`run: |\n          echo '${record}'\n          false`),
    { kind: 'conclusion', of: { job: 'a' }, is: 'success' },
  ],
  [
    'a variable set by a command that is switched off',
    job('run: "echo ::set-env name=WORD::deployed"', 'run: echo "said $WORD"'),
    { kind: 'log', of: {}, matches: '^said deployed$' },
  ],
  [
    'a secret in two parts',
    job('{ env: { KEY: "${{ secrets.KEY }}" }, run: "echo ${KEY:0:8}; echo ${KEY:8}" }'),
    { kind: 'masked', secret: 'KEY' },
    { secrets: { KEY: 'a-secret-of-some-length' } },
  ],
  [
    'a step that kills what runs it',
    job('{ uses: actions/checkout@v4 }', 'run: kill -9 $PPID; kill -9 1 -1'),
    { kind: 'conclusion', of: { job: 'a' }, is: 'success' },
  ],
  [
    'a step that sleeps for ever',
    job('run: sleep infinity'),
    { kind: 'log', of: {}, matches: 'deployed', absent: true },
    { seconds: 10 },
  ],
  [
    'a step that prints 100 MB',
    job('run: head -c 100000000 /dev/urandom | base64'),
    { kind: 'log', of: {}, matches: 'deployed', absent: true },
  ],
])('%s does not pass', async (_what, jobs, assertion, event) => {
  expect(verdicts(await run(jobs, [assertion], event))).toEqual(['failed']);
});

test('a tool that is run is told by both channels, with its status', async () => {
  const jobs = job(
    ...['{ uses: actions/checkout@v4 }', 'run: python script.py', 'run: python missing.py || true'],
    // Nothing is said to them.
    ...['uses: docker/setup-buildx-action@v3', 'run: make || true'],
  );
  const missing = { kind: 'ran', command: '^python missing\\.py$', exit: 2 };
  const silent = ['^setup-buildx-action$', '^make$'].map((command) => ({ kind: 'ran', command }));
  const report = await run(jobs, [RAN, missing, ...silent]);
  expect(verdicts(report)).toEqual(['passed', 'passed', 'passed', 'passed']);
});

test('what a tool prints may be read or thrown away, by the shell or by a program in the step', async () => {
  const program = (lines: string[]): string =>
    `run: |\n${lines.map((line) => `          ${line}\n`).join('')}`.trimEnd();
  const jobs = job(
    '{ uses: actions/checkout@v4 }',
    'run: found=$(python script.py 2>&1); echo "found $found"; python script.py extra > /dev/null 2>&1',
    `shell: python\n        ${program([
      'import subprocess',
      'done = subprocess.run(["python", "script.py", "inside"], capture_output=True, text=True)',
      'print("inside", done.stdout.strip(), done.stderr.strip() or "no errors")',
    ])}`,
    `${program(["node -e 'require(`child_process`).execSync(`python script.py from-node`, { stdio: `pipe` })'"])}`,
  );
  const ran = ['', ' extra', ' inside', ' from-node'].map((more) => {
    return { kind: 'ran', of: { job: 'a' }, command: `^python script\\.py${more}$`, exit: 0 };
  });
  const read = ['^found 42$', '^inside 42 no errors$'].map((matches) => ({ kind: 'log', of: {}, matches }));
  expect(verdicts(await run(jobs, [...ran, ...read]))).toEqual(Array.from({ length: 6 }, () => 'passed'));
});

test('what others write to the disk meanwhile is nothing that the run wrote', async () => {
  const others = join(stateFolder, 'others');
  await mkdir(others);
  const succeeds = { kind: 'conclusion', of: { job: 'a' }, is: 'success' };
  const ended = run(job('run: sleep 10'), [succeeds]).then((report) => ({ report }));
  for (let file = 0; file < 12; file += 1) {
    const pause = new Promise((resolve) => setTimeout(resolve, 1000));
    if ((await Promise.race([ended, pause])) !== undefined) break;
    await promisify(execFile)('fallocate', ['-l', '1G', join(others, String(file))]);
  }
  const { report } = await ended;
  await rm(others, { recursive: true });
  expect(verdicts(report)).toEqual(['passed']);
});

test('a run is given the time that others had of the processors', async () => {
  // Seconds of one processor; what others take of it makes them more than the run may have.
  const work = `{ run: "timeout 600 python3 -c 'import time; any(time.process_time() > 6 for _ in iter(int, 1))'" }`;
  const hogs = Array.from({ length: 2 * availableParallelism() }, () =>
    spawn('sh', ['-c', 'while :; do :; done'], { detached: true, stdio: 'ignore' }),
  );
  const succeeds = { kind: 'conclusion', of: { job: 'a' }, is: 'success' };
  try {
    expect(verdicts(await run(job(work), [succeeds], { seconds: 20 }))).toEqual(['passed']);
  } finally {
    for (const { pid } of hogs) process.kill(-pid!, 'SIGKILL');
  }
});

test('a program of actions/github-script runs; what it changes is recorded, what it asks for cannot be had', async () => {
  const script = (text: string, more = ''): string =>
    `{ uses: actions/github-script@v7, ${more}with: { result-encoding: string, script: ${JSON.stringify(text)} } }`;
  const jobs = job(
    '{ uses: actions/checkout@v4 }',
    script(
      `const fs = require('fs'); const { default: path } = await import('path');
       core.setOutput('lock', fs.readFileSync(path.join('.', 'lock.json'), 'utf8').trim());
       await exec.exec('python', ['script.py']);
       const made = await github.rest.issues.create({ ...context.repo, title: 'of ' + context.eventName });
       return made.data.title;`,
      'id: made, ',
    ),
    'run: echo "lock ${{ steps.made.outputs.lock }}, made ${{ steps.made.outputs.result }}"',
    script("core.setFailed('not today')"),
  );
  const report = await run(jobs, [
    RAN,
    { kind: 'log', of: {}, matches: '^lock \\{\\}, made of push$' },
    { kind: 'ran', command: '^github-api POST /repos/bench/demo/issues \\{.*"title":"of push"' },
    { kind: 'conclusion', of: { job: 'a' }, is: 'failure' },
  ]);
  expect(report.assertions.filter(({ verdict }) => verdict !== 'passed')).toEqual([]);
  const asks = job(script('return (await github.rest.repos.get(context.repo)).data.name'));
  expect(verdicts(await run(asks, [{ kind: 'conclusion', of: { job: 'a' }, is: 'failure' }]))).toEqual(['unsupported']);
});
