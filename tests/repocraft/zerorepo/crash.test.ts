import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createFileBlobs } from '../../../src/adapters/blobs/file-blobs.js';
import { readTarFile } from '../../../src/suite-kit/tar-entries.js';
import {
  CALLS_AT_ONCE,
  generateUnderKills,
  NEVER,
  STUMBLING,
  stumblingCampaign,
  type Kill,
  type KilledGenerations,
} from '../../fixtures/chaos/killed-generations.js';
import { seededRandom } from '../../fixtures/chaos/seeded-random.js';
import { openTextkitProject, type TextkitProject } from '../../fixtures/zerorepo/textkit-project.js';
import { scaled } from '../../vitest/yardstick.js';

/** ZeroRepo, killed three times on the way, makes what it makes undisturbed, and what it makes one unit after another. */
const seed = Number(process.env['DURABENCH_CHAOS_SEED'] ?? Date.now() % 1_000_000);
const random = seededRandom(seed);
const FEATURES = 6;

let textkit: TextkitProject;
let undisturbed: KilledGenerations;
let killed: KilledGenerations;

beforeAll(async () => {
  console.log(`ZeroRepo's crashes: DURABENCH_CHAOS_SEED=${seed}`);
  textkit = await openTextkitProject(STUMBLING);
  undisturbed = await generateUnderKills(textkit, stumblingCampaign('undisturbed', FEATURES, [8, 1]), []);
  const kills = (['worker', 'temporal', 'worker'] as const).map((service): Kill => ({
    service,
    after: 2 + Math.floor(random() * 9),
  }));
  killed = await generateUnderKills(textkit, stumblingCampaign('killed', FEATURES, [8]), kills);
}, scaled(1_200_000));

afterAll(async () => textkit?.close());

describe('generations whose worker and server are killed with SIGKILL on the way', () => {
  test('end with the bytes of the undisturbed ones, made in parallel or one unit after another', () => {
    expect(killed.kills).toHaveLength(3);
    // By themselves, unless two kills met the same call: then it is given up once.
    expect(killed.retries).toBeLessThanOrEqual(1);
    expect(undisturbed.trees['window-8']).toMatch(/^[0-9a-f]{64}$/);
    const trees = [...Object.values(undisturbed.trees), ...Object.values(killed.trees)];
    expect(trees).toEqual(Array(3).fill(undisturbed.trees['window-8']));
  });

  test('ask no answered call again; what was in flight may be asked once more, and is marked', () => {
    expect(undisturbed).toMatchObject({ answeredRepeated: 0, callsRepeated: 0, callsMarked: 0, retries: 0 });
    expect(killed.answeredRepeated).toBe(0);
    expect(killed.callsRepeated).toBeLessThanOrEqual(killed.callsMarked);
    expect(killed.callsMarked).toBeLessThanOrEqual(CALLS_AT_ONCE * killed.kills.length);
  });

  test('mark a unit that failed, and do not begin what needs it', async () => {
    const blobs = createFileBlobs({ folder: join(textkit.project.stateDir, 'blobs') });
    const tar = await blobs.get(killed.trees['window-8'] ?? '');
    const marks = async (file: string) =>
      [
        ...((await readTarFile(tar, `prosemeter/tokenizing/${file}`)) ?? '').matchAll(
          /raise .*"(.*)".*durabench: (\w+)/g,
        ),
      ].map(([, why, mark]) => [mark, why]);
    expect(await marks('cleaning.py')).toEqual([['failed', `${NEVER} could not be generated`]]);
    expect(await marks('splitting.py')).toEqual([
      ['blocked', 'split_paragraphs was not generated, because what it needs is missing'],
    ]);
  });
});
