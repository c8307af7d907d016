/** The stack with its real servers. The worker is a stand-in: what is tested is supervision. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readEnvironment, type Environment } from '../../src/config/env.js';
import { connectTemporal } from '../../src/stack/servers/connect.js';
import { SEARCH_ATTRIBUTES } from '../../src/stack/servers/namespace.js';
import { identifyProcess, isAlive, type ProcessIdentity } from '../../src/stack/supervisor/process-identity.js';
import { stackStatus } from '../../src/stack/stack-status.js';
import { readStackState, stackPaths, writeStackState, type ServiceName } from '../../src/stack/stack-state.js';
import {
  startStack,
  stopStack,
  whyWorkerOutdated,
  type StackProgress,
  type StartedStack,
} from '../../src/stack/stack.js';
import { lockHolder } from '../../src/stack/supervisor/supervisor-lock.js';
import { killService, restartService } from '../fixtures/cli/kill-service.js';
import { waitUntil } from '../fixtures/wait-until.js';
import { scaled } from '../vitest/yardstick.js';
import { UserError } from '../../src/domain/failure/user-error.js';

const standIn = (manner = ''): string[] => [
  process.execPath,
  fileURLToPath(new URL('../fixtures/engine/stand-in-worker.mjs', import.meta.url)),
  manner,
];
const stateDirs: string[] = [];

/** A project of its own; what the machine's environment says about servers plays no part. */
function project(variables: Record<string, string> = {}): Environment {
  const stateDir = mkdtempSync(join(tmpdir(), 'durabench-stack-'));
  stateDirs.push(stateDir);
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(DATABASE_URL|TEMPORAL_|DURABENCH_HOME)/.test(name),
  );
  return readEnvironment({ ...Object.fromEntries(inherited), DURABENCH_HOME: stateDir, ...variables });
}

const processOf = ({ stateDir }: Environment, name: ServiceName): ProcessIdentity =>
  readStackState(stateDir)!.services[name].process!;
const supervisorOf = ({ stateDir }: Environment): ProcessIdentity | undefined =>
  lockHolder(stackPaths(stateDir).lockFile);

/** Kills a process the hard way and returns the one that replaces it, once that serves. */
async function killAndAwaitNext(environment: Environment, name: ServiceName): Promise<ProcessIdentity> {
  return (await restartService(environment.stateDir, name)).next;
}

async function query(databaseUrl: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Takes a port, unless somebody else on this machine was faster, which serves as well. */
const occupy = (port: number): Promise<Server | undefined> =>
  new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(undefined));
    server.listen(port, '127.0.0.1', () => resolve(server));
  });

afterAll(async () => {
  for (const stateDir of stateDirs) {
    await stopStack({ stateDir, graceMs: 3_000 });
    rmSync(stateDir, { recursive: true, force: true });
  }
});

