/**
 * What act does of the features of a workflow: a probe workflow each, run in a slot, into docs/gha-bench/act.md.
 *
 *   npx tsx bench/gha-bench/act-features.ts
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { currentInstance } from '../../src/adapters/docker/engine/instance.js';
import { createDockerSandbox } from '../../src/adapters/docker/sandbox/docker-sandbox.js';
import { judgeRuns } from '../../tasks/gha-bench/runs/judge-runs.js';
import { runScenario } from '../../tasks/gha-bench/runs/run-scenario.js';
import { scenarioSchema } from '../../tasks/gha-bench/runs/scenario.js';
import { ACT_PROBES, type ActProbe } from './act-probes.js';

const packageRoot = join(import.meta.dirname, '..', '..');
const WORKFLOW = '.github/workflows/probe.yml';
const stateFolder = await mkdtemp(join(tmpdir(), 'durabench-act-'));
const sandbox = createDockerSandbox({
  instance: currentInstance(),
  stateFolder,
  packageRoot,
  slots: 1,
  idleMs: 600_000,
});
const rows: string[] = [];
try {
  for (const probe of ACT_PROBES) rows.push(await rowOf(probe));
} finally {
  await sandbox.close();
  await rm(stateFolder, { recursive: true, force: true });
}
await writeFile(join(packageRoot, 'docs', 'gha-bench', 'act.md'), page(rows));

async function rowOf({ feature, workflow, event, assertions }: ActProbe): Promise<string> {
  const asked = Object.entries(assertions).map(([id, assertion]) => ({ id, ...assertion }));
  const scenario = scenarioSchema.parse({
    id: 'probe',
    workflow: WORKFLOW,
    events: [{ event: 'push', seconds: 600, ...event, assertions: asked }],
  });
  const evidence = await runScenario({
    scenario,
    files: { [WORKFLOW]: workflow, 'README.md': 'A probe\n' },
    suiteFolder: join(packageRoot, 'tasks', 'gha-bench'),
    sandbox,
    owner: { campaignId: 'act-features', ownerId: 'act-features' },
    signal: new AbortController().signal,
  });
  const { refused } = evidence;
  const { assertions: judged } = judgeRuns([{ scenario, evidence }], Object.keys(assertions));
  const said = judged.map(
    ({ id, verdict }) => `${id}: ${verdict === 'passed' ? 'yes' : verdict === 'failed' ? 'no' : verdict}`,
  );
  const told = refused.length > 0 ? `refused before it runs: ${refused.join('; ')}` : said.join('; ');
  for (const each of judged) console.error(feature, each);
  return `| ${feature} | ${told.replaceAll('|', '\\|')} |`;
}

function page(lines: readonly string[]): string {
  const head = [
    '# GHA-Bench: what act does of a workflow',
    '',
    'Written by `npx tsx bench/gha-bench/act-features.ts`: each row is a probe workflow that act 0.2.89 ran in a slot, and what of it held. "no" is where act does otherwise than GitHub: such a feature is judged without running it.',
    '',
    '| feature | what held |',
    '| --- | --- |',
  ];
  return [...head, ...lines, ''].join('\n');
}
