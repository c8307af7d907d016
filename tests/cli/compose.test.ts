/** The files a server is run from, checked by Docker Compose itself, and the namespace script on a real server. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { childVariables, readEnvironment } from '../../src/config/env.js';
import { connectTemporal } from '../../src/stack/servers/connect.js';
import { startDevServer, type StartedDevServer } from '../../src/stack/servers/dev-server.js';
import { RETENTION_DAYS, SEARCH_ATTRIBUTES } from '../../src/stack/servers/namespace.js';
import { endProcess } from '../../src/stack/supervisor/stop-services.js';
import { findTemporalCli, type TemporalCli } from '../../src/stack/servers/temporal-cli.js';
import { findCompose } from '../fixtures/cli/compose-cli.js';

interface ComposeService {
  image: string;
  restart: string;
  ports?: { host_ip?: string; published: string }[];
  environment?: Record<string, string>;
  volumes?: { type: string; source: string; target: string; read_only?: boolean }[];
  depends_on?: Record<string, { condition: string }>;
}

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const environment = readEnvironment();
const toolsDir = join(environment.cacheDir, 'tools');
const scratch = mkdtempSync(join(tmpdir(), 'durabench-compose-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

describe('docker-compose.yml', () => {
  let compose: string[];
  beforeAll(async () => {
    compose = await findCompose(toolsDir);
  });
  /** The files as Compose understands them, with everything filled in. */
  const resolved = async (files: string[]): Promise<Record<string, ComposeService>> => {
    const [program, ...first] = compose;
    const chosen = files.flatMap((file) => ['-f', file]);
    // Nobody's own .env or ports may decide this test.
    const env = { PATH: environment.variables['PATH'] ?? '', HOME: scratch };
    const options = ['--project-directory', root, '--env-file', '/dev/null', 'config', '--format', 'json'];
    const { stdout } = await run(program!, [...first, ...chosen, ...options], { cwd: root, env });
    return (JSON.parse(stdout) as { services: Record<string, ComposeService> }).services;
  };

  it('is valid, and has the parts that were promised', async () => {
    const services = await resolved(['docker-compose.yml']);
    const names = ['postgres', 'temporal', 'temporal-namespace', 'temporal-schema', 'temporal-ui', 'worker'];
    expect(Object.keys(services).sort()).toEqual(names);
  });

  it('pins every image to a release, uses no auto-setup, and the same release for server and tools', async () => {
    const images = Object.values(await resolved(['docker-compose.yml'])).map(({ image }) => image);
    for (const image of images) expect(image).toMatch(/:\d+\.\d+[\w.-]*$/);
    expect(images.join(' ')).not.toMatch(/auto-setup|latest/);
    const temporal = images.filter((image) => /temporalio\/(server|admin-tools)/.test(image));
    expect(new Set(temporal.map((image) => image.split(':')[1])).size).toBe(1);
  });

  it('publishes every port on loopback only', async () => {
    const ports = Object.values(await resolved(['docker-compose.yml'])).flatMap((service) => service.ports ?? []);
    expect(ports.map(({ published }) => published).sort()).toEqual(['5432', '7233', '8233']);
    expect(ports.filter((port) => port.host_ip !== '127.0.0.1')).toEqual([]);
  });

  it('gives the worker the Docker socket, the blobs and the servers, and starts it after the jobs', async () => {
    const { worker } = await resolved(['docker-compose.yml']);
    const mounts = Object.fromEntries(worker!.volumes!.map(({ source, target }) => [target, source]));
    expect(mounts).toMatchObject({ '/var/run/docker.sock': '/var/run/docker.sock', '/blobs': 'blobs' });
    const told = readEnvironment({ ...worker!.environment, HOME: scratch }, scratch);
    expect(told).toMatchObject({ blobsDir: '/blobs', temporal: { address: 'temporal:7233', namespace: 'durabench' } });
    expect(new URL(told.databaseUrl!).host).toBe('postgres:5432');
    expect(worker!.depends_on?.['temporal-namespace']?.condition).toBe('service_completed_successfully');
  });

  it('can be split by role, every role of a worker once', async () => {
    const services = await resolved(['docker-compose.yml', 'deploy/compose.roles.yml']);
    const commands = Object.entries(services).filter(([name]) => name.startsWith('worker'));
    const roles = commands.flatMap(([, service]) => (service as { command?: string[] }).command?.[1]?.split(',') ?? []);
    expect(roles.sort()).toEqual(['light', 'model', 'sandbox', 'workflows']);
  });

  it('mounts only files that exist', async () => {
    const services = Object.values(await resolved(['docker-compose.yml']));
    const files = services.flatMap(({ volumes = [] }) => volumes).filter(({ source }) => source.startsWith(root));
    for (const { source } of files.filter(({ target }) => target !== '/campaigns'))
      expect(() =>
        readFileSync(source.endsWith('dynamicconfig') ? join(source, 'durabench.yaml') : source),
      ).not.toThrow();
    expect(files.length).toBeGreaterThanOrEqual(4);
  });

  it('would be refused with a mistake in it', async () => {
    const broken = join(scratch, 'broken.yml');
    const text = readFileSync(join(root, 'docker-compose.yml'), 'utf8');
    writeFileSync(broken, text.replace('restart: unless-stopped', 'restrat: unless-stopped'));
    await expect(resolved([broken])).rejects.toThrow(/restrat/);
  });
});

describe('deploy/temporal/namespace.sh', () => {
  let server: StartedDevServer;
  let cli: TemporalCli;
  beforeAll(async () => {
    cli = await findTemporalCli({ variables: environment.variables, toolsDirs: [toolsDir] });
    const usualPorts = environment.temporalPorts;
    server = await startDevServer({ cli, dataDir: scratch, logFile: join(scratch, 'temporal.log'), usualPorts });
  });
  afterAll(() => endProcess(server.process, { signal: 'SIGTERM', graceMs: 5_000 }));

  it('makes of a new server what the built-in one is, and may run again', async () => {
    const address = `127.0.0.1:${server.port}`;
    const env = childVariables(environment.variables, {
      PATH: `${dirname(cli.path)}:${environment.variables['PATH'] ?? ''}`,
      ...{ TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: 'from-script', RETENTION: `${RETENTION_DAYS * 24}h` },
    });
    const script = join(root, 'deploy/temporal/namespace.sh');
    for (const time of ['first', 'second']) {
      const { stdout } = await run('/bin/sh', [script], { env });
      expect(`${time}: ${stdout}`).toContain('namespace from-script is ready');
    }
    const connectionOptions = { address };
    const connection = await connectTemporal({
      address,
      namespace: 'from-script',
      connectionOptions,
      uiUrl: undefined,
    });
    try {
      const { config } = await connection.workflowService.describeNamespace({ namespace: 'from-script' });
      expect(Number(config?.workflowExecutionRetentionTtl?.seconds)).toBe(RETENTION_DAYS * 86_400);
      const listed = await connection.operatorService.listSearchAttributes({ namespace: 'from-script' });
      const ours = Object.entries(listed.customAttributes ?? {}).filter(([name]) => name.startsWith('Durabench'));
      expect(Object.fromEntries(ours)).toEqual(SEARCH_ATTRIBUTES);
    } finally {
      await connection.close();
    }
  });
});
