import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EngineImage, Sandbox, SandboxRun } from '../../../src/ports/sandbox.js';
import { readActLog } from './act-log.js';
import type { ActRun, ToolRun } from './assertions.js';
import { refusals } from './preflight.js';
import type { Scenario } from './scenario.js';

/** What a scenario is run on, and where. */
interface ScenarioRequest {
  scenario: Scenario;
  /** The project with the candidate's files, path → text. */
  files: Record<string, string>;
  suiteFolder: string;
  sandbox: Sandbox;
  owner: SandboxRun['owner'];
  signal: AbortSignal;
  onProgress?: () => void;
}

/** What came of it: `refused`, why nothing was run; else a run for each event, and how act ended. */
export interface ScenarioEnd {
  refused: string[];
  runs: (ActRun & { ended: 'itself' | 'time' | 'output' | 'disk'; exit: number; seconds: number })[];
}

const JOB_IMAGE = 'gha-runner:latest';
/** What stands in for the images that workflows name; Debian's versions, whatever the tag says. */
const IMAGES: readonly EngineImage[] = [
  { image: 'gha-runner', names: [JOB_IMAGE] },
  { image: 'gha-postgres', names: tagged('postgres', ['latest', '13', '14', '15', '16', '17', '16-alpine']) },
  { image: 'gha-redis', names: tagged('redis', ['latest', '6', '7', '7-alpine']) },
  { image: 'gha-nginx', names: tagged('nginx', ['latest', 'stable', 'alpine']) },
];

const GIB = 1024 ** 3;
/** Of a slot; act gives each job 2 GiB of it. The time is that of the driver, which ends act long before. */
const LIMITS = {
  ...{ memoryBytes: 4 * GIB, cpus: 2, pids: 2048, cpuSeconds: 1800, wallSeconds: 3600 },
  ...{ tmpfsBytes: GIB / 2, fileSizeBytes: 2 * GIB, openFiles: 8192 },
};

/** Runs a scenario by act in a slot. @throws as `Sandbox.run` does; Error where the driver itself failed */
export async function runScenario(request: ScenarioRequest): Promise<ScenarioEnd> {
  const { scenario, files } = request;
  const refused = refusals(Object.fromEntries(Object.entries(files).filter(([path]) => path.startsWith('.github/'))));
  if (refused.length > 0) return { refused, runs: [] };
  const result = await request.sandbox.run({
    image: 'gha-engine',
    engine: { images: IMAGES },
    command: ['python3', '/work/run_act.py'],
    files: await filesOf(request),
    take: ['out'],
    mounts: [],
    limits: LIMITS,
    poolKey: 'act',
    owner: request.owner,
    signal: request.signal,
    ...(request.onProgress ? { onProgress: request.onProgress } : {}),
  });
  const taken = result.taken?.files ?? {};
  if (result.exitCode !== 0) throw new Error(`act was not driven to its end: ${text(result.stderr.bytes).slice(-500)}`);
  return { refused, runs: scenario.events.map(({ secrets }, number) => readRun(taken, number, secrets)) };
}

async function filesOf({ scenario, files, suiteFolder }: ScenarioRequest): Promise<SandboxRun['files']> {
  const driver = await readFile(join(suiteFolder, 'runs', 'python', 'run_act.py'));
  const input = {
    workflow: scenario.workflow,
    jobImage: JOB_IMAGE,
    actions: [],
    token: randomBytes(16).toString('hex'),
    events: scenario.events.map(({ assertions: _none, changes: _files, ...event }) => event),
  };
  const changes = scenario.events.flatMap((event, number) => below(`in/changes/${number}`, event.changes));
  const entries: [string, Uint8Array | string][] = [
    ['run_act.py', driver],
    ['in/scenario.json', JSON.stringify(input)],
    ...below('in/repo', files),
    ...changes,
  ];
  return Object.fromEntries(entries);
}

function below(folder: string, files: Record<string, string>): [string, string][] {
  return Object.entries(files).map(([path, content]) => [`${folder}/${path}`, content]);
}

/** What the driver writes of a run. */
interface DriverEnd {
  exit: number;
  ended: 'itself' | 'time' | 'output' | 'disk';
  seconds: number;
  tools: ToolRun[];
  artifacts: ActRun['artifacts'];
}

function readRun(
  taken: Record<string, Uint8Array>,
  number: number,
  secrets: Record<string, string>,
): ScenarioEnd['runs'][number] {
  const read = (name: string): string => text(taken[`out/${number}/${name}`] ?? new Uint8Array());
  const { exit, ended, seconds, tools, artifacts } = JSON.parse(read('run.json')) as DriverEnd;
  const [log, errors] = [read('log.jsonl'), read('errors.txt')];
  return { exit, ended, seconds, tools, artifacts, log: readActLog(log, errors), secrets, text: `${log}\n${errors}` };
}

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf8');
}

function tagged(image: string, tags: readonly string[]): string[] {
  return tags.map((tag) => `${image}:${tag}`);
}
