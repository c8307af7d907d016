/**
 * Kills, while agents are at work, the worker, Temporal, Postgres, a container or the Docker engine, each in the middle of each of
 * six things: a model's answer, a command, the reading of a workspace, its recording, its restoring, a stream at a door. A campaign
 * is twelve agents of nine turns and two programs, and gets up to ten kills; what it left is compared with an undisturbed one's. A line a
 * kill goes to FILE.jsonl; a pair that is there already is not repeated.
 *
 *   npm run build && npx tsx bench/agents/kills.ts [--kills 30] [--seed 1] [--record docs/results/agents-kills]
 *
 * Needs Docker and the images base and repocraft-requests.
 */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { parseArgs } from 'node:util';
import { connectDocker } from '../../src/adapters/docker/engine/connect-docker.js';
import { LABEL } from '../../src/adapters/docker/engine/labels.js';
import {
  AGENT_MANNERS,
  agentCampaign,
  programSystems,
  STREAM_MANNERS,
  TURNS,
} from '../../tests/fixtures/agents/agent-campaign.js';
import { containersOf, killAt, KILLED, PROGRAMS, type Victim } from '../../tests/fixtures/agents/killed-agents.js';
import { MOMENTS, type Moment } from '../../tests/fixtures/agents/moments.js';
import { generateUnderKills, type AimedKill } from '../../tests/fixtures/chaos/killed-generations.js';
import { seededRandom } from '../../tests/fixtures/chaos/seeded-random.js';
import { startDockerProxy } from '../../tests/fixtures/docker/docker-proxy.js';
import { waitUntil } from '../../tests/fixtures/wait-until.js';
import { openTextkitProject, type TextkitCampaign } from '../../tests/fixtures/zerorepo/textkit-project.js';

const [AGENTS, QUESTIONS, KILLS_EACH] = [12, 24, 10];
/** `WORKSPACE_IDLE_MS` of the pool of containers, and a while. */
const IDLE_MS = 400_000;

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '30' },
    seed: { type: 'string', default: '1' },
    record: { type: 'string', default: join(import.meta.dirname, '..', '..', 'docs', 'results', 'agents-kills') },
  },
});

interface Pair {
  moment: Moment;
  victim: Victim;
}

/** A kill, with what was counted of the whole campaign it was in. */
interface KillLine extends Pair {
  campaign: string;
  seed: number;
  /** Candidates that differ from the undisturbed ones. */
  changedTrees: number;
  changedVerdicts: number;
  answeredRepeated: number;
  callsRepeated: number;
  /** Commands of turns that were begun again, in the whole campaign: as the engine tells, whoever recorded them. */
  turnsAgain: number | null;
  retriesByHand: number;
  /** Containers and volumes. Null as above: of campaigns that were not asked. */
  left: number | null;
  neighbour: 'untouched' | 'touched';
  seconds: number;
  load: number;
}

const path = `${values.record}.jsonl`;
const lines = existsSync(path)
  ? readFileSync(path, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as KillLine)
  : [];
const seed = lines[0]?.seed ?? Number(values.seed);
const random = seededRandom(seed);
const order = MOMENTS.flatMap((moment) => KILLED.map((victim) => ({ moment, victim, place: random() }))).sort(
  (one, other) => one.place - other.place,
);
const struck: Pair[] = [...lines];
const isDone = (pair: Pair): boolean =>
  struck.some(({ moment, victim }) => moment === pair.moment && victim === pair.victim);

