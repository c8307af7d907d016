import { expect, test } from 'vitest';
import { readSemantics } from '../model/read-semantics.js';
import type { RunResult } from './run-result.js';
import { scenarioSchema, type Scenario } from './scenario.js';
import { simulate } from './simulate.js';

type Files = Record<string, string>;

function run(files: string | Files, scenario: Partial<Scenario> = {}): RunResult {
  const all = typeof files === 'string' ? { 'w.yml': files } : files;
  const inPlace = Object.entries(all).map(([name, text]) => [
    name.includes('/') ? name : `.github/workflows/${name}`,
    text,
  ]);
  const semantics = readSemantics(Object.fromEntries(inPlace) as Files);
  const workflow = semantics.workflows.find(({ file }) => file.endsWith('/w.yml'));
  if (!workflow) throw new Error(semantics.problems[0]?.message);
  return simulate(semantics, workflow, scenarioSchema.parse({ on: { event: 'push' }, ...scenario }));
}

const results = ({ jobs }: RunResult): Record<string, string> =>
  Object.fromEntries(jobs.map(({ job, result }) => [job.id, result]));

const steps = ({ jobs }: RunResult): string[] =>
  jobs.flatMap(({ legs }) =>
    legs.flatMap((leg) => leg.steps.map(({ step, outcome }) => `${step.name ?? ''} ${outcome}`)),
  );

const jobs = (text: string): string => `on: [push, pull_request]\njobs:\n${text}`;
const job = (id: string, rest: string): string => `  ${id}: { runs-on: x, ${rest} }\n`;

const CHAIN = jobs(
  job('a', 'steps: [{ run: a }]') +
    job('b', 'needs: a, steps: [{ run: b }]') +
    job('c', 'needs: b, steps: [{ run: c }]') +
    job('last', 'needs: [b, c], if: always(), steps: [{ run: z }]') +
    job('after', 'needs: last, steps: [{ run: y }]') +
    job('alarm', 'needs: c, if: failure(), steps: [{ run: x }]') +
    job('careful', 'needs: b, if: "!cancelled() && needs.b.result == \'success\'", steps: [{ run: w }]'),
);

test('failures and skips go down along needs, unless a condition asks for the status', () => {
  expect(results(run(CHAIN))).toEqual({
    ...{ a: 'success', b: 'success', c: 'success', last: 'success' },
    ...{ after: 'success', alarm: 'skipped', careful: 'success' },
  });
  // What comes after `last` is skipped too: success() is about every job before it.
  expect(results(run(CHAIN, { fails: [{ runs: '^a$' }] }))).toEqual({
    ...{ a: 'failure', b: 'skipped', c: 'skipped', last: 'success' },
    ...{ after: 'skipped', alarm: 'success', careful: 'skipped' },
  });
  expect(results(run(CHAIN, { cancelledAt: { runs: '^b$' } }))).toEqual({
    ...{ a: 'success', b: 'cancelled', c: 'skipped', last: 'success' },
    ...{ after: 'skipped', alarm: 'skipped', careful: 'skipped' },
  });
});

test('a step whose script says so fails, in no branch of it', () => {
  const ending = (script: string): string | undefined =>
    results(run(jobs(job('a', `steps: [{ run: ${JSON.stringify(script)} }]`))))['a'];
  for (const script of ['exit 1', 'echo no\nexit 3', 'false']) expect(ending(script), script).toBe('failure');
  const branches = [
    'exit 0',
    'if a; then\nexit 1\nfi',
    'a || {\n  exit 1\n}',
    'cat <<END > f\nexit 1\nEND',
    'echo exit 1',
  ];
  for (const script of branches) expect(ending(script), script).toBe('success');
  const told = { fails: [{ runs: 'npm test' }] };
  const later =
    "steps: [{ id: t, run: npm test, continue-on-error: true }, { if: steps.t.outcome == 'failure', run: exit 1 }]";
  expect(results(run(jobs(job('a', later)), told))).toEqual({ a: 'failure' });
  expect(results(run(jobs(job('a', later))))).toEqual({ a: 'success' });
});

