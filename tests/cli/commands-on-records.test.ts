import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/adapters/postgres/query-builder.js';
import { createFileBlobs } from '../../src/adapters/blobs/file-blobs.js';
import { createLedger } from '../../src/adapters/postgres/ledger/ledger.js';
import { MIGRATIONS } from '../../src/adapters/postgres/schema/migrations.js';
import { createRecords } from '../../src/adapters/postgres/records.js';
import { runCommandLine } from '../../src/cli/program.js';
import type { FailureType } from '../../src/contract/failure.js';
import type { TrialEnd } from '../../src/contract/verdict.js';
import { sha256Hex } from '../../src/domain/text/content-hash.js';
import type { Amount, Ledger, Reservation } from '../../src/ports/ledger.js';
import type { CampaignPlan, Records } from '../../src/ports/records.js';
import type { DocumentBody } from '../../src/report/documents/documents.js';
import { expectDocument } from '../fixtures/cli/documents.js';
import { waitUntil } from '../fixtures/wait-until.js';
import { campaignPlan } from '../fixtures/engine/campaign-plan.js';
import { PACKAGE_ROOT } from '../fixtures/package-root.js';
import { migratedDatabase, type MigratedDatabase } from '../fixtures/postgres/postgres.js';

/** Commands on records that a test has written: nothing but a database, no stack. */
const NEWER = Math.max(...MIGRATIONS.map(({ version }) => version)) + 1;

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'durabench-records-'));
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function durabench(
  { databaseUrl }: MigratedDatabase,
  ...argv: string[]
): Promise<{ code: number; stdout: string; stderr: string }> {
  const end = { stdout: '', stderr: '' };
  const code = await runCommandLine({
    argv,
    cwd: PACKAGE_ROOT,
    variables: {
      ...{ HOME: folder, PATH: process.env['PATH'], DURABENCH_HOME: join(folder, 'state') },
      ...{ DATABASE_URL: databaseUrl, TEMPORAL_ADDRESS: '127.0.0.1:1' },
    },
    stdout: { write: (text) => (end.stdout += text) },
    stderr: { write: (text) => (end.stderr += text) },
  });
  return { code, ...end };
}

describe('a database that a later version has written', () => {
  let database: MigratedDatabase;

  beforeAll(async () => {
    database = await migratedDatabase();
    await sql`insert into schema_migrations (version, name) values (${NEWER}, 'tomorrow')`.execute(database.kysely);
  });

  afterAll(() => database?.close());

  test.each([['list'], ['status'], ['run', 'examples/echo/campaign.yaml'], ['clean']])(
    '%s: the environment is not ready (5), told in three lines',
    async (...argv) => {
      const { code, stdout, stderr } = await durabench(database, ...argv);
      expect(code, stderr).toBe(5);
      expect(stdout).toBe('');
      expect(stderr).toMatch(
        new RegExp(`^error: The database has schema version ${NEWER}; .*\n  fix: .*newer Durabench.*\n$`),
      );
    },
  );

  test('doctor calls it missing, with the remedy', async () => {
    const { code, stdout } = await durabench(database, 'doctor', '--json');
    const { ready, findings } = JSON.parse(stdout) as { ready: boolean; findings: { name: string }[] };
    expect(code).toBe(5);
    expect(ready).toBe(false);
    expect(findings.find(({ name }) => name === 'Postgres')).toMatchObject({
      state: 'missing',
      detail: expect.stringContaining(`schema version ${NEWER}`) as string,
      fix: expect.stringContaining('newer Durabench') as string,
    });
  });
});

