import type Docker from 'dockerode';
import { jsonHash } from '../../../domain/text/content-hash.js';
import { ensureFilled } from '../volumes/filled-volume.js';
import { fillerMount } from '../volumes/filler-options.js';
import { engineContainerOptions } from './engine-options.js';
import { ENGINE_DATA_FOLDER, ENGINE_DOWN, ENGINE_UP } from './engine-scripts.js';
import { engineScript } from './nested-engine.js';
import { DEFAULT_SANDBOX_LIMITS } from '../../../domain/limits/sandbox-limits.js';

/** An image on the user's engine and the names it has on the nested one. */
interface SetImage {
  imageId: string;
  recipeDigest: string;
  names: readonly string[];
}

/** What a nested engine begins with: its own image, and the images on it. */
export interface ImageSet {
  engine: { imageId: string; recipeDigest: string };
  images: readonly SetImage[];
}

const GIB = 1024 ** 3;
const FILL_LIMITS = {
  ...DEFAULT_SANDBOX_LIMITS,
  memoryBytes: 2 * GIB,
  pids: 1024,
  fileSizeBytes: 8 * GIB,
  openFiles: 8192,
};

/** Name of the volume that holds the disk of an engine with these images; the same on every machine. */
export function imageSetVolume({ engine, images }: ImageSet): string {
  const recipes = images.map(({ recipeDigest, names }) => [recipeDigest, [...names]]);
  return `durabench-content-${jsonHash({ engine: engine.recipeDigest, images: recipes }).slice(0, 40)}`;
}

/** Volumes with the disks of engines. */
interface ImageSets {
  /** The volume, whole. */
  ensure(set: ImageSet): Promise<string>;
}

/** `owner`: labels of the containers that fill them (`ownerLabels`). */
export function createImageSets(docker: Docker, owner: Record<string, string>): ImageSets {
  const running = new Map<string, Promise<string>>();
  return {
    async ensure(set) {
      const name = imageSetVolume(set);
      const current = running.get(name) ?? makeWhole(docker, owner, set).finally(() => running.delete(name));
      running.set(name, current);
      return current;
    },
  };
}

/** Filled by an engine that loads the images from the user's. */
async function makeWhole(docker: Docker, owner: Record<string, string>, set: ImageSet): Promise<string> {
  const name = imageSetVolume(set);
  const { imageId } = set.engine;
  const options = engineContainerOptions({ imageId, volumes: {}, limits: FILL_LIMITS, labels: owner });
  const mount = fillerMount(name, ENGINE_DATA_FOLDER);
  return ensureFilled(docker, {
    name,
    filler: (containerName) => ({
      ...options,
      name: containerName,
      HostConfig: { ...options.HostConfig, Mounts: [mount] },
    }),
    async fill(container) {
      await container.start();
      await engineScript(container, ENGINE_UP);
      if (set.images.length > 0)
        await engineScript(container, 'exec docker load', await savedImages(docker, set.images));
      const tags = set.images.flatMap(({ imageId, names }) => names.map((each) => `docker tag ${imageId} ${each}`));
      await engineScript(container, ['set -e', ...tags].join('\n'));
      await engineScript(container, ENGINE_DOWN);
    },
  });
}

/** What is used of the connection below dockerode, whose own call saves one image only. */
interface Dialler {
  dial(call: object, callback: (error: Error | null, stream: NodeJS.ReadableStream) => void): void;
}

/** One tar with all of them: layers they share are in it once. */
async function savedImages(docker: Docker, images: readonly SetImage[]): Promise<NodeJS.ReadableStream> {
  const names = images.map(({ imageId }) => `names=${encodeURIComponent(imageId)}&`).join('');
  const call = { path: `/images/get?${names}`, method: 'GET', isStream: true, statusCodes: { 200: true } };
  return new Promise((resolve, reject) => {
    (docker.modem as Dialler).dial(call, (error, stream) => (error === null ? resolve(stream) : reject(error)));
  });
}
