import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { currentInstance } from '../../src/adapters/docker/engine/instance.js';
import { createDockerSandbox, type DockerSandbox } from '../../src/adapters/docker/sandbox/docker-sandbox.js';
import { readEnvironment } from '../../src/config/env.js';
import {
  campaignSpec,
  createBench,
  runTrial,
  systemSpec,
  type Bench,
  type RanStep,
} from '../../src/fakes/suite-bench.js';
import type { DatasetTools } from '../../src/suite/dataset.js';
import { ghaBench } from '../../tasks/gha-bench/gha-bench.js';
import { runLinters } from '../../tasks/gha-bench/lint/run-linters.js';
import { toolReport, type ToolReport } from '../../tasks/gha-bench/lint/tool-report.js';
import { ghaBenchPlans } from '../../tasks/gha-bench/plan.js';
import { ensureImages } from '../fixtures/docker/ensure-images.js';
import { PACKAGE_ROOT } from '../fixtures/package-root.js';
import { IS_WHOLE_RUN } from '../vitest/drawn.js';
import { scaled } from '../vitest/yardstick.js';

// The second layer as it runs: the image with actionlint, zizmor and shellcheck, in the real sandbox.

const SUITE = join(PACKAGE_ROOT, 'tasks', 'gha-bench');
let stateFolder: string;
let sandbox: DockerSandbox;
let bench: Bench;

beforeAll(async () => {
  stateFolder = await mkdtemp(join(tmpdir(), 'durabench-lint-'));
  await ensureImages(readEnvironment().cacheDir, 'gha-lint');
  sandbox = createDockerSandbox({ instance: currentInstance(), stateFolder, packageRoot: PACKAGE_ROOT, slots: 1 });
  bench = createBench({ suite: ghaBench, plans: ghaBenchPlans, suiteFolder: SUITE, sandbox });
  await ghaBench.dataset.fetch({ projects: [], verify: false }, bench as unknown as DatasetTools);
});

afterAll(async () => {
  await sandbox?.close();
  await rm(stateFolder, { recursive: true, force: true });
});

async function lint(files: Record<string, string>, project: Record<string, string> = {}): Promise<ToolReport> {
  const end = await runLinters({
    files: new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)])),
    ...{ project, workflows: Object.keys(files).filter((path) => path.includes('/workflows/')), actions: [] },
    ...{ suiteFolder: SUITE, sandbox, owner: { campaignId: 'lint', ownerId: 'lint' } },
    signal: new AbortController().signal,
  });
  return toolReport(end);
}

const CI = '.github/workflows/ci.yml';
const workflow = (steps: string, on = 'push'): string =>
  `on: ${on}\npermissions:\n  contents: read\njobs:\n  build:\n    runs-on: ubuntu-latest\n    steps:\n${steps}`;
const CHECKOUT = '      - uses: actions/checkout@v4\n        with:\n          persist-credentials: false\n';
const rulesOf = ({ findings }: ToolReport): string[] => findings.map(({ tool, rule }) => `${tool} ${rule}`);

