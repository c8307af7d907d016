import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/adapters/postgres/query-builder.js';
import { EXIT } from '../../src/cli/exit-code.js';
import { runCommandLine } from '../../src/cli/program.js';
import { recordId } from '../../src/domain/campaign/ids.js';
import { ownSuites } from '../../src/suite/registry.js';
import type { DocumentBody } from '../../src/report/documents/documents.js';
import { expectDocument } from '../fixtures/cli/documents.js';
import { endedCampaign } from '../fixtures/engine/ended-campaign.js';
import { PACKAGE_ROOT } from '../fixtures/package-root.js';
import { migratedDatabase, type MigratedDatabase } from '../fixtures/postgres/postgres.js';

const SUITES = await ownSuites();

// Results of campaigns that have ended, as commands tell, compare and export them: nothing but a database.

let folder: string;
let database: MigratedDatabase;
const repeated = (ends: string, count: number): string[] => Array<string>(count).fill(ends);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'durabench-results-'));
  database = await migratedDatabase();
  const old = [...repeated('p', 12), ...repeated('f', 16), 'e', 'n'];
  await endedCampaign(database, {
    id: 'before-0123456789',
    systems: { sys: old, other: [...old].reverse(), third: repeated('f', 30) },
  });
  await endedCampaign(database, {
    id: 'after-0123456789',
    systems: { sys: ['f', ...repeated('p', 25), ...repeated('f', 4)] },
  });
  await endedCampaign(database, { id: 'thrice-0123456789', systems: { sys: ['ppp', 'pff', 'fff', 'ppe'] } });
});

afterAll(async () => {
  await database?.close();
  await rm(folder, { recursive: true, force: true });
});

async function durabench(...argv: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const end = { stdout: '', stderr: '' };
  const code = await runCommandLine({
    argv,
    cwd: PACKAGE_ROOT,
    variables: {
      ...{ HOME: folder, PATH: process.env['PATH'], DURABENCH_HOME: join(folder, 'state') },
      ...{ DATABASE_URL: database.databaseUrl, TEMPORAL_ADDRESS: '127.0.0.1:1' },
    },
    stdout: { write: (text) => (end.stdout += text) },
    stderr: { write: (text) => (end.stderr += text) },
  });
  return { code, ...end };
}

