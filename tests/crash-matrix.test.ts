import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startChaosStack, type ChaosStack } from './chaos/chaos-stack.js';
import { crash, undisturbed } from './chaos/crash.js';
import type { CrashFacts, Verdicts } from './chaos/crash-facts.js';
import { crashTable } from './chaos/crash-table.js';
import { LOADS, type LoadName } from './chaos/loads.js';
import { seededRandom } from './chaos/seeded-random.js';
import { VICTIMS } from './chaos/victims.js';

// Every victim once on one real stack, at moments a printed seed repeats; `npm run chaos` does it a hundred times.

const seed = Number(process.env['DURABENCH_CHAOS_SEED'] ?? Date.now() % 1_000_000);
const random = seededRandom(seed);
const runs = new Map<LoadName, Promise<Verdicts>>();
const all: CrashFacts[] = [];
const hasBridge = (): boolean => readdirSync('/sys/class/net').includes('docker0');
const hadBridge = hasBridge();
let stack: ChaosStack;

beforeAll(async () => {
  console.log(`crash matrix: DURABENCH_CHAOS_SEED=${seed}`);
  stack = await startChaosStack();
}, 600_000);

/** What the others are compared with, run when it is first asked for. */
async function expected(load: LoadName): Promise<Verdicts> {
  const run = runs.get(load) ?? undisturbed(stack, load);
  runs.set(load, run);
  return run;
}

afterAll(async () => {
  if (all.length > 0) console.log(crashTable(all));
  await stack?.close();
}, 120_000);

test.each(Object.values(LOADS))(
  'the undisturbed run of $name is something to compare with',
  async ({ name, trials }) => {
    const verdicts = await expected(name);
    expect(verdicts.size).toBe(trials);
    expect([...verdicts.values()].filter((verdict) => verdict.startsWith('passed')).length).toBeGreaterThan(20);
    expect([...verdicts.values()].filter((verdict) => /^(errored|not_run)/.test(verdict))).toEqual([]);
  },
  400_000,
);

const inTurn = VICTIMS.map((victim) => [victim.name, victim.load, victim] as const);

describe.each(inTurn)('SIGKILL of %s under %s', (_name, _load, victim) => {
  let facts: CrashFacts;

  test('at a random moment with 40 trials in flight: the campaign ends by itself, and whoever watches sees it', async () => {
    const name = `matrix-${victim.name}`;
    facts = await crash(stack, { victim, name, expected: await expected(victim.load), random });
    all.push(facts);
    expect(facts.inFlight).toBeGreaterThanOrEqual(40);
    expect(facts.watchExit).toBe(0);
  }, 800_000);

  test('no finished trial is lost, no verdict is another', () => {
    expect(facts.lost).toEqual([]);
    expect(facts.changed).toEqual([]);
  });

  test('no answered call is paid again; what was in flight may be, once, and is marked', () => {
    const { answeredRepeated, callsRepeated, callsMarked, callsInFlight } = facts;
    expect(answeredRepeated).toBe(0);
    expect(callsRepeated).toBeLessThanOrEqual(callsMarked);
    expect(callsMarked).toBeLessThanOrEqual(victim.killsWorkers ? callsInFlight : 0);
  });

  test('nobody takes the containers of the living', () => {
    if (!victim.killsDocker) expect(facts.sandboxFailures).toEqual([]);
    // Whereas a crash of Docker that hit no run would have shown nothing.
    else if (!victim.killsWorkers) expect(facts.sandboxFailures).not.toEqual([]);
  });

  test('after one pass of the reaper nothing is left without a living owner', () => {
    expect(facts.left).toEqual([]);
  });

  test('it goes on soon', () => {
    // Whether the aim is met is told by docs/results/chaos-kills.md, not by a machine that may be doing anything else
    // meanwhile. This finds what waits for a reason of ours, such as a lease or a pause that grew to a minute.
    expect(facts.progressSeconds).toBeLessThan(2 * victim.progressWithinSeconds + 15);
  });
});

test('after `down` no container is left at all', async () => {
  expect(await stack.down()).toBe(0);
  expect(await stack.daemon.docker.listContainers({ all: true })).toEqual([]);
});

test('the machine’s own Docker keeps its bridge while another daemon comes and goes', () => {
  expect(hasBridge()).toBe(hadBridge);
});
