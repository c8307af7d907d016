import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readActLog } from './act-log.js';
import type { ActRun, ToolRun } from './act-run.js';
import { judgeAssertion } from './assertions.js';
import { refusals } from './preflight.js';
import { assertionSchema } from './scenario.js';

// Logs of runs of act in a slot, without their debug records but those that say what was skipped.
const recorded = (name: string): string =>
  readFileSync(join(import.meta.dirname, '..', '..', '..', 'tests', 'fixtures', 'gha-bench', `${name}.jsonl`), 'utf8');

function run(output: string, change: Partial<ActRun> = {}, errors = ''): ActRun {
  const log = readActLog(output, errors);
  return { log, tools: [], artifacts: [], secrets: {}, text: output, ended: 'itself', ...change };
}

function judge(of: ActRun, assertion: object): string {
  return judgeAssertion(assertionSchema.parse({ id: 'a', ...assertion }), of).verdict;
}

const line = (record: object): string =>
  JSON.stringify({ job: 'ci/build', jobID: 'build', matrix: {}, msg: '', ...record });
const step = (id: string, stepResult: string, more: object = {}): string =>
  line({ stage: 'Main', stepID: [id], stepResult, ...more });

test('a job is read with its steps, outputs and lines, and one that is skipped as skipped', () => {
  const { log } = run(recorded('needs'));
  expect(log.legs.map(({ job, result }) => [job, result])).toEqual([
    ...[
      ['a', 'success'],
      ['b', 'success'],
      ['c', 'skipped'],
    ],
  ]);
  expect(log.legs[0]?.steps.find(({ id }) => id === 's')).toMatchObject({ result: 'success', outputs: { v: '42' } });
  expect(log.legs[1]?.steps.flatMap(({ lines }) => lines)).toEqual(['got 42']);
});

test.each<[string, object, string]>([
  ['an ending', { kind: 'conclusion', of: { job: 'b' }, is: 'success' }, 'passed'],
  ['another ending', { kind: 'conclusion', of: { job: 'b' }, is: 'failure' }, 'failed'],
  ['a skipped job', { kind: 'conclusion', of: { job: 'c' }, is: 'skipped' }, 'passed'],
  ['a job that is not there', { kind: 'conclusion', of: { job: 'd' }, is: 'success' }, 'failed'],
  ['an order', { kind: 'order', first: { job: 'a' }, then: { job: 'b' } }, 'passed'],
  ['the other order', { kind: 'order', first: { job: 'b' }, then: { job: 'a' } }, 'failed'],
  ['an output', { kind: 'output', of: { job: 'a' }, matches: '^42$' }, 'passed'],
  ['an output of another job', { kind: 'output', of: { job: 'b' }, matches: '42' }, 'failed'],
  ['a line', { kind: 'log', of: { job: 'b' }, matches: 'got 42' }, 'passed'],
  ['no line', { kind: 'log', of: { job: 'b' }, matches: 'got 42', absent: true }, 'failed'],
])('%s is asserted', (_what, assertion, verdict) => {
  expect(judge(run(recorded('needs')), assertion)).toBe(verdict);
});

test('the legs of a matrix are compared as a set of values', () => {
  const of = run(recorded('matrix'));
  const are = of.log.legs.map(({ matrix }) => matrix);
  expect(are).toHaveLength(4);
  expect(judge(of, { kind: 'legs', of: {}, are: [...are].reverse() })).toBe('passed');
  expect(judge(of, { kind: 'legs', of: {}, are: are.slice(1) })).toBe('failed');
});

test('a leg is judged by its steps: what act says of the job sticks once another leg has failed', () => {
  const stuck = run([step('0', 'success'), line({ jobResult: 'failure' })].join('\n'));
  expect(stuck.log.legs[0]?.result).toBe('success');
  const tolerated = [
    line({ stage: 'Main', stepID: ['0'], msg: 'Failed but continue next step' }),
    step('0', 'failure'),
  ];
  expect(run([...tolerated, line({ jobResult: 'success' })].join('\n')).log.legs[0]?.result).toBe('success');
  expect(run([step('0', 'failure'), line({ jobResult: 'success' })].join('\n')).log.legs[0]?.result).toBe('failure');
  expect(run(step('0', 'success')).log.legs[0]?.result).toBe('unfinished');
});

