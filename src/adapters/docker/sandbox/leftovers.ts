import type Docker from 'dockerode';
import type { Leases } from '../../../ports/leases.js';
import { dockerFailure } from '../engine/docker-failure.js';
import { lifeOf } from '../engine/instance.js';
import { LABEL } from '../engine/labels.js';
import { removeScratch, scratchIn } from './scratch.js';
import { removeContent } from '../volumes/unused-content.js';

/** Content is kept this long after its last use. */
const CONTENT_IDLE_SECONDS = 3600;

/** Where leftovers may be. */
export interface ReapRequest {
  docker: Docker;
  leases: Leases;
  /** Folders in which scratch folders are made. */
  scratchParents: readonly string[];
  /** How long content may be unused; an hour when absent. */
  contentIdleSeconds?: number;
  /** Only counts what it would remove. */
  isDryRun?: boolean;
}

/** What one pass removed. */
export interface Leftovers {
  containers: number;
  networks: number;
  contents: number;
  scratch: number;
}

/**
 * One pass of the reaper: removes what belongs to processes whose lease is gone, and content nobody used lately.
 * Whose process runs on this machine lives, whatever its lease says (the database may have been away); whose process
 * ended here is dead, and its lease is ended at once; of everybody else the lease decides. What another installation
 * made is left alone, since its leases are not ours to read. Fails with `sandbox.unavailable` while Docker is unavailable,
 * and with `records.unavailable`; the scratch folders are gone by then, and the next pass does the rest.
 */
export async function reapLeftovers(request: ReapRequest): Promise<Leftovers> {
  const { leases, scratchParents, isDryRun = false } = request;
  if (!isDryRun) await expireDeadLeases(leases);
  let scratch = 0;
  for (const parent of scratchParents) {
    const isGone = await readWhoIsGone(
      leases,
      (await scratchIn(parent)).map(({ instance }) => instance),
    );
    scratch += await removeScratch(parent, isGone, isDryRun);
  }
  const installation = await leases.installation();
  try {
    const containers = await reapContainers(request, installation);
    const networks = await reapNetworks(request, installation);
    const contents = await reapContent(request);
    return { containers, networks, contents, scratch };
  } catch (error) {
    throw dockerFailure(error, 'removing what dead workers left');
  }
}

/**
 * Removes containers and networks of a process of this machine that is gone, with nobody to ask about its lease: for whoever ended it.
 * @returns how many there were
 */
export async function removeThoseOf(docker: Docker, pid: number): Promise<number> {
  const isTheirs = (each: Labelled): boolean =>
    ownerOf(each).split('/')[1] === String(pid) && lifeOf(ownerOf(each)) === 'dead';
  const removed = await removeContainers(docker, (await labelledContainers(docker)).filter(isTheirs));
  return removed + (await removeNetworks(docker, (await labelledNetworks(docker)).filter(isTheirs)));
}

/** Nobody has to wait for the lease of a worker that was killed on this machine. */
async function expireDeadLeases(leases: Leases): Promise<void> {
  const dead = (await leases.unretiredWorkers()).filter((instance) => lifeOf(instance) === 'dead');
  for (const instance of dead) await leases.retireWorker(instance);
}

/** A function that tells of each of these instances whether it is gone for certain. */
async function readWhoIsGone(leases: Leases, instances: readonly string[]): Promise<(instance: string) => boolean> {
  const unknown = instances.filter((instance) => lifeOf(instance) === 'unknown');
  const lapsed = new Set(unknown.length === 0 ? [] : await leases.lapsedWorkers(unknown));
  return (instance) => lifeOf(instance) === 'dead' || lapsed.has(instance);
}

interface Labelled {
  id: string;
  labels: Record<string, string>;
}

const OWNED = { label: [LABEL.instance] };
const ownerOf = ({ labels }: Labelled): string => labels[LABEL.instance] ?? '';

async function labelledContainers(docker: Docker): Promise<Labelled[]> {
  const found = await docker.listContainers({ all: true, filters: OWNED });
  return found.map(({ Id: id, Labels: labels }) => ({ id, labels }));
}

async function labelledNetworks(docker: Docker): Promise<Labelled[]> {
  const found = await docker.listNetworks({ filters: OWNED });
  return found.map(({ Id: id, Labels: labels }) => ({ id, labels: labels ?? {} }));
}

const removeContainers = (docker: Docker, found: readonly Labelled[]): Promise<number> =>
  count(found.map(({ id }) => docker.getContainer(id).remove({ force: true, v: true })));

const removeNetworks = (docker: Docker, found: readonly Labelled[]): Promise<number> =>
  count(found.map(({ id }) => docker.getNetwork(id).remove() as Promise<unknown>));

async function reapContainers({ docker, leases, isDryRun }: ReapRequest, installation: string): Promise<number> {
  const orphans = await orphansOf(await labelledContainers(docker), leases, installation);
  return isDryRun ? orphans.length : removeContainers(docker, orphans);
}

async function reapNetworks({ docker, leases, isDryRun }: ReapRequest, installation: string): Promise<number> {
  const orphans = await orphansOf(await labelledNetworks(docker), leases, installation);
  return isDryRun ? orphans.length : removeNetworks(docker, orphans);
}

async function reapContent({ docker, leases, contentIdleSeconds, isDryRun }: ReapRequest): Promise<number> {
  const idle = await leases.idleContent(contentIdleSeconds ?? CONTENT_IDLE_SECONDS);
  if (idle.length === 0) return 0;
  const { Volumes: held } = await docker.listVolumes({ filters: JSON.stringify({ dangling: ['false'] }) });
  const heldNames = new Set((held ?? []).map(({ Name: name }) => name));
  const unheld = idle.filter((name) => !heldNames.has(name));
  if (isDryRun) return unheld.length;
  let removed = 0;
  for (const volume of unheld) {
    const end = await removeContent(docker, volume);
    if (end !== 'held') await leases.forgetContent(volume);
    if (end === 'removed') removed += 1;
  }
  return removed;
}

async function orphansOf(found: Labelled[], leases: Leases, installation: string): Promise<Labelled[]> {
  const ours = found.filter(({ labels }) => [undefined, installation].includes(labels[LABEL.installation]));
  const isGone = await readWhoIsGone(leases, ours.map(ownerOf));
  return ours.filter((each) => isGone(ownerOf(each)));
}

async function count(removals: Promise<unknown>[]): Promise<number> {
  const gone = await Promise.all(
    removals.map((removal) =>
      removal.then(
        () => 1,
        (error: { statusCode?: number }) => {
          // 404: gone already; 409: being removed by somebody else.
          if (error.statusCode === 404 || error.statusCode === 409) return 0;
          throw error;
        },
      ),
    ),
  );
  return gone.reduce<number>((sum, one) => sum + one, 0);
}
