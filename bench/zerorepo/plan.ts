/**
 * What a large plan costs when its units do nothing: ZeroRepo on a made-up library, with the scripted player over HTTP, a
 * real Temporal server and a real Postgres, and a fake sandbox in which a fifth of the units need a repair.
 *
 *   npx tsx bench/zerorepo/plan.ts [FEATURES] [MODULES]                             (default 1100 8)
 *   node --expose-gc --import tsx bench/zerorepo/plan.ts [FEATURES] [MODULES]      (what is held, not what waits for collection)
 *
 * Prints one JSON line: the longest history of each workflow type (none may exceed 8,000 events), wall and CPU a unit,
 * tokens by what they were asked for, and memory of this process (worker and scripted model): its peak, and after each
 * further hundred units.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { writeMadeUpLibrary } from '../../tests/fixtures/zerorepo/made-up-library.js';
import { startStandalonePostgres } from '../../tests/fixtures/postgres/standalone-postgres.js';
import { openZeroRepoRig } from '../../tests/fixtures/zerorepo/zerorepo-rig.js';
import { tokensByPhase } from './phases.js';

Runtime.install({ logger: new DefaultLogger('ERROR') });
const [features = 1100, modules = 8] = process.argv.slice(2).map(Number);
const folder = await mkdtemp(join(tmpdir(), 'durabench-plan-'));
const postgres = await startStandalonePostgres();
const library = await writeMadeUpLibrary(folder, { features, modules, chain: 10, from: 'before' });
const memory: { resident: number; heap: number }[] = [];
const phases = tokensByPhase();
let coded = 0;
const rig = await openZeroRepoRig(postgres.databaseUrl, {
  rules: { library, default: { plays: 'competent' } },
  onRequest: (request, messages) => {
    if (phases.note(request, messages) === 'code' && ++coded % 100 === 0) memory.push(inMemory());
  },
});
try {
  const peak = watchMemory();
  const before = process.cpuUsage();
  const { workflows, wallSeconds } = await rig.generate({ options: { iterations: 200, features, mutants: 0 } });
  const cpu = process.cpuUsage(before);
  const units = workflows.filter(({ type }) => type === 'zerorepoUnit').length;
  const longest = (type: string): number =>
    Math.max(...workflows.filter((one) => one.type === type).map(({ events }) => events));
  process.stdout.write(
    `${JSON.stringify({
      ...{ features, modules, units, calls: rig.model.requests.length, wallSeconds: Math.round(wallSeconds) },
      longestHistory: Object.fromEntries(
        [...new Set(workflows.map(({ type }) => type))].map((type) => [type, longest(type)]),
      ),
      moduleHistories: workflows.filter(({ type }) => type === 'zerorepoModule').length,
      wallMsPerUnit: Math.round((1000 * wallSeconds) / units),
      cpuMsPerUnit: Math.round((cpu.user + cpu.system) / 1000 / units),
      ...{ tokens: phases.totals(), peakMebibytes: peak(), mebibytesEachHundredUnits: memory },
    })}\n`,
  );
} finally {
  await rig.close();
  await postgres.close();
  await rm(folder, { recursive: true, force: true });
}

/** Mebibytes of the process, and of its main heap after a collection where there may be one. */
function inMemory(): { resident: number; heap: number } {
  globalThis.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  return { resident: Math.round(rss / 2 ** 20), heap: Math.round(heapUsed / 2 ** 20) };
}

function watchMemory(): () => number {
  let peak = 0;
  const look = (): void => void (peak = Math.max(peak, Math.round(process.memoryUsage.rss() / 2 ** 20)));
  const timer = setInterval(look, 500);
  return () => {
    look();
    clearInterval(timer);
    return peak;
  };
}