describe('a stack', () => {
  const environment = project();
  const options = { environment, workerCommand: standIn() };
  const { stateDir } = environment;

  let started: StartedStack[] = [];
  beforeAll(async () => {
    started = await Promise.all([startStack(options), startStack(options)]);
  });

  it('starts once, however many ask at the same time', () => {
    expect(started[0]!.services).toEqual(started[1]!.services);
    expect(started[0]!.state.supervisor).toEqual(started[1]!.state.supervisor);
    expect(stackStatus(stateDir)).toMatchObject({
      isUp: true,
      services: [
        { name: 'postgres', status: 'up', restarts: 0 },
        { name: 'temporal', status: 'up', restarts: 0 },
        { name: 'worker', status: 'up', restarts: 0 },
      ],
    });
  });

  it('is found up by a second start, which changes nothing', async () => {
    const before = readStackState(stateDir);
    const progress: StackProgress[] = [];
    const again = await startStack(options, (event) => progress.push(event));
    expect(again.wasUp).toBe(true);
    expect(readStackState(stateDir)).toEqual(before);
    expect(progress.map(({ service }) => service)).toEqual(['postgres', 'temporal', 'worker']);
  });

  it('refuses other servers than it was started with', async () => {
    const other = readEnvironment({ ...environment.variables, DATABASE_URL: 'postgresql://me:secret@elsewhere/db' });
    const attempt = startStack({ ...options, environment: other });
    await expect(attempt).rejects.toThrow(/DATABASE_URL names another[\s\S]*durabench down/);
    await expect(attempt).rejects.not.toThrow(/secret/);
  });

  it('has registered the namespace with 30 days and the search attributes', async () => {
    const { services } = await startStack(options);
    const connection = await connectTemporal(services.temporal);
    try {
      const { namespace } = services.temporal;
      const { config } = await connection.workflowService.describeNamespace({ namespace });
      expect(Number(config?.workflowExecutionRetentionTtl?.seconds)).toBe(30 * 86_400);
      const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
      expect(customAttributes).toMatchObject(SEARCH_ATTRIBUTES);
    } finally {
      await connection.close();
    }
  });

  it('shows no password in its status', () => {
    const password = new URL(readStackState(stateDir)!.addresses.databaseUrl!).password;
    expect(password.length).toBeGreaterThan(20);
    expect(JSON.stringify(stackStatus(stateDir))).not.toContain(password);
  });

  it('starts Postgres again after kill -9, with every committed row and on the same address', async () => {
    const { services } = await startStack(options);
    await query(services.databaseUrl, 'create table kept as select 42 as answer');
    await killAndAwaitNext(environment, 'postgres');
    expect(await query(services.databaseUrl, 'select * from kept')).toEqual([{ answer: 42 }]);
    expect(stackStatus(stateDir).services[0]).toMatchObject({ restarts: 1 });
  });

  it('starts the dev server again after kill -9, on the same address', async () => {
    const { services } = await startStack(options);
    await killAndAwaitNext(environment, 'temporal');
    const connection = await connectTemporal(services.temporal, { deadlineMs: scaled(60_000) });
    const { namespace } = services.temporal;
    await connection.workflowService.describeNamespace({ namespace });
    await connection.close();
  });

  it('starts the worker again after kill -9, waiting longer each time', async () => {
    const begun = Date.now();
    await killAndAwaitNext(environment, 'worker');
    const first = Date.now() - begun;
    await killAndAwaitNext(environment, 'worker');
    expect(first).toBeGreaterThanOrEqual(1_000);
    expect(Date.now() - begun - first).toBeGreaterThanOrEqual(2_000);
  });

  it('lives on when its supervisor is killed -9, and the next start adopts it', async () => {
    const names = ['postgres', 'temporal', 'worker'] as const;
    const before = names.map((name) => processOf(environment, name));
    const supervisor = supervisorOf(environment)!;
    process.kill(supervisor.pid, 'SIGKILL');
    await waitUntil(() => !isAlive(supervisor));
    expect(stackStatus(stateDir).isUp).toBe(false);
    const adopted = await startStack(options);
    expect(adopted.wasUp).toBe(false);
    expect(names.map((name) => processOf(environment, name))).toEqual(before);
    expect(supervisorOf(environment)).not.toEqual(supervisor);
    await killAndAwaitNext(environment, 'worker'); // supervised again, although not its own child
  });

  it('finds a dev server and a Postgres that nobody wrote down', async () => {
    const before = [processOf(environment, 'postgres'), processOf(environment, 'temporal')];
    process.kill(supervisorOf(environment)!.pid, 'SIGKILL');
    const worker = await killService(environment.stateDir, 'worker');
    await waitUntil(() => !isAlive(worker) && !supervisorOf(environment));
    rmSync(stackPaths(stateDir).stateFile);
    await startStack(options);
    expect([processOf(environment, 'postgres'), processOf(environment, 'temporal')]).toEqual(before);
  });

  it('gives its worker a key that was exported later, and leaves everything else as it is', async () => {
    const later = readEnvironment({ ...environment.variables, LATE_KEY: 'sk-late' });
    const names = ['postgres', 'temporal', 'worker'] as const;
    const before = names.map((name) => processOf(environment, name));
    const ask = { ...options, environment: later };
    expect(whyWorkerOutdated({ ...ask, needs: ['PATH', 'LATE_KEY'] })).toEqual(['LATE_KEY is new or another one']);
    expect((await startStack({ ...ask, needs: ['PATH'] })).wasUp).toBe(true);
    expect(names.map((name) => processOf(environment, name))).toEqual(before);

    expect((await startStack({ ...ask, needs: ['LATE_KEY'] })).wasUp).toBe(true);
    const after = names.map((name) => processOf(environment, name));
    expect(after.slice(0, 2)).toEqual(before.slice(0, 2));
    expect(after[2]).not.toEqual(before[2]);
    const ready = JSON.parse(readFileSync(stackPaths(stateDir).readyFile, 'utf8')) as { told: { LATE_KEY?: string } };
    expect(ready.told.LATE_KEY).toBe('sk-late');
    expect(readFileSync(stackPaths(stateDir).stateFile, 'utf8')).not.toContain('sk-late');

    await startStack({ ...ask, needs: ['LATE_KEY'] });
    await startStack(options); // from a shell without the key: the worker keeps it
    expect(processOf(environment, 'worker')).toEqual(after[2]);
  });

  it('starts its worker again when a setting is another one, names it, and leaves everything else as it is', async () => {
    const names = ['postgres', 'temporal', 'worker'] as const;
    const before = names.map((name) => processOf(environment, name));
    const roomier = readEnvironment({
      ...environment.variables,
      ...{ DURABENCH_MIN_FREE_GIB: '5', HTTPS_PROXY: 'http://me:sk-proxy@proxy:1' },
    });
    const said: string[] = [];
    await startStack({ ...options, environment: roomier }, ({ service, text }) => {
      if (service === 'worker') said.push(text);
    });
    expect(said[0]).toBe('restarting: DURABENCH_MIN_FREE_GIB 2 → 5; HTTPS_PROXY is another one');
    const after = names.map((name) => processOf(environment, name));
    expect(after.slice(0, 2)).toEqual(before.slice(0, 2));
    expect(after[2]).not.toEqual(before[2]);
    const ready = JSON.parse(readFileSync(stackPaths(stateDir).readyFile, 'utf8')) as {
      told: { DURABENCH_MIN_FREE_GIB?: string };
    };
    expect(ready.told.DURABENCH_MIN_FREE_GIB).toBe('5');
    expect(readFileSync(stackPaths(stateDir).stateFile, 'utf8')).not.toContain('sk-proxy');
    expect(whyWorkerOutdated({ ...options, environment: roomier })).toEqual([]);
    await startStack(options);
    expect(whyWorkerOutdated(options)).toEqual([]);
  });

  it('starts its worker again when that was built anew, and leaves everything else as it is', async () => {
    const dist = mkdtempSync(join(tmpdir(), 'durabench-dist-'));
    const main = join(dist, 'src', 'worker', 'main.js');
    mkdirSync(dirname(main), { recursive: true });
    const build = (version: string): void =>
      writeFileSync(main, `// ${version}\nvoid import(${JSON.stringify(standIn()[1])});\n`);
    const names = ['postgres', 'temporal', 'worker'] as const;
    const processes = (): ProcessIdentity[] => names.map((name) => processOf(environment, name));
    const built = { environment, workerCommand: [process.execPath, main] };
    build('one');
    await startStack(built);
    const one = processes();
    await startStack(built);
    expect(processes()).toEqual(one);

    build('two');
    expect(whyWorkerOutdated(built)).toEqual(['its code is not the built one']);
    expect(whyWorkerOutdated({ ...built, workerCommand: null })).toEqual([]);
    const elsewhere = readEnvironment({ ...environment.variables, TEMPORAL_ADDRESS: '127.0.0.1:1' });
    expect(whyWorkerOutdated({ ...built, environment: elsewhere })).toEqual([]);
    await startStack(built);
    expect(processes().slice(0, 2)).toEqual(one.slice(0, 2));
    expect(processes()[2]).not.toEqual(one[2]);
    expect(whyWorkerOutdated(built)).toEqual([]);
    rmSync(dist, { recursive: true });
    await startStack(options);
  });

  it('serves others as an external server, whose own stack then starts only a worker', async () => {
    const { services } = await startStack(options);
    const variables = { DATABASE_URL: services.databaseUrl, TEMPORAL_ADDRESS: services.temporal.address };
    const guest = project({ ...variables, TEMPORAL_NAMESPACE: 'guest' });
    const started = await startStack({ environment: guest, workerCommand: standIn() });
    expect(started.services.databaseUrl).toBe(services.databaseUrl);
    expect(stackStatus(guest.stateDir).services).toMatchObject([
      { mode: 'external', status: 'up', pid: null },
      { mode: 'external', status: 'up', pid: null },
      { mode: 'embedded', status: 'up' },
    ]);
    const ready = JSON.parse(readFileSync(stackPaths(guest.stateDir).readyFile, 'utf8')) as { told: unknown };
    expect(ready.told).toEqual({ ...variables, TEMPORAL_NAMESPACE: 'guest' });
    expect(await stopStack({ stateDir: guest.stateDir })).toEqual(['worker']);
    expect(stackStatus(stateDir).services.map(({ status }) => status)).toEqual(['up', 'up', 'up']);
  });

  it('stops all of it, and chooses other ports when the old ones are taken meanwhile', async () => {
    const before = readStackState(stateDir)!;
    const processes = [before.supervisor, ...Object.values(before.services).map((service) => service.process!)];
    const order: string[] = [];
    const stopped = await stopStack({ stateDir }, ({ service, text }) => order.push(`${service} ${text}`));
    expect(stopped).toEqual(['worker', 'temporal', 'postgres']);
    expect(order.filter((line) => line.endsWith('stopped'))).toHaveLength(3);
    expect(processes.filter(isAlive)).toEqual([]);

    const { temporalPort, databaseUrl } = before.addresses;
    const postgresPort = Number(new URL(databaseUrl!).port);
    const others = [await occupy(temporalPort!), await occupy(postgresPort)];
    try {
      const progress: string[] = [];
      const again = await startStack(options, ({ service, text }) => progress.push(`${service}: ${text}`));
      expect(again.services.temporal.address).not.toBe(`127.0.0.1:${temporalPort}`);
      expect(progress.join('\n')).toContain(`temporal: up at ${again.services.temporal.address}`);
      expect(progress.join('\n')).toMatch(new RegExp(`\\(${temporalPort} .*taken, so .+ chosen\\)`));
      expect(await query(again.services.databaseUrl, 'select * from kept')).toEqual([{ answer: 42 }]);
    } finally {
      for (const other of others) other?.close();
    }
  });

  it('starts over files from before a reboot, and touches no process that now has an old pid', async () => {
    await stopStack({ stateDir });
    const bystander = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    try {
      const old = { pid: bystander.pid!, startToken: 'an-earlier-boot:1' };
      const state = readStackState(stateDir)!;
      for (const service of Object.values(state.services)) Object.assign(service, { process: old, status: 'up' });
      writeStackState(stateDir, { ...state, supervisor: old });
      writeFileSync(stackPaths(stateDir).lockFile, JSON.stringify(old));
      writeFileSync(join(stackPaths(stateDir).postgresDir, 'postmaster.pid'), `${old.pid}\n/x\n1\n5432\n\n127.0.0.1\n`);
      expect(stackStatus(stateDir)).toMatchObject({ isUp: false, supervisorPid: null });
      expect(await stopStack({ stateDir })).toEqual([]);
      expect((await startStack(options)).wasUp).toBe(false);
      await stopStack({ stateDir });
      expect(identifyProcess(bystander.pid!)).toBeDefined();
    } finally {
      bystander.kill('SIGKILL');
    }
  });
});

