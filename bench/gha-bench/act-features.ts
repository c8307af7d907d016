/**
 * What act does of the features of a workflow: the probe workflows of act-probes.yaml, run in two slots, into docs/gha-bench/act.md.
 *
 *   npx tsx bench/gha-bench/act-features.ts
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import { currentInstance } from '../../src/adapters/docker/engine/instance.js';
import { createDockerSandbox } from '../../src/adapters/docker/sandbox/docker-sandbox.js';
import { judgeRuns } from '../../tasks/gha-bench/runs/judge-runs.js';
import { runScenario } from '../../tasks/gha-bench/runs/run-scenario.js';
import { scenarioSchema } from '../../tasks/gha-bench/runs/scenario.js';
import { DETECTORS } from '../../tasks/gha-bench/semantics/detectors/detectors.js';

const packageRoot = join(import.meta.dirname, '..', '..');
const WORKFLOW = '.github/workflows/probe.yml';
const anything = z.record(z.string(), z.unknown());
const probesSchema = z.array(
  z.strictObject({
    features: z.array(z.string()).min(1),
    on: z.unknown().default('push'),
    top: anything.default({}),
    jobs: z.record(z.string(), anything),
    files: z.record(z.string(), z.string()).default({}),
    /** Events that happen first. */
    before: z.array(anything).default([]),
    event: anything.default({}),
    holds: z.record(z.string(), anything),
  }),
);
type Probe = z.infer<typeof probesSchema>[number];

const JUDGED = {
  behaviour: 'by the run',
  shim: 'by the run, in which something stands in',
  partly: 'by the files, and by the run where act can',
  static: 'by the files alone',
} as const;

const probes = probesSchema.parse(parse(await readFile(join(import.meta.dirname, 'act-probes.yaml'), 'utf8')));
const missing = [...DETECTORS.keys()].filter((id) => !probes.some(({ features }) => features.includes(id)));
if (missing.length > 0) throw new Error(`no probe for ${missing.join(', ')}`);
const stateFolder = await mkdtemp(join(tmpdir(), 'durabench-act-'));
const sandbox = createDockerSandbox({ instance: currentInstance(), stateFolder, packageRoot, slots: 2 });
const held = new Map<Probe, string>();
const waiting = [...probes];
try {
  await Promise.all([work(), work()]);
} finally {
  await sandbox.close();
  await rm(stateFolder, { recursive: true, force: true });
}
await writeFile(join(packageRoot, 'docs', 'gha-bench', 'act.md'), page());

async function work(): Promise<void> {
  for (let probe = waiting.shift(); probe !== undefined; probe = waiting.shift()) held.set(probe, await ranOf(probe));
}

async function ranOf({ on, top, jobs, files, before, event, holds }: Probe): Promise<string> {
  const asked = Object.entries(holds).map(([id, assertion]) => ({ id, ...assertion }));
  const nothing = { id: 'earlier', kind: 'legs', of: {} };
  const scenario = scenarioSchema.parse({
    id: 'probe',
    workflow: WORKFLOW,
    events: [
      ...before.map((each) => ({ seconds: 600, ...each, assertions: [nothing] })),
      { event: 'push', seconds: 600, ...event, assertions: asked },
    ],
  });
  const own = Object.entries(jobs).map(([id, job]) => [
    id,
    'uses' in job ? job : { 'runs-on': 'ubuntu-latest', ...job },
  ]);
  const workflow = stringify({ name: 'probe', on, ...top, jobs: Object.fromEntries(own) as object });
  const evidence = await runScenario({
    scenario,
    files: { [WORKFLOW]: workflow, 'README.md': 'A probe\n', ...files },
    suiteFolder: join(packageRoot, 'tasks', 'gha-bench'),
    sandbox,
    owner: { campaignId: 'act-features', ownerId: 'act-features' },
    signal: new AbortController().signal,
  });
  const { assertions } = judgeRuns([{ scenario, evidence }], Object.keys(holds));
  for (const each of assertions) if (each.verdict !== 'passed') console.error(each);
  if (evidence.refused.length > 0) return `refused before it runs: ${evidence.refused.join('; ')}`;
  return assertions
    .map(({ id, verdict }) => `${id}: ${verdict === 'passed' ? 'yes' : verdict === 'failed' ? 'no' : verdict}`)
    .join('; ');
}

function page(): string {
  const rows = probes.map((probe) => {
    const known = probe.features.map((id) => DETECTORS.get(id)?.execution);
    const judged = [...new Set(known)].map((execution) => (execution === undefined ? '–' : JUDGED[execution]));
    return `| ${[probe.features.join('<br>'), judged.join('; '), held.get(probe) ?? ''].map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  });
  return [
    '# GHA-Bench: what act does of a workflow',
    '',
    `Written by \`npx tsx bench/gha-bench/act-features.ts\`: each row is a probe workflow that act 0.2.89 ran in a slot, and what of it held. All ${DETECTORS.size} features have one. "no" is where act does otherwise than GitHub: that is judged by the files, without running it.`,
    '',
    '| feature | judged | what held |',
    '| --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}
