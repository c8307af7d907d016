/**
 * What agents cost the engine, in a project of its own with the scripted model: the history of an agent of 30 turns, the bytes
 * stored of it against those it wrote; then, of eight agents at once, the memory of their worker, and how long a pause and a cancel
 * take to take effect.
 *
 *   npm run build && npx tsx bench/agents/campaigns.ts [--agents 8]
 *
 * Needs Docker and the images base and repocraft-requests. Prints a line of JSON for each figure.
 */
import { readFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { Client, Connection } from '@temporalio/client';
import { DEFAULT_NAMESPACE } from '../../src/stack/servers/namespace.js';
import { agentCampaign, AGENT_MANNERS } from '../../tests/fixtures/agents/agent-campaign.js';
import { commanding } from '../../tests/fixtures/agents/asking-program.js';
import { campaignHistories } from '../../tests/fixtures/engine/histories.js';
import { waitUntil } from '../../tests/fixtures/wait-until.js';
import { openTextkitProject, type TextkitCampaign } from '../../tests/fixtures/zerorepo/textkit-project.js';

const [TURNS, FILES_EACH, FILE_BYTES] = [30, 3, 20_000];
/** Nothing was recorded for so long: nothing more will be. */
const QUIET_MS = 20_000;

const { values } = parseArgs({ options: { agents: { type: 'string', default: '8' } } });
const write = (turn: number): string =>
  `mkdir -p repo/lines && for each in $(seq ${FILES_EACH}); do { printf 'X = """'; head -c ${(FILE_BYTES * 3) / 4} /dev/urandom | base64 -w 0; echo '"""'; } > repo/lines/m${turn}_$each.py; done`;
const textkit = await openTextkitProject({
  ...AGENT_MANNERS,
  thirty: commanding(
    Array.from({ length: TURNS - 1 }, (_, index) => write(index + 1)),
    { toolCall: { name: 'submit', arguments: '{}' } },
  ),
});
try {
  await thirtyTurns();
  await many();
} finally {
  await textkit.close();
}

function print(line: Record<string, unknown>): void {
  const machine = { cores: cpus().length, load: Number(loadavg()[0]?.toFixed(1)) };
  process.stdout.write(`${JSON.stringify({ ...line, ...machine })}\n`);
}

async function thirtyTurns(): Promise<void> {
  const { record } = textkit;
  const id = await textkit.begin({
    name: 'thirty',
    systems: [
      { id: 'thirty', generator: 'agent', model: 'thirty', vote: { voter: 'heuristic' }, options: { turns: 31 } },
    ],
  });
  if (!(await waitUntil(async () => (await record.status(id)) === 'completed'))) throw new Error(`${id} does not end`);
  const owner = (await record.steps(id)).find(({ step }) => step === 'act/1')?.owner ?? '';
  const connection = await Connection.connect({ address: `127.0.0.1:${textkit.state().addresses.temporalPort}` });
  const client = new Client({ connection, namespace: DEFAULT_NAMESPACE });
  const [history] = await campaignHistories(client, [(await record.names()).generation(owner)]);
  await connection.close();
  print({ what: 'history', turns: TURNS, events: history?.events, bytes: history?.bytes, biggest: history?.biggest });
  const stored = await record.evidenceBytes(owner);
  const changed = (TURNS - 1) * FILES_EACH * (FILE_BYTES + 11);
  print({ what: 'stored', turns: TURNS, changed, ...stored });
}

async function many(): Promise<void> {
  const agents = Number(values.agents);
  let most = 0;
  const watch = setInterval(() => (most = Math.max(most, residentMib())), 200);
  const paused = await begin(agentCampaign('paused', agents));
  const idle = residentMib();
  await halt('pause', paused);
  await halt('cancel', await begin(agentCampaign('cancelled', agents)));
  clearInterval(watch);
  print({ what: 'memory of the worker', agents, atStart: idle, most });
}

/** A campaign all of whose agents are at work. */
async function begin(campaign: TextkitCampaign): Promise<string> {
  const id = await textkit.begin(campaign);
  const acting = async (): Promise<boolean> => {
    const owners = (await textkit.record.steps(id)).filter(({ step }) => step === 'act/1').map(({ owner }) => owner);
    return new Set(owners).size === campaign.systems.length;
  };
  if (!(await waitUntil(acting))) throw new Error(`${id}: its agents are not at work`);
  return id;
}

async function halt(what: 'pause' | 'cancel', id: string): Promise<void> {
  const { record, project } = textkit;
  const began = Date.now();
  const { code } = await project.durabench(what, id);
  const command = Date.now() - began;
  const last = async (): Promise<number> => Math.max(began, ...(await record.steps(id)).map(({ endedAt }) => endedAt));
  await waitUntil(async () => Date.now() - (await last()) > QUIET_MS);
  const steps = await record.steps(id);
  const acts = steps.filter(({ step, startedAt }) => step.startsWith('act/') && startedAt > began);
  const perAgent = new Map<string, number>();
  for (const { owner } of acts) perAgent.set(owner, (perAgent.get(owner) ?? 0) + 1);
  print({
    ...{ what, agents: new Set(steps.map(({ owner }) => owner)).size, exit: code, status: await record.status(id) },
    commandSeconds: command / 1000,
    lastStepSeconds: ((await last()) - began) / 1000,
    mostTurnsBegunAfter: Math.max(0, ...perAgent.values()),
  });
}

function residentMib(): number {
  const { pid } = textkit.state().services.worker.process ?? { pid: 0 };
  const [, kib = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kib) / 1024);
}