test('that a failure is tolerated is said by act, and not by the step', () => {
  for (const more of [{ raw_output: true }, { command: 'debug' }, { msg: 'said: Failed but continue next step' }]) {
    const said = line({ stage: 'Main', stepID: ['0'], msg: 'Failed but continue next step', ...more });
    expect(run([said, step('0', 'failure'), line({ jobResult: 'failure' })].join('\n')).log.legs[0]?.result).toBe(
      'failure',
    );
  }
});

test('two jobs of one name are two', () => {
  const other = { job: 'ci/build', jobID: 'deploy' };
  const { log } = run(
    [step('0', 'failure'), step('0', 'success', other), line({ jobResult: 'success', ...other })].join('\n'),
  );
  expect(log.legs.map(({ job, result }) => [job, result])).toEqual([
    ['build', 'failure'],
    ['deploy', 'success'],
  ]);
});

test('what act cannot do is unsupported, whatever is asserted', () => {
  const of = run(line({ msg: 'Skipping unsupported platform -- Try running with `-P windows-latest=...`' }));
  expect(judge(of, { kind: 'conclusion', of: { job: 'build' }, is: 'skipped' })).toBe('unsupported');
  // A step that prints it says nothing of act.
  const printed = line({ stage: 'Main', stepID: ['0'], raw_output: true, msg: 'Skipping unsupported platform' });
  expect(run(printed).log.unsupported).toEqual([]);
});

test('a run that was cut short shows nothing, not even what is absent', () => {
  const log = { kind: 'log', of: {}, matches: 'deployed', absent: true };
  expect(judge(run(step('0', 'success')), log)).toBe('passed');
  for (const ended of ['time', 'output', 'disk', 'memory'] as const)
    expect(judge(run(step('0', 'success'), { ended }), log)).toBe('failed');
});

test('what is no record is noise, and a record that a step prints is its output', () => {
  const forged = step('0', 'success').replaceAll('build', 'deploy');
  const { log } = run(
    `panic: x\n{"half\n${line({ stage: 'Main', stepID: ['0'], raw_output: true, msg: forged })}`,
    {},
    'Error: no',
  );
  expect(log.legs.map(({ job }) => job)).toEqual(['build']);
  expect(log.errors).toEqual(['Error: no']);
});

test('a tool was run where recorder and log agree', () => {
  const tool: ToolRun = { tool: 'npm', argv: ['test'], cwd: '/repo', depth: 0, exit: 1 };
  const printed = line({ stage: 'Main', stepID: ['0'], raw_output: true, msg: 'durabench-tool 1 npm\n' });
  const ran = { kind: 'ran', command: '^npm test$' };
  expect(judge(run(printed, { tools: [tool] }), ran)).toBe('passed');
  expect(judge(run(printed, { tools: [tool] }), { ...ran, exit: 0 })).toBe('failed');
  expect(judge(run(printed, { tools: [tool] }), { ...ran, of: { runs: 'npm' }, exit: 1 })).toBe('passed');
  expect(judge(run(printed), ran)).toBe('failed');
  expect(judge(run(step('0', 'success'), { tools: [tool] }), ran)).toBe('failed');
  expect(judge(run(printed, { tools: [tool] }), { ...ran, absent: true })).toBe('failed');
});

