import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import { isDeadInstance } from '../engine/instance.js';
import { LABEL } from '../engine/labels.js';
import { contentLabels } from './content-labels.js';

/** A volume that is filled once. */
interface FilledVolume {
  name: string;
  /** The container that fills it. */
  filler: (containerName: string) => Docker.ContainerCreateOptions;
  /** Fills it by that container, which is removed afterwards. */
  fill: (container: Docker.Container) => Promise<void>;
}

/** Another filler, or a container that is about to start, is given this long before it is looked at again. */
const POLL_MS = 50;
/** One on another host cannot be asked; none may take this long. */
const ABANDONED_MS = 600_000;

/** The empty volume that says which volume of this name is whole. */
export function markOf(volumeName: string): string {
  return `${volumeName}-filled`;
}

/**
 * A volume is trusted when a second, empty one beside it (`…-filled`) names it: that one is made after `fill` has ended, so a crash
 * in the middle leaves nothing that would be taken for whole; and it names this one volume, so that one made anew under the same
 * name is not trusted either. The filling container's name is the lock: Docker gives it to one filler, whichever process asks.
 * Containers are started only once their content was seen to be whole (`isFilled`): so a volume that a running one reads is whole
 * though its mark was lost, and it is never filled again under it. @returns its name
 */
export async function ensureFilled(docker: Docker, volume: FilledVolume): Promise<string> {
  const { name } = volume;
  for (;;) {
    if (await isFilled(docker, name)) return name;
    const container = await claim(docker, volume);
    if (container === null) {
      await sleep(POLL_MS);
      continue;
    }
    try {
      // The former owner of the name may have finished between our look and our claim.
      if (await isFilled(docker, name)) return name;
      if (!(await isBeingRead(docker, name))) await volume.fill(container);
      await markAsWhole(docker, name);
      return name;
    } finally {
      await container.remove({ force: true });
    }
  }
}

/** Whether a volume is there and whole. */
export async function isFilled(docker: Docker, name: string): Promise<boolean> {
  const [volume, mark] = await Promise.all([inspect(docker, name), inspect(docker, markOf(name))]);
  return volume !== null && mark?.Labels?.[LABEL.volume] === idOf(volume);
}

/** Called by who holds the filling container, and so the volume. */
async function markAsWhole(docker: Docker, name: string): Promise<void> {
  const volume = await inspect(docker, name);
  if (volume === null) throw new Error(`the volume ${name} is gone under the container that fills it`);
  // What stands there is of an earlier volume: Docker would keep it as it is.
  await removeIfUnused(docker, markOf(name));
  await docker.createVolume({ Name: markOf(name), Labels: { [LABEL.content]: name, [LABEL.volume]: idOf(volume) } });
}

/** One made by hand or by an earlier version has no name of its own. */
function idOf(volume: InspectedVolume): string {
  return volume.Labels?.[LABEL.volume] ?? volume.CreatedAt ?? '';
}

/**
 * Whether a running container of a worker holds the volume; waits for those that are about to start, or to be removed, which takes
 * their worker a moment. The filler itself was never started.
 */
async function isBeingRead(docker: Docker, name: string): Promise<boolean> {
  for (;;) {
    const filters = { volume: [name], label: [LABEL.instance] };
    const holders = (await docker.listContainers({ all: true, filters })).filter(
      ({ Names: names }) => !names.includes(`/${name}-fill`),
    );
    if (holders.some(({ State: state }) => ['running', 'paused', 'restarting'].includes(state))) return true;
    const isAboutToStart = ({ State: state, Labels: labels, Created: created }: Docker.ContainerInfo): boolean =>
      state === 'created' &&
      !isDeadInstance(labels[LABEL.instance] ?? '') &&
      Date.now() - created * 1000 < ABANDONED_MS;
    if (!holders.some(isAboutToStart)) return false;
    await sleep(POLL_MS);
  }
}

/** The filling container, created and not started; null while another process has it. */
async function claim(docker: Docker, { name, filler }: FilledVolume): Promise<Docker.Container | null> {
  const containerName = `${name}-fill`;
  try {
    const found = await inspect(docker, name);
    // Earlier versions left such behind: no cleaner would ever find it.
    if (found !== null && found.Labels?.[LABEL.content] === undefined) await removeIfUnused(docker, name);
    await docker.createVolume({ Name: name, Labels: contentLabels(name) });
    return await docker.createContainer(filler(containerName));
  } catch (error) {
    if ((error as { statusCode?: number }).statusCode !== 409) throw error;
    await removeAbandoned(docker, containerName);
    return null;
  }
}

/** A filler that died holds the name for nothing. */
async function removeAbandoned(docker: Docker, containerName: string): Promise<void> {
  try {
    const { Id: id, Created: created, Config: config } = await docker.getContainer(containerName).inspect();
    const ageMs = Date.now() - Date.parse(created);
    const dead = isDeadInstance(config.Labels[LABEL.instance] ?? '');
    // By id: the name may be another filler's by now.
    if (dead || ageMs > ABANDONED_MS) await docker.getContainer(id).remove({ force: true });
  } catch (error) {
    if (![404, 409].includes((error as { statusCode?: number }).statusCode ?? 0)) throw error;
  }
}

/** With when it was made, which the client's types lack. */
type InspectedVolume = Docker.VolumeInspectInfo & { CreatedAt?: string };

async function inspect(docker: Docker, name: string): Promise<InspectedVolume | null> {
  try {
    return await docker.getVolume(name).inspect();
  } catch (error) {
    if ((error as { statusCode?: number }).statusCode === 404) return null;
    throw error;
  }
}

async function removeIfUnused(docker: Docker, name: string): Promise<void> {
  try {
    await docker.getVolume(name).remove();
  } catch (error) {
    if (![404, 409].includes((error as { statusCode?: number }).statusCode ?? 0)) throw error;
  }
}