describe('money, as commands tell it', () => {
  let database: MigratedDatabase;
  let ledger: Ledger;
  const id = 'money-0123456789';

  /** One call, reserved, sent and settled; in micro-dollars and tokens. */
  async function pay(campaignId: string, call: string, estimate: Amount, actual: Amount): Promise<void> {
    await ledger.reserve(reservation(campaignId, call, estimate));
    await ledger.markSent(`${campaignId}/${call}`, 1);
    const bill = { actual, providerRequestId: null, usageReported: true, responseRef: blob };
    await ledger.settle(`${campaignId}/${call}`, 1, bill);
  }

  const blob = { sha256: 'a', sizeBytes: 1, mediaType: 'application/json', name: 'a.json', truncated: false };
  const reservation = (campaignId: string, call: string, estimate: Amount): Reservation => ({
    ...{
      key: `${campaignId}/${call}`,
      account: { kind: 'campaign' as const, id: campaignId },
      epoch: 1,
      estimate,
      requestRef: blob,
      worker: 'w',
    },
    ...{ stage: 'generate', step: '', purpose: 'generate', model: 'm' },
    owner: { kind: 'trial', id: `${campaignId}/task-0-0/sys/1` },
  });

  beforeAll(async () => {
    database = await migratedDatabase();
    ledger = createLedger(database);
    const records = createRecords(database);
    await records.beatWorker({ instance: 'w', host: 'test', pid: 1 });
    for (const [campaignId, usd] of [
      ['unlimited-0123456789', null],
      [id, 1],
    ] as const) {
      const plan = campaignPlan({ id: campaignId, batches: 1, trialsPerBatch: 2 });
      plan.spec.budget = { usd, tokens: null, wallHours: 24, soft: 0.9 };
      await records.createCampaign(plan);
      await records.openCampaign(campaignId);
    }
    await pay(id, 'dear', { microUsd: 100_000, tokens: 10 }, { microUsd: 250_000, tokens: 12 });
    await pay(id, 'cheap', { microUsd: 100_000, tokens: 10 }, { microUsd: 50_000, tokens: 5 });
  });

  afterAll(() => database?.close());

  test('what came to more than was reserved is overshoot, in status and reports; each limit stands beside its use', async () => {
    const { stdout } = await durabench(database, 'status', id);
    expect(stdout).toMatch(
      /^spent +\$0\.3000, .*; overshoot: 1 request came to \$0\.1500 and 2 tokens more than was reserved$/m,
    );
    expect(stdout).toMatch(/^budget +\$0\.3000 of \$1\.00, 0[.\d]* of 24 h, nothing admitted from 90 % on$/m);
    expect(stdout).not.toContain('over all campaigns');
    const report = await durabench(database, 'report', id, '--format', 'json');
    expect(JSON.parse(report.stdout)).toMatchObject({
      overshoot: { usd: 0.15, tokens: 2, requests: 1 },
      budget: { usd: 1, tokens: null, wall_hours: 24, trials: null, soft: 0.9 },
      used: { trials: 0 },
    });
    const markdown = await durabench(database, 'report', id, '--format', 'md');
    expect(markdown.stdout).toContain('Overshoot, part of these sums: 1 request came to $0.1500 and 2 tokens more');
  });

  test('the limit over all campaigns is set, told and kept with who, when and why; saying it twice does nothing', async () => {
    const records = createRecords(database);
    const budget = (...argv: string[]) => durabench(database, 'budget', '--installation', ...argv);
    expect((await budget()).stdout).toMatch(/over all campaigns, is not limited\nused +\$0\.3000, 17 tokens\n$/);
    expect((await budget('--usd', '5', '--dry-run')).stdout).toContain('would be $5.00 (it was not limited)');
    expect(await records.events(null)).toEqual([]);
    for (const changed of [true, false]) {
      const { stdout } = await budget('--usd', '5', '--reason', 'this quarter', '--json');
      expect(JSON.parse(stdout)).toMatchObject({ changed, after: { usd: 5, tokens: null }, spent: { usd: 0.3 } });
    }
    expect(await records.events(null)).toMatchObject([
      {
        ...{ action: 'budget', reason: 'this quarter', author: expect.stringMatching(/.+@.+/) as string },
        details: { before: { usd: null }, after: { usd: 5 } },
      },
    ]);
    expect((await budget()).stdout).toMatch(/^operator +\S+ budget by .+@.+: this quarter$/m);
    for (const command of ['status', 'budget'])
      expect((await durabench(database, command, id)).stdout).toMatch(/^installation \$0\.3000 of \$5\.00, over all/m);
    // It is what the ledger goes by, in a campaign without a limit of its own.
    const call = (microUsd: number) =>
      reservation('unlimited-0123456789', `costs-${microUsd}`, { microUsd, tokens: 1 });
    expect(await ledger.reserve(call(4_700_001))).toMatchObject({ status: 'exhausted', scope: 'installation' });
    await budget('--usd', '6');
    expect((await ledger.reserve(call(4_700_001))).status).toBe('reserved');
  });

  test('doctor says that it is reached, and how to raise it', async () => {
    await durabench(database, 'budget', '--installation', '--usd', '0.3');
    const { findings } = JSON.parse((await durabench(database, 'doctor', '--json')).stdout) as {
      findings: { name: string }[];
    };
    expect(findings.find(({ name }) => name === 'budget of all campaigns')).toMatchObject({
      ...{ state: 'later', detail: '$0.3000 of $0.3000', fix: 'durabench budget --installation --usd N' },
    });
  });

  test.each([
    [[], /^error: budget was given no campaign\n  expected: a campaign .*\n  fix: /],
    [['latest', '--installation'], /^error: budget was given --installation and "latest"\n/],
    [['--installation', '--trials', '3', '--wall-hours', '1'], /given --wall-hours and --trials\n/],
    [['latest', '--wall-hours', '0', '--trials', '1.5'], /--wall-hours is "0"\n[\s\S]*--trials is "1\.5"\n/],
  ])('budget %j is refused in three lines a problem', async (argv, problem) => {
    const { code, stderr } = await durabench(database, 'budget', ...argv);
    expect(code).toBe(1);
    expect(stderr).toMatch(problem);
  });

  test('two operators at once each change the limit they name, and nothing else', async () => {
    const records = createRecords(database);
    const waiting = async (): Promise<number> => {
      const { rows } = await sql<{ count: number }>`
        select count(*) as count from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`.execute(database.kysely);
      return rows[0]!.count;
    };
    for (const subject of ['unlimited-0123456789', '--installation']) {
      let both: Promise<unknown> = Promise.resolve();
      // Both have read what there is, and wait to write.
      await database.kysely.transaction().execute(async (transaction) => {
        await sql`select from campaigns, installation for update`.execute(transaction);
        const changes = [
          ['--usd', '70'],
          ['--tokens', '9000000'],
        ];
        both = Promise.all(changes.map((change) => durabench(database, 'budget', subject, ...change)));
        expect(await waitUntil(async () => (await waiting()) === 2)).toBe(true);
      });
      await both;
    }
    const both = { usd: 70, tokens: 9_000_000 };
    expect((await records.campaign('unlimited-0123456789')).spec.budget).toMatchObject(both);
    expect((await records.installationBudget()).budget).toMatchObject(both);
  });
});