describe('a supervisor in the foreground, as in a container', () => {
  it('ends its children in order and itself on SIGTERM', async () => {
    const environment = project();
    const entry = fileURLToPath(new URL('../../src/stack/supervisor/supervisor-main.ts', import.meta.url));
    const given = JSON.stringify({ graceMs: 300_000, needs: [], workerCommand: standIn() });
    const env = { ...process.env, DURABENCH_HOME: environment.stateDir };
    const supervisor = spawn(process.execPath, ['--import', 'tsx', entry, given], { env, stdio: 'pipe' });
    let printed = '';
    supervisor.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    const ended = new Promise<number | null>((resolve) => supervisor.once('exit', resolve));
    await waitUntil(() => supervisorOf(environment));
    expect((await startStack({ environment })).wasUp).toBe(true);
    const children = (['postgres', 'temporal', 'worker'] as const).map((name) => processOf(environment, name));
    supervisor.kill('SIGTERM');
    expect(await ended).toBe(0);
    expect(children.filter(isAlive)).toEqual([]);
    const stopped = [...printed.matchAll(/"service":"(\w+)","event":"stopped"/g)].map((match) => match[1]);
    expect(stopped).toEqual(['worker', 'temporal', 'postgres']);
    expect(stackStatus(environment.stateDir)).toMatchObject({ isUp: false, temporalUi: null });
  });
});

