import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MIGRATIONS } from '../src/adapters/postgres/migrations/index.js';
import { createRecords } from '../src/adapters/postgres/records.js';
import { runCommandLine } from '../src/cli/program.js';
import type { FailureType } from '../src/contract/failure.js';
import type { Records } from '../src/ports/records.js';
import { campaignPlan } from './fixtures/campaign-plan.js';
import { PACKAGE_ROOT } from './fixtures/engine.js';
import { migratedDatabase, type MigratedDatabase } from './fixtures/postgres.js';

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
        new RegExp(
          `^error: The database has schema version ${NEWER}; .*\n  allowed: .*\n  to mend: .*newer Durabench.*\n$`,
        ),
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
      mend: expect.stringContaining('newer Durabench') as string,
    });
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
    const failure = type && { type, blame: 'infrastructure' as const, message: `${type}\u001b[2J at ${time}` };
    const owner = { kind: 'trial' as const, id: trialIds[trial]! };
    const where = { owner, epoch: 1, n: 1, stage: 'execute' as const, step: 'run' };
    const record = { worker: 'w', startedAt: at(time), endedAt: at(time), failure, attempt: (attempts += 1) };
    if (failure !== null) return records.recordFailedAttempt({ ...where, attempt: record });
    await records.recordStep({ ...where, inputHash: 'i', result: null, evidence: [], votes: [], attempt: record });
  }
  let attempts = 0;

  const status = async (): Promise<string> => (await durabench(database, 'status', id)).stdout;

  test('says nothing of it while nothing is away', async () => {
    await attempt(0, '08:00:00', 'sandbox.lost');
    expect(await status()).not.toContain('waiting');
  });

  test('says for what, since when and for how many, with the words of the last attempt', async () => {
    await attempt(0, '09:00:01', 'sandbox.unavailable');
    await attempt(1, '09:00:05', 'sandbox.unavailable');
    await attempt(0, '09:01:07', 'sandbox.unavailable');
    await attempt(2, '09:02:00', 'model.unreachable');
    const lines = (await status()).split('\n').filter((line) => line.startsWith('waiting'));
    expect(lines).toEqual([
      'waiting for Docker since 09:00:01 UTC (2 trials, last tried 09:01:07): sandbox.unavailable at 09:01:07',
      'waiting for the model provider, which cannot be reached, since 09:02:00 UTC (1 trial, last tried 09:02:00): model.unreachable at 09:02:00',
    ]);
  });

  test('says no more of it once somebody got through', async () => {
    await attempt(1, '09:05:00', null);
    expect(await status()).not.toContain('waiting for Docker');
  });
});
