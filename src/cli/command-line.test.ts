import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { Command } from 'commander';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { expectDocument } from '../../tests/fixtures/cli/documents.js';
import { freePort } from '../../tests/fixtures/free-port.js';
import { COMMANDS } from './commands.js';
import { runCommandLine } from './program.js';
import { readCampaignFile } from '../config/campaign-file.js';
import type { CampaignSpec } from '../contract/campaign.js';
import { DOCUMENTS, type DocumentBody, type DocumentName } from '../report/documents/documents.js';
import { ownSuites } from '../suite/registry.js';

const PACKAGE_ROOT = join(import.meta.dirname, '..', '..');

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'durabench-cli-'));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

interface End {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs a command line in this process, with no server known and nothing inherited. */
async function durabench(argv: string[], variables: Record<string, string> = {}): Promise<End> {
  const end = { stdout: '', stderr: '' };
  const code = await runCommandLine({
    argv,
    cwd: folder,
    variables: { HOME: folder, PATH: '', DURABENCH_HOME: join(folder, 'state'), ...variables },
    stdout: { write: (text) => (end.stdout += text) },
    stderr: { write: (text) => (end.stderr += text) },
  });
  return { code, ...end };
}

/** The lines of every problem that was printed; fails when anything else was. */
function problemsIn(stderr: string): { what: string; expected?: string; fix?: string }[] {
  const found: { what: string; expected?: string; fix?: string }[] = [];
  for (const line of stderr.trimEnd().split('\n')) {
    const part = /^(error|  expected|  fix): \S/.exec(line)?.[1]?.trim();
    expect(part, stderr).toBeDefined();
    if (part === 'error') found.push({ what: line });
    else Object.assign(found.at(-1)!, { [part!]: line });
  }
  return found;
}

/** The warnings that stand before the problems, and the rest. */
function warned(stderr: string): [warning: string, rest: string] {
  const warning = /^(warning: .*\n(  .*\n)*)*/.exec(stderr)?.[0] ?? '';
  return [warning, stderr.slice(warning.length)];
}

const anyAdvice = { expected: expect.any(String) as string, fix: expect.any(String) as string };

function documentIn<Body>(stdout: string, name: DocumentName): Body {
  const document = JSON.parse(stdout) as Body;
  expectDocument(document, name);
  return document;
}

async function specOf(file: string): Promise<CampaignSpec> {
  const reading = readCampaignFile({ text: await readFile(file, 'utf8'), file, suites: await ownSuites() });
  if ('problems' in reading) throw new Error(JSON.stringify(reading.problems));
  // The file that is printed is another one, elsewhere.
  const models = Object.entries(reading.spec.models).map(([key, { rules, ...model }]) => [
    key,
    { ...model, ...(rules !== undefined && { rules: resolve(dirname(file), rules) }) },
  ]);
  return { ...reading.spec, models: Object.fromEntries(models) as CampaignSpec['models'] };
}

async function campaignFile(text: string): Promise<string> {
  await writeFile(join(folder, 'campaign.yaml'), text);
  return 'campaign.yaml';
}

const ECHO = `name: demo
suite: echo
dataset: { tasks: 3 }
models:
  one: { name: m, base_url: "http://127.0.0.1:1/v1", api_key_env: DEMO_KEY, price: { input: 1, output: 1 } }
systems:
  - { id: perfect, generator: echo }
  - { id: asked, generator: model, model: one }
`;

it.each([
  [['c/sys/p/1', '--json'], 'c/sys/p/1'],
  [[], 'CAMPAIGN/SYSTEM/PROJECT/REPEAT'],
])('export --format files without a folder names a command that writes one: %j', async (argv, generation) => {
  const { code, stderr } = await durabench(['export', '--format', 'files', ...argv]);
  expect(problemsIn(stderr)).toEqual([
    expect.objectContaining({ fix: `  fix: durabench export ${generation} --format files --out candidate` }),
  ]);
  expect(code).toBe(1);
});

it.each([[['up']], [['calibrate', 'repocraft', '--without-execution']]])(
  '%j names the variable of a state folder that cannot be made',
  async (argv) => {
    await writeFile(join(folder, 'a-file'), '');
    const { code, stderr } = await durabench(argv, { DURABENCH_HOME: join(folder, 'a-file', 'state') });
    expect(problemsIn(stderr)).toEqual([
      {
        what: `error: ${join(folder, 'a-file', 'state')} cannot be written: a part of the path is not a folder`,
        expected: '  expected: a place that this user may write to',
        fix: '  fix: name another place with DURABENCH_HOME',
      },
    ]);
    expect(code).toBe(5);
  },
);

describe('the command line', () => {
  it('lists every command in its help, and each has help of its own', async () => {
    const { code, stdout } = await durabench(['--help']);
    expect(code).toBe(0);
    const names =
      'quickstart up down worker init run grade status list show logs view report compare experiment golden export pause resume cancel retry regrade review budget graph delete dataset calibrate suites explain validate schema doctor images clean mock-model completion';
    for (const name of names.split(' ')) expect(stdout).toMatch(new RegExp(`^  ${name}\\b`, 'm'));
    expect(Object.keys(COMMANDS)).toEqual(names.split(' '));
    for (const name of names.split(' ')) {
      const help = await durabench([name, '--help']);
      expect(help.code).toBe(0);
      expect(help.stdout).toContain('--json');
    }
  });

  it.each(Object.entries(COMMANDS))('loads %s by its name', async (name, load) => {
    expect((await load()).declare(new Command()).name()).toBe(name);
  });

  it('has the version of the package', async () => {
    const { version } = JSON.parse(await readFile(join(PACKAGE_ROOT, 'package.json'), 'utf8')) as { version: string };
    expect((await durabench(['--version'])).stdout.trim()).toBe(version);
  });

  it.each([
    ['an unknown command', ['statsu'], /unknown command 'statsu'[\s\S]*status/],
    ['help of an unknown command', ['help', 'staus'], /help: "staus" is not a command[\s\S]*did you mean "status"/],
    ['an unknown option', ['status', '--wacht'], /unknown option '--wacht'[\s\S]*--watch/],
    [
      'an option that is like no other',
      ['run', 'x.yaml', '--budget', '3'],
      /'--budget'[\s\S]*fix: see `durabench run --help`/,
    ],
    ['an unknown option before the command', ['--jsn', 'list'], /unknown option '--jsn'[\s\S]*"--json"/],
    ['a missing argument', ['run'], /missing required argument 'file'[\s\S]*durabench run \[options\] <file>/],
    ['an argument too many', ['list', 'all'], /too many arguments[\s\S]*durabench list \[options\]\n/],
    ['an option without its value', ['list', '--limit'], /--limit <count>' argument missing/],
    ['a number that is none', ['list', '--limit', 'many'], /--limit is "many"/],
    ['an unknown action', ['images', 'biuld'], /"biuld" is not an action[\s\S]*did you mean "build"/],
    ['an unknown suite', ['dataset', 'fetch', 'ecko'], /"ecko" is not a suite[\s\S]*echo/],
    [
      'an unknown project',
      ['dataset', 'fetch', 'repocraft', '--project', 'reqests'],
      /"reqests" is not a project[\s\S]*did you mean "requests"/,
    ],
    [
      'an option of another action',
      ['dataset', 'build', 'repocraft', '--verify'],
      /dataset build: --verify is an option of fetch\n.*--project, --detach, --new-sample, --descriptions[\s\S]*leave --verify out/,
    ],
    [
      'an option of two other actions',
      ['dataset', 'fetch', 'repocraft', '--usd', '5'],
      /dataset fetch: --usd is an option of build and cancel\n.*expected: --project, --verify, --dataset-version, --published, --dry-run\n/,
    ],
    [
      'a dry run of a fetch of its own tasks',
      ['dataset', 'fetch', 'artisan', '--dry-run'],
      /--dry-run requires --published/,
    ],
    [
      'a published form of a suite that reads none',
      ['dataset', 'fetch', 'echo', '--published', '/nowhere'],
      /--published: echo reads no form that others published\n.*durabench dataset fetch echo/,
    ],
    [
      'a folder without a published form',
      ['dataset', 'fetch', 'artisan', '--published', import.meta.dirname, '--dry-run'],
      /cli holds no metadata.json[\s\S]*clone it first/,
    ],
    ['an export without its folder', ['dataset', 'export', 'repocraft'], /the folder is missing[\s\S]*--out FOLDER/],
    [
      'an export onto a file',
      ['dataset', 'export', 'repocraft', '--project', 'textkit', '--out', import.meta.filename],
      /--out: .*command-line\.test\.ts is a file[\s\S]*nothing was written/,
    ],
    [
      'an export of tasks that lie in the repository',
      ['dataset', 'export', 'echo', '--out', '/nowhere/at-all'],
      /the tasks of echo are not exported/,
    ],
    [
      'an option of an action that takes none of its kind',
      ['dataset', 'cancel', 'repocraft', '--project', 'requests'],
      /dataset cancel: --project is an option of fetch, export and build/,
    ],
    [
      'a price of nothing',
      ['dataset', 'build', 'repocraft', '--price', 'free'],
      /--price requires --descriptions[\s\S]*give --descriptions, or leave --price out/,
    ],
    [
      'a new sample of tasks that a model describes as they are',
      ['dataset', 'build', 'repocraft', '--new-sample', '--descriptions', 'small'],
      /--new-sample has no effect with --descriptions[\s\S]*leave --new-sample out/,
    ],
    ['a suite without calibration', ['calibrate', 'echo'], /does not support calibration[\s\S]*repocraft/],
    [
      'an unknown kind of candidate',
      ['calibrate', 'repocraft', '--kind', 'renamd'],
      /"renamd" is not a kind[\s\S]*any of renamed, [^\n]*partial-1 to partial-100[\s\S]*did you mean "renamed"/,
    ],
    [
      'a voter of a provider without its price',
      ['calibrate', 'repocraft', '--model', 'm'],
      /no --price of m: what calls at api\.openai\.com cost/,
    ],
    [
      'a dry run of what is measured in this process',
      ['calibrate', 'repocraft', '--without-execution', '--dry-run'],
      /calibrate: --dry-run has no effect with --without-execution/,
    ],
    [
      'an unknown voter',
      ['calibrate', 'repocraft', '--voter', 'oracle'],
      /"oracle" is not a voter\n[\s\S]*truth, heuristic/,
    ],
    [
      'a model without a campaign',
      ['calibrate', 'repocraft', '--without-execution', '--model', 'small', '--price', 'free'],
      /without execution no model can vote: it is asked, and paid, only in a campaign[\s\S]*either --model or --without-execution/,
    ],
    ...['--kind', '--project', '--tasks', '--voter', '--seed', '--model'].map((option): [string, string[], RegExp] => [
      `${option} of a calibration that ran`,
      ['calibrate', 'repocraft', '--campaign', 'c', option, '1'],
      new RegExp(`calibrate: ${option} has no effect with --campaign\n.*expected: .*\n.*leave ${option} out`),
    ]),
    [
      'a calibration that ran without execution',
      ['calibrate', 'repocraft', '--campaign', 'c', '--without-execution'],
      /calibrate: --without-execution has no effect with --campaign/,
    ],
    ['a count that is none', ['calibrate', 'repocraft', '--tasks', 'few'], /--tasks is "few"[\s\S]*a whole number/],
    [
      'a seed that is none',
      ['calibrate', 'repocraft', '--seed', 'ünï'],
      /--seed: invalid seed "ünï"[\s\S]*below 1,000,000,000/,
    ],
    ['an unknown image', ['images', 'check', 'bass'], /no image recipe "bass"[\s\S]*did you mean "base"/],
    ['an unknown report format', ['report', '--format', 'pdf'], /"pdf" is not a report format/],
    ['rules that do not exist', ['mock-model', 'nowhere.yaml'], /nowhere\.yaml/],
    [
      'a role that no worker has',
      ['worker', '--roles', 'modle'],
      /"modle" is not a role[\s\S]*any of workflows, light/,
    ],
    ['slots of no queue', ['worker', '--slots', 'gpu=1'], /"gpu=1" does not set slots/],
  ])('%s ends with 1 and says what is meant', async (_, argv, text) => {
    const { code, stdout, stderr } = await durabench(argv);
    expect(code).toBe(1);
    expect(stderr).toMatch(text);
    expect(stdout).toBe('');
    expect(problemsIn(stderr)).toHaveLength(1);
  });

  it('says which version of its dataset a suite has, as campaigns name it', async () => {
    const { stdout } = await durabench(['suites']);
    expect(stdout).toMatch(/^ {2}calibration: kinds renamed, moved, .*constant-none; voters truth, heuristic$/m);
    expect(stdout).toMatch(/^repocraft \(version \d+, dataset repocraft@4\): /m);
    expect(stdout).toMatch(/^echo \(version \d+\): /m);
  });

  it('prints data as JSON on stdout and nothing else there', async () => {
    const { code, stdout, stderr } = await durabench(['suites', '--json']);
    expect(code).toBe(0);
    const { suites } = JSON.parse(stdout) as {
      suites: { id: string; dataset_version: number | null; generators: { id: string }[] }[];
    };
    expect(suites.map((suite) => suite.dataset_version)).toEqual([null, 4, null, 1]);
    expect(suites.map((suite) => suite.id)).toEqual(['echo', 'repocraft', 'gha-bench', 'artisan']);
    expect(suites[1]?.generators.map((generator) => generator.id)).toEqual([
      'gold',
      'null',
      'snapshot',
      'single-prompt',
      'iterative',
      'zerorepo',
      'derived',
      'command',
      'agent',
    ]);
    expect(stderr).toBe('');
  });
});

describe('under --json', () => {
  it.each([
    ...Object.keys(COMMANDS).map((name) => [name, '--nope']),
    ['statsu'],
    ['--jsn', 'list'],
    ['run'],
    ['list', 'all'],
    ['list', '--limit'],
    [],
  ])('a usage error is a document on stdout: %s', async (...argv) => {
    const { code, stdout, stderr } = await durabench([...argv, '--json']);
    expect(code).toBe(1);
    const { error } = documentIn<DocumentBody<'error'>>(stdout, 'error');
    expect(error.code).toBe('usage');
    expect(error.problems).toHaveLength(1);
    expect(stderr).toContain(error.message);
  });

  it('all problems of a file are in it, each with its remedy; the first stands alone as well', async () => {
    const text = ECHO.replace('tasks: 3', 'taks: 3').replace('id: asked', 'id: perfect');
    const { code, stdout, stderr } = await durabench(['run', await campaignFile(text), '--json']);
    expect(code).toBe(1);
    const { error } = documentIn<DocumentBody<'error'>>(stdout, 'error');
    const { problems, code: kind, ...first } = error;
    expect(kind).toBe('usage');
    expect(problems).toHaveLength(3);
    expect(first).toEqual(problems[0]);
    expect(problemsIn(stderr)).toHaveLength(3);
  });

  it.each([['status'], ['list'], ['resume'], ['cancel', 'latest'], ['clean'], ['budget', 'latest'], ['worker']])(
    'an environment that is not ready is one, with exit code 5: %s',
    async (...argv) => {
      const { code, stdout } = await durabench([...argv, '--json']);
      expect(code).toBe(5);
      const { error } = documentIn<DocumentBody<'error'>>(stdout, 'error');
      expect(error).toMatchObject({ code: 'environment', fix: expect.stringContaining('durabench up') as string });
    },
  );

  it.each<[DocumentName, string[]]>([
    ['suites', ['suites']],
    ['schemas', ['schema']],
    ['codes', ['explain']],
    ['completion', ['completion', 'bash']],
    ['stopped', ['down']],
    ['doctor', ['doctor']],
  ])('what is printed keeps the schema %s', async (name, argv) => {
    documentIn((await durabench([...argv, '--json'])).stdout, name);
  });

  it('schema prints the JSON Schema of each document, which takes an example and nothing without a version', async () => {
    const { schemas } = documentIn<DocumentBody<'schemas'>>((await durabench(['schema', '--json'])).stdout, 'schemas');
    expect(schemas).toEqual(['campaign-file', ...Object.keys(DOCUMENTS)]);
    for (const name of schemas.slice(1)) {
      const { code, stdout } = await durabench(['schema', name]);
      expect(code).toBe(0);
      expect(stdout).not.toMatch(/"[a-z]+[A-Z]\w*": \{\n {6}"(type|description)"/);
      const schema = z.fromJSONSchema(JSON.parse(stdout) as Parameters<typeof z.fromJSONSchema>[0]);
      expect(schema.safeParse({}).success, name).toBe(false);
      if (name === 'stopped') expect(schema.parse({ version: 2, stopped: ['worker'], more: 1 })).toBeDefined();
    }
    const unknown = await durabench(['schema', 'stats']);
    expect(unknown.code).toBe(1);
    expect(problemsIn(unknown.stderr)[0]?.fix).toContain('did you mean "status"?');
  });
});

describe('campaign files on the command line', () => {
  it('a good one is valid, in words and as JSON', async () => {
    const file = await campaignFile(ECHO);
    const said = await durabench(['validate', file], { DEMO_KEY: 'sk' });
    expect(said).toMatchObject({ code: 0, stderr: '' });
    expect(said.stdout).toMatch(/ is valid: .*, 2 systems \(perfect, asked\)$/m);
    await campaignFile(ECHO.replace(/.*perfect.*\n/, ''));
    expect((await durabench(['validate', file], { DEMO_KEY: 'sk' })).stdout).toMatch(/, 1 system \(asked\)$/m);
    await campaignFile(ECHO);
    const { stdout } = await durabench(['validate', file, '--json'], { DEMO_KEY: 'sk' });
    const valid = { valid: true, name: 'demo', suite: 'echo', systems: ['perfect', 'asked'], warnings: [] };
    expect(JSON.parse(stdout)).toEqual({ version: 2, ...valid });
  });

  it.each(['validate', 'run'])('%s says all problems at once, before any server is asked', async (command) => {
    const text = ECHO.replace('tasks: 3', 'taks: 3')
      .replace('id: asked', 'id: perfect')
      .replace('suite: echo', 'suite: echo\nbudget: { usd: -1 }');
    const { code, stderr } = await durabench([command, await campaignFile(text)]);
    expect(code).toBe(1);
    const key = /campaign\.yaml:6:67: models\.one\.api_key_env: .* DEMO_KEY is not set/;
    const [warning, rest] = warned(stderr);
    if (command === 'validate') expect(warning).toMatch(key);
    expect(problemsIn(rest).map(({ what }) => what)).toEqual([
      expect.stringMatching(/campaign\.yaml:3:16: budget\.usd is -1/),
      expect.stringMatching(/campaign\.yaml:4:12: unknown key "taks" in dataset/),
      ...(command === 'run' ? [expect.stringMatching(key) as string] : []),
      expect.stringMatching(/campaign\.yaml:9:11: systems\[1\]\.id: there is already a system "perfect"/),
    ]);
  });

  it('says with the problems of the text also what this machine lacks: keys, candidates, tasks', async () => {
    const text = `name: demo
suite: repocraft
repeats: 0
dataset: { projects: [requests], tasks: [nope-001] }
models:
  one: { name: m, base_url: "http://127.0.0.1:1/v1", api_key_env: DEMO_KEY, price: { input: 1 } }
  other: { name: m, base_url: "http://127.0.0.1:1/v1", api_key_env: UNUSED_KEY, price: free }
systems:
  - { id: asked, generator: single-prompt, purposes: { generate: one } }
  - { id: mine, generator: snapshot, path: nowhere }
  - { id: magic, generator: constructor }
`;
    const { code, stderr } = await durabench(['run', await campaignFile(text)]);
    expect(code).toBe(1);
    expect(problemsIn(stderr).map(({ what }) => what)).toEqual([
      expect.stringMatching(/campaign\.yaml:3:10: repeats is 0/),
      expect.stringMatching(/campaign\.yaml:4:\d+: dataset\.tasks\[0\]: there is no task "nope-001"/),
      expect.stringMatching(/campaign\.yaml:6:\d+: models\.one\.api_key_env: .* DEMO_KEY is not set/),
      expect.stringMatching(/campaign\.yaml:6:\d+: models\.one\.price\.output is missing/),
      expect.stringMatching(/campaign\.yaml:10:\d+: systems\[1\]\.path: "nowhere" does not exist/),
      expect.stringMatching(/campaign\.yaml:11:\d+: systems\[2\]\.generator: "constructor" is not a generator/),
    ]);
  });

  it('says once what several systems find in the judge they share', async () => {
    const systems = ['one', 'two'].map((id) => `  - { id: ${id}, generator: gold }`).join('\n');
    await writeFile(
      join(folder, 'shared.yaml'),
      `name: Shared Judge!\nsuite: repocraft\ndataset: { projects: [requests], limit: 2 }\nsystems:\n${systems}\njudge: { vote: { voter: model, model: nobody } }\n`,
    );
    const told = (await durabench(['validate', 'shared.yaml'])).stderr;
    expect(told).toContain('fix: for example "shared-judge"\n');
    await writeFile(
      join(folder, 'shared.yaml'),
      (await readFile(join(folder, 'shared.yaml'), 'utf8')).replace('Shared Judge!', 'shared'),
    );
    const { stderr } = await durabench(['validate', 'shared.yaml']);
    expect(problemsIn(stderr).map(({ what }) => what)).toEqual([
      expect.stringContaining('judge.vote.model: "nobody" is not in models'),
    ]);
  });

  it('names the variable of a missing key, and never asks for a value: `run` is refused, `validate` warns', async () => {
    const file = await campaignFile(ECHO);
    const key = /campaign\.yaml:5:\d+: models\.one\.api_key_env: .* DEMO_KEY is not set/;
    const run = await durabench(['run', file]);
    expect(run.code).toBe(1);
    expect(problemsIn(run.stderr)[0]?.what).toMatch(key);
    const { code, stderr } = await durabench(['validate', file]);
    expect(code).toBe(0);
    expect(warned(stderr)[0]).toMatch(key);
    const { warnings } = documentIn<DocumentBody<'valid'>>(
      (await durabench(['validate', file, '--json'])).stdout,
      'valid',
    );
    const place = { file: 'campaign.yaml', line: 5, column: 67 };
    expect(warnings).toEqual([{ message: expect.stringMatching(key) as string, ...anyAdvice, place }]);
  });

  it('--print-config prints a file that is the same campaign again', async () => {
    const full = `${ECHO.replace('price:', 'top_p: 0.5, extra_body: { top_k: 4 }, reasoning_tokens: 9, price:')}budget: { usd: 3, wall_hours: 2, soft: 0.5, on_ambiguous: fail }\nisolation: container\n`;
    await writeFile(join(folder, 'full.yaml'), full);
    const examples = (await readdir(join(PACKAGE_ROOT, 'examples'), { recursive: true, withFileTypes: true }))
      .filter(({ name }) => name.endsWith('.yaml') && !name.endsWith('rules.yaml'))
      // Its suite is known only where its package is named.
      .filter(({ parentPath }) => !parentPath.endsWith('suite-package'))
      // Tasks that are known to pass, no campaign.
      .filter(({ parentPath }) => !parentPath.endsWith('golden'))
      .map(({ parentPath, name }) => join(parentPath, name));
    expect(examples.length).toBeGreaterThan(3);
    for (const file of [join(folder, 'full.yaml'), ...examples]) {
      const printed = await durabench(['validate', file, '--print-config']);
      expect(printed.code, printed.stderr).toBe(0);
      await writeFile(join(folder, 'printed.yaml'), printed.stdout);
      const again = await durabench(['validate', 'printed.yaml', '--print-config']);
      const { stdout } = await durabench(['validate', 'printed.yaml', '--print-config', '--json']);
      expect(JSON.parse(stdout)).toMatchObject({ valid: true, config: parse(printed.stdout) as object });
      expect(again).toMatchObject({ code: 0, stdout: printed.stdout });
      const [before, after] = await Promise.all([file, join(folder, 'printed.yaml')].map(specOf));
      expect(after, file).toEqual(before);
    }
  });

  it('that does not exist, or is a folder', async () => {
    expect(problemsIn((await durabench(['run', 'none.yaml'])).stderr)[0]?.what).toContain('none.yaml does not exist');
    expect(problemsIn((await durabench(['run', '.'])).stderr)[0]?.what).toContain('is a folder');
  });

  it('the examples are valid', async () => {
    const files = [
      'quickstart/campaign.yaml',
      'echo/campaign.yaml',
      'artisan-demo/campaign.yaml',
      'repocraft-requests.yaml',
      'zerorepo-textkit.yaml',
    ];
    for (const name of files) {
      const end = await durabench(['validate', join(PACKAGE_ROOT, 'examples', name)]);
      // The scripted model of ZeroRepo's rehearsal plays the judge as well.
      const warning = 'warning: zerorepo is voted on by scripted, which also made it: let another model vote\n';
      expect(end).toMatchObject({ code: 0, stderr: name.startsWith('zerorepo') ? warning : '' });
    }
  });

  it('have a JSON Schema, and examples/campaign.schema.json is it (else: durabench validate --schema)', async () => {
    const { stdout } = await durabench(['validate', '--schema']);
    const kept = await readFile(join(PACKAGE_ROOT, 'examples', 'campaign.schema.json'), 'utf8');
    expect(JSON.parse(kept)).toEqual(JSON.parse(stdout));
  });
});

describe('grading a repository', () => {
  const ASKED = ['--project', 'requests', '--model', 'm'];

  it('names the projects there are, and the nearest one', async () => {
    const { code, stderr } = await durabench(['grade', '.', '--project', 'reqests']);
    expect(code).toBe(1);
    const [problem] = problemsIn(stderr);
    expect(problem?.what).toContain('no project "reqests"');
    expect(problem?.expected).toContain('requests, ');
    expect(problem?.fix).toContain('did you mean "requests"?');
  });

  it.each<[string, string[], string | RegExp]>([
    ['a path that is not there', ['grade', 'nowhere', '--project', 'requests'], 'grade: "nowhere" does not exist'],
    ['no measure', ['grade', 'p'], /expected: --project NAME, or --suite NAME/],
    ['a suite that is none', ['grade', 'p', '--suite', 'gha'], '"gha" is not a suite'],
    ['a suite that takes no path', ['grade', 'p', '--suite', 'echo'], 'echo grades nothing that was made elsewhere'],
    [
      'a judge of a suite without',
      ['grade', 'p', '--suite', 'gha-bench', '--model', 'm', '--price', 'free'],
      'gha-bench asks no judge',
    ],
    [
      'a model of a provider without its price',
      ['grade', 'p', '--project', 'requests', '--model', 'm'],
      /no --price of m: what calls at api\.openai\.com cost[\s\S]*expected: --price IN,OUT[\s\S]*--price 0\.15,0\.60/,
    ],
    ['a project of another suite', ['grade', 'p', '--suite', 'gha-bench', '--project', 'sympy'], 'no project "sympy"'],
    [
      'predictions for a suite that grades libraries',
      ['grade', 'p.jsonl', '--project', 'requests'],
      /p\.jsonl holds an answer for each task, and repocraft grades one candidate for many/,
    ],
    [
      'a prediction of no task',
      ['grade', 'p.jsonl', '--suite', 'gha-bench'],
      /grade: p\.jsonl:2: there is no task "t1-push-rp"\n.*12 tasks of gha-bench.*\n.*did you mean "t1-push-pr"/,
    ],
    [
      'a prediction that is a patch of what is not at hand',
      ['grade', 'q.jsonl', '--suite', 'gha-bench'],
      /grade: q\.jsonl:1: the patch changes README\.md/,
    ],
    [
      'predictions that lie outside what is measured',
      ['grade', 'r.jsonl', '--suite', 'gha-bench', '--project', 'tier-2'],
      /r\.jsonl has no answer of model-a to a task of tier-2/,
    ],
    ['a folder without Python', ['grade', 'empty', '--project', 'requests'], /grade: \S+\/empty: holds no Python file/],
    [
      'an adapter that is nobody',
      ['grade', 'p', '--project', 'requests', '--adapt'],
      /grade: --adapt requires --model/,
    ],
    ...['--base-url', '--api-key-env', '--price', '--usd'].map((option): [string, string[], RegExp] => [
      `${option} of no model`,
      ['grade', 'p', '--project', 'requests', option, '1'],
      new RegExp(`grade: ${option} requires --model\n.*expected: ${option} together with --model\n.*give --model, or`),
    ]),
    [
      'a spending limit of no voter',
      ['calibrate', 'repocraft', '--tasks', '0', '--usd', '1'],
      /calibrate: --usd requires --model/,
    ],
    ['no path at all', ['grade', '', '--project', 'requests'], 'grade: "" does not exist'],
    ['a limit that is no number', ['grade', 'p', '--project', 'requests', '--limit', 'few'], 'grade: --limit is "few"'],
    ['a limit of nothing', ['grade', 'p', '--project', 'requests', '--limit', '0'], 'grade: --limit is 0'],
    ['a price that is none', ['grade', 'p', ...ASKED, '--price', 'much'], 'grade: --price is "much"'],
    ['half a price', ['grade', 'p', ...ASKED, '--price', '1'], 'grade: --price is "1"'],
    [
      'a spending limit that is none',
      ['grade', 'p', ...ASKED, '--price', '1,2', '--usd', 'all'],
      'grade: --usd is "all"',
    ],
    ['an endpoint that is none', ['grade', 'p', ...ASKED, '--base-url', 'here'], 'grade: --base-url is "here"'],
    [
      'a key that is not set',
      ['grade', 'p', ...ASKED, '--price', '1,2', '--api-key-env', 'NONE'],
      'grade: --api-key-env: the environment',
    ],
    ['tasks of nothing', ['calibrate', 'repocraft', '--tasks', '0'], 'calibrate: --tasks is 0'],
    [
      'modules that cannot be moved',
      ['calibrate', 'repocraft', '--project', 'pandas', '--kind', 'moved'],
      'calibrate: --kind: the modules of pandas cannot be moved',
    ],
  ])('refuses %s before anything is started, by the words of the command line', async (_, argv, what) => {
    await mkdir(join(folder, 'p'));
    await writeFile(join(folder, 'p', 'p.py'), '');
    await mkdir(join(folder, 'empty'));
    const line = (instance_id: string, prediction: string): string =>
      `${JSON.stringify({ instance_id, model_name_or_path: 'model-a', prediction })}\n`;
    await writeFile(join(folder, 'p.jsonl'), line('t1-push-pr', 'x') + line('t1-push-rp', 'x'));
    await writeFile(join(folder, 'q.jsonl'), line('t1-push-pr', '--- a/README.md\n+++ b/README.md\n@@ -1 +1 @@\n'));
    await writeFile(join(folder, 'r.jsonl'), line('t1-push-pr', 'x'));
    const { code, stderr } = await durabench(argv);
    expect(code).toBe(1);
    // Nothing is half started.
    expect(existsSync(join(folder, 'state', 'grade', 'r'))).toBe(false);
    const problems = problemsIn(stderr);
    expect(stderr).toMatch(what);
    expect(problems).toHaveLength(1);
    // The file that is made of the options is none of the user's.
    expect(stderr).not.toMatch(/\.yaml|dataset\.|systems|models\.|budget\./);
  });
});

describe('the path of a snapshot', () => {
  const withPath = (path: string): string =>
    `name: demo\nsuite: repocraft\nsystems:\n  - { id: mine, generator: snapshot, path: ${JSON.stringify(path)}, vote: { voter: heuristic } }\n`;

  async function refused(path: string): Promise<string> {
    const { code, stderr } = await durabench(['validate', await campaignFile(withPath(path))]);
    expect(code).toBe(1);
    const [problem] = problemsIn(stderr);
    expect(problem?.what).toMatch(/campaign\.yaml:4:\d+: systems\[0\]\.path/);
    return problem!.what;
  }

  async function put(name: string, text: string): Promise<void> {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }

  it('is relative to the campaign file and accepted when it holds Python', async () => {
    await put('sub/mine/pkg/__init__.py', 'x = 1\n');
    await put('sub/campaign.yaml', withPath('mine'));
    expect(await durabench(['validate', 'sub/campaign.yaml'])).toMatchObject({ code: 0, stderr: '' });
  });

  it('missing', async () => expect(await refused('nowhere')).toContain('does not exist'));

  it('not Python', async () => {
    await put('docs/readme.md', 'hello');
    expect(await refused('docs')).toContain('no Python');
  });

  it('a symlink that leaves the tree', async () => {
    await put('mine/a.py', 'x = 1\n');
    await symlink('/etc/passwd', join(folder, 'mine', 'leak.py'));
    expect(await refused('mine')).toMatch(/leak\.py/);
  });

  it('larger than 512 MiB', async () => {
    await put('mine/a.py', 'x = 1\n');
    await put('mine/big.bin', '');
    await truncate(join(folder, 'mine', 'big.bin'), 513 * 1024 ** 2); // sparse: takes no room
    expect(await refused('mine')).toMatch(/512 MiB/);
  });
});

describe('validate, on named tasks', () => {
  it('points at an id that is not there, with the nearest one', async () => {
    await campaignFile(
      'name: a\nsuite: repocraft\ndataset: { projects: [requests], tasks: [nope-001] }\nsystems: [{ id: g, generator: gold }]\n',
    );
    const { code, stderr } = await durabench(['validate', 'campaign.yaml']);
    expect(code).toBe(1);
    const [problem] = problemsIn(stderr);
    expect(problem?.what).toMatch(/campaign\.yaml:3:\d+: dataset\.tasks\[0\]: there is no task "nope-001"/);
    expect(problem?.fix).toMatch(/did you mean "/);
  });
});

describe('an environment that is not ready ends with 5', () => {
  it.each([
    ['status'],
    ['list'],
    ['show', 'latest'],
    ['report'],
    ['resume'],
    ['retry'],
    ['regrade'],
    ['pause', 'latest'],
    ['cancel', 'latest'],
    ['budget', 'latest'],
    ['clean'],
  ])('%s without a stack', async (...argv) => {
    const { code, stdout, stderr } = await durabench(argv);
    expect(code).toBe(5);
    expect(stdout).toBe('');
    expect(problemsIn(stderr)[0]?.fix).toContain('durabench up');
  });

  it.each(['cancel', 'build'])('dataset %s, at once where the stack that was here is down', async (action) => {
    const [postgres, temporalPort] = [await freePort(), await freePort()];
    const addresses = { databaseUrl: `postgresql://me@127.0.0.1:${postgres}/x`, temporalPort };
    const off = { mode: 'off', status: 'stopped', detail: '', restarts: 0, failures: 0 };
    const services = { postgres: off, temporal: off, worker: off };
    await mkdir(join(folder, 'state'));
    await writeFile(join(folder, 'state', 'stack.json'), JSON.stringify({ format: 1, services, addresses }));
    const { code, stderr } = await durabench(['dataset', action, 'repocraft', '--quiet']);
    expect(code).toBe(5);
    expect(problemsIn(stderr)).toEqual([
      {
        what: `error: no build runs: the stack in ${join(folder, 'state')} is down`,
        fix: '  fix: durabench up',
      },
    ]);
  });

  it('Postgres that does not answer', async () => {
    const port = await freePort();
    const servers = { DATABASE_URL: `postgresql://me:hunter2@127.0.0.1:${port}/x`, TEMPORAL_ADDRESS: '127.0.0.1:1' };
    const { code, stderr } = await durabench(['list'], servers);
    expect(code).toBe(5);
    expect(problemsIn(stderr)[0]?.what).toContain(`Postgres at 127.0.0.1:${port} does not answer`);
    expect(stderr).not.toContain('hunter2');
  });

  it('Docker that is down', async () => {
    vi.stubEnv('DOCKER_HOST', `tcp://127.0.0.1:${await freePort()}`);
    const { code, stderr } = await durabench(['images', 'check']);
    expect(code).toBe(5);
    expect(problemsIn(stderr)[0]?.what).toMatch(/Docker/);
    const quickstart = await durabench(['quickstart'], { DOCKER_HOST: 'tcp://127.0.0.1:1' });
    expect(quickstart.code).toBe(5);
    expect(problemsIn(quickstart.stderr)[0]?.what).toContain('Docker does not answer on tcp://127.0.0.1:1');
  });

  it('variables that make no sense are told together', async () => {
    const { code, stderr } = await durabench(['list'], { DATABASE_URL: 'localhost', DURABENCH_LOG_LEVEL: 'loud' });
    expect(code).toBe(1);
    expect(problemsIn(stderr)).toHaveLength(2);
  });

  it('doctor names everything with what repairs it', async () => {
    vi.stubEnv('DOCKER_HOST', `tcp://127.0.0.1:${await freePort()}`);
    const { code, stdout } = await durabench(['doctor', '--json']);
    expect(code).toBe(5);
    const { ready, findings } = JSON.parse(stdout) as {
      ready: boolean;
      findings: { name: string; state: string; fix: string | null }[];
    };
    expect(ready).toBe(false);
    expect(findings.find((finding) => finding.name === 'Docker')).toMatchObject({ state: 'missing' });
    expect(findings.find((finding) => finding.name === 'stack')).toMatchObject({
      state: 'later',
      fix: 'durabench up',
    });
    for (const { name, state, fix } of findings) expect(fix === null, name).toBe(state === 'ok');
  });
});
