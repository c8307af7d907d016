import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import { isDeadInstance } from '../engine/instance.js';
import { LABEL } from '../engine/labels.js';

/** A volume that is filled once. */
interface FilledVolume {
  name: string;
  /** Of the label by which it is found. */
  label: string;
  /** The container that fills it. */
  filler: (containerName: string) => Docker.ContainerCreateOptions;
  /** Fills it by that container, which is removed afterwards. */
  fill: (container: Docker.Container) => Promise<void>;
}

/** Another filler is given this long before it is looked at again. */
const POLL_MS = 50;
/** A filler on another host cannot be asked; none may take this long. */
const ABANDONED_MS = 600_000;

/** The empty volume whose existence says that the other one is whole. */
export function markOf(volumeName: string): string {
  return `${volumeName}-filled`;
}

/**
 * A volume is trusted when a second, empty one beside it (`…-filled`) exists: that one is made after `fill` has ended, so a crash in
 * the middle leaves nothing that would be taken for whole. The filling container's name is the lock: Docker gives it to one filler,
 * whichever process asks. @returns its name
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
      await volume.fill(container);
      await docker.createVolume({ Name: markOf(name), Labels: { [LABEL.content]: volume.label } });
      return name;
    } finally {
      await container.remove({ force: true });
    }
  }
}

/** Whether a volume is there and whole. */
export async function isFilled(docker: Docker, name: string): Promise<boolean> {
  // Both: a cleaner may have taken the content and left its mark.
  return (await volumeExists(docker, name)) && (await volumeExists(docker, markOf(name)));
}

/** The filling container, created and not started; null while another process has it. */
async function claim(docker: Docker, { name, label, filler }: FilledVolume): Promise<Docker.Container | null> {
  const containerName = `${name}-fill`;
  try {
    await docker.createVolume({ Name: name, Labels: { [LABEL.content]: label } });
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

async function volumeExists(docker: Docker, name: string): Promise<boolean> {
  try {
    await docker.getVolume(name).inspect();
    return true;
  } catch (error) {
    if ((error as { statusCode?: number }).statusCode === 404) return false;
    throw error;
  }
}