describe('the only campaign there is', () => {
  let database: MigratedDatabase;
  let records: Records;
  const id = 'only-0123456789';

  beforeAll(async () => {
    database = await migratedDatabase();
    records = createRecords(database);
    await records.createCampaign(campaignPlan({ id, batches: 1, trialsPerBatch: 1 }));
  });

  afterAll(() => database?.close());

  test.each([['pause'], ['budget'], ['show'], ['status']])('is not meant by %s of nothing', async (...argv) => {
    const { code, stderr } = await durabench(database, ...argv, '');
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: there is no campaign ""\n {2}expected: only-0123456789\n {2}fix: /);
  });

  test('has no trial without a name', async () => {
    const { code, stderr } = await durabench(database, 'show', `${id}/`);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: only-0123456789 is a campaign, and no trial of it is named\n/);
  });

  test('is paused for a reason, also where somebody gives an empty one', async () => {
    expect((await durabench(database, 'pause', id, '--reason', ' ')).code).toBe(0);
    expect(await records.events(id)).toMatchObject([{ action: 'pause', reason: 'durabench pause' }]);
  });
});

describe('a shared candidate', () => {
  let database: MigratedDatabase;
  const id = 'shared-0123456789';
  const generation = { kind: 'generation', id: `${id}/sys/scope-0/1` } as const;

  beforeAll(async () => {
    database = await migratedDatabase();
    const records = createRecords(database);
    await records.createCampaign(campaignPlan({ id, batches: 1, trialsPerBatch: 1, shared: true }));
    const { epoch } = await records.openCampaign(id);
    await records.claimGeneration({ generationId: generation.id, epoch, workflowRunId: 'g' });
    const tree = await left(records, epoch, { stage: 'generate', name: 'candidate.tar' });
    const candidate = { sha256: tree.sha256, sizeBytes: 7, files: 6, provenance: 'generated' } as const;
    await records.closeGeneration({ generationId: generation.id, epoch, candidate, failure: null });
    await left(records, epoch, { stage: 'prepare', name: 'parse-problems.json' });
  });

  afterAll(() => database?.close());

  /** A step that leaves one file. */
  async function left(
    records: Records,
    epoch: number,
    { stage, name }: { stage: 'generate' | 'prepare'; name: string },
  ) {
    const ref = { sha256: sha256Hex(name), sizeBytes: 7, mediaType: 'text/plain', name, truncated: false };
    const [startedAt, endedAt] = ['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:01.000Z'];
    const attempt = { worker: 'w', startedAt, endedAt, failure: null, attempt: 1 };
    const where = { owner: generation, epoch, n: 1, stage, step: '', inputHash: 'i' };
    await records.recordStep({ ...where, result: null, evidence: [ref], votes: [], attempt });
    return ref;
  }

  test('is shown with what each of its steps left, where it stands', async () => {
    const { code, stdout, stderr } = await durabench(database, 'show', generation.id);
    expect(code, stderr).toBe(0);
    const [head, steps] = stdout.split('\nsteps\n');
    expect(head).not.toContain('candidate.tar');
    const file = (name: string): string => `    ${name} \\(7 bytes\\) /.*/${sha256Hex(name)}\n`;
    expect(steps).toMatch(
      new RegExp(`^  generate, .*\n${file('candidate.tar')}  prepare, .*\n${file('parse-problems.json')}$`),
    );
  });
});

test('a campaign is shown with the candidates of its suite that could not be read in places', async () => {
  const id = 'odd-0123456789';
  const metrics = { candidate_unread_files: 2, candidate_python_files: 5, 'class.planning': 1 };
  const end: TrialEnd = {
    ...{ outcome: 'failed', blame: 'model', reason: 'not-localized', message: null, skipped: [] },
    verdict: { passed: false, reasons: ['not-localized'], metrics },
  };
  const database = await migratedDatabase();
  try {
    const records = createRecords(database);
    const plan = campaignPlan({ id, batches: 1, trialsPerBatch: 2 });
    await records.createCampaign({ ...plan, spec: { ...plan.spec, suite: 'repocraft' } });
    const { epoch } = await records.openCampaign(id);
    for (const { id: trialId } of plan.batches.flatMap(({ trials }) => trials)) {
      await records.claimTrial({ trialId, epoch, workflowId: `trial/${trialId}`, workflowRunId: 'w' });
      await records.closeTrial({ trialId, epoch, n: 1, end });
    }
    const { stdout, stderr } = await durabench(database, 'show', id);
    expect(stdout.match(/^note .*/gm), stderr).toEqual([
      'note         odd-0123456789/sys/group-0/1: 2 of 5 files could not be read: graded on the rest; `durabench show odd-0123456789/sys/group-0/1` names them.',
    ]);
    // Whose failure a trial points to, beside its reason.
    const trial = plan.batches[0]!.trials[0]!.id;
    expect((await durabench(database, 'show', trial)).stdout).toMatch(
      /^class {8}class\.planning: durabench explain class\.planning$/m,
    );
    const json = JSON.parse((await durabench(database, 'show', trial, '--json')).stdout) as DocumentBody<'trial'>;
    expectDocument(json, 'trial');
    expect(json.failure_class).toBe('class.planning');
  } finally {
    await database.close();
  }
});

