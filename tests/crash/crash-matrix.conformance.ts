import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { isAlive } from '../../src/stack/supervisor/process-identity.js';
import { startChaosStack, type ChaosStack } from '../fixtures/chaos/chaos-stack.js';
import { crash, undisturbed } from '../fixtures/chaos/crash.js';
import type { CrashFacts, Undisturbed } from '../fixtures/chaos/crash-facts.js';
import { crashTable } from '../fixtures/chaos/crash-table.js';
import { whyNoOwnDaemon } from '../fixtures/chaos/docker-daemon.js';
import { LOADS, type LoadName } from '../fixtures/chaos/loads.js';
import { seededRandom } from '../fixtures/chaos/seeded-random.js';
import { VICTIMS, type Victim, type VictimName } from '../fixtures/chaos/victims.js';
import { IS_WHOLE_RUN } from '../vitest/drawn.js';
import { scaled } from '../vitest/yardstick.js';

/** Between them they kill everything that can be killed; the others are one of it alone, or for another time. */
const EVERY_RUN: readonly VictimName[] = ['workers', 'postgres', 'all'];

/**
 * Victims of a load, each once on one real stack, at moments a printed seed repeats; `npm run chaos` does it a hundred
 * times. A file for each load: while one waits for a server that is down the other one works.
 */
export function describeCrashes(load: LoadName): void {
  const { trials, usesContainers } = LOADS[load];
  const missing = usesContainers ? whyNoOwnDaemon() : null;
  // What decides whether work lands has the same moments each time.
  const seed = Number(process.env['DURABENCH_CHAOS_SEED'] ?? (IS_WHOLE_RUN ? Date.now() % 1_000_000 : 7));
  const random = seededRandom(seed);
  const all: CrashFacts[] = [];
  const hadBridge = usesContainers && hasBridge();
  let stack: ChaosStack;
  let expected: Undisturbed;

  beforeEach(({ skip }) => skip(missing !== null, missing ?? undefined));

  beforeAll(async () => {
    if (missing !== null) return;
    console.log(`crash matrix: DURABENCH_CHAOS_SEED=${seed}`);
    stack = await startChaosStack({ loads: [load] });
    expected = await undisturbed(stack, load);
  }, scaled(900_000));

  afterAll(async () => {
    if (all.length > 0) console.log(crashTable(all));
    await stack?.close();
  });

  test('the undisturbed run is something to compare with', () => {
    const { verdicts, money } = expected;
    expect(verdicts.size).toBe(trials);
    const graded = [...verdicts.values()].filter((verdict) => /^(passed|failed) /.test(verdict));
    expect(graded).toHaveLength(trials);
    // A verdict that changes is seen whichever way it goes.
    const passed = graded.filter((verdict) => verdict.startsWith('passed')).length;
    expect(passed).toBeGreaterThan(15);
    expect(trials - passed).toBeGreaterThan(15);
    expect(new Set(graded).size).toBeGreaterThanOrEqual(3);
    expect(money).toMatchObject({ again: 0, open: 0, unbalanced: [] });
    expect(money.spent).toBeGreaterThan(0);
  });

  const isTried = ({ name }: Victim): boolean => IS_WHOLE_RUN || EVERY_RUN.includes(name);
  const victims = VICTIMS.filter((victim) => victim.load === load && isTried(victim)).map(
    (victim) => [victim.name, victim] as const,
  );

  describe.each(victims)('SIGKILL of %s', (_name, victim) => {
    let facts: CrashFacts;

    test(
      'at a random moment with 40 trials in flight: the campaign ends by itself, and whoever watches sees it',
      async () => {
        facts = await crash(stack, { victim, name: `matrix-${victim.name}`, expected, random });
        all.push(facts);
        expect(facts.inFlight).toBeGreaterThanOrEqual(40);
        expect(facts.watchExit).toBe(0);
      },
      scaled(900_000),
    );

    test('no finished trial is lost, no verdict is another', () => {
      expect(facts.doneBefore).toBeGreaterThanOrEqual(5);
      expect(facts.lost).toEqual([]);
      expect(facts.changed).toEqual([]);
    });

    test('no answered call is paid again; what was in flight may be, once, and is marked', () => {
      const { answeredRepeated, callsRepeated, callsMarked, callsInFlight } = facts;
      expect(answeredRepeated).toBe(0);
      expect(callsRepeated).toBeLessThanOrEqual(callsMarked);
      expect(callsMarked).toBeLessThanOrEqual(victim.killsWorkers ? callsInFlight : 0);
    });

    test('what was spent is what an undisturbed run spends and what was asked again, and every budget says so', () => {
      const { spentAgain, spentUnexplained, openSends, unbalanced, callsMarked } = facts;
      expect({ spentUnexplained, openSends, unbalanced }).toEqual({
        spentUnexplained: 0,
        openSends: 0,
        unbalanced: [],
      });
      expect(spentAgain > 0).toBe(callsMarked > 0);
    });

    if (usesContainers) {
      test('nobody takes the containers of the living', () => {
        if (!victim.killsDocker) expect(facts.sandboxFailures).toEqual([]);
        // Whereas a crash of Docker that hit no run would have shown nothing.
        else if (!victim.killsWorkers) expect(facts.sandboxFailures).not.toEqual([]);
      });
    }

    test('after one pass of the reaper nothing is left without a living owner', () => {
      expect(facts.left).toEqual([]);
    });

    test('it goes on soon', () => {
      // Whether the aim is met is told by the record (docs/results/chaos-kills-2.md). This finds what waits for a reason of
      // ours, such as a lease or a pause that grew.
      expect(facts.progressSeconds).toBeLessThanOrEqual(scaled(victim.failsAfterSeconds));
    });
  });

  test('after `down` no process and no container is left', async () => {
    const processes = Object.values(stack.state().services).flatMap(({ process }) => process ?? []);
    expect(processes.filter(isAlive)).toHaveLength(3);
    expect(await stack.down()).toBe(0);
    expect(processes.filter(isAlive)).toEqual([]);
    expect((await stack.daemon?.docker.listContainers({ all: true })) ?? []).toEqual([]);
  });

  if (usesContainers) {
    test('the machine’s own Docker keeps its bridge while another daemon comes and goes', () => {
      expect(hasBridge()).toBe(hadBridge);
    });
  }
}

const hasBridge = (): boolean => readdirSync('/sys/class/net').includes('docker0');
