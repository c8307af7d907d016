import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { StatusReport } from '../../../src/contract/status.js';
import { runCommandLine } from '../../../src/cli/program.js';
import { startScriptedModelServer, type ScriptedModelServer } from '../../../src/fakes/scripted-model-server.js';
import type { EventRow, GenerationRow, StepRow } from '../../../src/ports/records.js';
import type { FullReport } from '../../../src/report/full-report.js';
import { waitUntil } from '../../fixtures/wait-until.js';
import type { PlanningGraph } from '../../../tasks/repocraft/generators/zerorepo/graph/planning-graph.js';
import { readTarFile } from '../../../src/suite-kit/tar-entries.js';
import { createCliProject, type CliProject, type CommandEnd } from '../../fixtures/cli/cli-project.js';
import { PACKAGE_ROOT } from '../../fixtures/package-root.js';

/** What an operator does to a generation, and what ends one: pause, edits of its graph, limits and budgets. */
let project: CliProject;
let model: ScriptedModelServer;
/** Answers to the first unit's tests are held back until the campaign is paused. */
let release: () => void = () => undefined;
const released = new Promise<void>((resolve) => (release = resolve));

const WIDTH = 'x = 1\n';
const ITERATIVE = [
  `### prosemeter/__init__.py\n\n\`\`\`python\n${WIDTH}\`\`\`\n`,
  'I would rather talk about something else.',
  `### prosemeter/words.py\n\n\`\`\`python\ndef split_words(text):\n    """Split a text into words."""\n    return text.split()\n\`\`\`\n`,
];

beforeAll(async () => {
  const library = join(PACKAGE_ROOT, 'tasks', 'repocraft', 'projects', 'textkit');
  const plays = 'competent' as const;
  const rules = {
    library,
    rules: [
      { name: 'unit', match: { model: 'edited', contains: '# Task: Write tests' }, plays },
      { match: { model: 'lossy', contains: '# Task: Write code' }, cut: 'before-reply' as const, times: 2 },
      { match: { model: 'nothing', contains: '# Task: Grow the feature tree' }, answer: '{"features": []}' },
      ...ITERATIVE.map((answer, index) => ({ match: { model: 'rounds', contains: `Round ${index + 1} of` }, answer })),
      { match: { model: 'rounds' }, answer: 'NOTHING TO DO' },
    ],
    default: { plays },
  };
  const onRequest = ({ rule }: { rule: string | null }) => (rule === 'unit' ? released : undefined);
  [project, model] = await Promise.all([createCliProject(), startScriptedModelServer({ rules, onRequest })]);
  await project.json(['dataset', 'fetch', 'repocraft', '--project', 'textkit']);
  await project.json(['images', 'build', 'base', 'repocraft-requests']);
  await project.json(['up']);
});

afterAll(async () => {
  await project?.close();
  await model?.close();
});

/** A command in this process: some thirty of them are asked here, and a process takes half a second to start. */
async function durabench(...argv: string[]): Promise<CommandEnd> {
  const end = { stdout: '', stderr: '' };
  const code = await runCommandLine({
    ...{ argv, cwd: project.folder },
    variables: { HOME: project.folder, PATH: process.env.PATH, DURABENCH_HOME: project.stateDir, NO_COLOR: '1' },
    stdout: { write: (text) => (end.stdout += text) },
    stderr: { write: (text) => (end.stderr += text) },
  });
  return { code, ...end };
}

async function json<Data>(argv: string[]): Promise<Data> {
  const { code, stdout, stderr } = await durabench(...argv, '--json');
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout) as Data;
}

const endpoint = (name: string): string =>
  `${name}: { name: ${name}, base_url: "${model.url}", price: { input: 100, output: 100 }, max_output_tokens: 2000 }`;