test('conditions of steps: success is asked for unless another status is', () => {
  const text = jobs(
    job(
      'a',
      'steps: [{ name: t, run: test }, { name: plain, run: p }, { name: fail, if: failure(), run: f }, ' +
        '{ name: fail-and, if: "failure() && github.ref == \'refs/heads/main\'", run: g }, { name: always, if: always(), run: h }, ' +
        '{ name: text, if: "${{ false }} && true", run: i }, { name: not, if: "!cancelled()", run: j }]',
    ),
  );
  const ended = ['plain success', 'fail skipped', 'fail-and skipped', 'always success', 'text success', 'not success'];
  expect(steps(run(text))).toEqual(['t success', ...ended]);
  expect(steps(run(text, { fails: [{ runs: 'test' }] }))).toEqual([
    ...[
      't failure',
      'plain skipped',
      'fail success',
      'fail-and success',
      'always success',
      'text skipped',
      'not success',
    ],
  ]);
  expect(steps(run(text, { cancelledAt: { runs: 'test' } }))).toEqual([
    ...[
      't cancelled',
      'plain skipped',
      'fail skipped',
      'fail-and skipped',
      'always success',
      'text skipped',
      'not skipped',
    ],
  ]);
});

test('a step that may fail has failed for its outcome alone', () => {
  const text = jobs(
    job(
      'a',
      'steps: [{ id: lint, name: lint, run: lint, continue-on-error: true }, { name: next, run: n }, ' +
        "{ name: noted, if: steps.lint.outcome == 'failure' && steps.lint.conclusion == 'success', run: m }]",
    ),
  );
  const failed = run(text, { fails: [{ runs: 'lint' }] });
  expect(steps(failed)).toEqual(['lint failure', 'next success', 'noted success']);
  expect(results(failed)).toEqual({ a: 'success' });
});

test('a job that may fail fails nothing else; fail-fast cancels the other legs', () => {
  const matrix = (rest: string): string =>
    jobs(
      job('m', `${rest} strategy: { FAST matrix: { v: [1, 2, 3] } }, steps: [{ run: test }]`) +
        job('next', 'needs: m, steps: [{ run: n }]'),
    );
  const legs = (text: string): string[] | undefined =>
    run(text, { fails: [{ step: { runs: 'test' }, leg: { v: '2' } }] }).jobs[0]?.legs.map(({ result }) => result);
  const scenario: Partial<Scenario> = { fails: [{ step: { runs: 'test' }, leg: { v: 2 } }] };
  expect(legs(matrix('').replace('FAST', ''))).toEqual(['cancelled', 'failure', 'cancelled']);
  expect(legs(matrix('').replace('FAST', 'fail-fast: false,'))).toEqual(['success', 'failure', 'success']);
  expect(results(run(matrix('').replace('FAST', ''), scenario))).toEqual({ m: 'failure', next: 'skipped' });
  const allowed = matrix('continue-on-error: "${{ matrix.v == 2 }}",').replace('FAST', '');
  expect(results(run(allowed, scenario))).toEqual({ m: 'success', next: 'success' });
});

test('outputs of scripts flow through steps, jobs and matrices', () => {
  const text = jobs(
    job(
      'plan',
      'outputs: { list: "${{ steps.s.outputs.list }}" }, env: { WHO: x }, steps: [{ id: s, env: { TO: y }, ' +
        'run: "echo \\"list=[\\\\\\"$WHO\\\\\\",\\\\\\"${TO}\\\\\\"]\\" >> \\"$GITHUB_OUTPUT\\"" }]',
    ) +
      job(
        'use',
        'needs: plan, strategy: { matrix: { v: "${{ fromJSON(needs.plan.outputs.list) }}" } }, steps: [{ run: u }]',
      ),
  );
  const found = run(text, { outputs: [{ of: { runs: 'list=' }, values: { list: '["p","q"]' } }] });
  expect(found.jobs[1]?.legs.map(({ leg }) => leg)).toEqual([{ v: 'p' }, { v: 'q' }]);
  const unknown = run(text.replace('fromJSON', "fromJSON('{}') && fromJSON"));
  expect(unknown.jobs[1]).toMatchObject({ result: 'failure', problem: expect.any(String) as string });
});

test('a variable is the step’s before the job’s before the workflow’s; GITHUB_ENV is for later steps', () => {
  const text =
    'env: { A: w, B: w, C: w }\n' +
    jobs(
      job(
        'a',
        'env: { B: j, C: j }, steps: [{ run: "echo D=later >> $GITHUB_ENV", env: { C: s } }, { run: x, env: { E: "${{ env.D }}!" } }]',
      ),
    );
  const [first, second] = run(text).jobs[0]?.legs[0]?.steps ?? [];
  expect(first?.env).toEqual({ A: 'w', B: 'j', C: 's' });
  expect(second?.env).toEqual({ A: 'w', B: 'j', C: 'j', D: 'later', E: 'later!' });
});

