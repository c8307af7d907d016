import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DomainFailure } from '../../../src/domain/failure/domain-failure.js';
import { jsonHash, sha256Hex } from '../../../src/domain/text/content-hash.js';
import type { EngineImage, Sandbox, SandboxRun } from '../../../src/ports/sandbox.js';
import { GHA_LIMITS } from '../suite.js';
import type { ActRun, ToolRun } from './act-run.js';
import { refusals } from './preflight.js';
import { resolveActions } from './resolve-actions.js';
import type { Scenario } from './scenario.js';

/** What a scenario is run on, and where. */
export interface ScenarioRequest {
  scenario: Scenario;
  /** The project with the candidate's files, path → text. */
  files: Record<string, string>;
  suiteFolder: string;
  sandbox: Sandbox;
  owner: SandboxRun['owner'];
  signal: AbortSignal;
  onProgress?: () => void;
}

/** What came of an event, as the driver tells it: evidence, from which it is judged. */
interface RunEvidence {
  exit: number;
  ended: ActRun['ended'];
  seconds: number;
  tools: ToolRun[];
  artifacts: ActRun['artifacts'];
  /** What act printed, on its two outputs. */
  log: string;
  errors: string;
}

/** What came of a scenario: `refused`, why nothing was run; else a run for each event. */
export interface ScenarioEvidence {
  refused: string[];
  runs: RunEvidence[];
}

const JOB_IMAGE = 'gha-runner:latest';
/** What stands in for the images that workflows name; Debian's versions, whatever the tag says. */
export const ENGINE_IMAGES: readonly EngineImage[] = [
  { image: 'gha-runner', names: [JOB_IMAGE] },
  { image: 'gha-postgres', names: tagged('postgres', ['latest', '13', '14', '15', '16', '17', '16-alpine']) },
  { image: 'gha-redis', names: tagged('redis', ['latest', '6', '7', '7-alpine']) },
  { image: 'gha-nginx', names: tagged('nginx', ['latest', 'stable', 'alpine']) },
];

/** Every image that runs need, by recipe name. */
export const RUN_IMAGES: string[] = ['gha-engine', ...ENGINE_IMAGES.map(({ image }) => image)];

/**
 * Runs a scenario by act in a slot. Where an event did not end in its time all is run again with nothing beside it: a busy
 * machine is nobody's fault.
 * @throws as `Sandbox.run` does; DomainFailure `sandbox.lost` where the driver or the engine failed
 */
export async function runScenario(request: ScenarioRequest): Promise<ScenarioEvidence> {
  const refused = refusals(workflowsOf(request.files));
  if (refused.length > 0) return { refused, runs: [] };
  const first = await runOnce(request, false);
  const runs = first.some(({ ended }) => ended === 'time') ? await runOnce(request, true) : first;
  return { refused: [], runs };
}

/** The same for the same run: images, driver, actions, events and files, whatever is asserted of it. */
export async function runKey({
  scenario,
  files,
  suiteFolder,
  sandbox,
}: Pick<ScenarioRequest, 'scenario' | 'files' | 'suiteFolder' | 'sandbox'>): Promise<string> {
  const images = await Promise.all(RUN_IMAGES.map((image) => sandbox.imageDigest(image)));
  const events = scenario.events.map(({ assertions: _none, ...event }) => event);
  const hashes = Object.entries(files).map(([path, text]) => [path, sha256Hex(text)]);
  const actions = resolveActions(workflowsOf(files)).map(({ uses, folder }) => [uses, folder]);
  const parts = [
    images,
    ENGINE_IMAGES.map(({ image, names }) => [image, ...names]),
    GHA_LIMITS.runs,
    sha256Hex(await driverOf(suiteFolder)),
    actions,
    scenario.workflow,
    events,
    hashes.sort(),
  ];
  return `gha-bench.runs/${jsonHash(parts)}`;
}

/** Whether a run like it would show the same: every event came to its own end. */
export const isWhole = ({ refused, runs }: ScenarioEvidence): boolean =>
  refused.length === 0 && runs.every(({ ended }) => ended === 'itself');

async function runOnce(request: ScenarioRequest, exclusive: boolean): Promise<RunEvidence[]> {
  const { events } = request.scenario;
  const result = await request.sandbox.run({
    image: 'gha-engine',
    engine: { images: ENGINE_IMAGES },
    command: ['python3', '/work/run_act.py'],
    files: await filesOf(request),
    take: ['out'],
    mounts: [],
    limits: GHA_LIMITS.runs,
    poolKey: 'act',
    exclusive,
    owner: request.owner,
    signal: request.signal,
    ...(request.onProgress ? { onProgress: request.onProgress } : {}),
  });
  // Jobs have a limit of their own, below that of the slot; who fills that ends the driver, or the engine.
  if (result.outOfMemory && result.exitCode !== 0) return events.map(() => OUT_OF_MEMORY);
  const { taken } = result;
  if (result.exitCode === 0 && taken?.tooLarge === false)
    return events.map((_, number) => readRun(taken.files, number));
  const said = text(result.stderr.bytes).trim().slice(-500);
  throw new DomainFailure('sandbox.lost', `act was not driven to its end (status ${result.exitCode}): ${said}`);
}

const OUT_OF_MEMORY: RunEvidence = {
  ...{ exit: 137, ended: 'memory', seconds: 0, tools: [], artifacts: [], log: '', errors: '' },
};

async function filesOf({ scenario, files, suiteFolder }: ScenarioRequest): Promise<SandboxRun['files']> {
  const input = {
    workflow: scenario.workflow,
    jobImage: JOB_IMAGE,
    actions: resolveActions(workflowsOf(files)),
    token: randomBytes(16).toString('hex'),
    events: scenario.events.map(({ assertions: _none, changes: _files, ...event }) => event),
  };
  const changes = scenario.events.flatMap((event, number) => below(`in/changes/${number}`, event.changes));
  const entries: [string, Uint8Array | string][] = [
    ['run_act.py', await driverOf(suiteFolder)],
    ['in/scenario.json', JSON.stringify(input)],
    ...below('in/repo', files),
    ...changes,
  ];
  return Object.fromEntries(entries);
}

/** The program in the slot. */
function driverOf(suiteFolder: string): Promise<Buffer> {
  return readFile(join(suiteFolder, 'runs', 'python', 'run_act.py'));
}

function below(folder: string, files: Record<string, string>): [string, string][] {
  return Object.entries(files).map(([path, content]) => [`${folder}/${path}`, content]);
}

function readRun(taken: Record<string, Uint8Array>, number: number): RunEvidence {
  const read = (name: string): string => text(taken[`out/${number}/${name}`] ?? new Uint8Array());
  const record = read('run.json');
  // The driver ended well and had written it: it was lost on its way out of the slot, by which nobody is judged.
  if (record === '')
    throw new DomainFailure('sandbox.lost', `the record of run ${number} did not come out of the slot`);
  const told = JSON.parse(record) as Omit<RunEvidence, 'log' | 'errors'>;
  return { ...told, log: read('log.jsonl'), errors: read('errors.txt') };
}

/** What is looked at before anything is run: a script elsewhere runs in a container that the workflow asks for. */
function workflowsOf(files: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).filter(([path]) => path.startsWith('.github/')));
}

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf8');
}

function tagged(image: string, tags: readonly string[]): string[] {
  return tags.map((tag) => `${image}:${tag}`);
}