describe('a campaign that a command makes itself', () => {
  let database: MigratedDatabase;
  const priced = ['--model', 'judge', '--price', '1.10,4.40'];

  beforeAll(async () => {
    database = await migratedDatabase();
    const task = join('t1-push-pr', 'oracle');
    await cp(join(PACKAGE_ROOT, 'tasks/gha-bench/dataset/tasks', task), join(folder, 'answers', 't1-push-pr'), {
      recursive: true,
    });
  });

  afterAll(() => database?.close());

  test.each<[string, string[], RegExp, number, number]>([
    ['calibrate', ['artisan', '--kind', 'plain', '--tasks', '1'], /^campaign calibrate-\S+: artisan/m, 0, 28],
    ['calibrate', ['artisan', '--kind', 'plain', '--tasks', '1', ...priced], /^forecast +none for/m, 1, 28],
    ['grade', ['ANSWERS', '--suite', 'gha-bench', '--limit', '2'], /^campaign grade-answers/m, 0, 8],
    ['run', ['examples/quickstart/campaign.yaml'], /^campaign quickstart-\S+: repocraft/m, 1, 30],
  ])(
    '%s %j --dry-run: plan and forecast are told, and nothing is started',
    async (command, options, text, models, tasks) => {
      const given = options.map((each) => (each === 'ANSWERS' ? join(folder, 'answers') : each));
      const told = await durabench(database, command, ...given, '--dry-run');
      expect(told.code, told.stderr).toBe(0);
      expect(told.stdout).toMatch(text);
      expect(told.stdout).toMatch(models === 0 ? /no model is asked/ : /budget \$|NO BUDGET/);
      const { code, stdout, stderr } = await durabench(database, command, ...given, '--dry-run', '--json');
      expect(code, stderr).toBe(0);
      const document = JSON.parse(stdout) as DocumentBody<'planned-campaign'>;
      expectDocument(document, 'planned-campaign');
      expect(document).toMatchObject({ dry_run: true, trials: expect.any(Number) as number });
      // Nothing was ever fetched into this folder.
      expect(document.missing?.tasks).toBe(tasks);
      expect(told.stdout).toMatch(new RegExp(`^first +.*fetch ${tasks} tasks$`, 'm'));
      expect(await createRecords(database).listCampaigns(9)).toEqual([]);
    },
  );
});

describe('a revision', () => {
  let database: MigratedDatabase;
  const old = 'old-0123456789';

  beforeAll(async () => {
    database = await migratedDatabase();
    await createRecords(database).createCampaign(campaignPlan({ id: old, batches: 1, trialsPerBatch: 3 }));
  });

  afterAll(() => database?.close());

  test('is told before anything is started: what differs, and what that invalidates', async () => {
    const told = await durabench(database, 'run', 'examples/echo/campaign.yaml', '--revises', 'old', '--dry-run');
    expect(told.code, told.stderr).toBe(0);
    expect(told.stdout).toMatch(/^revises +old-0123456789: of its 3 trials 0 invalidated, 3 left out, 0 unchanged/m);
    expect(told.stdout).toMatch(/^ +grader: grader → [0-9a-f]{12}… \(invalidates every trial\)$/m);
    expect((await createRecords(database).listCampaigns(9)).map(({ id }) => id)).toEqual([old]);
  });

  test('is linked to the campaign it changes, both ways, with who, when, why and what', async () => {
    const records = createRecords(database);
    const plan = campaignPlan({ id: 'new-0123456789', batches: 1, trialsPerBatch: 3, lock: 'lock-2' });
    const changes = [{ part: 'systems.sys.limits.usd', before: 50, after: 20, invalidates: ['sys'] }];
    const trials = { planned: 3, invalidated: 3, leftOut: 0, unchanged: 0 };
    const by = { author: 'me@here', revision: { of: old, reason: 'cheaper', changes, trials } };
    await records.createCampaign(plan, by);
    // Attached to once more, it is linked once.
    await records.createCampaign(plan, by);
    const unlinked = { ...by, revision: { ...by.revision, of: plan.id } };
    await expect(records.createCampaign(plan, unlinked)).rejects.toThrow(/exists already, and revises old-0123456789/);

    const said = { author: 'me@here', reason: 'cheaper' };
    expect(await records.events(plan.id)).toMatchObject([
      { ...said, action: 'revises', details: { of: old, changes, trials } },
    ]);
    expect(await records.events(old)).toMatchObject([
      { ...said, action: 'revised', details: { by: plan.id, changes } },
    ]);
    const words = (await durabench(database, 'status', plan.id)).stdout;
    expect(words).toMatch(
      /^revises +old-0123456789: systems\.sys\.limits\.usd: 50 → 20 \(invalidates sys\); of its 3/m,
    );
    for (const command of ['status', 'show'])
      expect((await durabench(database, command, old)).stdout).toMatch(/^revised by +new-0123456789$/m);
    expect((await durabench(database, 'list')).stdout).toMatch(/new-0123456789 .* old-0123456789/);
    expect((await durabench(database, 'report', old, '--format', 'md')).stdout).toContain('Revised by new-0123456789');
  });
});

