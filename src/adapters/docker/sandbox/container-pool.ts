import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import { DomainFailure } from '../../../domain/failure/domain-failure.js';
import { engineContainerOptions } from '../nested/engine-options.js';
import { containerOptions, type ContainerSpec } from './container-options.js';
import type { HeldWorkspace } from '../workspaces/read-workspace.js';
import type { ForkServer } from './fork-server.js';

/** A running container and what is known of it. */
export interface PooledContainer {
  container: Docker.Container;
  imageId: string;
  /** Runs may share it while their keys are equal; null = never shared. */
  key: string | null;
  /** How many runs it has served. */
  runs: number;
  /** What runs its commands, once one was run so. */
  forkServer?: ForkServer;
  /** Whether an engine runs in it. */
  hasEngine: boolean;
  /** What its `/work` holds between the runs of one owner, and whose it is. */
  workspace?: HeldWorkspace & { owner: string };
}

/** Containers that outlive a run. */
export interface ContainerPool {
  /** An idle container with this key, proven clean, or a new one, as `describe` then says. */
  take(key: string | null, describe: () => Promise<ContainerSpec>): Promise<PooledContainer>;
  /** Gives a container back after a run; it is kept only when `healthy`, with a key, and nothing of the run is left in it. */
  giveBack(container: PooledContainer, healthy: boolean): void;
  /** What an owner's idle containers hold is of no use to it any more, but for the one with this key: it goes on from there. */
  discardOthers(owner: string, key: string | null): void;
  /** After an error of the engine, which may have killed them all: nobody is given an idle container of before. */
  discardIdle(): void;
  /** Removes everything, and waits for removals under way. */
  close(): Promise<void>;
}

/** An engine that was away is asked again to remove a container after this long. */
const REMOVE_AGAIN_MS = 5_000;

/** Content that is cleaned away under every new container is so by something that does not end. */
const MOST_TRIES = 5;

/** A model thinks for minutes; what comes later begins with the stored workspace. */
const WORKSPACE_IDLE_MS = 300_000;

interface IdleContainer extends PooledContainer {
  /** Whether nothing of a run is left in it; asked while nobody waits. */
  clean: Promise<boolean>;
  expiry: NodeJS.Timeout;
}

