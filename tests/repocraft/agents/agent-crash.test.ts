import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectDocker } from '../../../src/adapters/docker/engine/connect-docker.js';
import { AGENT_MANNERS, agentCampaign, TURNS } from '../../fixtures/agents/agent-campaign.js';
import { generateUnderKills, type Kill, type KilledGenerations } from '../../fixtures/chaos/killed-generations.js';
import { seededRandom } from '../../fixtures/chaos/seeded-random.js';
import { openTextkitProject, type TextkitProject } from '../../fixtures/zerorepo/textkit-project.js';
import { waitUntil } from '../../fixtures/wait-until.js';
import { scaled } from '../../vitest/yardstick.js';

/** Twelve agents of nine turns each, killed three times on the way, leave what they leave undisturbed. */
const seed = Number(process.env['DURABENCH_CHAOS_SEED'] ?? Date.now() % 1_000_000);
const random = seededRandom(seed);
const AGENTS = 12;

let textkit: TextkitProject;
let undisturbed: KilledGenerations;
let killed: KilledGenerations;

beforeAll(async () => {
  console.log(`crashes of agents: DURABENCH_CHAOS_SEED=${seed}`);
  textkit = await openTextkitProject(AGENT_MANNERS);
  undisturbed = await generateUnderKills(textkit, agentCampaign('undisturbed', AGENTS), []);
  const kills = (['worker', 'temporal', 'worker'] as const).map((service): Kill => ({
    service,
    after: 5 + Math.floor(random() * 25),
  }));
  killed = await generateUnderKills(textkit, agentCampaign('killed', AGENTS), kills);
}, scaled(1_200_000));

afterAll(async () => textkit?.close());

describe('agents whose worker and server are killed with SIGKILL on the way', () => {
  test('end with the workspaces of the undisturbed ones, byte for byte, and with their verdicts', async () => {
    expect(killed.kills).toHaveLength(3);
    const trees = [...Object.values(undisturbed.trees), ...Object.values(killed.trees)];
    expect(trees).toEqual(Array(2 * AGENTS).fill(undisturbed.trees['agent-1']));
    const verdicts = await Promise.all([undisturbed.id, killed.id].map((id) => textkit.record.trials(id)));
    const told = verdicts.map((trials) => trials.map(({ system, outcome, reason }) => [system, outcome, reason]));
    expect(told[1]).toEqual(told[0]);
  });

  test('ask no answered call again, and do no turn again but those in flight', async () => {
    expect(undisturbed).toMatchObject({ answeredRepeated: 0, callsRepeated: 0, callsMarked: 0 });
    expect(killed.answeredRepeated).toBe(0);
    expect(killed.callsMarked).toBeLessThanOrEqual(AGENTS * killed.kills.length);
    const steps = await textkit.record.steps(killed.id);
    const acts = steps.filter(({ step }) => step.startsWith('act/'));
    expect(acts).toHaveLength(AGENTS * TURNS);
    expect(await textkit.record.stepsAgain(killed.id, 'act/')).toBeLessThanOrEqual(AGENTS * killed.kills.length);
  });

  test('leave no container, with its relays, and no volume behind once nobody lives who owns them', async () => {
    for (const command of [['down'], ['up'], ['clean', '--yes']]) await textkit.project.json(command);
    const docker = connectDocker();
    const isOwn = ({ Labels: labels }: { Labels: Record<string, string> | null }): boolean =>
      Object.values(labels ?? {}).some((value) => value.startsWith(killed.id));
    const isGone = async (): Promise<boolean> => {
      const { Volumes: volumes } = await docker.listVolumes();
      return ![...(await docker.listContainers({ all: true })), ...volumes].some(isOwn);
    };
    expect(await waitUntil(isGone)).toBe(true);
  });
});
