/**
 * Has ZeroRepo make textkit (40 functions, two of which fail) again and again, kills worker or Temporal server with SIGKILL
 * at random moments all the way, and compares every finished repository with the undisturbed one's bytes.
 *
 *   npm run build && npx tsx bench/zerorepo-chaos.ts [--kills 30] [--seed N]
 *
 * Prints one JSON line a campaign; exits 1 when bytes differ or an answered call was asked again.
 */
import { cpus, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { generateUnderKills, type Kill } from '../tests/chaos/killed-generations.js';
import { seededRandom } from '../tests/chaos/seeded-random.js';
import { openTextkitProject, zerorepoSystem } from '../tests/fixtures/textkit-project.js';

const { values } = parseArgs({
  options: { kills: { type: 'string', default: '30' }, seed: { type: 'string', default: '1' } },
});
const random = seededRandom(Number(values.seed));
const wanted = Number(values.kills);

/** One function that never works blocks others; one works after a repair. */
const NEVER = 'count_syllables';
const stumbling = [
  { match: { contains: '"prompt":"code"' }, plays: { as: 'wrong-code' as const, units: [NEVER, 'jaro_similarity'] } },
  { match: { contains: '"prompt":"repair"' }, plays: { as: 'wrong-code' as const, units: [NEVER] } },
];
const campaign = (name: string, windows: number[]) => ({
  name,
  systems: windows.map((window) =>
    zerorepoSystem(`window-${window}`, { iterations: 30, rounds: 10, mutants: 0, window }, 'stumbling'),
  ),
  concurrency: { batches: 2, model: 8, sandbox: 2 },
});

function* kills(most: number): Generator<Kill> {
  for (let kill = 0; kill < most; kill += 1)
    yield { service: random() < 0.5 ? 'worker' : 'temporal', after: 1 + Math.floor(random() * 30) };
}

console.log(`npx tsx bench/zerorepo-chaos.ts --kills ${wanted} --seed ${values.seed}`);
console.log(
  `${cpus().length} x ${cpus()[0]?.model}, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, Node ${process.version}`,
);
const textkit = await openTextkitProject({ stumbling });
try {
  const expected = await generateUnderKills(textkit, campaign('undisturbed', [8, 1]), []);
  console.log(JSON.stringify(expected));
  const tree = expected.trees['window-8'];
  process.exitCode = expected.trees['window-1'] === tree ? 0 : 1;
  for (let [done, run] = [0, 1]; done < wanted; run += 1) {
    const window = run % 4 === 0 ? 1 : 8;
    const facts = await generateUnderKills(textkit, campaign(`killed-${run}`, [window]), kills(wanted - done));
    done += facts.kills.length;
    const isEqual = Object.values(facts.trees).every((one) => one === tree);
    console.log(JSON.stringify({ ...facts, kills: facts.kills.length, window, isEqual, killsSoFar: done }));
    if (!isEqual || facts.answeredRepeated > 0 || facts.callsRepeated > facts.callsMarked) process.exitCode = 1;
  }
} finally {
  await textkit.close();
}
