/** A workflow that uses one feature, and what must come of it where that works as on GitHub. */
export interface ActProbe {
  feature: string;
  workflow: string;
  event?: Record<string, unknown>;
  /** What is shown → assertion. */
  assertions: Record<string, Record<string, unknown>>;
}

const job = (steps: string, more = ''): string => `  build:\n    runs-on: ubuntu-latest\n${more}    steps:\n${steps}`;
const on = (jobs: string, trigger = 'push'): string => `name: probe\non: ${trigger}\njobs:\n${jobs}`;

export const ACT_PROBES: readonly ActProbe[] = [
  {
    feature: 'run steps, environment and outputs of steps, masking, recorder',
    workflow: on(
      job(
        [
          '      - run: node --version && python3 -c "print(6 * 7)"',
          '      - { id: made, run: echo "value=one" >>"$GITHUB_OUTPUT" }',
          '      - run: echo "got ${{ steps.made.outputs.value }} $KEY"',
          '        env: { KEY: "${{ secrets.KEY }}" }',
        ].join('\n'),
      ),
    ),
    event: { secrets: { KEY: 'a-long-secret-value' } },
    assertions: {
      'output of a step': { kind: 'log', of: { job: 'build' }, matches: '^got one' },
      'secrets are masked': { kind: 'masked', secret: 'KEY' },
      'tools are recorded': {
        kind: 'ran',
        of: { job: 'build' },
        command: '^node --version$',
        exit: 0,
        cwd: '/work/demo',
      },
    },
  },
  {
    feature: 'a failed step, continue-on-error of a step, if: failure()',
    workflow: on(
      job(
        '      - { run: exit 3, continue-on-error: true }\n      - run: "false"\n      - { if: failure(), run: echo cleaned }',
      ),
    ),
    assertions: {
      'the job fails': { kind: 'conclusion', of: { job: 'build' }, is: 'failure' },
      'the later step runs': { kind: 'log', of: { job: 'build' }, matches: 'cleaned' },
    },
  },
  {
    feature: 'a matrix with include and exclude',
    workflow: on(
      job(
        '      - run: echo leg',
        '    strategy:\n      matrix: { a: [1, 2], b: [x, y], exclude: [{ a: 2, b: y }], include: [{ a: 3, b: z }] }\n',
      ),
    ),
    assertions: {
      legs: {
        kind: 'legs',
        of: { job: 'build' },
        are: [
          { a: 1, b: 'x' },
          { a: 1, b: 'y' },
          { a: 2, b: 'x' },
          { a: 3, b: 'z' },
        ],
      },
    },
  },
  {
    feature: 'a service with a health check, reached by localhost',
    workflow: on(
      job(
        '      - run: psql postgres://postgres:word@localhost:5432/postgres -tc "select 40 + 2"',
        '    services:\n      db:\n        image: postgres:16\n        env: { POSTGRES_PASSWORD: word }\n        ports: ["5432:5432"]\n        options: --health-cmd pg_isready --health-interval 2s --health-retries 20\n',
      ),
    ),
    assertions: { 'the service answers': { kind: 'log', of: { job: 'build' }, matches: '^\\s*42' } },
  },
  {
    feature: 'branch filters of a trigger',
    workflow: on(job('      - run: echo ran'), '{ push: { branches: [other] } }'),
    assertions: { 'a push to main starts nothing': { kind: 'conclusion', of: { job: 'build' }, is: 'skipped' } },
  },
  {
    feature: 'timeout-minutes and continue-on-error of a job',
    workflow: on(job('      - run: "false"', '    continue-on-error: true\n')),
    assertions: { 'the job counts as a success': { kind: 'conclusion', of: { job: 'build' }, is: 'success' } },
  },
  {
    feature: 'jobs on Windows',
    workflow: on('  build:\n    runs-on: windows-latest\n    steps: [{ run: echo ran }]\n'),
    assertions: { 'the job runs': { kind: 'conclusion', of: { job: 'build' }, is: 'success' } },
  },
  {
    feature: 'a container that asks for --privileged',
    workflow: on(job('      - run: echo ran', '    container: { image: postgres:16, options: --privileged }\n')),
    assertions: { 'the job runs': { kind: 'conclusion', of: { job: 'build' }, is: 'success' } },
  },
];
