import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readEnvironment, type Environment } from '../../config/env.js';
import { sha256Hex } from '../../domain/text/content-hash.js';
import { identifyProcess } from './process-identity.js';
import { stackPaths, writeStackState, type ServiceState } from '../stack-state.js';
import { workerChanges, workerService } from './worker-service.js';
import { changeText } from './worker-settings.js';

let stateDir: string;
beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), 'durabench-worker-'));
});
afterEach(() => rmSync(stateDir, { recursive: true }));

const ADDRESSES = { databaseUrl: 'postgresql://postgres:secret@127.0.0.1:1/durabench', temporalPort: 2 };
const environment = (key: string): Environment => readEnvironment({ DURABENCH_HOME: stateDir, PROVIDER_KEY: key });

function settings(key: string, salt: string): Readonly<Record<string, string>> {
  const paths = stackPaths(stateDir);
  const parts = { environment: environment(key), paths, addresses: ADDRESSES, workerCommand: ['node', 'x.js'] };
  return workerService({ ...parts, salt, needs: [] }).settings();
}

it('remembers of each variable only a digest that no other installation has', () => {
  const [one, other] = [settings('sk-1', 'salt-1'), settings('sk-1', 'salt-2')];
  for (const name of ['PROVIDER_KEY', 'servers']) expect(one[name]).not.toBe(other[name]);
  expect(one.PROVIDER_KEY).not.toBe(sha256Hex('sk-1').slice(0, one.PROVIDER_KEY?.length));
  expect(settings('sk-1', 'salt-1')).toEqual(one);
});

it('tells by it which variables the running worker has otherwise, or not at all', () => {
  const self = identifyProcess(process.pid)!;
  const off: ServiceState = { mode: 'off', status: 'stopped', detail: '', restarts: 0, failures: 0 };
  const worker: ServiceState = {
    ...off,
    mode: 'embedded',
    status: 'up',
    process: self,
    settings: settings('sk-1', 's'),
  };
  const services = { postgres: off, temporal: off, worker };
  const startedAt = new Date(0).toISOString();
  writeStackState(stateDir, { format: 1, supervisor: self, startedAt, services, addresses: {}, salt: 's' });
  const changes = (key: string, more: Record<string, string> = {}) =>
    workerChanges(readEnvironment({ DURABENCH_HOME: stateDir, PROVIDER_KEY: key, ...more }), {
      workerCommand: ['node', 'x.js'],
      needs: ['PROVIDER_KEY', 'ABSENT'],
    });
  const unknown = (key: string) => changes(key)?.keys;
  expect(unknown('sk-1')).toEqual([]);
  expect(unknown('sk-2')).toEqual(['PROVIDER_KEY']);
  expect(readFileSync(stackPaths(stateDir).stateFile, 'utf8')).not.toMatch(/sk-1|secret/);
  expect(changes('sk-1')).toEqual({ isCodeOld: false, keys: [], settings: [] });
  const other = { DURABENCH_SANDBOX_SLOTS: '4', DURABENCH_CACHE: '/elsewhere', DOCKER_HOST: 'tcp://me:secret@far:1' };
  const here = environment('sk-1').cacheDir;
  expect(changes('sk-1', other)?.settings.map(changeText)).toEqual([
    `DURABENCH_CACHE ${here} → /elsewhere`,
    'DURABENCH_SANDBOX_SLOTS as the machine allows → 4',
    'DOCKER_HOST is another one',
  ]);
});