describe('a campaign that waits for something outside', () => {
  let database: MigratedDatabase;
  let records: Records;
  const id = 'waits-0123456789';
  const trialIds = [0, 1, 2].map((task) => `${id}/task-0-${task}/sys/1`);

  beforeAll(async () => {
    database = await migratedDatabase();
    records = createRecords(database);
    await records.createCampaign(campaignPlan({ id, batches: 1, trialsPerBatch: 3 }));
    const { epoch } = await records.openCampaign(id);
    for (const trialId of trialIds)
      await records.claimTrial({ trialId, epoch, workflowId: `trial/${trialId}`, workflowRunId: trialId });
  });

  afterAll(() => database?.close());

  const today = new Date().toISOString().slice(0, 10);
  const at = (time: string): string => `${today}T${time}.000Z`;

  /** One attempt of a trial at its run in the sandbox. */
  async function attempt(trial: number, time: string, type: FailureType | null): Promise<void> {
    const failure = type && {
      ...{ type, blame: 'infrastructure' as const, message: `${type}\u001b[2J at ${time}` },
      ...(type === 'model.unreachable' && { fix: 'start it, then: npx durabench retry ID --errored' }),
    };
    const owner = { kind: 'trial' as const, id: trialIds[trial]! };
    const where = { owner, epoch: 1, n: 1, stage: 'execute' as const, step: 'run' };
    const record = { worker: 'w', startedAt: at(time), endedAt: at(time), failure, attempt: (attempts += 1) };
    if (failure !== null) return records.recordFailedAttempt({ ...where, attempt: record });
    await records.recordStep({ ...where, inputHash: 'i', result: null, evidence: [], votes: [], attempt: record });
  }
  let attempts = 0;

  const status = async (): Promise<string> => (await durabench(database, 'status', id)).stdout;

  test('says nothing of it while nothing is unavailable', async () => {
    await attempt(0, '08:00:00', 'sandbox.lost');
    expect(await status()).not.toContain('waiting');
  });

  test('says for what, since when and for how many, with the words of the last attempt', async () => {
    await attempt(0, '09:00:01', 'sandbox.unavailable');
    await attempt(1, '09:00:05', 'sandbox.unavailable');
    await attempt(0, '09:01:07', 'sandbox.unavailable');
    await attempt(2, '09:02:00', 'model.unreachable');
    const told = await status();
    expect(told).toMatch(new RegExp(`^ {2}fix: start it, then: (npx )?durabench retry ${id} --errored$`, 'm'));
    const lines = told.split('\n').filter((line) => line.startsWith('waiting'));
    expect(lines).toEqual([
      'waiting for Docker since 09:00:01 UTC (2 trials, last tried 09:01:07): sandbox.unavailable at 09:01:07',
      'waiting for the model provider (unreachable) since 09:02:00 UTC (1 trial, last tried 09:02:00): model.unreachable at 09:02:00',
    ]);
  });

  test('says no more of it once somebody got through', async () => {
    await attempt(1, '09:05:00', null);
    expect(await status()).not.toContain('waiting for Docker');
  });

  test('budget that calls under way have reserved is waited for, also while others get through on it', async () => {
    await attempt(2, '10:00:00', 'budget.contended');
    await attempt(0, '10:00:05', null);
    expect(await status()).toContain(
      'waiting for budget that calls under way have reserved since 10:00:00 UTC (1 trial, last tried 10:00:00)',
    );
    const { stdout } = await durabench(database, 'status', id, '--json');
    const { under_way: now } = JSON.parse(stdout) as DocumentBody<'status'>;
    expect(now).toMatchObject({
      ...{ generations: [], generations_to_come: 0, queues: [] },
      waits: [
        { type: 'budget.contended', owners: 1, generations: 0, since: at('10:00:00'), last_tried_at: at('10:00:00') },
      ],
    });
  });
});

describe('a campaign whose candidates are being made', () => {
  let database: MigratedDatabase;
  let records: Records;
  const id = 'making-0123456789';

  beforeAll(async () => {
    database = await migratedDatabase();
    records = createRecords(database);
    await records.createCampaign(campaignPlan({ id, batches: 2, trialsPerBatch: 2, shared: true }));
  });

  afterAll(() => database?.close());

  test('says which is in which phase, what it costs, and how many are to come', async () => {
    const { epoch } = await records.openCampaign(id);
    const [generation] = await records.generations(id);
    const owner = { kind: 'generation' as const, id: generation!.id };
    await records.claimGeneration({ generationId: owner.id, epoch, workflowRunId: 'r' });
    const status = async (): Promise<string> => (await durabench(database, 'status', id)).stdout;
    const name = owner.id.slice(id.length + 1);
    expect(await status()).toMatch(
      new RegExp(
        `^making +${name} being made, \\$0\\.00, 0 tokens, for [\\d.]+ s\nto be made +1 shared candidate$`,
        'm',
      ),
    );
    const now = new Date().toISOString();
    const attempt = { worker: 'w', startedAt: now, endedAt: now, failure: null, attempt: 1 };
    const step = { owner, epoch, n: 1, stage: 'generate' as const, step: '', inputHash: 'i', result: null };
    await records.recordStep({ ...step, evidence: [], votes: [], attempt });
    expect(await status()).toMatch(new RegExp(`^making +${name} being prepared \\(last step generate\\), `, 'm'));
    const { stdout } = await durabench(database, 'status', id, '--json');
    expect((JSON.parse(stdout) as DocumentBody<'status'>).under_way).toMatchObject({
      generations: [{ id: owner.id, phase: 'prepare', last_step: 'generate', progress: null, usd: 0, tokens: 0 }],
      generations_to_come: 1,
    });
    await records.closeGeneration({ generationId: owner.id, epoch, candidate: null, failure: null });
    expect(await status()).not.toContain('making  ');
  });
});

describe('a campaign of which some trials have ended', () => {
  test('says how long it will still take', async () => {
    const database = await migratedDatabase();
    const id = 'left-0123456789';
    try {
      const records = createRecords(database);
      const told = async (): Promise<[string, DocumentBody<'status'>['under_way']]> => {
        const [text, json] = await Promise.all([
          durabench(database, 'status', id),
          durabench(database, 'status', id, '--json'),
        ]);
        return [text.stdout, (JSON.parse(json.stdout) as DocumentBody<'status'>).under_way];
      };
      await records.createCampaign(campaignPlan({ id, batches: 1, trialsPerBatch: 30 }));
      await records.openCampaign(id);
      const [before, known] = await told();
      expect(known).toMatchObject({ seconds_left: null });
      expect(before).not.toContain('time left');
      await sql`update campaigns set running_since = now() - interval '1 hour' where id = ${id}`.execute(
        database.kysely,
      );
      // 25 at once: the last five have to begin.
      await sql`
        update trials set state = 'done', outcome = 'passed', started_at = now() - interval '100 seconds', ended_at = now()
        where campaign_id = ${id} and ordinal < 25`.execute(database.kysely);
      const [text, now] = await told();
      expect(now!.seconds_left!.low).toBeGreaterThan(5);
      expect(now!.seconds_left!.high).toBeGreaterThan(now!.seconds_left!.low);
      expect(text).toMatch(/^time left {4}(\S+ to|at most) \S+ (s|min), nineteen times in twenty$/m);
    } finally {
      await database.close();
    }
  });
});

