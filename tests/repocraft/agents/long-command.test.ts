import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectDocker } from '../../../src/adapters/docker/engine/connect-docker.js';
import { LONG_MANNERS, longCampaign } from '../../fixtures/agents/agent-campaign.js';
import { untilMoment } from '../../fixtures/agents/moments.js';
import { restartService } from '../../fixtures/cli/kill-service.js';
import { waitUntil } from '../../fixtures/wait-until.js';
import { openTextkitProject, type TextkitProject } from '../../fixtures/zerorepo/textkit-project.js';
import { scaled } from '../../vitest/yardstick.js';

/** An activity that says nothing for so long is given to another worker. */
const HEARTBEAT_MS = 10_000;

let textkit: TextkitProject;

beforeAll(async () => {
  textkit = await openTextkitProject(LONG_MANNERS);
}, scaled(600_000));

afterAll(async () => textkit?.close());

test(
  'a command that runs longer than every heartbeat and lease survives Postgres and Temporal, killed while it runs',
  async () => {
    const { record } = textkit;
    const campaignId = await textkit.begin(longCampaign('long'));
    const hasEnded = async (): Promise<boolean> => (await record.status(campaignId)) === 'completed';
    const databaseUrl = (): string => textkit.state().addresses.databaseUrl ?? '';
    const docker = connectDocker();
    expect(await untilMoment('command', { docker, record, campaignId, databaseUrl, hasEnded })).not.toBeNull();
    const away: number[] = [];
    for (const service of ['postgres', 'temporal'] as const) {
      const began = performance.now();
      await restartService(textkit.project.stateDir, service);
      away.push(performance.now() - began);
    }
    expect(await waitUntil(hasEnded)).toBe(true);
    // Where a server takes longer to come back than heartbeats may be away, it is begun once more.
    const again = away.every((ms) => ms < HEARTBEAT_MS / 2) ? 0 : 1;
    expect(await record.stepsAgain(campaignId, 'act/')).toBeLessThanOrEqual(again);
    expect(await record.candidates(campaignId)).toMatchObject([{ system: 'long', files: 2 }]);
    expect(await record.trials(campaignId)).toMatchObject([{ outcome: 'failed' }]);
  },
  scaled(600_000),
);