const docker = connectDocker();
const folder = await mkdtemp(join(tmpdir(), 'durabench-kills-'));
const proxy = await startDockerProxy(join(folder, 'docker.sock'));
const textkit = await openTextkitProject({ ...AGENT_MANNERS, ...STREAM_MANNERS }, { DOCKER_HOST: proxy.host });
const neighbour = await startNeighbour();
try {
  const calm = await generateUnderKills(textkit, campaign('undisturbed'), []);
  const calmVerdicts = await verdictsOf(calm.id);
  console.log(JSON.stringify({ undisturbed: calm.trees, seconds: Math.round(calm.wallSeconds) }));
  const told: Promise<void>[] = [];
  for (let missed = 0; struck.length < Number(values.kills) && missed < 3;) {
    // Programs end long before agents: streams come first.
    const todo = order
      .filter((pair) => !isDone(pair))
      .slice(0, KILLS_EACH)
      .sort((one, other) => Number(other.moment === 'stream') - Number(one.moment === 'stream'));
    if (todo.length === 0) break;
    const name = `kills-${Date.now().toString(36)}`;
    const hit: Pair[] = [];
    const kills = todo.map(({ moment, victim }): AimedKill => {
      const onHit = (): void => void hit.push({ moment, victim });
      return killAt({ moment, victim, onHit }, { textkit, proxy });
    });
    const turns = await watchTurns(name);
    const killed = await generateUnderKills(textkit, campaign(name), kills);
    const turnsAgain = turns.end() - AGENTS * (TURNS - 1);
    const verdicts = await verdictsOf(killed.id);
    const facts = {
      ...{ campaign: name, seed },
      changedTrees: Object.keys(calm.trees).filter((system) => calm.trees[system] !== killed.trees[system]).length,
      changedVerdicts: Object.keys(calmVerdicts).filter((trial) => calmVerdicts[trial] !== verdicts[trial]).length,
      ...{ answeredRepeated: killed.answeredRepeated, callsRepeated: killed.callsRepeated, turnsAgain },
      ...{ retriesByHand: killed.retries, seconds: Math.round(killed.wallSeconds) },
      load: Math.round(loadavg()[0] ?? 0),
    };
    struck.push(...hit);
    // What it left is seen while the next one runs.
    told.push(leftOf(killed.id).then((left) => tell(hit, { ...facts, left })));
    missed = hit.length === 0 ? missed + 1 : 0;
  }
  await Promise.all(told);
} finally {
  await neighbour.remove();
  await textkit.close();
  await proxy.close();
  await rm(folder, { recursive: true, force: true });
}

async function tell(hit: readonly Pair[], facts: Omit<KillLine, keyof Pair | 'neighbour'>): Promise<void> {
  const isThere = await neighbour.isThere();
  for (const pair of hit) {
    const line: KillLine = { ...pair, ...facts, neighbour: isThere ? 'untouched' : 'touched' };
    lines.push(line);
    appendFileSync(path, `${JSON.stringify(line)}\n`);
    console.log(JSON.stringify(line));
  }
  writeFileSync(`${values.record}.md`, page());
}

function campaign(name: string): TextkitCampaign {
  const agents = agentCampaign(name, AGENTS);
  const concurrency = { batches: AGENTS + PROGRAMS, model: AGENTS + PROGRAMS, sandbox: 4 };
  return { ...agents, systems: [...agents.systems, ...programSystems(PROGRAMS, QUESTIONS)], concurrency };
}

async function verdictsOf(campaignId: string): Promise<Record<string, string>> {
  const trials = await textkit.record.trials(campaignId);
  return Object.fromEntries(
    trials.map(({ task, system, outcome, reason }) => [`${task}/${system}`, `${outcome} ${reason}`]),
  );
}

/** Begins to count the commands of agents' turns in campaigns of that name. The last turn of an agent, which submits, has none. */
async function watchTurns(name: string): Promise<{ end: () => number }> {
  let count = 0;
  const events = await docker.getEvents({ filters: { type: ['container'], event: ['exec_start'] } });
  createInterface({ input: events }).on('line', (line) => {
    const { Action: action, Actor: actor } = JSON.parse(line) as {
      Action: string;
      Actor: { Attributes: Record<string, string> };
    };
    const isOurs = actor.Attributes[LABEL.campaign]?.startsWith(name) === true;
    if (isOurs && action.includes(' timeout -k ') && action.includes(' turn ')) count += 1;
  });
  return {
    end: () => {
      (events as Readable).destroy();
      return count;
    },
  };
}

/** Containers of a campaign once nobody uses them; idle, they wait five minutes for a next turn, each with its relays and its disk. */
async function leftOf(campaignId: string): Promise<number> {
  await waitUntil(async () => (await containersOf(docker, campaignId)).length === 0, { timeoutMs: IDLE_MS });
  const { Volumes: volumes } = await docker.listVolumes();
  const own = volumes.filter(({ Labels: labels }) => Object.values(labels ?? {}).includes(campaignId));
  return (await containersOf(docker, campaignId)).length + own.length;
}

