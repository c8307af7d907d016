import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startScriptedModelServer, type ScriptedModelServer } from '../../src/fakes/scripted-model-server.js';
import type { FullReport, TrialReport } from '../../src/report/full-report.js';
import type { StackState } from '../../src/stack/stack-state.js';
import { createCliProject, type CliProject, type CommandEnd } from '../fixtures/cli/cli-project.js';

/** Text of models and of a candidate that is out to harm whoever reads it: through real trials, to every place it reaches. */
const HOSTILE = [
  '\u001b[2J\u001b[1;1H', // clears the screen
  '\u001b]0;pwned\u0007\u001b]8;;http://evil.example\u0007link\u001b]8;;\u0007', // title and link
  '\u001b]52;c;ZXZpbA==\u001b\\', // clipboard
  '\u009b31m\u009d0;pwned\u009c', // the same in 8 bits
  '\u202eabc\u2066def\u2069\u061c\u200f', // turns the reading direction
  '\0\b\b\r\u007f', // NUL, backspaces, back to the start of the line
  '\ud83d', // half a character
  '| a | <script>alert(1)</script> [x](javascript:alert(1)) `#*_!', // a table, HTML and Markdown
].join('');
const MARK = 'HOSTILE-WORDS';
const words = `${MARK} ${HOSTILE} ${'long '.repeat(400)}`;
/** What no terminal, Markdown reader or log may get to see. */
const HARMFUL = /[\0-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\p{Surrogate}]/u;
const TASK = 'requests-utils-guess_filename-001';
const OUTPUT_BYTES = 100_000_000;

let project: CliProject;
let server: ScriptedModelServer;
let ends: { echo: CommandEnd; repocraft: CommandEnd };
let reports: { echo: FullReport; repocraft: FullReport };
let said: { command: string; end: CommandEnd }[];

beforeAll(async () => {
  const onTask = (text: string) => ({ contains: text });
  const error = { message: words, code: HOSTILE, type: HOSTILE };
  server = await startScriptedModelServer({
    rules: {
      rules: [
        { match: { purpose: 'vote' }, answer: JSON.stringify({ answer: 'YES', reason: words }) },
        { match: onTask('hello world'), answer: `Answer: ${words}` },
        { match: onTask('two  spaces'), status: 401, error },
        { match: onTask('quoted'), status: 400, error },
        { match: { ...onTask('naïve'), attempt: 1 }, status: 500, error },
        { match: onTask('fjord'), answer: 'z'.repeat(100_000_000), plain: true, usage: { input: 1, output: 1 } },
        { match: { regex: '.*:\\n(.*)' }, template: `${words}\nAnswer: {{1}}`, finishReason: words },
      ],
    },
  });
  project = await createCliProject();
  await writeCandidate(join(project.folder, 'candidate'));
  await writeFile(
    join(project.folder, 'echo.yaml'),
    campaign('echo', 'dataset: { tasks: 6 }', '- { id: asks, generator: model, model: m }'),
  );
  const system = `- { id: hostile, generator: snapshot, path: candidate, vote: { voter: model, model: m, voters: 1, rounds: 1, top: 1 } }`;
  await writeFile(
    join(project.folder, 'repocraft.yaml'),
    campaign('repocraft', `dataset: { projects: [requests], tasks: [${TASK}] }`, system),
  );
  await Promise.all([project.json(['up']), project.json(['images', 'build', 'repocraft-requests'])]);
  await project.json(['dataset', 'fetch', 'repocraft', '--project', 'requests']);
  ends = {
    echo: await project.durabench('run', 'echo.yaml'),
    repocraft: await project.durabench('run', 'repocraft.yaml'),
  };
  reports = { echo: await reportOf('echo'), repocraft: await reportOf('repocraft') };
  said = [];
  const trials = [...reports.echo.trial_rows, ...reports.repocraft.trial_rows].map(({ id }) => ['show', id]);
  const commands = (['echo', 'repocraft'] as const).flatMap((suite) => {
    const { id } = reports[suite].campaign;
    return [
      ['status', id],
      ['show', id],
      ['report', id],
      ['report', id, '--format', 'md'],
      ['report', id, '--format', 'json'],
    ];
  });
  for (const command of [...commands, ...trials, ['list'], ['show', trials.at(-1)?.[1] ?? '', '--json']])
    said.push({ command: command.join(' '), end: await project.durabench(...command) });
});

