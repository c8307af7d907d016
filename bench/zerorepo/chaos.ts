/**
 * Has ZeroRepo make the first functions of textkit again and again, kills worker or Temporal server with SIGKILL at random
 * moments all the way, and compares the bytes of every finished repository with those of the undisturbed one.
 *
 *   npm run build && npx tsx bench/zerorepo/chaos.ts [--kills 30] [--features 40] [--seed 1]
 *
 * Prints one JSON line a campaign; exits 1 when bytes differ or an answered call was asked again.
 */
import { cpus, loadavg, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import {
  generateUnderKills,
  STUMBLING,
  stumblingCampaign,
  type Kill,
} from '../../tests/fixtures/chaos/killed-generations.js';
import { seededRandom } from '../../tests/fixtures/chaos/seeded-random.js';
import { openTextkitProject } from '../../tests/fixtures/zerorepo/textkit-project.js';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '30' },
    features: { type: 'string', default: '40' },
    seed: { type: 'string', default: '1' },
  },
});
const random = seededRandom(Number(values.seed));
const [wanted, features] = [Number(values.kills), Number(values.features)];

/** Seven kills or so in a generation of any size. */
function* killsOf(most: number): Generator<Kill> {
  for (let kill = 0; kill < most; kill += 1)
    yield { service: random() < 0.5 ? 'worker' : 'temporal', after: 1 + Math.floor(random() * Math.max(8, features)) };
}

console.log(`npx tsx bench/zerorepo/chaos.ts --kills ${wanted} --features ${features} --seed ${values.seed}`);
console.log(
  `${cpus().length} x ${cpus()[0]?.model}, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, Node ${process.version}`,
);
const textkit = await openTextkitProject(STUMBLING);
try {
  const undisturbed = await generateUnderKills(textkit, stumblingCampaign('undisturbed', features, [8, 1]), []);
  console.log(JSON.stringify(undisturbed));
  const tree = undisturbed.trees['window-8'];
  process.exitCode = undisturbed.trees['window-1'] === tree ? 0 : 1;
  for (let [done, run] = [0, 1]; done < wanted; run += 1) {
    const window = run % 4 === 0 ? 1 : 8;
    const campaign = stumblingCampaign(`killed-${run}`, features, [window]);
    const { kills, trees, ...facts } = await generateUnderKills(textkit, campaign, killsOf(wanted - done));
    done += kills.length;
    const isEqual = Object.values(trees).length === 1 && Object.values(trees)[0] === tree;
    const load = Math.round(loadavg()[0] ?? 0);
    console.log(JSON.stringify({ ...facts, window, kills: kills.length, isEqual, killsSoFar: done, load }));
    if (!isEqual || facts.answeredRepeated > 0 || facts.callsRepeated > facts.callsMarked) process.exitCode = 1;
  }
} finally {
  await textkit.close();
}
