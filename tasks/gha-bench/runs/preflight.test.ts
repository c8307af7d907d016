import { expect, test } from 'vitest';
import { refusals } from './preflight.js';

const PATH = '.github/workflows/ci.yml';
const refused = (jobs: string): string[] => refusals({ [PATH]: `on: push\njobs:\n  a:\n    steps: []\n${jobs}` });
const options = (text: string): string[] =>
  refused(`    services:\n      db: { image: x, options: ${JSON.stringify(text)} }\n`);

test.each([
  '--health-cmd pg_isready --health-interval 10s --health-timeout=5s --health-retries 5',
  `--health-cmd="mysqladmin ping -h 'localhost'" --health-interval=1s`,
  '--health-cmd "pg_isready -U $POSTGRES_USER || exit 1"',
  '--user 1001 -e A=b --init --cpus 1 -p 5432:5432',
  '',
])('%s is run', (text) => {
  expect(options(text)).toEqual([]);
});

test.each<[string, string]>([
  ['--privileged', '--privileged'],
  ['a quoted part', '--priv"ileged"'],
  ['a backslash', '--privile\\ged'],
  ['an expression', "--${{ 'privileged' }}"],
  ['a cluster of short flags', '-itv /run/engine:/engine'],
  ['a quoted short flag', '-"v" /run/engine:/engine'],
  ['a flag behind the value of another', '--env A --volume=/:/host'],
  ['a value that looks like a flag, and a flag behind it', '--name --init --pid=host'],
  ['a mount', '--mount type=bind,src=/,dst=/host'],
  ['capabilities', '--cap-add ALL'],
  ['the network of the host', '--network=host'],
  ['a device', '--device /dev/kvm'],
  ['an open quote', '--env "A'],
  ['a bare word', 'image'],
  ['a runtime', '--runtime runc --cgroup-parent /'],
])('%s is refused', (_, text) => {
  expect(options(text)).toHaveLength(1);
  expect(refused(`    container: { image: x, options: ${JSON.stringify(text)} }\n`)).toHaveLength(1);
});

test.each<[string, string, number]>([
  ['a volume of its own', 'data:/var/lib/data', 0],
  ['one that is only read', 'data:/var/lib/data:ro', 0],
  ['a folder of the host', '/run/engine:/engine', 1],
  ['one below the working directory', './x:/x', 1],
  ['an expression', "${{ '/' }}run/engine:/engine", 1],
])('%s: %s', (_, volume, count) => {
  expect(refused(`    container: { image: x, volumes: [${JSON.stringify(volume)}] }\n`)).toHaveLength(count);
});

test('aliases hide nothing', () => {
  const many = `x: &x [${'1,'.repeat(9)}1]\ny: &y [${'*x,'.repeat(9)}*x]\nz: [${'*y,'.repeat(19)}*y]\n`;
  const hidden = `on: push\nenv:\n  ${many.replaceAll('\n', '\n  ')}\njobs:\n  a:\n    container: { image: x, options: --privileged }\n`;
  expect(refusals({ [PATH]: hidden })).toEqual([`${PATH}: job a: container: the option --privileged`]);
});

test.each([
  '    if: ${{ env.ACT }}\n',
  "    if: env['ACT'] == 'true'\n",
  '    env: { HERE: "${{ env.act }}" }\n',
  '    steps: [{ run: test -n "${ACT:-}" }]\n',
  '    steps: [{ shell: python, run: "import os; os.environ.get(\'ACT\')" }]\n',
  '    steps: [{ run: test -d /var/run/act && sh deploy.sh }]\n',
  '    steps: [{ run: "[ -z \\"$DURABENCH_RECORDER\\" ] || sh deploy.sh" }]\n',
  '    steps: [{ run: /opt/durabench/shims/npm test }]\n',
])('who asks for act is not run: %s', (job) => {
  expect(refused(`  b:\n${job}`)).toHaveLength(1);
});

test('a variable with a longer name, or of the script, is run', () => {
  expect(
    refused('  b:\n    steps: [{ run: "for act in a b; do echo $act $ACTION ${{ env.ACTOR }}; done" }]\n'),
  ).toEqual([]);
});

test('options that are no text are refused', () => {
  expect(refused('    container: { image: x, options: [--privileged] }\n')).toHaveLength(1);
});