test('reusable workflows take inputs and secrets and hand back outputs; failures inside are failures', () => {
  const files = {
    'w.yml': jobs(
      '  call: { uses: ./.github/workflows/inner.yml, with: { who: "${{ github.ref_name }}" }, secrets: { KEY: "${{ secrets.K }}" } }\n' +
        job('use', "needs: call, if: needs.call.outputs.out == 'main+', steps: [{ run: u }]"),
    ),
    'inner.yml':
      'on: { workflow_call: { inputs: { who: { type: string, required: true } }, outputs: { out: { value: "${{ jobs.i.outputs.o }}" } } } }\n' +
      `jobs:\n${job('i', 'outputs: { o: "${{ steps.s.outputs.v }}" }, env: { KEY: "${{ secrets.KEY }}" }, steps: [{ id: s, run: "echo \'v=${{ inputs.who }}+\' >> $GITHUB_OUTPUT" }]')}`,
  };
  expect(results(run(files))).toEqual({ call: 'success', use: 'success' });
  expect(run(files).jobs[0]?.called?.jobs[0]?.legs[0]?.steps[0]?.env).toEqual({ KEY: 'secret-K' });
  expect(results(run(files, { on: { event: 'push', branch: 'dev' } }))).toEqual({ call: 'success', use: 'skipped' });
  expect(results(run(files, { fails: [{ runs: 'v=' }] }))).toEqual({ call: 'failure', use: 'skipped' });
});

test('local composite actions run their steps', () => {
  const files = {
    'w.yml': jobs(
      job(
        'a',
        'steps: [{ id: c, uses: ./.github/actions/c, with: { n: 5 } }, { name: after, if: steps.c.outputs.r == 5, run: x }]',
      ),
    ),
    '.github/actions/c/action.yml':
      'inputs: { n: { default: 1 } }\noutputs: { r: { value: "${{ steps.i.outputs.r }}" } }\n' +
      'runs: { using: composite, steps: [{ id: i, shell: bash, run: "echo r=${{ inputs.n }} >> $GITHUB_OUTPUT" }] }\n',
  };
  expect(steps(run(files))).toEqual([' success', 'after success']);
  expect(steps(run(files, { fails: [{ runs: 'echo r=' }] }))).toEqual([' failure', 'after skipped']);
});

test('secrets of forks are empty', () => {
  const text = jobs(job('a', 'env: { K: "${{ secrets.K }}" }, steps: [{ name: k, if: env.K != \'\', run: k }]'));
  expect(steps(run(text))).toEqual(['k success']);
  expect(steps(run(text, { on: { event: 'pull_request', fork: true } }))).toEqual(['k skipped']);
  expect(steps(run(text, { secrets: [] }))).toEqual(['k skipped']);
});

test('what cannot run says so: cycles, unknown jobs, workflows and actions that call themselves, too many steps', () => {
  const problem = (files: string | Files): string | undefined => {
    const found = run(files);
    return found.problem ?? found.jobs[0]?.problem;
  };
  expect(problem(jobs(job('a', 'needs: b, steps: []') + job('b', 'needs: a, steps: []')))).toContain('cycle');
  expect(problem(jobs(job('a', 'needs: a, steps: []')))).toContain('cycle');
  expect(problem(jobs(job('a', 'needs: nobody, steps: []')))).toContain('name no job');
  const self =
    'on: [push, workflow_call]\njobs:\n  a: { uses: ./.github/workflows/w.yml, strategy: { matrix: { v: [1, 2, 3] } } }\n';
  expect(problem(self)).toContain('levels deep');
  const action = {
    'w.yml': jobs(job('a', 'steps: [{ uses: ./x }]')),
    'x/action.yml': 'runs: { using: composite, steps: [{ uses: ./x }, { uses: ./x }] }',
  };
  expect(results(run(action))).toEqual({ a: 'failure' });
  const many = jobs(
    Array.from({ length: 40 }, (_, at) =>
      job(`j${at}`, 'strategy: { matrix: { v: [' + '1,'.repeat(200) + '] } }, steps: [{ run: x }]'),
    ).join(''),
  );
  expect(problem(many)).toContain('more than 5000 steps');
});