describe('trials that somebody looks for', () => {
  let database: MigratedDatabase;
  let records: Records;
  const id = 'looking-0123456789';
  const trialId = (task: number): string => `${id}/task-0-${task}/sys/1`;
  const ENDS: TrialEnd[] = [
    ended('passed', null, null),
    ended('failed', 'execute.assertion', null),
    ended('failed', 'execute.timeout', null),
    ended('errored', 'sandbox.lost', 'infrastructure'),
    ended('not_run', 'budget.exhausted', 'budget'),
  ];

  function ended(outcome: TrialEnd['outcome'], reason: string | null, blame: TrialEnd['blame']): TrialEnd {
    return { outcome, reason, blame, message: null, advice: null, verdict: null, skipped: [] };
  }

  beforeAll(async () => {
    database = await migratedDatabase();
    records = createRecords(database);
    await records.createCampaign(campaignPlan({ id, batches: 1, trialsPerBatch: ENDS.length + 1 }));
    const { epoch } = await records.openCampaign(id);
    for (const [task, end] of ENDS.entries()) {
      const trial = { trialId: trialId(task), epoch };
      await records.claimTrial({ ...trial, workflowId: `trial/${task}`, workflowRunId: `${task}` });
      if (task === 1) await leave(trial.trialId, epoch);
      await records.closeTrial({ ...trial, n: 1, end });
    }
  });

  afterAll(() => database?.close());

  /** Evidence of a step, and attempts before it of which most ended alike. */
  async function leave(trial: string, epoch: number): Promise<void> {
    const blobs = createFileBlobs({ folder: join(folder, 'state', 'blobs') });
    const text = { mediaType: 'text/plain' };
    const owner = { kind: 'trial' as const, id: trial };
    const where = { owner, epoch, n: 1, stage: 'execute' as const, step: 'run' };
    const at = (minute: number): string => `2026-03-04T10:0${minute}:00.000Z`;
    for (const [index, type] of (
      ['model.rate-limited', 'model.rate-limited', 'sandbox.lost', 'model.rate-limited'] as const
    ).entries()) {
      const failure = { type, blame: 'infrastructure' as const, message: `${type} for the ${index + 1}. time` };
      const evidence =
        type === 'sandbox.lost' ? [await blobs.put('what was seen\u001b[2J', { name: 'lost.txt', ...text })] : [];
      const attempt = { attempt: index + 1, worker: 'w', startedAt: at(index), endedAt: at(index), failure, evidence };
      await records.recordFailedAttempt({ ...where, attempt });
    }
    const evidence = [
      await blobs.put('{"equal":false}', { name: 'report.json', mediaType: 'application/json' }),
      await blobs.put(Buffer.from([0, 1, 2]), { name: 'candidate.tar', mediaType: 'application/x-tar' }),
    ];
    const attempt = { attempt: 5, worker: 'w', startedAt: at(5), endedAt: at(6), failure: null };
    await records.recordStep({ ...where, inputHash: 'i', result: {}, evidence, votes: [], attempt });
  }

  const shown = async (...argv: string[]): Promise<string[]> => {
    const { code, stdout, stderr } = await durabench(database, 'show', id, ...argv);
    expect(code, stderr).toBe(0);
    return [...stdout.matchAll(/^looking-0123456789\/task-0-(\d)/gm)].map(([, task = '']) => task);
  };

  test.each([
    [['--failed'], ['1', '2']],
    [['--errored'], ['3']],
    [
      ['--failed', '--errored', '--not-run'],
      ['1', '2', '3', '4'],
    ],
    [
      ['--reason', 'execute'],
      ['1', '2'],
    ],
    [['--reason', 'execute.timeout', '--system', 'sys'], ['2']],
    [['--reason', 'exec'], []],
    [
      ['--limit', '2'],
      ['0', '1'],
    ],
  ])('show %j', async (argv, tasks) => {
    expect(await shown(...argv)).toEqual(tasks);
  });

  test('a reason that no trial has leaves nothing, and those there are are named', async () => {
    const { stdout } = await durabench(database, 'show', id, '--reason', 'exec');
    expect(stdout).toMatch(/^reasons +there are [^\n]*execute\.timeout/m);
  });

  test('what a limit leaves out is told, and --json has the same trials', async () => {
    const { stdout } = await durabench(database, 'show', id, '--failed', '--limit', '1');
    expect(stdout).toMatch(/^trials +1 of 6 trials, 1 more is left out \(--limit\)$/m);
    const json = (await durabench(database, 'show', id, '--failed', '--json')).stdout;
    const { trial_rows: rows, trials } = JSON.parse(json) as DocumentBody<'report'>;
    expect(rows.map(({ task }) => task)).toEqual(['task-0-1', 'task-0-2']);
    // "Done" hides none that were not run.
    const [head = '', row = ''] = (await durabench(database, 'list')).stdout.split('\n');
    expect([head, row].map((line) => line.split(/ {2,}/).slice(3, 8))).toEqual([
      ['done', 'passed', 'failed', 'errored', 'not run'],
      ['5/6', '1', '2', '1', '1'],
    ]);
    expect(trials.planned).toBe(6);
  });

  test.each([
    [['--system', 'sis'], /has no system "sis"\n.*expected: sys\n.*did you mean "sys"/],
    [['--limit', '0'], /--limit is "0"/],
  ])('show %j is refused', async (argv, words) => {
    const { code, stderr } = await durabench(database, 'show', id, ...argv);
    expect(code).toBe(1);
    expect(stderr).toMatch(words);
  });

  test('options that choose trials are refused where one is named', async () => {
    const { code, stderr } = await durabench(database, 'show', trialId(1), '--failed');
    expect(code).toBe(1);
    expect(stderr).toContain('choose trials of a campaign');
  });

  test('attempts that ended alike are one line with their count and times; the last lines read more and run it again', async () => {
    const { stdout } = await durabench(database, 'show', trialId(1));
    const [, attempts = ''] = stdout.split('attempts that failed\n');
    expect(attempts.split('\n').filter((line) => /^ {2}\S/.test(line))).toEqual([
      '  execute run, 3 attempts, 2026-03-04 10:00:00 to 2026-03-04 10:03:00 UTC, the last one: model.rate-limited: model.rate-limited for the 4. time',
      '  execute run, attempt 3: sandbox.lost: sandbox.lost for the 3. time',
    ]);
    expect(stdout.trimEnd().split('\n').slice(-2)).toEqual([
      `read it      durabench logs ${trialId(1)}`,
      `run again    durabench retry ${id} --trial task-0-1/sys/1 --reason "a second look"`,
    ]);
  });

  const logs = (...argv: string[]) => durabench(database, 'logs', trialId(1), ...argv);

  test('logs prints what steps and failed attempts left, and bytes only by name', async () => {
    const { stdout } = await logs();
    expect(stdout.split('\n').filter((line) => line.startsWith('==>'))).toEqual([
      '==> execute run, attempt 3 that failed: lost.txt (17 bytes)',
      '==> execute run: candidate.tar (3 bytes, no text, or kept no more)',
      '==> execute run: report.json (15 bytes)',
    ]);
    expect(stdout).toContain('\nwhat was seen\n');
    expect((await logs('--evidence', 'rep')).stdout).toBe('{"equal":false}\n');
    expect((await logs('--step', 'execute/run', '--evidence', 'lost.txt')).stdout).toBe('what was seen\n');
    const json = (await logs('--evidence', 'report.json', '--json')).stdout;
    expect(JSON.parse(json)).toMatchObject({
      ...{ owner: trialId(1), stage: 'execute', step: 'run', run: 1, failed_attempt: null, text: '{"equal":false}' },
      evidence: { name: 'report.json', size_bytes: 15 },
    });
  });

  test('logs of what is not there says what is', async () => {
    const { code, stderr } = await logs('--evidence', 'stdout');
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /has left no evidence of stdout\n.*steps execute\/run; of the names lost\.txt, candidate\.tar, report\.json/,
    );
  });

  test('logs --follow goes on until the trial has ended', async () => {
    const { epoch } = await records.campaign(id);
    const trial = { trialId: trialId(5), epoch };
    await records.claimTrial({ ...trial, workflowId: 'trial/5', workflowRunId: '5' });
    const following = durabench(database, 'logs', trial.trialId, '--follow');
    await leave(trial.trialId, epoch);
    await records.closeTrial({ ...trial, n: 1, end: ended('failed', 'execute.assertion', null) });
    const { code, stdout } = await following;
    expect(code).toBe(0);
    expect(stdout).toContain('==> execute run: report.json');
  });
});