describe('export', () => {
  const ID = 'thrice-0123456789';

  test('JSON lines hold one trial each, as the report does', async () => {
    const { code, stdout, stderr } = await durabench('export', ID);
    expect(code, stderr).toBe(0);
    const report = JSON.parse((await durabench('report', ID, '--format', 'json')).stdout) as { trial_rows: object[] };
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as object),
    ).toEqual(report.trial_rows);
    expect(report.trial_rows).toHaveLength(12);
  });

  test.each(['export', 'report'])('%s as CSV: a line a trial, and nothing a spreadsheet computes', async (command) => {
    const { stdout } = await durabench(command, ID, '--format', 'csv');
    const script = 'import csv,sys,json\nprint(json.dumps(list(csv.DictReader(sys.stdin))))';
    const read = execFileSync('python3', ['-c', script], { input: stdout, encoding: 'utf8' });
    const rows = JSON.parse(read) as Record<string, string>[];
    expect(Object.keys(rows[0]!).slice(0, 4)).toEqual(['id', 'task', 'system', 'repeat']);
    expect(rows.map(({ outcome }) => outcome).join(' ')).toBe(
      'passed passed passed passed failed failed failed failed failed passed passed errored',
    );
    expect(rows[0]).toMatchObject({ metric_localized: '1', usd: '0' });
    expect(rows[4]?.message).toMatch(/^'=cmd\|"\/c calc"!A1 /);
    expect(stdout.trimEnd().split('\n')).toHaveLength(13);
  });

  test.each(['export', 'report'])('%s as JUnit: words of a candidate end no element', async (command) => {
    const { stdout } = await durabench(command, ID, '--format', 'junit');
    const script =
      'import sys,xml.etree.ElementTree as e,json\nr=e.fromstring(sys.stdin.buffer.read())\n' +
      's=r[0]\nprint(json.dumps([s.attrib["tests"],s.attrib["failures"],s.attrib["errors"],s.attrib["skipped"],len(s.findall("testcase")),len(s.findall("testcase/failure")),s.findall("testcase/failure")[0].text]))';
    const read = JSON.parse(execFileSync('python3', ['-c', script], { input: stdout, encoding: 'utf8' })) as unknown[];
    expect(read.slice(0, 6)).toEqual(['12', '5', '1', '0', 12, 5]);
    expect(read[6]).toContain('</failure><script>alert(1)</script>');
    expect(read[6]).toContain(`durabench show ${ID}/task-0-1/sys/2`);
  });

  test('as logs of Inspect: one for each system, of its version', async () => {
    const out = join(folder, 'logs');
    const { code, stdout, stderr } = await durabench('export', 'before', '--format', 'inspect', '--out', out, '--json');
    expect(code, stderr).toBe(0);
    const document = JSON.parse(stdout) as DocumentBody<'exported'>;
    expectDocument(document, 'exported');
    expect(document.files.map(({ path }) => basename(path))).toEqual(
      ['sys', 'other', 'third'].map((system) => `before-0123456789.${system}.json`),
    );
    const log = JSON.parse(await readFile(document.files[0]!.path, 'utf8')) as { version: number; samples: object[] };
    expect([log.version, log.samples.length]).toEqual([2, 30]);
  });

  test('as logs of Inspect: its own reader opens them', async ({ skip }) => {
    const python = process.env['INSPECT_PYTHON'];
    if (python === undefined) return skip('INSPECT_PYTHON names no Python with inspect_ai');
    const out = join(folder, 'read-logs');
    expect(await durabench('export', 'before', '--format', 'inspect', '--out', out)).toMatchObject({ code: 0 });
    const script = `import sys,json\nfrom inspect_ai.log import read_eval_log\nl=read_eval_log(sys.argv[1])
print(json.dumps([l.status,l.eval.model,len(l.samples),l.results.scores[0].metrics["accuracy"].value,
[s.scores["durabench"].value for s in l.samples if s.scores][11:13],l.samples[29].error.message]))`;
    const path = join(out, 'before-0123456789.sys.json');
    const read = execFileSync(python, ['-c', script, path], { encoding: 'utf8' });
    expect(JSON.parse(read)).toEqual([
      'success',
      'durabench/sys',
      30,
      expect.closeTo(12 / 28, 12),
      ['C', 'I'],
      'not_run: campaign.cancelled',
    ]);
  });

  test.each([
    [['--format', 'xml'], /not a format of export/],
    [['--format', 'inspect'], /writes a file for each system/],
    [['--format', 'findings'], /the suite echo has no findings\n[^]*expected: [^]*fix: durabench export/],
    [['--json'], /names the files that were written/],
  ])('refuses %j', async (argv, message) => {
    const { code, stderr } = await durabench('export', ID, ...argv);
    expect(code).toBe(EXIT.usage);
    expect(stderr).toMatch(message);
  });

  test('logs of Inspect: none is left where one of them cannot be written', async () => {
    const out = join(folder, 'some-logs');
    await mkdir(join(out, 'before-0123456789.third.json'), { recursive: true });
    const { code, stderr } = await durabench('export', 'before', '--format', 'inspect', '--out', out);
    expect([code, stderr]).toEqual([
      EXIT.environment,
      expect.stringMatching(/third\.json cannot be written: it is a folder\n/),
    ]);
    expect(await readdir(out)).toEqual(['before-0123456789.third.json']);
  });

  test('leaves nothing where it cannot write', async () => {
    const { code, stderr } = await durabench('export', ID, '--out', folder);
    expect(code).toBe(EXIT.environment);
    expect(stderr).toMatch(/cannot be written: it is a folder\n/);
    expect((await readdir(join(folder, '..'))).filter((name) => name.endsWith('.part'))).toEqual([]);
  });
});