/** `idleLimit`: containers kept for later; beyond it the one idle for longest goes. `idleMs`: after so long without a run a container goes. */
export function createContainerPool(options: {
  docker: Docker;
  /** Labels of everything it makes, from `ownerLabels`. */
  owner: Record<string, string>;
  idleLimit: number;
  idleMs: number;
  areWhole: (volumes: readonly string[]) => Promise<boolean>;
}): ContainerPool {
  const { docker, owner, idleLimit, idleMs } = options;
  let idle: IdleContainer[] = [];
  const live = new Map<string, Docker.Container>();
  const removals = new Set<Promise<void>>();
  let closed = false;

  async function take(key: string | null, describe: () => Promise<ContainerSpec>): Promise<PooledContainer> {
    for (;;) {
      const found = key === null ? undefined : idle.find((candidate) => candidate.key === key);
      if (found === undefined) return startNew(key, describe);
      forget(found);
      if ((await found.clean) && found.forkServer?.hasEnded() !== true) return found;
      giveUp(found);
    }
  }

  async function startNew(key: string | null, describe: () => Promise<ContainerSpec>): Promise<PooledContainer> {
    for (let tries = 1; tries <= MOST_TRIES; tries++) {
      const started = await start(key, await describe());
      if (started !== null) return started;
    }
    throw new DomainFailure(
      'sandbox.lost',
      `content was cleaned away ${MOST_TRIES} times while its container was being made`,
    );
  }

  /** Null where content was cleaned away before the container held it: Docker has then made an empty volume in its place. */
  async function start(key: string | null, spec: ContainerSpec): Promise<PooledContainer | null> {
    const container = await create(spec);
    try {
      if (closed) throw new DomainFailure('sandbox.lost', 'the sandbox was closed while a container was being made');
      // Before it starts: what runs is taken to read whole content.
      if (!(await options.areWhole(Object.values(spec.volumes)))) {
        await remove(container);
        return null;
      }
      await container.start();
    } catch (error) {
      void remove(container);
      throw error;
    }
    return { container, imageId: spec.imageId, key, runs: 0, hasEngine: spec.hasEngine === true };
  }

  /** By a name, so that it can be removed where the engine does not say whether it makes it. */
  async function create(spec: ContainerSpec): Promise<Docker.Container> {
    const labels = { ...spec.labels, ...owner };
    const name = `durabench-${randomUUID()}`;
    const container = docker.getContainer(name);
    try {
      const optionsOf = spec.hasEngine === true ? engineContainerOptions : containerOptions;
      await docker.createContainer({ ...optionsOf({ ...spec, labels }), name });
    } catch (error) {
      if ((error as { statusCode?: number }).statusCode === undefined) void remove(container, { mayAppear: true });
      throw error;
    }
    live.set(container.id, container);
    return container;
  }

  function giveBack(pooled: PooledContainer, healthy: boolean): void {
    if (!healthy || pooled.key === null || closed) return giveUp(pooled);
    const kept: IdleContainer = {
      ...pooled,
      runs: pooled.runs + 1,
      clean: holdsOnlyOurs(pooled),
      // A timer that keeps nothing alive: `close` removes what is left at the end.
      expiry: setTimeout(() => discard(kept), pooled.workspace === undefined ? idleMs : WORKSPACE_IDLE_MS).unref(),
    };
    idle.push(kept);
    const oldest = idle.length > idleLimit ? idle[0] : undefined;
    if (oldest) discard(oldest);
  }

  function discard(kept: IdleContainer): void {
    forget(kept);
    giveUp(kept);
  }

  /** The connection is let go of afterwards: engines have hung on one that was closed while its container was being removed. */
  function giveUp({ container, forkServer }: PooledContainer): void {
    void remove(container, { onAnswer: () => forkServer?.disconnect() });
  }

  function discardIdle(): void {
    for (const kept of idle) discard(kept);
  }

  function discardOthers(owner: string, key: string | null): void {
    for (const kept of idle) if (kept.workspace?.owner === owner && kept.key !== key) discard(kept);
  }

  function forget(kept: IdleContainer): void {
    clearTimeout(kept.expiry);
    idle = idle.filter((candidate) => candidate !== kept);
  }

  /**
   * With the disk of its engine. Never a graceful stop: nothing in it is worth the ten seconds. Resolves when the engine has
   * answered, and never rejects. `mayAppear`: what is not there may still be on its way.
   */
  function remove(
    container: Docker.Container,
    { mayAppear = false, onAnswer = () => undefined }: { mayAppear?: boolean; onAnswer?: () => void } = {},
  ): Promise<void> {
    const removal = container
      .remove({ force: true, v: true })
      .then(() => void live.delete(container.id))
      .catch((error: { statusCode?: number }) => {
        const isGone = error.statusCode === 404;
        if (isGone && !mayAppear) live.delete(container.id);
        // What ran in it may still run, at the machine's cost; at the very end its label is found by the reaper.
        else if (!closed)
          setTimeout(() => void remove(container, { mayAppear: mayAppear && !isGone }), REMOVE_AGAIN_MS).unref();
      })
      .finally(() => {
        removals.delete(removal);
        onAnswer();
      });
    removals.add(removal);
    return removal;
  }

  async function close(): Promise<void> {
    closed = true;
    for (const kept of idle) discard(kept);
    await Promise.all(removals);
    for (const container of live.values()) void remove(container);
    await Promise.all(removals);
  }

  return { take, giveBack, discardOthers, discardIdle, close };
}

/** What runs in a container that serves nobody: init, the keeper, what serves the runs, and an engine. */
const OURS = /^(docker-init|tini|catatonit|sleep|dockerd|containerd)$/;
/** What an engine runs for a container of its own, as the kernel cuts its name; it ends a moment after that container is removed. */
const ENDS_ITSELF = /^(containerd-shim|docker-proxy|runc)$/;
/** So long it is waited for that, and for an answer while control groups of removed containers go. */
const [ENDING_MS, LOOK_PAUSE_MS] = [10_000, 200];

/** As the host sees it, which nothing inside can dress up: ours, and nobody else. */
async function holdsOnlyOurs({ container, forkServer, hasEngine }: PooledContainer): Promise<boolean> {
  if (!hasEngine) return (await namesIn(container))?.length === (forkServer === undefined ? 2 : 3);
  const until = Date.now() + ENDING_MS;
  for (;;) {
    const others = (await namesIn(container))?.filter((name) => !OURS.test(name));
    if (others?.length === 0) return true;
    if (Date.now() > until || others?.some((name) => !ENDS_ITSELF.test(name)) === true) return false;
    await sleep(LOOK_PAUSE_MS, undefined, { ref: false });
  }
}

/** Of each process; null where the engine does not say. */
async function namesIn(container: Docker.Container): Promise<string[] | null> {
  try {
    const { Processes: processes } = (await container.top({ ps_args: '-o pid,comm' })) as { Processes: string[][] };
    return processes.map(([, name = '']) => name);
  } catch {
    return null;
  }
}