/** Starts a campaign over textkit's first task and lets go of it. */
async function begin(name: string, systems: string[]): Promise<string> {
  const models = ['edited', 'competent', 'nothing', 'lossy', 'rounds'].map((each) => `  ${endpoint(each)}`).join('\n');
  const text = [
    `name: ${name}`,
    'suite: repocraft',
    'dataset: { projects: [textkit], tasks: [textkit-tokenizing-split_words-001] }',
    `models:\n${models}`,
    `systems:\n${systems.map((system) => `  - ${system}`).join('\n')}`,
    'judge: { vote: { voter: heuristic } }',
  ];
  await writeFile(join(project.folder, `${name}.yaml`), text.join('\n'));
  const { campaign_id: id } = await project.json<{ campaign_id: string }>(['run', `${name}.yaml`, '--detach']);
  return id;
}

interface Generation {
  state: string;
  usd: number;
  tokens: number;
  limit: { usd: number | null; tokens: number | null };
  forecast: { of: string; calls: number[]; tokens: number[]; usd: number[] } | null;
  progress: { of: string; done: number; failed: number; blocked: number } | null;
}
type Status = StatusReport & { generations: Generation[] };

const status = (id: string): Promise<Status> => json(['status', id]);
const figures = async (id: string, system: string): Promise<Record<string, number | null>> => {
  const { trial_rows: rows } = await json<FullReport>(['show', id]);
  return rows.find((row) => row.system === system)?.metrics ?? {};
};
const ended = async (id: string): Promise<string> => {
  const isEnded = async (): Promise<boolean> => !['planned', 'running'].includes((await status(id)).campaign.status);
  expect(await waitUntil(isEnded)).toBe(true);
  return (await status(id)).campaign.status;
};
const graphFile = (name: string): string => join(project.folder, name);

/** Systems whose ends are looked at in the end; they run beside the others. */
let others: string;

