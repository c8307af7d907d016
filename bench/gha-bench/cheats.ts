/**
 * Grades every candidate of tests/fixtures/gha-bench/cheats.yaml by all layers, in two slots, and writes
 * docs/guarantees/gha-cheats.md; with --only, those alone, and the rows of the others stay. Exits 1 where one passes, or is caught
 * elsewhere than it says.
 *
 *   npx tsx bench/gha-bench/cheats.ts [--only ID,…]
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { currentInstance } from '../../src/adapters/docker/engine/instance.js';
import { createDockerSandbox } from '../../src/adapters/docker/sandbox/docker-sandbox.js';
import { createBench } from '../../src/fakes/suite-bench.js';
import type { DatasetTools } from '../../src/suite/dataset.js';
import { authoredTasks } from '../../tasks/gha-bench/dataset/gha-dataset.js';
import { ghaBench } from '../../tasks/gha-bench/gha-bench.js';
import { ghaBenchPlans } from '../../tasks/gha-bench/plan.js';
import { gradeCheat, readCheats, type CheatEnd } from '../../tests/fixtures/gha-bench/cheats.js';

const ROOT = join(import.meta.dirname, '..', '..');
const SUITE = join(ROOT, 'tasks', 'gha-bench');
const PAGE = join(ROOT, 'docs', 'guarantees', 'gha-cheats.md');
const SLOTS = 2;
const { values } = parseArgs({ options: { only: { type: 'string' } } });

const stateFolder = await mkdtemp(join(tmpdir(), 'durabench-cheats-'));
const sandbox = createDockerSandbox({
  ...{ instance: currentInstance(), stateFolder, packageRoot: ROOT, slots: SLOTS },
  idleMs: 600_000,
});
const bench = createBench({ suite: ghaBench, plans: ghaBenchPlans, suiteFolder: SUITE, sandbox });
const named = values.only?.split(',');
const all = await readCheats();
const ends = named === undefined ? new Map<string, CheatEnd>() : await endsOnPage();
try {
  await ghaBench.dataset.fetch({ projects: [], verify: false }, bench as unknown as DatasetTools);
  const tasks = await authoredTasks(SUITE);
  const waiting = all.filter(({ id }) => named?.includes(id) ?? true);
  const work = async (): Promise<void> => {
    for (let cheat = waiting.shift(); cheat !== undefined; cheat = waiting.shift()) {
      const end = await gradeCheat(bench, cheat, tasks);
      ends.set(cheat.id, end);
      const isRight = end.reasons.join() === cheat.caught.join();
      if (!isRight) process.exitCode = 1;
      console.log(`${isRight ? 'caught' : 'OTHERWISE'}: ${cheat.id}: ${end.reasons.join(', ')}; ${end.trusting}`);
    }
  };
  await Promise.all(Array.from({ length: SLOTS }, work));
} finally {
  await sandbox.close();
  await rm(stateFolder, { recursive: true, force: true });
}
await writeFile(PAGE, page());

/** As an earlier run wrote them. */
async function endsOnPage(): Promise<Map<string, CheatEnd>> {
  const rows = (await readFile(PAGE, 'utf8').catch(() => '')).split('\n').map((line) => line.split('|'));
  return new Map(
    rows.flatMap((cells): [string, CheatEnd][] => {
      const [, id = '', , , caught = '', trusting = ''] = cells.map((cell) => cell.trim());
      if (!all.some((cheat) => cheat.id === id)) return [];
      const reasons = caught === '–' ? [] : caught.split(', ');
      return [[id, { reasons, trusting: trusting as CheatEnd['trusting'] }]];
    }),
  );
}

function page(): string {
  const fooled = all.filter(({ id }) => ends.get(id)?.trusting === 'passes').length;
  const passing = all.filter(({ id }) => ends.get(id)?.reasons.length === 0).length;
  const head = [
    '# Cheats of GHA-Bench',
    '',
    `Written by \`npx tsx bench/gha-bench/cheats.ts\`, which grades ${all.length} candidates that try to pass without doing what was asked; \`tests/gha-bench/cheats.test.ts\` repeats some on every commit. ${passing} passed.`,
    '',
    '- Caught by: the reasons of the verdict, by layer.',
    `- Trusting grader: one that runs the first event of the first scenario and believes act's exit status. It would have let ${fooled} of the ${all.length} through.`,
    '',
    '| candidate | task | what it tries | caught by | trusting grader |',
    '| --- | --- | --- | --- | --- |',
  ];
  const rows = all.map(({ id, task, what }) => {
    const { reasons, trusting } = ends.get(id) ?? { reasons: [], trusting: 'not run' };
    return `| ${id} | ${task} | ${what} | ${reasons.join(', ') || '–'} | ${trusting} |`;
  });
  const left = [
    '',
    '## What remains possible',
    '',
    '- Steps run as root in their container, and know the token of the recorder. Who writes a workflow for one hidden scenario (which file is changed, and how) can have it answer as the right one would: contrary events, changed scripts and checks of the files make that guessing.',
    '- A workflow that does what was asked, and something else beside it that no check names and no tool of the recorder shows (a tool by a path of its own, in an emptied environment, from a text that is decoded), passes.',
  ];
  return [...head, ...rows, ...left, ''].join('\n');
}
