import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@temporalio/client';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectDocker } from '../../src/adapters/docker/engine/connect-docker.js';
import { createDockerSandbox } from '../../src/adapters/docker/sandbox/docker-sandbox.js';
import { currentInstance } from '../../src/adapters/docker/engine/instance.js';
import { sha256Hex } from '../../src/domain/text/content-hash.js';
import { startScriptedModelServer, type ScriptedModelServer } from '../../src/fakes/scripted-model-server.js';
import { connectTemporal } from '../../src/stack/servers/connect.js';
import { DEFAULT_NAMESPACE } from '../../src/stack/servers/namespace.js';
import type { StackState } from '../../src/stack/stack-state.js';
import { createCliProject, type CliProject, type CommandEnd } from '../fixtures/cli/cli-project.js';
import { volumeContent, watchContainers, type ContainerWatch } from '../fixtures/docker/container-watch.js';
import { PACKAGE_ROOT } from '../fixtures/package-root.js';
import { ensureImages } from '../fixtures/docker/ensure-images.js';
import { scaled } from '../vitest/yardstick.js';

/** Looks like no key of any provider, so that only who knows it can blank it. */
const KEY = `sentinel_${randomBytes(18).toString('hex')}`;
const VARIABLE = 'KEYS_TEST_PROVIDER';
/** A key that no header takes, which `fetch` would repeat in its complaint; only a part of it is on any one line. */
const BROKEN_KEY = `broken$_${randomBytes(18).toString('hex')}\n${randomBytes(18).toString('hex')}`;
const BROKEN_VARIABLE = 'KEYS_TEST_BROKEN';
/** What must be nowhere, nor a digest of it that whoever guesses it could compare. */
const SECRETS = [KEY, ...BROKEN_KEY.split('\n'), sha256Hex(KEY).slice(0, 16)];
const TASKS = 7;

let project: CliProject;
let server: ScriptedModelServer;
let said: CommandEnd[];
let campaignId: string;
let crafted: { end: CommandEnd; watch: ContainerWatch; content: Buffer };

beforeAll(async () => {
  // Every way in which an endpoint may repeat the key that it was sent; all but the first answer lead to failures.
  const repeated = 'you sent {{authorization}}, did you not';
  const error = { message: repeated, code: repeated, type: repeated };
  const onTask = (text: string) => ({ contains: text });
  server = await startScriptedModelServer({
    key: KEY,
    rules: {
      rules: [
        { match: onTask('Write the repository'), answer: await library() },
        { match: { purpose: 'vote' }, answer: '{"answer": "YES", "reason": "it does"}' },
        { match: onTask('hello world'), answer: `Answer: ${repeated}`, headers: { 'x-request-id': repeated } },
        { match: onTask('two  spaces'), status: 401, error },
        { match: onTask('quoted'), status: 400, error, headers: { 'x-request-id': repeated } },
        { match: { ...onTask('naïve'), attempt: 1 }, status: 500, error },
        { match: { ...onTask('0001'), attempt: 1 }, status: 429, error, headers: { 'retry-after': '1' } },
        { match: { ...onTask('6 36 216'), attempt: 1 }, answer: repeated, cut: { afterBytes: 400 } },
        { match: { ...onTask('fjord'), attempt: 1 }, answer: repeated, malformed: 'broken-json' },
        { match: { regex: '.*:\\n(.*)' }, template: 'Answer: {{1}}' },
      ],
    },
  });
  project = await createCliProject({ [VARIABLE]: KEY, [BROKEN_VARIABLE]: BROKEN_KEY });
  await writeFile(join(project.folder, 'campaign.yaml'), campaignFile('keys', server.url, VARIABLE));
  await writeFile(join(project.folder, 'broken.yaml'), campaignFile('broken', server.url, BROKEN_VARIABLE));
  await writeFile(join(project.folder, 'crafted.yaml'), craftedCampaign(server.url));
  await Promise.all([project.json(['up']), project.json(['images', 'build', 'repocraft-requests'])]);
  const run = await project.durabench('run', 'campaign.yaml', '--json');
  campaignId = (JSON.parse(run.stdout.split('\n')[0] ?? '{}') as { campaign_id: string }).campaign_id;
  await project.json(['dataset', 'fetch', 'repocraft', '--project', 'textkit']);
  crafted = await watched(() => project.durabench('run', 'crafted.yaml', '--json'));
  said = [run, await project.durabench('run', 'broken.yaml'), crafted.end];
  for (const command of [['status'], ['report'], ['show'], ['list'], ['doctor'], ['validate', 'campaign.yaml']])
    said.push(
      await project.durabench(
        ...command,
        ...(['status', 'report', 'show'].includes(command[0] ?? '') ? ['latest'] : []),
      ),
    );
});

afterAll(async () => {
  await project?.close();
  await server?.close();
});

