import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UserError } from '../../domain/failure/user-error.js';
import type { Context } from '../context.js';
import type { Finding } from './finding.js';
import { distributionIn, thisHost, type Host } from './host.js';
import { installMissing } from './install-missing.js';
import { removeStalePidFile, startEngine } from './start-engine.js';

const BOOTSTRAPPER: Finding = {
  ...{ name: 'base image', state: 'missing', detail: 'its registry does not answer', fix: 'sudo apt-get install it' },
  installable: 'bootstrapper',
};
const ENGINE: Finding = { ...BOOTSTRAPPER, name: 'Docker', detail: 'does not answer', installable: 'engine' };

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'durabench-install-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const context = (variables: NodeJS.ProcessEnv = process.env): Context =>
  ({
    environment: () => ({ variables, variable: (name: string) => variables[name], stateDir: folder }),
    notify: () => undefined,
  }) as unknown as Context;

/** A machine that notes what would be run on it. */
function recorder(machine: Partial<Host> = {}): { host: Host; ran: string[] } {
  const ran: string[] = [];
  const host: Host = {
    distribution: () => Promise.resolve(['debian']),
    isRoot: true,
    has: (program) => program === 'apt-get',
    hasServiceManager: true,
    run: (command) => {
      ran.push(command.join(' '));
      return Promise.resolve({ code: 0, tail: '' });
    },
    startDetached: () => {
      throw new Error('systemd starts services here');
    },
    ...machine,
  };
  return { host, ran };
}