/** A container and a volume of nobody's: no label of ours. */
async function startNeighbour(): Promise<{ isThere: () => Promise<boolean>; remove: () => Promise<void> }> {
  const images = await docker.listImages();
  const image = images.find(({ RepoTags: tags }) => tags?.some((tag) => tag.includes('base')))?.Id;
  if (image === undefined) throw new Error('there is no base image: npx durabench images build base');
  const volume = await docker.createVolume({});
  const container = await docker.createContainer({ Image: image, Cmd: ['sleep', 'infinity'] });
  await container.start();
  return {
    isThere: async () => {
      const isRunning = await container.inspect().then(
        ({ State }) => State.Running,
        () => false,
      );
      const hasVolume = await docker
        .getVolume(volume.name)
        .inspect()
        .then(
          () => true,
          () => false,
        );
      return isRunning && hasVolume;
    },
    remove: async () => {
      await container.remove({ force: true });
      await docker.getVolume(volume.name).remove();
    },
  };
}

function page(): string {
  const cell = (moment: Moment, victim: Victim): string => {
    const line = lines.find((one) => one.moment === moment && one.victim === victim);
    return line === undefined ? '–' : line.changedTrees + line.changedVerdicts === 0 ? 'same' : 'changed';
  };
  const campaigns = [...new Map(lines.map((line) => [line.campaign, line])).values()];
  const sum = (of: (line: KillLine) => number | null): string => {
    const known = campaigns.map(of).filter((each) => each !== null);
    const total = known.reduce((before, each) => before + each, 0);
    if (known.length === 0) return 'not counted';
    return known.length === campaigns.length ? `${total}` : `${total} (of ${known.length} campaigns)`;
  };
  const seconds = campaigns.map((line) => line.seconds).sort((one, other) => one - other);
  return [
    '# Kills while agents are at work',
    '',
    `Written by \`npx tsx bench/agents/kills.ts\` (seed ${seed}). ${lines.length} kills in ${campaigns.length} campaign${campaigns.length === 1 ? '' : 's'}, each of ${AGENTS} agents of nine turns and ${PROGRAMS} programs that read ${QUESTIONS} answers as streams; nobody helps them up. Each kill is a line of [agents-kills.jsonl](agents-kills.jsonl), with the load of the machine.`,
    '',
    'Repositories (byte for byte) and verdicts against the undisturbed campaign:',
    '',
    `| in the middle of | ${KILLED.join(' | ')} |`,
    `| --- | ${KILLED.map(() => '---').join(' | ')} |`,
    ...MOMENTS.map((moment) => `| ${moment} | ${KILLED.map((victim) => cell(moment, victim)).join(' | ')} |`),
    '',
    '| of all campaigns together | |',
    '| --- | --- |',
    `| repositories changed | ${sum((line) => line.changedTrees)} |`,
    `| verdicts changed | ${sum((line) => line.changedVerdicts)} |`,
    `| answered calls sent again | ${sum((line) => line.answeredRepeated)} |`,
    `| calls in flight sent again | ${sum((line) => line.callsRepeated)} |`,
    `| commands of turns in flight begun again | ${sum((line) => line.turnsAgain)} |`,
    `| retries by hand (a call lost in two kills) | ${sum((line) => line.retriesByHand)} |`,
    `| containers and volumes left | ${sum((line) => line.left)} |`,
    `| neighbours touched | ${campaigns.filter((line) => line.neighbour === 'touched').length} |`,
    `| seconds of a campaign, median / most | ${seconds[Math.floor(seconds.length / 2)] ?? '–'} / ${seconds.at(-1) ?? '–'} |`,
    '',
    '`answer`: a model was asked and had not answered. `record`: a workspace was read, and the table of steps could not be written. `stream`: a program had read the beginning of an answer. `engine`: every connection to it broke and the containers of the campaign were killed. `temporal` and `postgres` are the servers of the stack.',
    '',
  ].join('\n');
}
