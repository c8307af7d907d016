import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  databaseFailure,
  isPostgresReady,
  startPostgres,
  type StartedPostgres,
} from '../../src/stack/servers/postgres.js';
import { postgresUser } from '../../src/stack/servers/postgres-binaries.js';
import { createCluster } from '../../src/stack/servers/postgres-cluster.js';
import { identifyProcess } from '../../src/stack/supervisor/process-identity.js';
import { endProcess } from '../../src/stack/supervisor/stop-services.js';
import { waitUntil } from '../fixtures/wait-until.js';
import { UserError } from '../../src/domain/failure/user-error.js';

describe('the embedded Postgres', () => {
  let folder: string;
  let started: StartedPostgres | undefined;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'durabench-pg-'));
    started = undefined;
  });
  afterEach(async () => {
    if (started) await endProcess(started.process, { signal: 'SIGINT', graceMs: 10_000 });
    rmSync(folder, { recursive: true, force: true });
  });
  const start = async (): Promise<StartedPostgres> =>
    (started = await startPostgres({ dataDir: join(folder, 'postgres'), logFile: join(folder, 'postgres.log') }));
  const untilReady = (url: string): Promise<true | undefined> => waitUntil(() => isPostgresReady(url));

  it('starts in a folder that nobody else may enter, and is found by a second start', async () => {
    chmodSync(folder, 0o700); // as /root is: the user Postgres is dropped to cannot walk through it
    const first = await start();
    expect(await untilReady(first.databaseUrl)).toBe(true);
    expect(await databaseFailure(first.databaseUrl)).toBeUndefined();
    expect(await start()).toEqual(first);
    const data = statSync(join(folder, 'postgres'));
    expect(data.mode & 0o077).toBe(0);
    expect(data.uid).toBe(postgresUser().uid ?? process.getuid?.());
  });

  it('refuses a wrong password, and never repeats it', async () => {
    const { databaseUrl } = await start();
    await untilReady(databaseUrl);
    const wrong = new URL(databaseUrl);
    wrong.password = 'open-sesame';
    const failure = await databaseFailure(wrong.toString());
    expect(failure).toMatch(/password authentication failed/);
    expect(failure).not.toContain('open-sesame');
  });

  it('deletes nothing in a folder that is not its own', async () => {
    mkdirSync(join(folder, 'postgres'));
    writeFileSync(join(folder, 'postgres', 'thesis.txt'), 'years of work');
    await expect(start()).rejects.toThrow(UserError);
    expect(readFileSync(join(folder, 'postgres', 'thesis.txt'), 'utf8')).toBe('years of work');
  });

  it('is made by a program that is told no key', async () => {
    const initdb = join(folder, 'initdb');
    writeFileSync(initdb, '#!/bin/sh\nenv > told; cp told ..\nexit 1\n', { mode: 0o755 });
    vi.stubEnv('POSTGRES_TEST_KEY', 'sk-of-a-provider');
    const made = createCluster(join(folder, 'postgres'), { initdb, postgres: '', major: '' }, {});
    await expect(made).rejects.toThrow(UserError);
    vi.unstubAllEnvs();
    const told = readFileSync(join(folder, 'told'), 'utf8');
    expect(told).toContain('PATH=');
    expect(told).not.toContain('sk-of-a-provider');
  });

  it('says in three lines that the data are of another major version', async () => {
    mkdirSync(join(folder, 'postgres'));
    writeFileSync(join(folder, 'postgres', 'PG_VERSION'), '12\n');
    await expect(start()).rejects.toThrow(/written by Postgres 12; .+ brings Postgres 18\.\nexpected: .+\nfix: Use .+/);
  });
});

it('the Postgres of a test run ends with the run, even one that is killed', async () => {
  const fixture = new URL('../fixtures/postgres/standalone-postgres.ts', import.meta.url).href;
  const script = `
    const { pid, folder } = await (await import('${fixture}')).startStandalonePostgres();
    console.log(JSON.stringify({ pid, folder }));
    setInterval(() => undefined, 1000);`;
  const run = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', script]);
  const [line] = (await once(run.stdout, 'data')) as [Buffer];
  const { pid, folder } = JSON.parse(line.toString()) as { pid: number; folder: string };
  expect(identifyProcess(pid)).toBeDefined();
  run.kill('SIGKILL');
  const isGone = (): boolean => identifyProcess(pid) === undefined && !existsSync(folder);
  expect(await waitUntil(isGone)).toBe(true);
});
