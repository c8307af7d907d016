import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import { jsonHash, sha256Hex } from '../../../domain/text/content-hash.js';
import { DomainFailure } from '../../../domain/failure/domain-failure.js';
import type { ContentMount } from '../../../ports/sandbox.js';
import { fillerOptions } from './filler-options.js';
import { isDeadInstance } from '../engine/instance.js';
import { LABEL } from '../engine/labels.js';

/** Content as read-only volumes, filled once per engine. */
export interface ContentVolumes {
  /** Name of the volume that holds this content, whole. `imageId` is any sandbox image; its `tar` unpacks. */
  ensure(mount: ContentMount, imageId: string): Promise<string>;
  /** Whether these volumes are still whole, asked once a container holds them: before that a cleaner may take them. */
  areWhole: (names: readonly string[]) => Promise<boolean>;
}

/** Name of the volume for this content, prepared so. */
export function contentVolume({ sha256, prepare, path }: Pick<ContentMount, 'sha256' | 'prepare' | 'path'>): string {
  const identity = prepare === undefined ? sha256 : jsonHash({ sha256, prepare: [...prepare], path });
  return `durabench-content-${identity.slice(0, 40)}`;
}

/** The empty volume whose existence says that the other one is whole. */
export function markOf(volumeName: string): string {
  return `${volumeName}-filled`;
}

/** Another filler is given this long before it is looked at again. */
const POLL_MS = 50;
/** A filler on another host cannot be asked; none may take this long. */
const ABANDONED_MS = 600_000;

/**
 * A volume is trusted when a second, empty one beside it (`…-filled`) exists: that one is made after the filling container has ended
 * with 0, so a crash in the middle leaves nothing that would be taken for whole. The filling container's name is the lock: Docker
 * gives it to one filler, whichever process asks. `owner`: the labels of that container (`ownerLabels`).
 */
export function createContentVolumes(docker: Docker, owner: Record<string, string>): ContentVolumes {
  const running = new Map<string, Promise<string>>();

  async function ensure(mount: ContentMount, imageId: string): Promise<string> {
    const name = contentVolume(mount);
    const current = running.get(name) ?? makeWhole(name, mount, imageId).finally(() => running.delete(name));
    running.set(name, current);
    return current;
  }

  async function makeWhole(name: string, mount: ContentMount, imageId: string): Promise<string> {
    for (;;) {
      if (await isFilled(name)) return name;
      const container = await claim(name, mount, imageId);
      if (container === null) {
        await sleep(POLL_MS);
        continue;
      }
      try {
        // The former owner of the name may have finished between our look and our claim.
        if (await isFilled(name)) return name;
        await fill(docker, container, mount);
        await docker.createVolume({ Name: markOf(name), Labels: { [LABEL.content]: mount.sha256 } });
        return name;
      } finally {
        await container.remove({ force: true });
      }
    }
  }

  async function isFilled(name: string): Promise<boolean> {
    // Both: a cleaner may have taken the content and left its mark.
    return (await volumeExists(docker, name)) && (await volumeExists(docker, markOf(name)));
  }

  /** The filling container, created and not started; null while another process has it. */
  async function claim(name: string, mount: ContentMount, imageId: string): Promise<Docker.Container | null> {
    const containerName = `${name}-fill`;
    try {
      await docker.createVolume({ Name: name, Labels: { [LABEL.content]: mount.sha256 } });
      return await docker.createContainer(fillerOptions({ name: containerName, volume: name, imageId, owner, mount }));
    } catch (error) {
      if ((error as { statusCode?: number }).statusCode !== 409) throw error;
      await removeAbandoned(docker, containerName);
      return null;
    }
  }

  return {
    ensure,
    areWhole: async (names) => (await Promise.all(names.map(isFilled))).every(Boolean),
  };
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

async function fill(docker: Docker, container: Docker.Container, mount: ContentMount): Promise<void> {
  const tar = await mount.load();
  if (sha256Hex(tar) !== mount.sha256) {
    throw new DomainFailure('harness.bug', `content for ${mount.path} does not have the hash ${mount.sha256}`);
  }
  const stream = await container.attach({ stream: true, stdin: true, stdout: true, stderr: true, hijack: true });
  let output = '';
  const words = new PassThrough().on(
    'data',
    (chunk: Buffer) => (output = (output + chunk.toString('utf8')).slice(-2000)),
  );
  docker.modem.demuxStream(stream, words, words);
  // The daemon closes the connection when tar stops reading early; its exit code says so.
  const closed = new Promise<void>((resolve) => {
    for (const event of ['end', 'close', 'error']) stream.on(event, () => resolve());
  });
  await container.start();
  stream.end(tar);
  const { StatusCode: status } = (await container.wait()) as { StatusCode: number };
  if (status === 0) return;
  await Promise.race([closed, sleep(1_000, undefined, { ref: false })]);
  throw new DomainFailure('sandbox.lost', `filling the volume for ${mount.path} failed: ${output}`);
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
