import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { calledBy, childVariables, readEnvironment } from './env.js';
import { UserError } from '../domain/failure/user-error.js';

const emptyFolder = (): string => mkdtempSync(join(tmpdir(), 'durabench-env-'));
/** HOME points at an empty folder, so that the developer's own temporal.toml plays no part. */
const isolated = (variables: Record<string, string> = {}): Record<string, string> => ({
  HOME: emptyFolder(),
  XDG_CONFIG_HOME: emptyFolder(),
  ...variables,
});

describe('readEnvironment', () => {
  it('puts the state under the nearest parent that already has one', () => {
    const root = emptyFolder();
    mkdirSync(join(root, '.durabench'));
    mkdirSync(join(root, 'a', 'b'), { recursive: true });
    writeFileSync(join(root, 'a', 'package.json'), '{}');
    const environment = readEnvironment(isolated(), join(root, 'a', 'b'));
    expect(environment.projectRoot).toBe(root);
    expect(environment.stateDir).toBe(join(root, '.durabench'));
    expect(environment.blobsDir).toBe(join(root, '.durabench', 'blobs'));
  });

  it('takes a package or repository as the project when no state exists yet', () => {
    const root = emptyFolder();
    mkdirSync(join(root, 'deep'));
    writeFileSync(join(root, 'package.json'), '{}');
    expect(readEnvironment(isolated(), join(root, 'deep')).stateDir).toBe(join(root, '.durabench'));
  });

  it('resolves DURABENCH_HOME against the working directory', () => {
    const root = emptyFolder();
    expect(readEnvironment(isolated({ DURABENCH_HOME: 'state' }), root).stateDir).toBe(join(root, 'state'));
  });

  it('takes what is not set from .env of the project, and nothing that other programs read', () => {
    const root = emptyFolder();
    mkdirSync(join(root, '.durabench'));
    mkdirSync(join(root, 'deep'));
    const lines = [
      ...['# keys', 'OPENAI_API_KEY="from file"', 'OTHER_KEY=from-file', 'BLANK_KEY=filled', 'EMPTY='],
      ...['DURABENCH_CANCEL_SECONDS=9', 'DOCKER_HOST=tcp://elsewhere', 'https_proxy=http://elsewhere', 'PATH=/nowhere'],
    ];
    writeFileSync(join(root, '.env'), lines.join('\n'));
    const given = isolated({ OTHER_KEY: 'from environment', BLANK_KEY: ' ' });
    const { variable, variables, cancelSeconds, dockerHost } = readEnvironment(given, join(root, 'deep'));
    expect(['OPENAI_API_KEY', 'OTHER_KEY', 'BLANK_KEY', 'EMPTY'].map(variable)).toEqual([
      ...['from file', 'from environment', 'filled'],
      undefined,
    ]);
    expect({ cancelSeconds, dockerHost }).toEqual({ cancelSeconds: 9, dockerHost: undefined });
    // Workers inherit it.
    expect(variables).toMatchObject({ OPENAI_API_KEY: 'from file', OTHER_KEY: 'from environment' });
    expect(variables).not.toHaveProperty('PATH');
    expect(variables).not.toHaveProperty('https_proxy');
  });

  it('names no Temporal server when none is configured', () => {
    expect(readEnvironment(isolated(), emptyFolder()).temporal).toBeUndefined();
  });

  it('knows no variable by the name of what every object has', () => {
    const { variable } = readEnvironment(isolated(), emptyFolder());
    expect(['constructor', 'toString', '__proto__'].map(variable)).toEqual([undefined, undefined, undefined]);
  });

  it('takes the Temporal address, namespace and TLS from the standard variables', () => {
    const variables = { TEMPORAL_ADDRESS: 'cloud:7233', TEMPORAL_NAMESPACE: 'team', TEMPORAL_API_KEY: 'k' };
    const { temporal } = readEnvironment(isolated(variables), emptyFolder());
    expect(temporal).toMatchObject({ address: 'cloud:7233', namespace: 'team' });
    expect(temporal?.connectionOptions).toMatchObject({ address: 'cloud:7233', apiKey: 'k' });
  });

  it('takes the Temporal address from a profile of a configuration file', () => {
    const file = join(emptyFolder(), 'temporal.toml');
    writeFileSync(file, '[profile.prod]\naddress = "prod:7233"\nnamespace = "bench"\n');
    const variables = isolated({ TEMPORAL_CONFIG_FILE: file, TEMPORAL_PROFILE: 'prod' });
    expect(readEnvironment(variables, emptyFolder()).temporal).toMatchObject({
      address: 'prod:7233',
      namespace: 'bench',
    });
  });

  it('reports every problem at once, and never quotes a database password', () => {
    const variables = isolated({
      DATABASE_URL: 'mysql://me:secret@host/db',
      TEMPORAL_ADDRESS: 'http://host:7233/',
      DURABENCH_LOG_LEVEL: 'loud',
      DURABENCH_MIN_FREE_GIB: 'much',
      DURABENCH_TEMPORAL_PORT: '70000',
    });
    const read = (): unknown => readEnvironment(variables, emptyFolder());
    expect(read).toThrow(UserError);
    try {
      read();
    } catch (error) {
      const { problems, message } = error as UserError;
      expect(problems).toHaveLength(5);
      expect(message).toContain('DATABASE_URL');
      expect(message).toContain('TEMPORAL_ADDRESS');
      expect(message).toContain('loud');
      expect(message).toContain('DURABENCH_TEMPORAL_PORT');
      expect(message).not.toContain('secret');
    }
  });
});

describe('childVariables', () => {
  it('sets and removes', () => {
    expect(childVariables({ B: '2', C: '3' }, { A: '1', B: undefined })).toEqual({ A: '1', C: '3' });
  });
});

it('knows whether npx started this program, and not one that runs it', () => {
  const npx = { npm_command: 'exec', npm_lifecycle_event: 'npx' };
  expect(calledBy({ ...npx, npm_lifecycle_script: "'durabench'" })).toBe('npx');
  expect(calledBy({ ...npx, npm_lifecycle_script: 'durabench' })).toBe('npx');
  expect(calledBy({ ...npx, npm_lifecycle_script: "'vitest'" })).toBe('path');
  expect(calledBy({})).toBe('path');
});