describe('compare', () => {
  test('two campaigns: flipped tasks with both trials, then the difference with its tests', async () => {
    const { code, stdout, stderr } = await durabench('compare', 'before', 'after');
    expect(code, stderr).toBe(0);
    expect(stdout).toMatch(/^before-0123456789\/sys → after-0123456789\/sys: 1 lost, 14 gained$/m);
    expect(stdout).toMatch(
      /^lost +task-0-0 +before-0123456789\/task-0-0\/sys\/1 passed +after-0123456789\/task-0-0\/sys\/1 failed$/m,
    );
    expect(stdout.indexOf('lost ')).toBeLessThan(stdout.indexOf('score a'));
    expect(stdout).toContain('after-0123456789/sys passes more: interval and adjusted test agree.');
    expect(stdout).toContain('2,000 resamples');
    expect(stderr).toContain('durabench show after-0123456789/task-0-0/sys/1');
  });

  test('as a document', async () => {
    const { stdout } = await durabench('compare', 'before/sys', 'after', '--json');
    const document = JSON.parse(stdout) as DocumentBody<'comparison'>;
    expectDocument(document, 'comparison');
    const [pair] = document.pairs;
    expect(pair).toMatchObject({ tasks: 28, only_a: 0, only_b: 2, gained: 14, lost: 1, differs: true });
    // 2 (1 + 15) / 2^15
    expect(pair?.p).toBeCloseTo(32 / 2 ** 15, 12);
    expect(pair?.flips).toHaveLength(15);
    expect(pair?.columns).toMatchObject([
      { id: 'localized', tasks: 28, a: 1, b: 1, difference: { value: 0 } },
      { id: 'voted', tasks: 28, a: 0, b: 0 },
    ]);
  });

  test.each(SUITES)('shows the columns of $manifest.id, as the report does', async ({ manifest, resultColumns }) => {
    const id = `suite-${manifest.id}`;
    const metrics = Object.fromEntries(resultColumns.map(({ metric }, index) => [metric, 1 / (index + 1)]));
    const systems = { one: ['p', 'f'], other: ['f', 'p'] };
    await endedCampaign(database, {
      id,
      systems,
      metrics,
      change: ({ spec, dataset }) => {
        spec.suite = manifest.id;
        dataset.suite = manifest.id;
      },
    });
    const { stdout } = await durabench('compare', id, '--json');
    const [pair] = (JSON.parse(stdout) as DocumentBody<'comparison'>).pairs;
    const expected = resultColumns.map(({ id: column, title }, index) => ({
      id: column,
      title,
      a: 1 / (index + 1),
      tasks: 2,
    }));
    expect(pair?.columns).toMatchObject(expected);
    const compared = (await durabench('compare', id, '--wide')).stdout;
    const report = (await durabench('report', id, '--wide')).stdout;
    for (const { title } of resultColumns) {
      expect(compared).toMatch(new RegExp(`^suite-.* ${title} +2 `, 'm'));
      expect(report.slice(0, report.indexOf('one '))).toContain(` ${title} `);
    }
    expect(report).toContain('Failures by class');
  });

  test('the systems of one campaign with one another, adjusted by Holm', async () => {
    const { stdout } = await durabench('compare', 'before', '--json');
    const { pairs } = JSON.parse(stdout) as DocumentBody<'comparison'>;
    expect(pairs.map(({ a, b }) => `${a.system} ${b.system}`)).toEqual(['sys other', 'sys third', 'other third']);
    expect(pairs[1]?.p_holm).toBeCloseTo(3 * pairs[1]!.p, 12);
  });

  test('an experiment alone: each variant with the baseline, and what that decides', async () => {
    const better = [...repeated('p', 20), ...repeated('f', 10)];
    await endedCampaign(database, {
      id: 'experiment-0123456789',
      systems: {
        better,
        plain: repeated('f', 30),
        alike: [...repeated('f', 29), 'p'],
        worse: repeated('f', 30),
      },
      change: ({ spec }) => (spec.experiment = { baseline: 'plain', smallestEffect: 0.15 }),
    });
    const { pairs } = JSON.parse(
      (await durabench('compare', 'experiment', '--json')).stdout,
    ) as DocumentBody<'comparison'>;
    expect(pairs.map(({ a, b, decision }) => [a.system, b.system, decision])).toEqual([
      ['plain', 'better', 'adopt'],
      ['plain', 'alike', 'keep'],
      ['plain', 'worse', 'keep'],
    ]);
    expect(pairs[0]?.chi_squared).toEqual({ value: 20, p: expect.closeTo(7.74e-6, 8) as number });
    const { stdout } = await durabench('compare', 'experiment');
    expect(stdout).toMatch(/plain +experiment-0123456789\/better +ADOPT +/);
    expect(stdout).toContain('KEEP the baseline: the interval leaves no room');
    const named = await durabench('compare', 'experiment/alike', 'experiment/better', '--json');
    expect((JSON.parse(named.stdout) as DocumentBody<'comparison'>).pairs[0]?.decision).toBeNull();
    // What it decides says nothing of how it was graded.
    const elsewhere = await durabench('compare', 'experiment/better', 'before/other');
    expect(elsewhere.code, elsewhere.stderr).toBe(EXIT.ok);
  });

  describe('a log of Inspect beside a campaign', () => {
    // Our own export stands for what Inspect writes; that Inspect reads it is tested above.
    const log = async (campaign: string, change: (log: InspectLog) => void = () => undefined): Promise<string> => {
      const out = join(folder, 'beside');
      await durabench('export', campaign, '--format', 'inspect', '--out', out);
      const path = join(out, `${campaign}-0123456789.sys.json`);
      const content = JSON.parse(await readFile(path, 'utf8')) as InspectLog;
      change(content);
      await writeFile(path, JSON.stringify(content));
      return path;
    };
    interface InspectLog {
      version: number;
      eval: { model: string };
      samples: { id: string; scores: Record<string, { value: unknown }> }[];
    }

    test('is a side with a mark, that says who graded it and what tells its tasks', async () => {
      const path = await log('after', (content) => (content.eval.model = 'lab/other'));
      const { code, stdout, stderr } = await durabench('compare', 'before/sys', path);
      expect(code, stderr).toBe(EXIT.ok);
      const theirs = 'after-0123456789.sys.json/lab/other †';
      expect(stdout).toContain(`before-0123456789/sys → ${theirs}: 1 lost, 14 gained`);
      expect(stdout).toMatch(/^lost +task-0-0 .*after-0123456789\.sys\.json#task-0-0\/1 failed$/m);
      expect(stdout).toContain(`${theirs} passes more: interval and adjusted test agree.`);
      expect(stdout).toMatch(
        /^† after-.*json is a log of Inspect \(task echo\): its scorer durabench graded it, not ours/m,
      );
      expect(stderr).toContain('durabench show before-0123456789/task-0-0/sys/1');
    });

    test('as a document; on either side; every system of a campaign with it', async () => {
      const path = await log('after');
      const { stdout } = await durabench('compare', path, 'before', '--json');
      const document = JSON.parse(stdout) as DocumentBody<'comparison'>;
      expectDocument(document, 'comparison');
      expect(document.pairs.map(({ a, b }) => [a.source, b.source, b.system])).toEqual(
        ['sys', 'other', 'third'].map((system) => ['inspect', 'campaign', system]),
      );
      const both = JSON.parse((await durabench('compare', 'after', 'before/sys', '--json')).stdout) as typeof document;
      expect(document.pairs[0]).toMatchObject(pick(both.pairs[0]!));
    });
    const pick = ({ tasks, gained, lost, p, difference }: DocumentBody<'comparison'>['pairs'][number]): object => ({
      ...{ tasks, gained, lost, p, difference },
    });

    test.each([
      ['a newer format', (content: InspectLog) => (content.version = 9), /has version 9 of the format/],
      [
        'no common task',
        (content: InspectLog) => content.samples.forEach((each) => (each.id = `x${each.id}`)),
        /no task in common/,
      ],
      [
        'scores of another kind',
        (content: InspectLog) => (content.samples[0]!.scores['durabench']!.value = [1]),
        /is a list/,
      ],
    ])('refuses %s, and says what would fix it', async (_, change, message) => {
      const { code, stderr } = await durabench(
        'compare',
        'before/sys',
        await log('after', (content) => void change(content)),
      );
      expect(code).toBe(EXIT.usage);
      expect(stderr).toMatch(message);
      expect(stderr).toMatch(/^ {2}fix: /m);
    });

    test('refuses two logs, and one alone', async () => {
      const path = await log('after');
      for (const argv of [[path], [path, path]]) {
        const { code, stderr } = await durabench('compare', ...argv);
        expect([code, stderr]).toEqual([EXIT.usage, expect.stringContaining('has no campaign to be compared with')]);
      }
    });
  });

  test.each([
    ['a task that asks something else', ['after', 'other-tasks'], /of different datasets: their locks differ in tasks/],
    ['another grader', ['after', 'other-grader'], /graded differently: their locks differ in grader, judge/],
    ['another suite', ['after', 'other-suite'], /their locks differ in suite/],
    ['no common task', ['after', 'few'], /have no task in common/],
    ['none graded for both', ['after', 'ungraded'], /2 tasks in common, and none that was graded for both/],
    ['one that runs', ['after', 'running'], /has not ended: it is running/],
    ['one that is not there', ['after', 'deleted'], /there is no campaign "deleted"/],
    ['an unknown system', ['after/nobody', 'before'], /has no system "nobody"/],
    [
      'the same twice',
      ['after', 'after/sys'],
      /both sides are the same campaign\n.*another campaign\n.*compare after-0123456789 OTHER$/m,
    ],
    [
      'the same of several systems',
      ['before', 'before'],
      /two of its systems: before-0123456789\/sys, [^\n]*\/third\n.*compare before-0123456789$/m,
    ],
    ['one system alone', ['after'], /alone has nothing to be compared with/],
    ['an older format', ['after', 'ancient'], /planned by an older Durabench/],
  ])('refuses %s, and says what would fix it', async (_, argv, message) => {
    await others();
    const { code, stdout, stderr } = await durabench('compare', ...argv);
    expect(code, stderr).toBe(EXIT.usage);
    expect(stdout).toBe('');
    expect(stderr).toMatch(message);
    expect(stderr).toMatch(/^ {2}fix: /m);
  });

  let written: Promise<void> | undefined;
  const others = (): Promise<void> => (written ??= writeOthers());
  async function writeOthers(): Promise<void> {
    const systems = { sys: ['p', 'f'] };
    const ended = (name: string, change: Parameters<typeof endedCampaign>[1]['change']): Promise<void> =>
      endedCampaign(database, { id: `${name}-0123456789`, systems, change });
    await ended('other-tasks', (plan) => (plan.dataset.tasks[1]!.sha256 = 'b'.repeat(64)));
    await ended('other-grader', (plan) => {
      plan.lock.graderDigest = 'another';
      plan.lock.spec = { judge: { vote: 'oracle' } };
    });
    await ended('other-suite', (plan) => (plan.spec.suite = 'repocraft'));
    await ended('few', (plan) => {
      for (const task of plan.dataset.tasks) task.id = `else-${task.id}`;
      for (const trial of plan.batches[0]!.trials) {
        trial.taskId = `else-${trial.taskId}`;
        trial.id = recordId.trial(plan.id, trial.taskId, trial.systemId, trial.repeat);
      }
    });
    await endedCampaign(database, { id: 'ungraded-0123456789', systems: { sys: ['e', 'n'] } });
    await ended('ancient', () => undefined);
    await sql`update campaigns set lock = lock - 'graderDigest' where id = 'ancient-0123456789'`.execute(
      database.kysely,
    );
    await ended('running', () => undefined);
    await sql`update campaigns set ended_at = null, ended_as = null where id = 'running-0123456789'`.execute(
      database.kysely,
    );
    await sql`update trials set state = 'running', outcome = null where campaign_id = 'running-0123456789'`.execute(
      database.kysely,
    );
  }
});

describe('golden', () => {
  const SYSTEMS = { sys: ['p', 'p', 'f', 'p', 'p'], other: ['p', 'p', 'p', 'p', 'p'] };
  const set = (): string => join(folder, 'golden.yaml');
  const check = async (wanted: string): Promise<DocumentBody<'golden-check'> & { code: number }> => {
    const { code, stdout, stderr } = await durabench('golden', 'check', wanted, '--set', set(), '--json');
    expect(stdout, stderr).not.toBe('');
    const document = JSON.parse(stdout) as DocumentBody<'golden-check'>;
    expectDocument(document, 'golden-check');
    return { ...document, code };
  };
  const ended = (name: string, ends: string[], change?: Parameters<typeof endedCampaign>[1]['change']): Promise<void> =>
    endedCampaign(database, { id: `${name}-0123456789`, systems: { sys: ends }, change });

  beforeAll(async () => {
    await endedCampaign(database, { id: 'gold-0123456789', systems: SYSTEMS });
    await ended('regressing', ['p', 'f', 'p', 'e', 'p'], ({ lock }) => (lock.graderDigest = 'of a later day'));
    await ended('flipping', ['p', 'f', 'p', 'p', 'p']);
    await ended('changed', ['p', 'p', 'p'], ({ dataset }) => (dataset.tasks[0]!.sha256 = 'c'.repeat(64)));
  });

  test('make: tasks that passed in every repeat, the same ones each time, at most so many', async () => {
    const { code, stdout, stderr } = await durabench('golden', 'make', 'gold/sys', '--out', set(), '--json');
    expect(code, stderr).toBe(EXIT.ok);
    const document = JSON.parse(stdout) as DocumentBody<'golden-set'>;
    expectDocument(document, 'golden-set');
    expect(document).toMatchObject({ path: set(), system: 'sys', tasks: 4, groups: 1 });
    const text = await readFile(set(), 'utf8');
    expect(text.match(/^ {2}- id: .*/gm)).toEqual([0, 1, 3, 4].map((task) => `  - id: task-0-${task}`));
    const [few, again] = [join(folder, 'few.yaml'), join(folder, 'again.yaml')];
    for (const out of [few, again]) await durabench('golden', 'make', 'gold/sys', '--tasks', '2', '--out', out);
    expect(await readFile(few, 'utf8')).toBe(await readFile(again, 'utf8'));
    expect((await readFile(few, 'utf8')).match(/^ {2}- id: /gm)).toHaveLength(2);
  });

  test('check: a task that fails under another lock has regressed, is named, and the exit code is 100', async () => {
    const before = await readFile(set(), 'utf8');
    const { code, counts, tasks, changes } = await check('regressing');
    expect(code).toBe(100);
    expect(counts).toMatchObject({ passed: 2, regressed: 1, ungraded: 1, flipped: 0 });
    expect(changes.map(({ part }) => part)).toEqual(['grader']);
    expect(tasks.find(({ outcome }) => outcome === 'regressed')).toEqual({
      ...{ id: 'task-0-1', group: 'group-0', outcome: 'regressed' },
      ...{ trial: 'gold-0123456789/task-0-1/sys/1', now: 'regressing-0123456789/task-0-1/sys/1' },
    });
    expect(await readFile(set(), 'utf8')).toBe(before);
    const junit = join(folder, 'golden.xml');
    const { stdout, stderr } = await durabench('golden', 'check', 'regressing', '--set', set(), '--junit', junit);
    expect(stdout).toMatch(/^regressed +task-0-1 +gold-\S+ +regressing-0123456789\/task-0-1\/sys\/1$/m);
    expect(stdout).toContain('The lock differs from that of the set in grader.');
    expect(stderr).toContain('durabench show regressing-0123456789/task-0-1/sys/1');
    const script =
      'import sys,json,xml.etree.ElementTree as e\nr=e.parse(sys.argv[1]).getroot()\n' +
      'print(json.dumps([r.attrib["tests"],[(c.attrib["name"],x.tag) for c in r.iter("testcase") for x in c]]))';
    expect(JSON.parse(execFileSync('python3', ['-c', script, junit], { encoding: 'utf8' }))).toEqual([
      '4',
      [
        ['task-0-1', 'failure'],
        ['task-0-3', 'error'],
      ],
    ]);
  });

  test('check: where the JUnit file cannot be written, the result is told all the same, then the path and what to do', async () => {
    const junit = join(set(), 'golden.xml');
    const { code, stdout, stderr } = await durabench('golden', 'check', 'regressing', '--set', set(), '--junit', junit);
    expect(code).toBe(EXIT.environment);
    expect(stdout).toMatch(/^regressed +task-0-1 /m);
    expect(stdout).toContain('1 regressed');
    expect(stderr.slice(stderr.indexOf('error: ')).trim().split('\n')).toEqual([
      expect.stringContaining(`error: ${junit} cannot be written: `),
      expect.stringContaining('expected: '),
      expect.stringContaining('fix: name another place with --junit'),
    ]);
  });

  test('check: tasks with another content are told, and are neither passed nor failed', async () => {
    const { code, counts } = await check('changed');
    expect(code).toBe(EXIT.errored);
    expect(counts).toMatchObject({ passed: 1, changed: 1, missing: 2, regressed: 0 });
  });

  test('check: where the disk is full, what flipped is told all the same, and the set stays as it was', async () => {
    const before = await readFile(set(), 'utf8');
    // Written beside the set first: every byte of it meets a full disk.
    const part = `.golden.yaml.${process.pid}.part`;
    await symlink('/dev/full', join(folder, part));
    const { code, stdout, stderr } = await durabench('golden', 'check', 'flipping', '--set', set());
    expect(code).toBe(EXIT.environment);
    expect(stdout).toMatch(/^flipped +task-0-1 +gold-\S+ +flipping-0123456789\/task-0-1\/sys\/1$/m);
    expect(stdout).toContain('3 passed, 1 flipped');
    expect(stdout).not.toContain('quarantined');
    expect(stderr.slice(stderr.indexOf('error: ')).trim().split('\n')).toEqual([
      `error: ${set()} cannot be written: the disk is full`,
      '  expected: room for all of it; what was written is gone again',
      '  fix: make room, or name a place on another disk with --set',
    ]);
    expect(await readFile(set(), 'utf8')).toBe(before);
    expect(await readdir(folder)).not.toContain(part);
  });

  test('check: a task that fails under the same lock is quarantined with both trials, and checked no more', async () => {
    const { code, counts } = await check('flipping');
    expect([code, counts]).toMatchObject([EXIT.ok, { flipped: 1, passed: 3, regressed: 0 }]);
    const text = await readFile(set(), 'utf8');
    expect(text).toContain('failed: flipping-0123456789/task-0-1/sys/1');
    const again = await check('regressing');
    expect([again.code, again.quarantined]).toEqual([EXIT.errored, ['task-0-1']]);
    expect(again.counts).toMatchObject({ passed: 2, regressed: 0, ungraded: 1 });
  });

  test('check: another system than that of the set is another lock', async () => {
    await durabench('golden', 'make', 'gold/other', '--out', set());
    const { code, changes } = await check('gold/sys');
    expect([code, changes.map(({ part }) => part)]).toEqual([100, ['system']]);
  });

  test('refuses a file that was edited, is none or is not there, and says what would fix it', async () => {
    const text = await readFile(set(), 'utf8');
    const [edited, none] = [join(folder, 'edited.yaml'), join(folder, 'none.yaml')];
    await writeFile(edited, text.replace('task-0-2', 'task-0-9'));
    await writeFile(none, 'tasks: []\n');
    for (const [file, message] of [
      [edited, /does not fit what stands above it: the file was edited by hand/],
      [none, /is no golden set: version: /],
      [join(folder, 'gone.yaml'), /gone\.yaml cannot be read: there is no such file/],
    ] as const) {
      const { code, stderr } = await durabench('golden', 'check', 'gold', '--set', file);
      expect([code, stderr]).toEqual([EXIT.usage, expect.stringMatching(message)]);
      expect(stderr).toMatch(/^ {2}fix: /m);
    }
  });

  test.each([
    [['make', 'gold'], /has 2 systems, and none is named/],
    [['make', 'ungradable'], /passed no task of ungradable-0123456789 in every repeat/],
    [['make', 'gold/sys', '--set', 'x.yaml'], /--set is an option of check/],
    [['chek', 'gold'], /did you mean "check"/],
  ])('refuses %j', async (argv, message) => {
    if (argv[1] === 'ungradable') await ended('ungradable', ['f', 'e']);
    const { code, stderr } = await durabench('golden', ...argv);
    expect(code).toBe(EXIT.usage);
    expect(stderr).toMatch(message);
  });
});