describe('the wall time of a campaign that was paused', () => {
  let database: MigratedDatabase;
  afterAll(() => database?.close());

  test('is that of its stretches', async () => {
    database = await migratedDatabase();
    const records = createRecords(database);
    const id = 'paused-0123456789';
    await records.createCampaign(campaignPlan({ id, batches: 1, trialsPerBatch: 2 }));
    const { epoch } = await records.openCampaign(id);
    const run = async (task: number): Promise<void> => {
      const trialId = `${id}/task-0-${task}/sys/1`;
      await records.claimTrial({ trialId, epoch, workflowId: `trial/${task}`, workflowRunId: `${task}` });
      const end = {
        outcome: 'passed',
        reason: null,
        blame: null,
        message: null,
        advice: null,
        verdict: null,
        skipped: [],
      } as const;
      await records.closeTrial({ trialId, epoch, n: 1, end: { ...end, skipped: [] } });
    };
    const desire = (state: 'pause' | 'run'): Promise<unknown> =>
      records.setDesiredState({ campaignId: id, state, author: 'me', reason: '' });
    await run(0);
    await desire('pause');
    // An hour passes: what ended before it ended an hour earlier.
    for (const [table, columns, own] of [
      ['working_times', ['started_at', 'ended_at'], 'campaign_id'],
      ['trials', ['started_at', 'ended_at'], 'campaign_id'],
    ] as const)
      for (const column of columns)
        await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${sql.ref(column)} - interval '1 hour' where ${sql.ref(own)} = ${id}`.execute(
          database.kysely,
        );
    await sql`update trial_runs set started_at = started_at - interval '1 hour', ended_at = ended_at - interval '1 hour' where trial_id like ${`${id}%`}`.execute(
      database.kysely,
    );
    await desire('run');
    await run(1);
    const { stdout } = await durabench(database, 'report', id, '--format', 'json');
    const [row] = (JSON.parse(stdout) as DocumentBody<'report'>).results;
    expect(row).toMatchObject({ passed: 2 });
    expect(row!.wall_seconds).toBeGreaterThan(0);
    expect(row!.wall_seconds).toBeLessThan(1800);
  });
});

describe('a campaign that is deleted', () => {
  let database: MigratedDatabase;
  afterAll(() => database?.close());

  test('is refused while it is open or nobody says yes; then nothing of it is left, and nothing of another is missing', async () => {
    database = await migratedDatabase();
    const records = createRecords(database);
    const ledger = createLedger(database);
    const [gone, kept] = ['gone-0123456789', 'kept-0123456789'] as const;
    await records.beatWorker({ instance: 'w', host: 'test', pid: 1 });
    const blob = { sha256: 'a', sizeBytes: 1, mediaType: 'application/json', name: 'a.json', truncated: false };
    for (const id of [gone, kept]) {
      await records.createCampaign(campaignPlan({ id, batches: 1, trialsPerBatch: 1, shared: true }));
      const { epoch } = await records.openCampaign(id);
      const owner = { kind: 'trial' as const, id: `${id}/task-0-0/sys/1` };
      await ledger.reserve({
        ...{
          key: `${id}/call`,
          account: { kind: 'campaign' as const, id },
          epoch,
          owner,
          worker: 'w',
          requestRef: blob,
        },
        ...{ stage: 'vote', step: '', purpose: 'vote', model: 'm', estimate: { microUsd: 5, tokens: 5 } },
      });
      await ledger.markSent(`${id}/call`, 1);
      const now = new Date().toISOString();
      const attempt = { worker: 'w', startedAt: now, endedAt: now, failure: null, attempt: 1 };
      const step = { owner, epoch, n: 1, stage: 'vote' as const, step: '', inputHash: 'i', result: null };
      await records.claimTrial({ trialId: owner.id, epoch, workflowId: 't', workflowRunId: 'r' });
      const vote = { match: 1, round: 1, voter: 1, model: 'm', answer: 'yes' as const, reason: '' };
      await records.recordStep({ ...step, evidence: [blob], votes: [vote], attempt });
    }
    const rowsOf = async (id: string): Promise<number[]> => {
      const of = (table: string, column: string) =>
        sql<{
          count: number;
        }>`select count(*) as count from ${sql.table(table)} where ${sql.ref(column)} like ${`%${id}%`}`;
      const places = [
        ...['steps', 'attempts', 'evidence', 'votes'].map((table) => of(table, 'owner_id')),
        ...[of('budgets', 'scope'), of('campaigns', 'id'), of('calls', 'key'), of('sends', 'key'), of('trials', 'id')],
        ...[of('generations', 'id'), of('campaign_tasks', 'campaign_id'), of('working_times', 'campaign_id')],
      ];
      const found: number[] = [];
      for (const place of places) found.push((await place.execute(database.kysely)).rows[0]!.count);
      return found;
    };
    const whole = await rowsOf(kept);
    expect(whole.slice(0, -1)).not.toContain(0);
    expect((await durabench(database, 'delete', gone, '--yes')).stderr).toMatch(/has not ended\n.*durabench cancel/);
    for (const id of [gone, kept]) {
      await records.setDesiredState({ campaignId: id, state: 'cancel', author: 'me', reason: '' });
      const { epoch } = await records.campaign(id);
      while ((await records.closeCampaign({ campaignId: id, epoch, cancelled: true, failure: null })).status === null);
    }
    expect(await durabench(database, 'delete', gone, '--yes')).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('1 model calls of campaign gone-0123456789 are still under way') as string,
    });
    await records.retireWorker('w');
    expect(await durabench(database, 'delete', gone)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('nobody said yes') as string,
    });
    expect((await durabench(database, 'delete', gone, '--dry-run')).stdout).toBe(
      `would delete ${gone}: 1 trial, $0.00 spent\n`,
    );
    const json = (await durabench(database, 'delete', gone, '--yes', '--json')).stdout;
    expect(JSON.parse(json)).toMatchObject({ command: 'delete', campaign: gone, trials: 1, deleted: true });
    expect(await rowsOf(gone)).toEqual(whole.map(() => 0));
    expect((await rowsOf(kept)).slice(0, -1)).toEqual(whole.slice(0, -1));
    expect(await records.events(null)).toMatchObject([{ action: 'delete', details: { campaign: gone } }]);
    expect((await durabench(database, 'status', gone)).code).toBe(1);
  });
});

describe('campaigns with tags', () => {
  let database: MigratedDatabase;
  afterAll(() => database?.close());

  test('are found by them; tags that change are no other question, and are kept in the record', async () => {
    database = await migratedDatabase();
    const records = createRecords(database);
    const tagged = (id: string, tags?: string[]): CampaignPlan => {
      const plan = campaignPlan({ id, batches: 1, trialsPerBatch: 1 });
      return tags === undefined ? plan : { ...plan, spec: { ...plan.spec, tags } };
    };
    await records.createCampaign(tagged('plain-0123456789'));
    await records.createCampaign(tagged('smoke-0123456789', ['smoke']));
    await records.createCampaign(tagged('smoke-0123456789', ['smoke', 'paper']));
    expect(await records.events('smoke-0123456789')).toMatchObject([
      { action: 'settings', details: { before: { tags: ['smoke'] }, after: { tags: ['smoke', 'paper'] } } },
    ]);
    const listed = async (...argv: string[]): Promise<[string, string[]][]> => {
      const { stdout } = await durabench(database, 'list', '--json', ...argv);
      const { campaigns } = JSON.parse(stdout) as DocumentBody<'list'>;
      return campaigns.map(({ campaign: { id, tags } }) => [id, tags]);
    };
    const smoke = ['smoke-0123456789', ['smoke', 'paper']];
    expect(await listed('--tag', 'paper')).toEqual([smoke]);
    expect(await listed()).toEqual([smoke, ['plain-0123456789', []]]);
    expect(await listed('--tag', 'pap')).toEqual([]);
    expect((await durabench(database, 'list', '--tag', 'none')).stdout).toBe('no campaign has the tag none\n');
    expect((await durabench(database, 'status', 'smoke')).stdout).toMatch(/^tags +smoke paper$/m);
  });
});