describe('external servers that do not answer', () => {
  it('are waited for with a message, and given up with three lines', async () => {
    // Nobody listens on the discard port. Both at once, so that no server of our own takes part in the time.
    const nowhere = { TEMPORAL_ADDRESS: '127.0.0.1:9', DATABASE_URL: 'postgresql://me:secret@127.0.0.1:9/x' };
    const environment = project(nowhere);
    const said: string[] = [];
    const attempt = startStack({ environment, workerCommand: null, timeoutMs: scaled(4_000) }, ({ text }) =>
      said.push(text),
    );
    await expect(attempt).rejects.toThrow(UserError);
    await expect(attempt).rejects.toThrow(
      /^The stack was not started: waiting for .+\nexpected: .+\nfix: Start that server .+$/,
    );
    await expect(attempt).rejects.not.toThrow(/secret/);
    expect(said).toContain('waiting for Temporal at 127.0.0.1:9 (it does not answer)');
    expect(said.join('\n')).toMatch(/waiting for Postgres at 127\.0\.0\.1:9\/x \(.+\)/);
    expect(stackStatus(environment.stateDir).isUp).toBe(false);
  });
});

describe('a worker that does not do its part', () => {
  it('fails the start with its last words, and leaves nothing running', async () => {
    const environment = project();
    const attempt = startStack({ environment, workerCommand: standIn('broken') });
    await expect(attempt).rejects.toThrow(UserError);
    await expect(attempt).rejects.toThrow(/no flux capacitor[\s\S]*worker\.log/);
    expect(stackStatus(environment.stateDir)).toMatchObject({ isUp: false });
    expect(stackStatus(environment.stateDir).services.map(({ pid }) => pid)).toEqual([null, null, null]);
  });

  it('fails the start at once with its own words when it names what the user has to fix', async () => {
    const environment = project();
    const begun = Date.now();
    const attempt = startStack({ environment, workerCommand: standIn('unready') });
    await expect(attempt).rejects.toThrow(
      /^The records are of a newer version\.\nexpected: version 3\nfix: upgrade Durabench$/,
    );
    await expect(attempt).rejects.toMatchObject({ problems: [{ fix: 'upgrade Durabench' }] });
    expect(
      readFileSync(stackPaths(environment.stateDir).logFile('worker'), 'utf8').match(/reading settings/g),
    ).toHaveLength(1);
    expect(Date.now() - begun).toBeLessThan(scaled(60_000));
    expect(stackStatus(environment.stateDir).isUp).toBe(false);
  });

  it('is killed when it does not end in the time it is given', async () => {
    const environment = project();
    await startStack({ environment, workerCommand: standIn('stubborn') });
    const worker = processOf(environment, 'worker');
    const events: string[] = [];
    await stopStack({ stateDir: environment.stateDir, graceMs: 500 }, ({ service, text }) =>
      events.push(`${service} ${text}`),
    );
    expect(events).toContain('worker killed: it did not end in time');
    expect(events).toContain('postgres stopped');
    expect(isAlive(worker)).toBe(false);
  });
});
