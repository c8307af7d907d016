import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import { jsonHash } from '../../../domain/text/content-hash.js';
import { DomainFailure } from '../../../domain/failure/domain-failure.js';
import type { ContentMount } from '../../../ports/sandbox.js';
import { fillerOptions } from './filler-options.js';
import { ensureFilled, isFilled } from './filled-volume.js';

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

/** Volumes of content on an engine. `owner`: the labels of the containers that fill them (`ownerLabels`). */
export function createContentVolumes(docker: Docker, owner: Record<string, string>): ContentVolumes {
  const running = new Map<string, Promise<string>>();

  async function ensure(mount: ContentMount, imageId: string): Promise<string> {
    const name = contentVolume(mount);
    const current = running.get(name) ?? makeWhole(name, mount, imageId).finally(() => running.delete(name));
    running.set(name, current);
    return current;
  }

  async function makeWhole(name: string, mount: ContentMount, imageId: string): Promise<string> {
    return ensureFilled(docker, {
      name,
      filler: (containerName) => fillerOptions({ name: containerName, volume: name, imageId, owner, mount }),
      fill: (container) => fill(docker, container, mount),
    });
  }

  return {
    ensure,
    areWhole: async (names) => (await Promise.all(names.map((name) => isFilled(docker, name)))).every(Boolean),
  };
}

async function fill(docker: Docker, container: Docker.Container, mount: ContentMount): Promise<void> {
  const loaded = await mount.load();
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
  await send(loaded instanceof Readable ? loaded : Readable.from([loaded]), { stream, closed, mount });
  const { StatusCode: status } = (await container.wait()) as { StatusCode: number };
  if (status === 0) return;
  await Promise.race([closed, sleep(1_000, undefined, { ref: false })]);
  throw new DomainFailure('sandbox.lost', `filling the volume for ${mount.path} failed: ${output}`);
}

/** Bytes of any length, of which memory holds a few; a volume with others than promised is never marked as whole. */
async function send(
  content: Readable,
  { stream, closed, mount }: { stream: NodeJS.ReadWriteStream; closed: Promise<void>; mount: ContentMount },
): Promise<void> {
  const hash = createHash('sha256');
  let isClosed = false;
  void closed.then(() => (isClosed = true));
  for await (const chunk of content as AsyncIterable<Buffer>) {
    if (isClosed) return;
    hash.update(chunk);
    if (!stream.write(chunk)) await Promise.race([once(stream, 'drain'), closed]);
  }
  if (hash.digest('hex') !== mount.sha256)
    throw new DomainFailure('harness.bug', `content for ${mount.path} does not have the hash ${mount.sha256}`);
  stream.end();
}