test('that a tool was not run is said of all that the recorder was told, printed or not', () => {
  const deploy: ToolRun = { tool: 'python', argv: ['deploy.py'], cwd: '/repo', depth: 0, exit: 0 };
  const absent = { kind: 'ran', command: 'deploy', absent: true };
  const printed = line({ stage: 'Main', stepID: ['0'], raw_output: true, msg: 'durabench-tool 1 python\n' });
  expect(judge(run(step('0', 'success')), absent)).toBe('passed');
  // Its number went to a file, or another tool ran it.
  expect(judge(run(step('0', 'success'), { tools: [deploy] }), absent)).toBe('failed');
  expect(judge(run(step('0', 'success'), { tools: [{ ...deploy, depth: 1 }] }), absent)).toBe('failed');
  // By a job that is not meant; and by nobody knows which.
  expect(judge(run(printed, { tools: [deploy] }), { ...absent, of: { job: 'test' } })).toBe('passed');
  expect(judge(run('', { tools: [deploy] }), { ...absent, of: { job: 'test' } })).toBe('failed');
  // A recorder that was told more than it keeps shows nothing that is absent.
  const other = { ...deploy, argv: ['--version'] };
  const many = Array.from({ length: 2000 }, () => other);
  expect(judge(run(step('0', 'success'), { tools: many.slice(1) }), absent)).toBe('passed');
  expect(judge(run(step('0', 'success'), { tools: many }), absent)).toBe('failed');
});

test('artifacts and masking', () => {
  const artifacts = [{ name: 'dist', files: [{ path: 'a.txt', bytes: 5, text: 'hello' }] }];
  const of = run('', { artifacts, secrets: { KEY: 'value-of-key' }, text: 'KEY is ***' });
  expect(judge(of, { kind: 'artifact', name: 'dist', file: 'a.txt', matches: '^hello$' })).toBe('passed');
  expect(judge(of, { kind: 'artifact', name: 'dist', file: 'b.txt' })).toBe('failed');
  expect(judge(of, { kind: 'masked', secret: 'KEY' })).toBe('passed');
  expect(judge({ ...of, text: 'KEY is value-of-key' }, { kind: 'masked', secret: 'KEY' })).toBe('failed');
});

test('a secret that is printed in parts, on lines that follow one another, is not masked', () => {
  const printed = (...lines: string[]): string =>
    lines.map((msg) => line({ stage: 'Main', stepID: ['0'], raw_output: true, msg: `${msg}\n` })).join('\n');
  const masked = (output: string): string =>
    judge(run(output, { secrets: { KEY: 'value-of-key' } }), { kind: 'masked', secret: 'KEY' });
  expect(masked(printed('value-', 'of-', 'key'))).toBe('failed');
  expect(masked(printed('value', 'of', 'key'))).toBe('passed');
});

test.each([
  ['privileged', '    container: { image: a, options: --privileged }', 'the option --privileged'],
  ['capabilities', '    services: { db: { image: a, options: "--cap-add ALL" } }', 'db: the option --cap-add'],
  ['the host', '    container: { image: a, options: "--pid=host" }', 'the option --pid=host'],
  ['a folder of the host', '    container: { image: a, volumes: ["/:/host"] }', "the host's folder /:/host"],
  ['a folder that is worked out', "    container: { image: a, volumes: ['${{ matrix.at }}:/host'] }", 'worked out'],
  ['options that are worked out', "    services: { db: { image: a, options: '${{ matrix.o }}' } }", 'worked out'],
  ['volumes that are worked out', "    container: { image: a, volumes: '${{ fromJSON(env.V) }}' }", 'worked out'],
  ['containers of its own', '    steps: [{ run: "docker run -v /:/host a" }]', 'a step runs "docker run"'],
])('a workflow that asks for %s is refused', (_what, text, why) => {
  const refused = refusals({ 'ci.yml': `jobs:\n  build:\n${text}\n` });
  expect(refused).toEqual([expect.stringContaining(why)]);
});

test('an ordinary workflow is not refused', () => {
  const text =
    'jobs:\n  build:\n    services: { db: { image: postgres, options: --health-cmd pg_isready, ports: ["5432:5432"] } }\n';
  expect(refusals({ 'ci.yml': text, 'bad.yml': '{' })).toEqual([]);
});
