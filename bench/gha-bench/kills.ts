/**
 * Kills, at drawn moments while act is at work, the worker, Temporal, Postgres, the container of a slot, or the engine inside it, in
 * turn, and says what became of the campaign. A line a kill goes to FILE.jsonl; what is there already is not repeated.
 *
 *   npm run build && npx tsx bench/gha-bench/kills.ts [--kills 30] [--seed 1] [--record docs/results/gha-kills]
 */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { seededRandom } from '../../tests/fixtures/chaos/seeded-random.js';
import { createCliProject } from '../../tests/fixtures/cli/cli-project.js';
import { KILLED, killedRun, type KillFacts } from '../../tests/fixtures/gha-bench/killed-runs.js';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '30' },
    seed: { type: 'string', default: '1' },
    record: { type: 'string', default: join(import.meta.dirname, '..', '..', 'docs', 'results', 'gha-kills') },
  },
});

/** A kill, with what was counted against the undisturbed run. */
interface KillLine extends Omit<KillFacts, 'verdicts' | 'disks'> {
  /** Not told by the first thirty. */
  disks?: number;
  kill: number;
  seed: number;
  changed: string[];
  load: number;
}

const path = `${values.record}.jsonl`;
const kills = existsSync(path)
  ? readFileSync(path, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as KillLine)
  : [];
const seed = kills[0]?.seed ?? Number(values.seed);
const project = await createCliProject();
try {
  await project.json(['up']);
  const calm = await killedRun(project, { name: `undisturbed-${kills.length}`, victim: null, random: () => 0 });
  for (let kill = kills.length + 1; kill <= Number(values.kills); kill += 1) {
    const random = seededRandom(seed * 1_000 + kill);
    const victim = KILLED[kill % KILLED.length] ?? 'worker';
    const { verdicts, ...facts } = await killedRun(project, { name: `kill-${kill}-${victim}`, victim, random });
    const changed = Object.entries(verdicts)
      .filter(([trial, verdict]) => calm.verdicts[trial] !== verdict)
      .map(([trial, verdict]) => `${trial}: ${verdict}`);
    const line: KillLine = { kill, seed, ...facts, changed, load: Math.round(loadavg()[0] ?? 0) };
    kills.push(line);
    appendFileSync(path, `${JSON.stringify(line)}\n`);
    writeFileSync(`${values.record}.md`, page());
    console.log(JSON.stringify(line));
  }
} finally {
  await project.close();
}

function page(): string {
  const rows = KILLED.map((victim) => {
    const own = kills.filter((line) => line.victim === victim);
    const count = (of: (line: KillLine) => number): number => own.reduce((sum, line) => sum + of(line), 0);
    const seconds = own.map((line) => line.seconds).sort((one, other) => one - other);
    const [middle = '–', most = '–'] = [seconds[Math.floor(seconds.length / 2)], seconds.at(-1)];
    const isLooked =
      victim === 'worker' || victim === 'slot' || own.some(({ disks }) => disks !== undefined && disks > 0);
    const left = isLooked ? count((line) => line.left.length) : '–';
    const cells = [own.length, count(({ exit }) => Number(exit !== 0)), count(({ changed }) => changed.length)];
    return `| ${[victim, ...cells, count(({ lost }) => lost), left, `${middle} / ${most}`].join(' | ')} |`;
  });
  return [
    '# Kills while act runs workflows',
    '',
    `Written by \`npx tsx bench/gha-bench/kills.ts\` (seed ${seed}): in a campaign of six trials the victim gets SIGKILL at a drawn moment while act is at work in a slot; then nobody does anything. Compared with the same campaign undisturbed. Each kill is a line of [gha-kills.jsonl](gha-kills.jsonl), with the load of the machine.`,
    '',
    '| victim | kills | watcher not 0 | verdicts changed | runs lost and tried again | left | seconds to the end, median / most |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...rows,
    '',
    '`temporal` and `postgres` are the servers of the stack, `slot` the container of a slot, `engine` the dockerd inside it. What is left is looked for once the campaign has ended: containers, their disks and cgroups, of all slots of a killed worker, else of the slot that was struck. Slots live on where a server was killed. For the first 30 kills disks were not looked for, nor what a killed engine leaves: `tests/gha-bench/kills.test.ts` does, and later kills do.',
    '',
  ].join('\n');
}