async function refusal(
  missing: Finding[],
  machine: Partial<Host>,
  agrees = true,
): Promise<{ told: string; ran: string[] }> {
  const { host, ran } = recorder(machine);
  const error = await installMissing(context(), missing, { host, mayRun: () => Promise.resolve(agrees) }).catch(
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(UserError);
  expect((error as UserError).kind).toBe('environment');
  return { told: (error as UserError).message, ran };
}

describe('an installation', () => {
  it('runs what it asked about, as root, packages before services', async () => {
    const { host, ran } = recorder();
    const asked: string[] = [];
    const mayRun = (commands: readonly string[]): Promise<boolean> => Promise.resolve(asked.push(...commands) > 0);
    await installMissing(context(), [ENGINE, BOOTSTRAPPER], { host, mayRun });
    expect(ran).toEqual([
      'apt-get update',
      'apt-get install -y --no-install-recommends docker.io iptables mmdebstrap python3 python3-pip',
      'systemctl enable --now docker',
    ]);
    expect(asked).toEqual(ran);
  });

  it('uses sudo where it is not root, and installs no engine that is only not started', async () => {
    const { host, ran } = recorder({
      isRoot: false,
      has: (program) => ['apt-get', 'sudo', 'dockerd'].includes(program),
    });
    await installMissing(context(), [ENGINE], { host, mayRun: () => Promise.resolve(true) });
    expect(ran).toEqual(['sudo systemctl enable --now docker']);
  });

  it.each<[string, Partial<Host>, RegExp]>([
    [
      'on another distribution',
      { distribution: () => Promise.resolve(['fedora']) },
      /knows Debian and Ubuntu, this is fedora/,
    ],
    ['where no system is named', { distribution: () => Promise.resolve([]) }, /this is another system/],
    ['without apt-get', { has: () => false }, /installed: apt-get is not on the PATH/],
    ['without root and sudo', { isRoot: false }, /needs root, or sudo/],
  ])('%s changes nothing and says for each thing what to do', async (_, machine, why) => {
    const { told, ran } = await refusal([ENGINE, BOOTSTRAPPER], machine);
    expect(ran).toEqual([]);
    expect(told).toMatch(/^Docker does not answer\nfix: sudo/);
    expect(told).toMatch(/\nbase image its registry does not answer\nfix: sudo/);
    expect(told).toMatch(why);
  });

  it('that is refused changes nothing', async () => {
    const { told, ran } = await refusal([ENGINE], {}, false);
    expect(ran).toEqual([]);
    expect(told).toMatch(/it was refused \(--yes installs without asking\)/);
  });

  it('is not begun for what no package brings', async () => {
    const memory: Finding = { name: 'memory', state: 'missing', detail: '1.0 GiB', fix: 'give it 3' };
    const { told, ran } = await refusal([memory, ENGINE], {});
    expect(ran).toEqual([]);
    expect(told).toMatch(/memory: no package brings that/);
  });

  it('without a network ends before anything is installed, with what apt-get said', async () => {
    const ran: string[] = [];
    const run: Host['run'] = (command) => {
      ran.push(command.join(' '));
      return Promise.resolve({ code: 100, tail: 'E: Temporary failure resolving' });
    };
    const { told } = await refusal([ENGINE], { run });
    expect(ran).toEqual(['apt-get update']);
    expect(told).toMatch(/`apt-get update` ended with 100: E: Temporary failure/);
  });
});

describe('this host', () => {
  it('runs commands and keeps the end of what they said', async () => {
    const host = thisHost(context());
    expect(await host.run(['sh', '-c', 'seq 9; exit 3'])).toEqual({ code: 3, tail: '5\n6\n7\n8\n9' });
    expect(await host.run(['no-such-program-here'])).toMatchObject({ code: null });
    expect(host.has('sh')).toBe(true);
  });

  it('looks where servers are, too, though the PATH does not name it', async () => {
    const { code, tail } = await thisHost(context({ PATH: '/usr/bin:/bin' })).run(['sh', '-c', 'echo $PATH']);
    expect({ code, tail }).toEqual({ code: 0, tail: '/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin' });
  });

  it('does not wait for a service that a command has started and that keeps its output open', async () => {
    const { code, tail } = await thisHost(context()).run(['sh', '-c', 'sleep 600 & echo $!']);
    process.kill(Number(tail));
    expect(code).toBe(0);
  });

  it('knows a distribution by its own name and by what it is like', () => {
    expect(distributionIn('NAME="Linux Mint"\nID=linuxmint\nID_LIKE="ubuntu debian"\n')).toEqual([
      ...['linuxmint', 'ubuntu', 'debian'],
    ]);
  });
});

describe('an engine that is started', () => {
  it('is waited for, and tried once more where it ended; what it said is told', async () => {
    const logFile = join(folder, 'log');
    const start = { logFile, pidFiles: [], answers: () => Promise.resolve(false) };
    const why = await startEngine(thisHost(context()), { ...start, command: ['sh', '-c', 'echo no room'] });
    expect(why).toBe('sh ended; it said last: no room / no room');
    const served = join(folder, 'served');
    const answers = (): Promise<boolean> =>
      readFile(served).then(
        () => true,
        () => false,
      );
    const command = ['sh', '-c', `[ -e ${folder}/tried ] && touch ${served} && exec sleep 1; touch ${folder}/tried`];
    expect(await startEngine(thisHost(context()), { ...start, answers, command })).toBeNull();
  });

  it('finds no pid file that another program or nobody stands behind, and leaves one of its own kind', async () => {
    const file = join(folder, 'docker.pid');
    const exists = (): Promise<string | null> => readFile(file, 'utf8').catch(() => null);
    const sleeper = spawn('sleep', ['600']);
    await once(sleeper, 'spawn');
    await writeFile(file, `${sleeper.pid}`);
    await removeStalePidFile(file, 'sleep');
    expect(await exists()).toBe(`${sleeper.pid}`);
    await removeStalePidFile(file, 'dockerd');
    expect(await exists()).toBeNull();
    sleeper.kill();
    await once(sleeper, 'exit');
    await writeFile(file, `${sleeper.pid}`);
    await removeStalePidFile(file, 'sleep');
    expect(await exists()).toBeNull();
    await removeStalePidFile(file, 'sleep'); // nothing there is no failure
  });
});
