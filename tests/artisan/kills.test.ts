import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDemoProject, type DemoProject, type Kill, type TrialFacts } from '../fixtures/artisan/killed-trials.js';

// Worker, Temporal's server and the Docker engine are killed while scripts are made and judged; nobody does anything then.

const SYSTEMS = ['reference', 'copy', 'agent'];
const TASKS = ['silver-fit', 'ozone-anova'];
/** Of an agent of the demo: it looks, writes, stumbles, submits. */
const TURNS = 4;
const KILLS: readonly Kill[] = [
  { victim: 'worker', moment: 'think' },
  { victim: 'engine', moment: 'act' },
  { victim: 'worker', moment: 'submit' },
  { victim: 'temporal', moment: 'withheld' },
  { victim: 'worker', moment: 'twin' },
];

let demo: DemoProject;
let undisturbed: TrialFacts;
let killed: TrialFacts;

beforeAll(async () => {
  demo = await openDemoProject();
  undisturbed = await demo.run({ name: 'undisturbed', systems: SYSTEMS, tasks: TASKS });
  killed = await demo.run({ name: 'killed', systems: SYSTEMS, tasks: TASKS }, KILLS, undisturbed);
});

afterAll(async () => demo?.close());

test('verdicts and scripts are those of the undisturbed campaign, byte for byte', () => {
  expect(undisturbed.verdicts).toEqual(
    Object.fromEntries(
      TASKS.flatMap((task) => [
        [`/${task}/reference/1`, 'passed'],
        [`/${task}/copy/1`, 'failed copied.result-file'],
        [`/${task}/agent/1`, 'passed'],
      ]),
    ),
  );
  expect(Object.values(undisturbed.scripts).map((hashes) => hashes.length)).toEqual(
    TASKS.flatMap(() => SYSTEMS.map(() => 1)),
  );
  expect(killed).toMatchObject({ verdicts: undisturbed.verdicts, scripts: undisturbed.scripts });
});

test('each kill hit a step that had begun, and what died with it was begun again', () => {
  expect(killed.hits.map(({ victim, moment }) => ({ victim, moment }))).toEqual(KILLS);
  expect(undisturbed.stepsAgain).toBe(0);
  // Temporal's server takes no step with it.
  expect(killed.stepsAgain).toBeGreaterThanOrEqual(KILLS.filter(({ victim }) => victim !== 'temporal').length);
});

test('no answered call is sent again, no step that ended is done again, and a submission counts once', () => {
  expect(killed).toMatchObject({ answered: TASKS.length * TURNS, answeredRepeated: 0 });
  expect(killed.steps).toEqual(undisturbed.steps);
  for (const task of TASKS) expect(killed.counts[`/${task}/agent/1`]).toMatchObject({ turns: TURNS, submissions: 1 });
  expect(killed.counts).toEqual(undisturbed.counts);
});

test('once the stack is down no container of them is left', async () => {
  expect(await demo.leftBy([undisturbed.id, killed.id])).toBe(0);
});