describe('what the tools say', () => {
  test('a workflow without fault has no finding, and the versions are told', async () => {
    const { findings, strict, versions } = await lint({ [CI]: workflow(`${CHECKOUT}      - run: make test\n`) });
    expect(findings).toEqual([]);
    // Where only a commit is good enough, a tag is severe.
    expect(strict).toMatchObject([{ rule: 'unpinned-uses', severity: 'high', file: CI, line: 8 }]);
    expect(versions).toEqual({ actionlint: '1.7.12', zizmor: '1.32.0', shellcheck: '0.11.0' });
  });

  const INJECTION = '      - run: echo ${{ github.event.issue.title }}\n';
  test('what is wrong is found by the tool that knows of it, with its place', async () => {
    const wrong = workflow(
      `${CHECKOUT}      - run: echo \${{ foo.bar }}\n${INJECTION}      - run: |\n          cd /tmp\n`,
    );
    const report = await lint({ [CI]: wrong });
    const severe = report.findings.filter(({ severity }) => severity === 'high');
    expect(severe).toContainEqual(expect.objectContaining({ tool: 'actionlint', rule: 'expression', line: 11 }));
    expect(severe).toContainEqual(expect.objectContaining({ tool: 'zizmor', rule: 'template-injection' }));
    expect(report.findings.every(({ file }) => file === CI)).toBe(true);
  });

  test('comments and configuration that ask for silence change nothing', async () => {
    const loud = `${CHECKOUT}${INJECTION}      - run: |\n          for f in $(ls); do cp "$f" $@; done\n`;
    const silent = `${CHECKOUT}${INJECTION.trimEnd()} # zizmor: ignore[template-injection]\n      - run: |\n          # shellcheck disable=SC2045,SC2068\n          for f in $(ls); do cp "$f" $@; done\n`;
    const quiet = {
      [CI]: workflow(silent),
      '.github/actionlint.yaml': 'paths:\n  "**/*":\n    ignore: [".*"]\n',
      '.github/zizmor.yml': 'rules:\n  template-injection:\n    disable: true\n',
    };
    const [expected, found] = [await lint({ [CI]: workflow(loud) }), await lint(quiet)];
    expect(rulesOf(expected)).toEqual(
      expect.arrayContaining(['actionlint expression', 'zizmor template-injection', 'shellcheck SC2068']),
    );
    expect(rulesOf(found).sort()).toEqual(rulesOf(expected).sort());
  });

  test('a workflow of the project may be called, with the inputs it has', async () => {
    const called =
      'on:\n  workflow_call:\n    inputs:\n      level:\n        type: string\n        required: true\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: make\n';
    const caller = 'on: push\npermissions: {}\njobs:\n  call:\n    uses: ./.github/workflows/called.yml\n';
    const report = await lint({ [CI]: caller }, { '.github/workflows/called.yml': called });
    expect(rulesOf(report)).toContain('actionlint workflow-call');
  });

  test('scripts that keep shellcheck busy are the fault of the files, not of the machine', async () => {
    const steps = Array.from({ length: 2500 }, () => '      - run: make\n').join('');
    const busy = Array.from({ length: 4 }, (_, n): [string, string] => [CI.replace('ci', `ci${n}`), workflow(steps)]);
    expect((await lint(Object.fromEntries(busy))).limits).toEqual(['actionlint used up its limits']);
  });
});

describe('tasks', () => {
  const tasks = async () => (await ghaBench.dataset.select({}, 0, SUITE)).tasks;
  const run = async (generator: string, execute = 'none') => {
    const judged = { ...bench, spec: campaignSpec({ ...bench.spec, judge: { execute } }) };
    const system = systemSpec({ id: generator, generator });
    return Promise.all(
      (await tasks()).map(async (task) => ({ task: task.id, ...(await runTrial(judged, { system, task })) })),
    );
  };
  const lintStep = (steps: readonly RanStep[]) => steps.find(({ step }) => step === 'lint');

  const WAYS: [what: string, generator: string, execute: string][] = [
    // It is executed by demo.test.ts.
    ['oracle passes every task, linted', 'oracle', 'none'],
    ['alternative passes every task, linted', 'alternative', 'none'],
    ['alternative passes, executed', 'alternative', 'act'],
  ];

  test.each(WAYS.filter(([, , execute]) => IS_WHOLE_RUN || execute === 'none'))(
    'the %s',
    async (_, generator, execute) => {
      for (const { task, verdict } of await run(generator, execute))
        expect({ task, verdict }).toMatchObject({
          task,
          verdict: {
            passed: true,
            reasons: [],
            metrics: { syntax: 1, lint: 1, security: expect.any(Number) as number },
          },
        });
    },
    // Tasks are executed in slots whose engines starve first where much else runs.
    scaled(1_800_000),
  );

  test('the same files are looked at once', async () => {
    for (const { steps } of await run('oracle'))
      expect(lintStep(steps)).toMatchObject({ result: { remembered: true }, evidence: [{ name: 'lint.json' }] });
  });

  test('files that GitHub would not take are not linted', async () => {
    for (const { verdict, steps, skipped } of await run('null')) {
      expect(verdict).toMatchObject({ passed: false, metrics: { syntax: 0, lint: null, security: null } });
      expect(lintStep(steps)).toBeUndefined();
      expect(skipped).toEqual([{ stage: 'execute', reason: 'GitHub would not take the files' }]);
    }
  });
});
