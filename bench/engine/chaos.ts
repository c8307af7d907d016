/**
 * Kills parts of a running stack with SIGKILL at random moments, again and again, and says what became of the campaigns.
 *
 *   npm run chaos -- [--kills 100] [--seed N] [--victim NAME,…] [--minutes N] [--record FILE]
 *
 * A kill takes 20 to 150 s. Needs root and dockerd (it starts a daemon of its own). Every kill is written to FILE.jsonl
 * (default docs/results/chaos-kills-2) and the crash table over all of them to FILE.md; stopped by Ctrl-C, by `--minutes`
 * or by anything else it goes on after the last kill of the file, with its seed. A campaign that does not end is a line
 * of the record, and the next kill gets a new stack. Exits 1 when anything was lost, changed, paid twice or left.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startChaosStack, type ChaosStack } from '../../tests/fixtures/chaos/chaos-stack.js';
import { crash, undisturbed } from '../../tests/fixtures/chaos/crash.js';
import type { Undisturbed } from '../../tests/fixtures/chaos/crash-facts.js';
import { CrashRecord } from '../../tests/fixtures/chaos/crash-record.js';
import type { LoadName } from '../../tests/fixtures/chaos/loads.js';
import { seededRandom } from '../../tests/fixtures/chaos/seeded-random.js';
import { VICTIMS } from '../../tests/fixtures/chaos/victims.js';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '100' },
    seed: { type: 'string' },
    victim: { type: 'string' },
    minutes: { type: 'string', default: 'Infinity' },
    record: { type: 'string', default: join(import.meta.dirname, '..', '..', 'docs', 'results', 'chaos-kills-2') },
  },
});
const wanted = values.victim?.split(',') ?? VICTIMS.map(({ name }) => name);
const victims = VICTIMS.filter(({ name }) => wanted.includes(name));
if (victims.length < wanted.length) throw new Error(`--victim: some of ${VICTIMS.map(({ name }) => name).join(', ')}`);
const record = new CrashRecord(values.record);
const seed = Number(values.seed ?? record.kills[0]?.seed ?? Date.now() % 1_000_000);
const endAt = Date.now() + Number(values.minutes) * 60_000;
let isInterrupted = false;
process.once('SIGINT', () => (isInterrupted = true));

const expected = new Map<LoadName, Undisturbed>();
let stack: ChaosStack | undefined;
try {
  for (let kill = record.kills.length + 1; kill <= Number(values.kills); kill += 1) {
    if (isInterrupted || Date.now() >= endAt) break;
    const victim = victims[(seed + kill) % victims.length]!;
    stack ??= await startChaosStack({ onProgress: (line) => console.error(line) });
    const calm = expected.get(victim.load) ?? (await undisturbed(stack, victim.load));
    expected.set(victim.load, calm);
    // A kill by itself: a run that goes on where another one stopped kills at the moments that one would have.
    const random = seededRandom(seed * 1_000 + kill);
    const name = `chaos-${kill}-${victim.name}`;
    try {
      const facts = await crash(stack, { victim, name, expected: calm, random });
      // What Docker said names folders of this machine; the record may be published.
      const sandboxFailures = facts.sandboxFailures.map((said) => said.split(':')[0] ?? '');
      record.add({ kill, victim: victim.name, seed, facts: { ...facts, sandboxFailures } });
    } catch (error) {
      record.add({ kill, victim: victim.name, seed, error: String(error) });
      await stack.close().catch(console.error);
      stack = undefined;
    }
    console.log(JSON.stringify(record.kills.at(-1)));
  }
} finally {
  await stack?.close();
}
console.log(record.page());
process.exitCode = record.trouble().length > 0 ? 1 : 0;
