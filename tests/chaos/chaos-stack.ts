import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectDocker } from '../../src/adapters/docker/engine/connect-docker.js';
import { markOf } from '../../src/adapters/docker/volumes/content-volumes.js';
import { createImages } from '../../src/adapters/docker/images/images.js';
import { readEnvironment } from '../../src/config/env.js';
import { lifeOf } from '../../src/adapters/docker/engine/instance.js';
import { LABEL } from '../../src/adapters/docker/engine/labels.js';
import { scratchIn } from '../../src/adapters/docker/sandbox/scratch.js';
import { allEnded } from '../../src/domain/all-ended.js';
import {
  startScriptedModelServer,
  type ScriptedModelServer,
  type SeenRequest,
} from '../../src/fakes/scripted-model-server.js';
import { readStackState, type StackState } from '../../src/stack/stack-state.js';
import { waitUntil } from '../fixtures/wait-until.js';
import { createCliProject, type CliProject } from '../fixtures/cli-project.js';
import { PACKAGE_ROOT } from '../fixtures/engine.js';
import { AnswerGate } from './answer-gate.js';
import { CampaignRecord } from './campaign-record.js';
import { startDockerDaemon, type OwnDockerDaemon } from './docker-daemon.js';
import { LOADS, type LoadName } from './loads.js';

/** What a crash may hit: a project's real `up` stack, a second worker, and a Docker daemon that nobody else uses. */
export interface ChaosStack {
  project: CliProject;
  /** Absent where no load runs anything in containers. */
  daemon: OwnDockerDaemon | undefined;
  record: CampaignRecord;
  /** Everything the load's model was asked so far. */
  requests(load: LoadName): readonly SeenRequest[];
  /** Whom the load's model answers: everybody, until told otherwise. */
  answers(load: LoadName): AnswerGate;
  state(): StackState;
  /** Two of them, polling: the stack's own and one started beside it, which nobody starts again. */
  ensureTwoWorkers(): Promise<void>;
  /** Writes the campaign file and gives its path. */
  campaignFile(load: LoadName, name: string): Promise<string>;
  /** What has no living owner on the daemon and in the folders for temporary files. */
  leftovers(): Promise<string[]>;
  /** Stops the second worker, then the stack as a user would. Gives the exit code of `durabench down`. */
  down(): Promise<number | null>;
  close(): Promise<void>;
}

/** What RepoCraft's tasks on requests run in. */
const IMAGES = ['base', 'repocraft-requests'];

/** Starts what these loads need, all of it by default: images are copied from the machine's engine, which builds what it lacks. */
export async function startChaosStack({
  loads = Object.keys(LOADS) as LoadName[],
  onProgress = (_line: string): void => undefined,
} = {}): Promise<ChaosStack> {
  const usesContainers = loads.some((load) => LOADS[load].usesContainers);
  const daemon = usesContainers ? await startDockerDaemon() : undefined;
  const temporary = await mkdtemp(join(tmpdir(), 'durabench-chaos-'));
  await chmod(temporary, 0o777); // Postgres runs as another user
  const variables = { TMPDIR: temporary, DURABENCH_SANDBOX_SLOTS: '4', DURABENCH_MODEL_SLOTS: '64' };
  const project = await createCliProject(daemon ? { ...variables, DOCKER_HOST: daemon.host } : variables);
  const models = { echo: await startModel('echo'), repocraft: await startModel('repocraft') };
  const state = (): StackState => {
    const read = readStackState(project.stateDir);
    if (read === undefined) throw new Error('the stack has written no state yet');
    return read;
  };
  const record = new CampaignRecord(async () => state().addresses.databaseUrl ?? '');
  let second: ChildProcess | undefined;
  const down = async (): Promise<number | null> => {
    // Forwarded to the worker it waits for; killed itself, it would leave that one behind.
    if (second !== undefined && !hasEnded(second) && second.kill('SIGTERM')) await once(second, 'exit');
    return (await project.durabench('down')).code;
  };
  const close = async (): Promise<void> => {
    await down();
    await project.close();
    await Promise.all(Object.values(models).map(({ server }) => server.close()));
    await daemon?.close();
    await rm(temporary, { recursive: true, force: true });
  };
  const fetchTasks = async (into: OwnDockerDaemon): Promise<void> => {
    const images = createImages({
      ...{ docker: connectDocker(), packageRoot: PACKAGE_ROOT, cacheFolder: temporary },
      variable: readEnvironment().variable,
    });
    for (const image of IMAGES) await into.copyImage((await images.ensure(image, onProgress)).tag);
    await project.json(['dataset', 'fetch', 'repocraft', '--project', 'requests']);
  };
  try {
    await allEnded([project.json(['up']), daemon ? fetchTasks(daemon) : undefined]);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    project,
    daemon,
    record,
    state,
    down,
    close,
    requests: (load) => models[load].server.requests,
    answers: (load) => models[load].answers,
    ensureTwoWorkers: async () => {
      const areThere = async (): Promise<boolean> => {
        const isMissing = second === undefined || hasEnded(second);
        if (isMissing && state().services.worker.status === 'up') second = consumed(project.start('worker'));
        return (await livingWorkers(record)).length >= 2;
      };
      if (!(await waitUntil(areThere))) throw new Error('there are no two workers');
    },
    campaignFile: async (load, name) => {
      const file = join(project.folder, `${name}.yaml`);
      await writeFile(file, `name: ${name}\n${LOADS[load].campaign(models[load].server.url)}`);
      return file;
    },
    leftovers: () => leftoversOf({ daemon, record, folders: [temporary, join(project.stateDir, 'cache')] }),
  };
}