describe('a paused generation', () => {
  let id: string;
  let exported: PlanningGraph;

  test('is held when running steps have finished; its graph is exported, shown and drawn', async () => {
    others = await begin('others', [
      '{ id: limited, generator: zerorepo, model: competent, limits: { tokens: 10000 }, features: 6, iterations: 1, mutants: 1 }',
      '{ id: nothing, generator: zerorepo, model: nothing, patience: 1 }',
      '{ id: lossy, generator: zerorepo, model: lossy, features: 1, iterations: 1, mutants: 0 }',
      '{ id: rounds, generator: iterative, model: rounds, iterations: 5, patience: 2 }',
    ]);
    const options = 'features: 4, iterations: 1, mutants: 1, window: 1';
    id = await begin('edited', [`{ id: zr, generator: zerorepo, model: edited, ${options} }`]);
    const isAsked = (): boolean => model.requests.some(({ rule }) => rule === 'unit');
    const early = await durabench('graph', 'import', id, 'nowhere.json');
    expect(early.stderr).toContain('nowhere.json cannot be read: there is no such file');
    expect(await waitUntil(isAsked)).toBe(true);
    const running = await durabench('graph', 'export', id);
    await writeFile(graphFile('running.json'), running.stdout);
    const refused = await durabench('graph', 'import', id, 'running.json', '--stage', 'interfaces');
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain(`campaign ${id} runs`);
    await json(['pause', id]);
    release();
    const isHeld = async (): Promise<boolean> => (await steps(id)).some(({ step }) => step.startsWith('unit/'));
    expect(await waitUntil(isHeld)).toBe(true);

    const { stdout } = await durabench('graph', 'export', id);
    exported = JSON.parse(stdout) as PlanningGraph;
    expect(exported).toMatchObject({ format: 'durabench.planning-graph', version: 1, title: 'ProseMeter' });
    expect(exported.interfaces).toHaveLength(4);
    const picture = await durabench('show', id, '--graph');
    expect(picture.stdout).toMatch(/^flowchart LR\n {2}subgraph module1\["Tokenizing/);
    expect((await durabench('show', id, '--graph', 'svg')).stdout).toMatch(/^<svg [^]*<\/svg>\n$/);
  });

  test('is forecast from the size of its plan before units are written, within its default limits', async () => {
    const [generation] = (await status(id)).generations;
    expect(generation).toMatchObject({ state: 'running', limit: { usd: 50, tokens: 5_000_000 } });
    const { of, calls, tokens, usd } = generation?.forecast ?? { of: '', calls: [], tokens: [], usd: [] };
    expect(of).toBe('4 units');
    // Tests and code of four units, integration tests of a module, a test of the whole, a README.
    expect(calls).toEqual([11, 11 + 6 * 4]);
    expect(tokens[0]).toBeGreaterThan(3_000);
    expect(tokens[1]).toBeGreaterThan(2 * (tokens[0] ?? 0));
    expect(usd[0]).toBeCloseTo((tokens[0] ?? 0) / 10_000, 2);
    const { code, stdout, stderr } = await durabench('status', id);
    expect(code, stderr).toBe(0);
    expect(stdout).toMatch(/^generation {3}\S+\/zr\/textkit\/1: being made, .* of \$50.00 and 5,000,000 tokens$/m);
    expect(stdout).toMatch(/^forecast {5}4 units: [\d,]+ to [\d,]+ tokens, \$[\d.]+ to \$[\d.]+$/m);
    // The unit that had begun has ended; no other was begun.
    expect(generation?.progress).toEqual({ of: '4 units', done: 1, failed: 0, blocked: 0 });
    expect(stdout).toMatch(/^progress {5}1 of 4 units done$/m);
    const shown = await durabench('show', `${id}/zr/textkit/1`);
    expect(shown.stdout).toMatch(/\nforecast {5}4 units/);
  });

  const edits: [string, (graph: PlanningGraph) => unknown, RegExp][] = [
    ['is cut off', (graph) => JSON.stringify(graph).slice(0, 500), /not JSON: /],
    ['is of a later version', (graph) => ({ ...graph, version: 2 }), /version: is 2; this Durabench reads version 1/],
    ['has a field nobody knows', (graph) => ({ ...graph, colour: 'red' }), /colour/],
    ['leaves a feature out of every file', first('features', { file: null }), /feature f1 is in no file/],
    ['calls what does not exist', first('interfaces', { invokes: ['a.py::b'] }), /uses a\.py::b, which does not exist/],
    ['renames a folder to a keyword', first('modules', { folder: 'class' }), /folder class of .* reserved word/],
    [
      'shadows the standard library',
      (graph) => ({ ...graph, package: 'json' }),
      /"json" would shadow the standard lib/,
    ],
    ['drops what features need', (graph) => ({ ...graph, interfaces: [] }), /feature f1 is provided by no interface/],
  ];

  test('keeps its graph when an edit does not hold, and says exactly why', async () => {
    for (const [what, edit, says] of edits) {
      const edited = edit(exported);
      await writeFile(graphFile('bad.json'), typeof edited === 'string' ? edited : JSON.stringify(edited));
      const end = await durabench('graph', 'import', id, 'bad.json');
      expect(end.code, what).toBe(1);
      expect(end.stderr, what).toMatch(says);
      expect(end.stderr, what).toMatch(/^error: bad\.json: .*\n {2}expected: .*\n {2}fix: /);
    }
    const { stdout } = await durabench('graph', 'export', id);
    expect(JSON.parse(stdout)).toEqual(exported);
    expect(await events(id)).toEqual(['pause']);
  });

  test('takes an edited graph: --dry-run says what changes, the import is recorded with author and reason', async () => {
    const last = exported.interfaces.at(-1);
    const kept = exported.interfaces.slice(0, -1);
    const [gone] = last?.features ?? [];
    const edited = {
      ...exported,
      interfaces: kept,
      features: exported.features.filter(({ id: feature }) => feature !== gone),
    };
    const isLonely = !kept.some(({ file }) => file === last?.file);
    if (isLonely) edited.files = exported.files.filter(({ path }) => path !== last?.file);
    await writeFile(graphFile('edited.json'), JSON.stringify(edited));
    const dry = await json<{ changes: string[] }>(['graph', 'import', id, 'edited.json', '--dry-run']);
    expect(dry).toMatchObject({ dry_run: true, stage: 'interfaces', changed: true });
    expect(dry.changes).toEqual(expect.arrayContaining(['features: 1 removed', 'interfaces: 1 removed']));
    expect(await events(id)).toEqual(['pause']);
    await json(['graph', 'import', id, 'edited.json', '--reason', 'too much']);
    const { events: all } = await json<{ events: EventRow[] }>(['show', id]);
    expect(all.at(-1)).toMatchObject({
      action: 'graph',
      reason: 'too much',
      author: expect.stringContaining('@') as string,
    });
    expect(all.at(-1)?.details).toMatchObject({ generation: `${id}/zr/textkit/1`, stage: 'interfaces' });
    const again = await durabench('graph', 'import', id, 'edited.json');
    expect(again.stderr).toContain('has this graph already: nothing was changed');
    exported = edited;
  });

  test('goes on with it, parks when the campaign’s budget is spent, and ends after a raise: nothing is asked twice', async () => {
    const { tokens } = (await status(id)).spend;
    await json(['budget', id, '--tokens', String(tokens + 4000)]);
    await project.durabench('resume', id, '--detach');
    expect(await ended(id)).toBe('budget_exhausted');
    expect((await status(id)).trials).toMatchObject({ not_run: 1, failed: 0, errored: 0 });
    await json(['budget', id, '--tokens', '200000']);
    await project.durabench('resume', id, '--detach');
    expect(await ended(id)).toBe('completed');
    const { spend, trials } = await status(id);
    expect(trials.passed).toBe(1);
    expect(spend.repeated_calls).toBe(0);
    const asked = model.requests.filter((request) => request.model === 'edited' && request.status === 200);
    expect(new Set(asked.map(({ call }) => call)).size).toBe(asked.length);
    const found = await figures(id, 'zr');
    expect(found).toMatchObject({ generation_units: 3, generation_units_done: 3, generation_edited_by_operator: 1 });
    const { stdout } = await durabench('graph', 'export', id);
    expect(JSON.parse(stdout)).toEqual(exported);
    const shown = await durabench('show', `${id}/zr/textkit/1`);
    const file = (name: string): string =>
      new RegExp(`^ {4}${name} \\(.* bytes\\) (/.*)$`, 'm').exec(shown.stdout)?.[1] ?? '';
    expect(await readTarFile(await readFile(file('candidate.tar')), 'README.md')).toMatch(/^# ProseMeter/);
    expect(await readFile(file('history.fast-import'), 'utf8')).toMatch(/^commit refs\/heads\/main\n/);
    const late = await durabench('graph', 'import', id, 'running.json');
    expect(late.stderr).toContain('has its candidate');
  });

  test('is measured against the taxonomy of its project', async () => {
    const found = await figures(id, 'zr');
    expect(found).toMatchObject({ taxonomy_leaves: 5, plan_features: 3, plan_done: 3 });
    const { suite_metrics: metrics } = await json<FullReport>(['show', id]);
    const { projects } = (
      metrics as Record<string, { projects: { coverage: unknown; categories: Record<string, unknown>[] }[] }>
    ).zr ?? { projects: [] };
    // Something is planned for two leaves of five; one task was run, of a category that is about one leaf.
    expect(projects[0]?.coverage).toMatchObject({ planned: 0.4, implemented: 0.2, implementedReachable: 1 });
    // Each category of the graded tasks has its own leaves: of the plan, by code, and with a passed task.
    expect(projects[0]?.categories).toEqual([
      expect.objectContaining({ category: expect.any(String) as string, planned: 1, byCode: 1, implemented: 1 }),
    ]);
    expect((await durabench('report', id, '--format', 'md')).stdout).toContain('\n## Coverage and novelty\n');
  });
});

describe('generations that end by themselves', () => {
  test('at its own limit one is frozen, graded and final', async () => {
    expect(await ended(others)).toBe('completed');
    const found = await figures(others, 'limited');
    expect(found.generation_cut_by_limit).toBe(1);
    expect(found.generation_units_done).toBeLessThan(6);
    const limited = (await status(others)).generations.find(({ limit }) => limit.tokens === 10_000);
    expect(limited?.tokens).toBeLessThanOrEqual(10_000);
    expect(limited?.tokens).toBeGreaterThan(5_000);
    const again = await project.durabench('resume', others);
    expect(again.stderr).toContain('every trial has ended');
  });

  test('a plan without a feature makes an empty candidate, which fails', async () => {
    const found = await figures(others, 'nothing');
    expect(found).toMatchObject({ generation_features: 0, generation_units: 0, generation_cut_by_limit: 0 });
    const { systems } = await status(others);
    expect(systems.find(({ id }) => id === 'nothing')).toMatchObject({ failed: 1, errored: 0 });
  });

  test('iterative: round by round on what is there, useless answers change nothing, and it ends when nothing changes', async () => {
    // Three rounds with an answer, then two in vain.
    expect(model.requests.filter((request) => request.model === 'rounds')).toHaveLength(5);
    const nobody = await durabench('show', `${others}/nobody`);
    expect(nobody.stderr).toMatch(/has no trial or generation nobody\n {2}expected: \S+\/rounds\/textkit\/1, /);
    // A unique prefix is enough.
    const generation = await json<{ generation: GenerationRow; steps: StepRow[] }>(['show', `${others}/rou`]);
    expect(generation.generation.candidate).toMatchObject({ files: 2, provenance: 'generated' });
    const evidence = generation.steps.flatMap((step) => step.evidence).find(({ name }) => name === 'generation.json');
    const blob = join(project.stateDir, 'blobs', 'sha256', evidence?.sha256.slice(0, 2) ?? '', evidence?.sha256 ?? '');
    const { note } = JSON.parse(await readFile(blob, 'utf8')) as { note: string };
    expect(note.split('; ').map((line) => line.replace(/:.*/, ''))).toEqual([1, 2, 3, 4, 5].map((n) => `round ${n}`));
    expect(note).toMatch(/^round 1: 1 files; round 2: .*holds no file.*; round 3: 1 files; round 4: nothing to do; /);
    const { systems } = await status(others);
    expect(systems.find(({ id }) => id === 'rounds')).toMatchObject({ errored: 0, not_run: 0 });
  });
});

describe('a generation one of whose calls was lost twice', () => {
  test('ends, and goes on from its last step when it is retried', async () => {
    const { systems } = await status(others);
    expect(systems.find(({ id }) => id === 'lossy')).toMatchObject({ errored: 1 });
    const shown = await durabench('show', `${others}/lossy/textkit/1`);
    expect(shown.stdout).toMatch(/model\.ambiguous: 2 requests to lossy [^]*durabench retry ID/);
    expect(await project.durabench('retry', others, '--detach')).toMatchObject({ code: 0 });
    expect(await ended(others)).toBe('completed');
    expect(await figures(others, 'lossy')).toMatchObject({ generation_units_done: 1, generation_units_failed: 0 });
    const asked = model.requests.flatMap(({ model: name, call }) => (name === 'lossy' ? [call] : []));
    expect(asked.length - new Set(asked).size).toBe(2);
    expect((await status(others)).spend.repeated_calls).toBe(1);
  });
});

async function steps(id: string): Promise<StepRow[]> {
  return (await json<{ steps: StepRow[] }>(['show', `${id}/zr/textkit/1`])).steps;
}

async function events(id: string): Promise<string[]> {
  return (await json<{ events: EventRow[] }>(['show', id])).events.map(({ action }) => action);
}

/** The graph with the first item of a list changed. */
function first<Key extends 'features' | 'modules' | 'interfaces'>(
  key: Key,
  change: Partial<PlanningGraph[Key][number]>,
): (graph: PlanningGraph) => unknown {
  return (graph) => ({
    ...graph,
    [key]: graph[key].map((item, index) => (index === 0 ? { ...item, ...change } : item)),
  });
}
