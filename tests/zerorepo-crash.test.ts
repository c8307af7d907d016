import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../src/adapters/postgres/database.js';
import { createRecords } from '../src/adapters/postgres/records.js';
import type { StatusReport } from '../src/contract/status.js';
import { startScriptedModelServer, type ScriptedModelServer } from '../src/fakes/scripted-model-server.js';
import type { Records } from '../src/ports/records.js';
import type { StackState } from '../src/stack/stack-state.js';
import { waitUntil } from '../src/stack/wait-until.js';
import { createCliProject, type CliProject } from './fixtures/cli-project.js';
import { PACKAGE_ROOT } from './fixtures/engine.js';

/** ZeroRepo on the first features of textkit: killed three times it must make what it makes when nobody disturbs it. */
const FEATURES = 6;
/** Model answers after which a service is killed: while planning, while designing or writing, while writing. */
const KILLS = [
  { service: 'worker', after: 5 },
  { service: 'temporal', after: 13 },
  { service: 'worker', after: 21 },
] as const;

let project: CliProject;
let model: ScriptedModelServer;
let records: Records;
let closeDatabase: () => Promise<void>;
let sequential: string;

beforeAll(async () => {
  const library = join(PACKAGE_ROOT, 'tasks', 'repocraft', 'projects', 'textkit');
  const rules = { library, default: { plays: 'competent' as const } };
  [project, model] = await Promise.all([createCliProject(), startScriptedModelServer({ rules })]);
  await project.json(['dataset', 'fetch', 'repocraft', '--project', 'textkit']);
  await project.json(['images', 'build', 'repocraft-requests']);
  await project.json(['up']);
  const { addresses } = await stackState();
  const database = openDatabase({ connectionString: addresses.databaseUrl ?? '', maxConnections: 2 });
  records = createRecords(database);
  closeDatabase = () => database.close();
  const { id } = await begun('sequential', 1);
  await completed(id);
  sequential = await candidateOf(id);
}, 600_000);

afterAll(async () => {
  await closeDatabase?.();
  await project?.close();
  await model?.close();
}, 60_000);

describe('a generation in parallel, whose worker and server are killed on the way', () => {
  let id: string;
  let before: number;

  test('ends by itself with the bytes of the sequential one', async () => {
    before = answered();
    ({ id } = await begun('killed', 4));
    for (const { service, after } of KILLS) {
      const isThere = await waitUntil(() => answered() - before >= after, { timeoutMs: 120_000 });
      expect(isThere, `${after} answers`).toBe(true);
      const { restarts, process: running } = (await stackState()).services[service];
      process.kill(running?.pid ?? 0, 'SIGKILL');
      const isBack = async (): Promise<boolean> => (await stackState()).services[service].restarts > restarts;
      expect(await waitUntil(isBack, { timeoutMs: 60_000 }), `${service} is started again`).toBe(true);
    }
    await completed(id);
    expect(await candidateOf(id)).toBe(sequential);
  }, 500_000);

  test('asks no answered call again', async () => {
    const { spend } = await project.json<StatusReport>(['status', id]);
    expect(answered() - before).toBeLessThanOrEqual(spend.calls + spend.repeated_calls);
    expect(spend.repeated_calls).toBeLessThanOrEqual(KILLS.length * 4);
  });
});

async function begun(name: string, window: number): Promise<{ id: string }> {
  await writeFile(join(project.folder, `${name}.yaml`), campaignFile(name, window));
  const { stdout, stderr } = await project.durabench('run', `${name}.yaml`, '--detach', '--json');
  const line = stdout.split('\n')[0] ?? '';
  if (!line.startsWith('{')) throw new Error(`no campaign id: ${stdout}\n${stderr}`);
  return { id: (JSON.parse(line) as { campaign_id: string }).campaign_id };
}

async function completed(id: string): Promise<void> {
  const isCompleted = async (): Promise<boolean> =>
    (await project.json<StatusReport>(['status', id])).campaign.status === 'completed';
  expect(await waitUntil(isCompleted, { timeoutMs: 300_000 }), `${id} completes`).toBe(true);
}

/** The hash of the candidate: of every byte of the repository. */
async function candidateOf(id: string): Promise<string> {
  const { epoch } = await records.campaign(id);
  const owner = { kind: 'generation', id: `${id}/zerorepo/textkit/1` } as const;
  const { candidate } = await records.ownerContext(owner, epoch);
  expect(candidate?.files).toBeGreaterThan(2 * FEATURES);
  return candidate?.sha256 ?? 'none';
}

const campaignFile = (name: string, window: number): string => `
name: ${name}
suite: repocraft
dataset: { projects: [textkit], limit: 1 }
models:
  scripted: { name: scripted, base_url: '${model.url}', price: { input: 0.15, output: 0.60 } }
systems:
  - id: zerorepo
    generator: zerorepo
    model: scripted
    vote: { voter: heuristic }
    options: { features: ${FEATURES}, iterations: 1, mutants: 1, window: ${window} }
concurrency: { model: 4, sandbox: 2 }
`;

async function stackState(): Promise<StackState> {
  return JSON.parse(await readFile(join(project.stateDir, 'stack.json'), 'utf8')) as StackState;
}

const answered = (): number => model.requests.filter((request) => request.status === 200).length;
