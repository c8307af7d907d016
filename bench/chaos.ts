/**
 * Kills parts of a running stack with SIGKILL at random moments, again and again, and says what became of the campaigns.
 *
 *   npm run chaos -- [--kills 100] [--seed N] [--victim NAME]
 *
 * A kill takes 20 to 100 s. Needs root and dockerd (it starts a daemon of its own). Prints one JSON line a kill and the crash
 * table at the end, also when it is ended early with Ctrl-C; exits 1 when anything was lost, changed, paid twice or left.
 */
import { cpus, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { startChaosStack } from '../tests/chaos/chaos-stack.js';
import { crash, undisturbed, type CrashFacts, type Verdicts } from '../tests/chaos/crash.js';
import { crashTable } from '../tests/chaos/crash-table.js';
import type { LoadName } from '../tests/chaos/loads.js';
import { seededRandom } from '../tests/chaos/seeded-random.js';
import { VICTIMS } from '../tests/chaos/victims.js';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '100' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    victim: { type: 'string' },
  },
});
const victims = VICTIMS.filter(({ name }) => values.victim === undefined || name === values.victim);
if (victims.length === 0) throw new Error(`--victim: one of ${VICTIMS.map(({ name }) => name).join(', ')}`);
const random = seededRandom(Number(values.seed));
let isInterrupted = false;
process.once('SIGINT', () => (isInterrupted = true));

const gib = (totalmem() / 2 ** 30).toFixed(0);
console.log(
  `npm run chaos -- --kills ${values.kills} --seed ${values.seed}${values.victim ? ` --victim ${values.victim}` : ''}`,
);
console.log(`${cpus().length} x ${cpus()[0]?.model}, ${gib} GiB, Node ${process.version}, ${new Date().toISOString()}`);

const all: CrashFacts[] = [];
const trouble: string[] = [];
const stack = await startChaosStack((line) => console.error(line));
try {
  const expected = new Map<LoadName, Verdicts>();
  for (const load of new Set(victims.map((victim) => victim.load))) expected.set(load, await undisturbed(stack, load));
  for (let kill = 0; kill < Number(values.kills) && !isInterrupted; kill += 1) {
    const victim = victims[kill % victims.length]!;
    const name = `chaos-${kill + 1}-${victim.name}`;
    try {
      const facts = await crash(stack, { victim, name, expected: expected.get(victim.load)!, random });
      all.push(facts);
      console.log(JSON.stringify({ kill: kill + 1, ...facts }));
      trouble.push(...troubleOf(facts).map((what) => `${name}: ${what}`));
    } catch (error) {
      trouble.push(`${name}: ${String(error)}`);
      console.log(`${name}: ${String(error)}`);
    }
  }
} finally {
  await stack.close();
}
console.log(`\n${crashTable(all)}\n`);
for (const line of trouble) console.log(line);
process.exitCode = trouble.length > 0 ? 1 : 0;

function troubleOf(facts: CrashFacts): string[] {
  const { lost, changed, left, answeredRepeated, callsRepeated, callsMarked, callsInFlight } = facts;
  return [
    ...[...lost.map((id) => `lost ${id}`), ...changed, ...left.map((what) => `left: ${what}`)],
    ...(answeredRepeated > 0 ? [`${answeredRepeated} answered calls were sent again`] : []),
    ...(callsRepeated > callsMarked ? [`${callsRepeated} calls went out again, ${callsMarked} are marked`] : []),
    ...(callsMarked > callsInFlight ? [`${callsMarked} calls are marked, ${callsInFlight} were in flight`] : []),
    ...(facts.watchExit === 0 ? [] : [`the watching command ended with ${facts.watchExit}`]),
  ];
}