describe('a key', () => {
  test('that cannot be sent ends its trials, and the variable is named', () => {
    expect(said[1]).toMatchObject({ code: 2 });
    expect(said[1]?.stdout).toMatch(/KEYS_TEST_BROKEN holds a character that no key has/);
  });

  test('reaches the provider, and every way of repeating it was tried', () => {
    // The endpoint asks for exactly this key.
    const statuses = server.requests.map(({ status }) => status);
    for (const status of [200, 400, 401, 429, 500]) expect(statuses).toContain(status);
    expect(server.requests.map(({ fault }) => fault)).toEqual(expect.arrayContaining(['cut', 'broken-json']));
  });

  test('is in nothing that a command prints', () => {
    const text = said.map(({ stdout, stderr }) => stdout + stderr).join('\n');
    expect(text).toContain(campaignId);
    expect(around(text)).toEqual([]);
  });

  test('is in no row of any table', async () => {
    const { text, tables } = await dump();
    // What it must find, so that "nothing found" means something: the name of the variable and the words around the key.
    expect(tables.length).toBeGreaterThan(15);
    expect(text.includes(VARIABLE)).toBe(true);
    expect(text.includes('you sent')).toBe(true);
    expect(around(text)).toEqual([]);
  });

  test('is in no history', async () => {
    const text = await histories();
    expect(text.includes('you sent')).toBe(true);
    expect(around(text)).toEqual([]);
  });

  test('is in no file of the project: database, write-ahead log, Temporal’s database, blobs, logs, stack.json', async () => {
    const files = await everyFile(project.folder);
    const names = files.map((file) => file.slice(project.folder.length + 1));
    for (const part of ['stack.json', 'pg_wal', 'temporal', 'blobs', 'logs', 'reports'])
      expect(
        names.some((name) => name.includes(part)),
        part,
      ).toBe(true);
    const hits: string[] = [];
    let control = 0;
    for (const file of files) {
      const bytes = await readFile(file).catch(() => Buffer.alloc(0)); // removed meanwhile
      if (SECRETS.flatMap(forms).some((form) => bytes.includes(form))) hits.push(file);
      if (bytes.includes('you sent')) control += 1;
    }
    expect(hits).toEqual([]);
    // Blob, heap, write-ahead log, Temporal's database: the search sees into each of them.
    expect(control).toBeGreaterThanOrEqual(4);
  });

  test('is in no server of the stack', async () => {
    const { services } = await stackState();
    const variablesOf = (pid = 0): Promise<string> => readFile(`/proc/${pid}/environ`, 'utf8');
    expect(await variablesOf(services.worker.process?.pid)).toContain(KEY);
    for (const server of [services.postgres, services.temporal]) {
      const variables = await variablesOf(server.process?.pid);
      expect(variables).toContain('PATH=');
      expect(around(variables)).toEqual([]);
    }
  });

  test('is in no container in which code of a model runs: not in its settings, its processes, its volumes', async () => {
    const { end, watch, content } = crafted;
    expect(end.code, end.stderr).toBe(0);
    expect(server.requests.map(({ purpose }) => purpose)).toEqual(expect.arrayContaining(['generate', 'vote']));
    // What was there to be seen: the candidate's mount, its tests at work, what surrounds them, its code.
    const settings = [...watch.settings.values()].join('\n');
    const processes = [...watch.processes].join('\n');
    expect(settings).toContain('"Destination":"/candidate"');
    expect(processes).toContain('/runner/server.py');
    if (process.getuid?.() === 0) expect(processes).toContain('\nPATH=');
    expect(around(settings)).toEqual([]);
    expect(around(processes)).toEqual([]);
    expect(content.includes('def slugify')).toBe(true);
    expect(SECRETS.flatMap(forms).filter((form) => content.includes(form))).toEqual([]);
  });

  test('is in no container', async () => {
    process.env[VARIABLE] = KEY;
    const stateFolder = await mkdtemp(join(tmpdir(), 'durabench-keys-'));
    const docker = connectDocker();
    await ensureImages(join(stateFolder, 'cache'), 'base');
    const instance = currentInstance();
    const sandbox = createDockerSandbox({ instance, stateFolder, packageRoot: PACKAGE_ROOT, slots: 1 });
    try {
      const { stdout } = await sandbox.run({
        image: 'base',
        command: ['sh', '-c', 'env; cat /proc/*/environ 2>/dev/null'],
        ...{ mounts: [], poolKey: 'keys-test', owner: { campaignId: 'keys-test', ownerId: 'keys-test' } },
        signal: new AbortController().signal,
      });
      expect(stdout.bytes.toString()).toContain('PATH=');
      expect(around(stdout.bytes.toString())).toEqual([]);
      const containers = await docker.listContainers({
        all: true,
        filters: { label: ['durabench.campaign=keys-test'] },
      });
      const details = await Promise.all(containers.map(({ Id }) => docker.getContainer(Id).inspect()));
      expect(details.length).toBeGreaterThan(0);
      expect(around(JSON.stringify(details))).toEqual([]);
    } finally {
      delete process.env[VARIABLE];
      await sandbox.close();
      await rm(stateFolder, { recursive: true, force: true });
    }
  });
});