afterAll(async () => {
  await project?.close();
  await server?.close();
});

const campaign = (suite: string, dataset: string, system: string): string => `
name: hostile-${suite}
suite: ${suite}
${dataset}
models: { m: { name: scripted, base_url: '${server.url}', price: { input: 1, output: 4 }, timeout_seconds: 600 } }
systems:
  ${system}
`;

async function reportOf(suite: string): Promise<FullReport> {
  const { campaigns } = await project.json<{ campaigns: { campaign: { id: string; suite: string } }[] }>(['list']);
  const id = campaigns.find(({ campaign: each }) => each.suite === suite)?.campaign.id ?? '';
  return JSON.parse(await readFile(join(project.stateDir, 'reports', id, 'report.json'), 'utf8')) as FullReport;
}

/** One function that is found and voted for; when it is tried it floods its output and raises hostile words. */
async function writeCandidate(folder: string): Promise<void> {
  await mkdir(join(folder, 'webkit'), { recursive: true });
  const python = (text: string): string =>
    JSON.stringify(Buffer.from(text.replace('\ud83d', ''), 'utf8').toString('latin1'));
  await writeFile(
    join(folder, 'webkit', '__init__.py'),
    `"""Helpers \u202e for the web."""
import os

WORDS = ${JSON.stringify(words).replaceAll('\\ud83d', '')}


def guess_filename(obj):
    """Tries to guess the filename of the given object. \u202e\u2066 \\033[2J \\0 \\ud83d"""
    block = (b"\\xff\\xfe\\xc3\\x28\\x00\\x1b[2J\\x9b31m" + ${python(HOSTILE)}.encode("latin1")) * 4000
    left = ${OUTPUT_BYTES}
    while left > 0:
        left -= os.write(1, block[:left])
    raise AssertionError(WORDS)
`,
  );
  // A name that reads backwards, and bytes that are no text.
  await writeFile(join(folder, 'webkit', 'a\u202eyp.py'), Buffer.from('x = "\xff\xfe\0"\n', 'latin1'));
}

const byTask = (rows: readonly TrialReport[]): Map<string, TrialReport> => new Map(rows.map((row) => [row.task, row]));

describe('hostile words of a model', () => {
  test('end trials by what was said, never in a crash of ours', () => {
    expect(ends.echo.code, ends.echo.stderr).toBe(2);
    const rows = reports.echo.trial_rows;
    const outcomes = rows.map(({ outcome, reason }) => `${outcome} ${reason}`).sort();
    expect(outcomes).toEqual([
      // What was said too much cannot be used and may have been billed: twice, and no more.
      'errored model.ambiguous',
      'errored model.bad-request',
      'errored model.unauthorized',
      'failed vote-rejected',
      'passed null',
      'passed null',
    ]);
    expect(byTask(rows).size).toBe(6);
  });

  test('are told with the remedy of each failure, cut where they are long', () => {
    const told = said
      .filter(({ command }) => command.startsWith('show hostile-echo-'))
      .map(({ end }) => end.stdout)
      .join('\n');
    expect(told).toContain(MARK);
    // Of a trial that was answered: the answer too, cut, with the command that prints it whole.
    expect(told).toMatch(/^answer {7}generate \S+, \S+, .*\n {2}\| (?:Answer: )?HOSTILE-WORDS .*…$/m);
    expect(told).toMatch(/^whole {8}durabench logs \S+ --step generate\S* --evidence completion-\S+\.json$/m);
    expect(told).toContain('said too much: the reply is longer than 32 MiB');
    expect(told).toMatch(/\[…\]\n +expected: an endpoint that asks for no key.*\n +fix: .*retry \S+ --errored/);
  });
});