/** A load's model, whose answers can be held back. */
async function startModel(load: LoadName): Promise<{ server: ScriptedModelServer; answers: AnswerGate }> {
  const answers = new AnswerGate();
  const onRequest = ({ call }: SeenRequest): Promise<void> => answers.pass(call);
  return { server: await startScriptedModelServer({ rules: LOADS[load].rules, onRequest }), answers };
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

/** Workers whose process is there, whatever their lease says. */
async function livingWorkers(record: CampaignRecord): Promise<{ instance: string; pid: number }[]> {
  return (await record.liveWorkers()).filter(({ instance }) => lifeOf(instance) === 'alive');
}

/** A child whose output nobody reads would stop at a full pipe. */
function consumed(child: ChildProcess): ChildProcess {
  child.stdout?.resume();
  child.stderr?.resume();
  return child;
}

async function leftoversOf(look: {
  daemon: OwnDockerDaemon | undefined;
  record: CampaignRecord;
  folders: string[];
}): Promise<string[]> {
  const alive = new Set((await livingWorkers(look.record)).map(({ instance }) => instance));
  const scratch = (await Promise.all(look.folders.map(scratchIn))).flat();
  return [
    ...(look.daemon ? await leftOn(look.daemon, alive, look.record) : []),
    ...scratch.filter(({ instance }) => !alive.has(instance)).map(({ path }) => `folder ${path}`),
    ...(await readdir(look.folders[0] ?? '')).filter((name) => !name.includes('scratch')).map((name) => `file ${name}`),
  ];
}

async function leftOn(
  { docker }: OwnDockerDaemon,
  alive: ReadonlySet<string>,
  record: CampaignRecord,
): Promise<string[]> {
  const isOrphan = (labels: Record<string, string> | undefined): boolean => !alive.has(labels?.[LABEL.instance] ?? '');
  const containers = (await docker.listContainers({ all: true })).filter(({ Labels }) => isOrphan(Labels));
  const networks = (await docker.listNetworks()).filter(({ Name }) => !['host', 'none', 'bridge'].includes(Name));
  // Content is a cache, kept until an hour after its last use: by the reaper, who knows it by the notes in the records.
  // What is in none of them would stay for ever, and anything else was nobody's to keep.
  const { Volumes: all } = await docker.listVolumes();
  const known = new Set((await record.contentVolumes()).flatMap((name) => [name, markOf(name)]));
  const volumes = all.filter(({ Name }) => !known.has(Name));
  return [
    ...containers.map(({ Id, Names }) => `container ${Names[0] ?? Id}`),
    ...networks.filter(({ Labels }) => isOrphan(Labels)).map(({ Name }) => `network ${Name}`),
    ...volumes.map(({ Name }) => `volume ${Name}`),
  ];
}
