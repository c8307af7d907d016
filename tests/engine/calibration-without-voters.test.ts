import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { calibrationCampaign } from '../../src/client/datasets/calibration-campaign.js';
import { openContext } from '../../src/client/open-context.js';
import type { SuiteCalibration } from '../../src/suite/calibration.js';
import { ghaBench } from '../../tasks/gha-bench/gha-bench.js';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'durabench-calibration-'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Of a suite whose graders vote on nothing, and are measured by execution alone. */
const calibration: SuiteCalibration = {
  projects: ['tier-1', 'tier-2'],
  kinds: () => ['right', 'wrong'],
  isKind: (word) => word === 'right' || word === 'wrong',
  kindRule: 'right, wrong',
  system: (kind) => ({ generator: 'known', skill: kind === 'right' ? 1 : 0 }),
  report: async () => ({ metrics: {}, tables: [] }),
};

test('a suite without voters is measured by a system a kind', async () => {
  const context = openContext({ folder });
  const subject = { suite: ghaBench, calibration };
  const { spec } = await calibrationCampaign(context, subject, { seed: 1, projects: ['tier-1'] });
  expect(spec.systems).toMatchObject([
    { id: 'right', generator: 'known', options: { skill: 1 } },
    { id: 'wrong', generator: 'known', options: { skill: 0 } },
  ]);
  for (const request of [{ voters: ['truth'] }, { withoutExecution: true }])
    await expect(calibrationCampaign(context, subject, { seed: 1, ...request })).rejects.toThrow(
      /the calibration of gha-bench has no (voters|measurement without execution)/,
    );
});