describe('a hostile candidate', () => {
  test('is graded: its test ran and failed', () => {
    expect(ends.repocraft.code, ends.repocraft.stderr).toBe(0);
    expect(reports.repocraft.trial_rows).toMatchObject([{ task: TASK, outcome: 'failed', reason: 'test.assertion' }]);
  });

  test('is explained by what its assertion said, and its 100 MB of output are kept as head and tail, marked', async () => {
    const id = reports.repocraft.trial_rows[0]?.id ?? '';
    const { stdout } = said.find(({ command }) => command === `show ${id}`)!.end;
    expect(stdout).toMatch(new RegExp(`^because {6}.*${MARK} .*…$`, 'm'));
    const [, path = ''] = /output\.txt \([\d,]+ bytes, cut\) (\S+)/.exec(stdout) ?? [];
    const kept = await readFile(path);
    expect(kept.length).toBeLessThan(400_000);
    const [, cut = ''] = /\[\.\.\. (\d+) bytes cut \.\.\.\]/.exec(kept.toString('latin1')) ?? [];
    expect(Number(cut)).toBeGreaterThan(OUTPUT_BYTES - 400_000);
    // Evidence is what was said, byte for byte.
    expect(kept.includes(Buffer.from([0xff, 0xfe, 0xc3, 0x28, 0x00, 0x1b]))).toBe(true);
  });

  test('has votes with hostile reasons, each one line that is cut where it is long', () => {
    const id = reports.repocraft.trial_rows[0]?.id ?? '';
    const { stdout } = said.find(({ command }) => command === `show ${id}`)!.end;
    expect(stdout).toMatch(new RegExp(`scripted +yes +${MARK} .*…$`, 'm'));
  });
});

describe('what reaches people', () => {
  test('no command prints a character that a terminal acts on, or a megabyte', () => {
    const all = [...said, { command: 'run echo', end: ends.echo }, { command: 'run repocraft', end: ends.repocraft }];
    expect(all.length).toBeGreaterThan(15);
    expect(all.some(({ end }) => end.stdout.includes(MARK))).toBe(true);
    for (const { command, end } of all) {
      const text = end.stdout + end.stderr;
      expect(HARMFUL.exec(text) && around(text), command).toBeNull();
      expect(text.length, command).toBeLessThan(100_000);
    }
  });

  test('report.md and report.json hold neither control characters nor HTML nor links of theirs', async () => {
    for (const {
      campaign: { id },
    } of Object.values(reports)) {
      const markdown = await readFile(join(project.stateDir, 'reports', id, 'report.md'), 'utf8');
      const json = await readFile(join(project.stateDir, 'reports', id, 'report.json'), 'utf8');
      expect(HARMFUL.exec(markdown) && around(markdown)).toBeNull();
      expect(HARMFUL.exec(json) && around(json)).toBeNull();
      expect(markdown).not.toMatch(/<script|[^\\]\]\(javascript|[^\\]\| a /);
      if (id === reports.echo.campaign.id) expect(markdown).toContain(MARK);
    }
  });

  test('every row of Postgres can be read, and none is long', async () => {
    const { addresses } = JSON.parse(await readFile(join(project.stateDir, 'stack.json'), 'utf8')) as StackState;
    const client = new pg.Client({ connectionString: addresses.databaseUrl });
    await client.connect();
    try {
      const rows = async (sql: string): Promise<string[]> =>
        (await client.query<{ row: string }>(sql)).rows.map(({ row }) => row);
      const tables = await rows(
        `select table_name as row from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`,
      );
      const all: string[] = [];
      for (const table of tables) all.push(...(await rows(`select to_jsonb(t)::text as row from "${table}" t`)));
      expect(all.some((row) => row.includes(MARK))).toBe(true);
      for (const row of all) expect(row.length).toBeLessThan(20_000);
      const reasons = await rows(`select reason as row from votes`);
      expect(reasons.length).toBeGreaterThan(0);
      for (const reason of reasons) expect(reason).not.toMatch(/\p{Cc}|\p{Surrogate}/u);
    } finally {
      await client.end();
    }
  });
});

/** The place, so that a failed test shows it instead of everything. */
function around(text: string): string {
  const at = text.search(HARMFUL);
  return JSON.stringify(text.slice(Math.max(0, at - 80), at + 40));
}