/** Where the key is, with what is around it: a failed test shows the place and not the whole dump. */
function around(text: string): string[] {
  return SECRETS.flatMap((secret) =>
    text
      .split(secret)
      .slice(1)
      .map((after, place) => `${text.split(secret)[place]?.slice(-200)}[key]${after.slice(0, 60)}`),
  );
}

/** The key as it stands and as base64 would hide it. */
function forms(key: string): Buffer[] {
  const shifted = [0, 1, 2].map((shift) =>
    Buffer.from('x'.repeat(shift) + key)
      .toString('base64')
      .slice(4, -4),
  );
  return [Buffer.from(key), Buffer.from(Buffer.from(key).toString('hex')), ...shifted.map((text) => Buffer.from(text))];
}

function campaignFile(name: string, url: string, variable: string): string {
  return `
name: ${name}
suite: echo
dataset: { tasks: ${TASKS} }
models:
  provider: { name: scripted, base_url: '${url}', api_key_env: ${variable}, price: { input: 1, output: 4 }, timeout_seconds: 300 }
systems:
  - { id: asks, generator: model, model: provider }
`;
}

/** Generated code, votes, a provider's key and a sandbox in one campaign. */
const craftedCampaign = (url: string): string => `
name: crafted
suite: repocraft
dataset: { projects: [textkit], tasks: [textkit-formatting-slugify-001, textkit-formatting-truncate_text-001] }
models:
  provider: { name: scripted, base_url: '${url}', api_key_env: ${VARIABLE}, price: { input: 1, output: 4 } }
systems:
  - { id: writes, generator: single-prompt, model: provider, vote: { voter: model, model: provider } }
`;

/** A repository that offers what the tasks are about, as a model would answer it. */
async function library(): Promise<string> {
  const folder = join(PACKAGE_ROOT, 'tasks', 'repocraft', 'projects', 'textkit', 'src', 'textkit');
  const names = (await readdir(folder)).filter((name) => name.endsWith('.py'));
  const read = names.map(async (name) => [`textkit/${name}`, await readFile(join(folder, name), 'utf8')] as const);
  return JSON.stringify({ files: Object.fromEntries(await Promise.all(read)) });
}

/** A command's end, and what was seen meanwhile of the worker's containers. */
async function watched(work: () => Promise<CommandEnd>): Promise<typeof crafted> {
  const { services } = await stackState();
  const watch = watchContainers(connectDocker(), services.worker.process?.pid ?? 0);
  const end = await work().finally(() => watch.stop());
  // While its containers hold them: afterwards `clean` of a neighbour may take them.
  const [image = ''] = await ensureImages(join(project.stateDir, 'cache'), 'base');
  const volumes = [...watch.volumes].map((name) => volumeContent(connectDocker(), name, image));
  return { end, watch, content: Buffer.concat(await Promise.all(volumes)) };
}

async function stackState(): Promise<StackState> {
  return JSON.parse(await readFile(join(project.stateDir, 'stack.json'), 'utf8')) as StackState;
}

async function dump(): Promise<{ text: string; tables: string[] }> {
  const { addresses } = await stackState();
  const client = new pg.Client({ connectionString: addresses.databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      `select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`,
    );
    const tables = rows.map(({ name }) => name);
    const texts: string[] = [];
    for (const name of tables) {
      const { rows: all } = await client.query<{ row: string }>(`select to_jsonb(t)::text as row from "${name}" t`);
      texts.push(...all.map(({ row }) => row));
    }
    return { text: texts.join('\n'), tables };
  } finally {
    await client.end();
  }
}

/** Every event of every workflow that ran, as text. */
async function histories(): Promise<string> {
  const { addresses } = await stackState();
  const address = `127.0.0.1:${addresses.temporalPort}`;
  const server = { address, namespace: DEFAULT_NAMESPACE, connectionOptions: { address }, uiUrl: undefined };
  const connection = await connectTemporal(server, { deadlineMs: scaled(60_000) });
  try {
    const client = new Client({ connection, namespace: DEFAULT_NAMESPACE });
    const texts: string[] = [];
    for await (const { workflowId, runId } of client.workflow.list()) {
      const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
      texts.push(
        JSON.stringify(history, (_, value: unknown) =>
          value instanceof Uint8Array ? Buffer.from(value).toString() : value,
        ),
      );
    }
    expect(texts.length).toBeGreaterThan(TASKS);
    return texts.join('\n');
  } finally {
    await connection.close();
  }
}

async function everyFile(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
