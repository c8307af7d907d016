import { join } from 'node:path';
import type Docker from 'dockerode';
import type { SandboxLimits } from '../../../contract/sandbox-limits.js';
import { jsonHash } from '../../../domain/text/content-hash.js';
import { checkDoorPorts } from '../../../domain/limits/door-ports.js';
import { containerLimits, DEFAULT_SANDBOX_LIMITS, MINIMUM_FREE_BYTES } from '../../../domain/limits/sandbox-limits.js';
import type { Blobs } from '../../../ports/blobs.js';
import type { Leases } from '../../../ports/leases.js';
import type { EngineImage, Sandbox, SandboxResult, SandboxRun } from '../../../ports/sandbox.js';
import { connectDocker } from '../engine/connect-docker.js';
import { createContainerPool, type PooledContainer } from './container-pool.js';
import { runInContainer } from './container-run.js';
import { createContentNotes } from '../volumes/content-notes.js';
import { contentVolume, createContentVolumes } from '../volumes/content-volumes.js';
import { dockerFailure } from '../engine/docker-failure.js';
import { createSpaceCheck } from '../engine/free-space.js';
import { createImages } from '../images/images.js';
import { createKnownImages } from '../images/known-images.js';
import { LABEL, ownerLabels } from '../engine/labels.js';
import { createImageSets, imageSetVolume, type ImageSet } from '../nested/engine-images.js';
import { IMAGE_SET_FOLDER } from '../nested/engine-scripts.js';
import { createSlots } from './slots.js';

/** The records that say of a worker's containers and content whose they are and who still uses them. */
interface SandboxInstallation {
  /** From `Leases.installation()`. */
  id: string;
  leases: Pick<Leases, 'noteContentUse'>;
}

/** What the Docker sandbox is built from. */
export interface DockerSandboxOptions {
  /** This process, from `currentInstance()`. */
  instance: string;
  /** Where a worker has its lease; absent for a command, which has none. */
  installation?: SandboxInstallation;
  /** `<state>`; its disk is watched, and its `cache/` keeps downloads. */
  stateFolder: string;
  /** Holds `deploy/images/`. */
  packageRoot: string;
  /** Runs at once. */
  slots: number;
  docker?: Docker;
  /** No run is admitted below it; default 2 GiB. */
  minimumFreeBytes?: number;
  /** Where workspaces are kept; without it a run cannot have one. */
  blobs?: Blobs;
  /** How long a pooled container waits for its next run; default 20 s. */
  idleMs?: number;
}

/** The sandbox port on a Docker engine. */
export type DockerSandbox = Sandbox;

/** `onProgress` must come at least every 3 s. */
const PROGRESS_MS = 1_000;
/** Longer than the gap between two trials of a batch, so short that nothing stands about after a campaign. */
const IDLE_MS = 20_000;

/** Containers for hostile code on a Docker engine: one pooled container per key and slot, a process per run. Does not connect yet. */
export function createDockerSandbox(options: DockerSandboxOptions): DockerSandbox {
  const { instance, stateFolder, packageRoot, blobs } = options;
  const docker = options.docker ?? connectDocker();
  const cacheFolder = join(stateFolder, 'cache');
  // A sandbox builds nothing, so nothing of the environment is needed.
  const images = createKnownImages(
    createImages({ docker, packageRoot, stateFolder, cacheFolder, variable: () => undefined }),
  );
  const owner = ownerLabels(instance, options.installation?.id ?? null);
  const volumes = createContentVolumes(docker, owner);
  const imageSets = createImageSets(docker, owner);
  const noteUse = createContentNotes(instance, options.installation?.leases);
  const slots = createSlots(options.slots);
  const pool = createContainerPool({
    docker,
    owner,
    idleLimit: 4 * options.slots,
    idleMs: options.idleMs ?? IDLE_MS,
    areWhole: volumes.areWhole,
  });
  const minimumFreeBytes = options.minimumFreeBytes ?? MINIMUM_FREE_BYTES;
  const checkSpace = createSpaceCheck({ docker, stateFolder, minimumFreeBytes });

  async function run(request: SandboxRun): Promise<SandboxResult> {
    checkDoorPorts(request.doors);
    const progress = setInterval(() => request.onProgress?.(), PROGRESS_MS);
    try {
      const taken = await slots.acquire(request.exclusive ?? false, request.signal);
      return await runInSlot(request, taken[0] ?? 0)
        .catch((error: unknown) => {
          throw failureOf(request, error);
        })
        .finally(() => slots.release(taken));
    } finally {
      clearInterval(progress);
    }
  }

  function failureOf(request: SandboxRun, error: unknown): Error {
    if (request.signal.aborted) return request.signal.reason as Error;
    const failure = dockerFailure(error, `sandbox run in ${request.image}`);
    if (failure.type === 'sandbox.lost' || failure.type === 'sandbox.unavailable') pool.discardIdle();
    return failure;
  }

  async function runInSlot(request: SandboxRun, slot: number): Promise<SandboxResult> {
    await checkSpace();
    const limits = { ...DEFAULT_SANDBOX_LIMITS, ...request.limits };
    const { pooled, keyOf } = await takeContainer(request, limits, slot);
    let [healthy, given]: [boolean, PooledContainer] = [false, pooled];
    try {
      request.signal.throwIfAborted();
      const { result, held, ...ended } = await runInContainer(pooled, request, { limits, packageRoot, blobs });
      healthy = ended.healthy;
      // The next run of its owner that begins with what is in it now finds it.
      if (held !== undefined) {
        const workspace = { ...held, owner: workspaceOwner(request) };
        given = { ...pooled, workspace, key: keyOf(held.ref?.manifest ?? null) };
      }
      return result;
    } finally {
      pool.giveBack(given, healthy);
    }
  }

  async function takeContainer(
    request: SandboxRun,
    limits: SandboxLimits,
    slot: number,
  ): Promise<{ pooled: PooledContainer; keyOf: (manifest: string | null) => string | null }> {
    const { imageId, recipeDigest } = await images.find(request.image);
    const imageSet =
      request.engine === undefined ? null : await findImageSet({ imageId, recipeDigest }, request.engine.images);
    await noteUse([...request.mounts.map(contentVolume), ...(imageSet === null ? [] : [imageSetVolume(imageSet)])]);
    try {
      const keyOf = (manifest: string | null): string | null =>
        sharingKey(request, limits, { imageId, imageSet, manifest });
      if (request.workspace !== undefined)
        pool.discardOthers(workspaceOwner(request), keyOf(request.workspace.from?.manifest ?? null));
      const pooled = await pool.take(keyOf(request.workspace?.from?.manifest ?? null), async () => {
        const filled: Record<string, string> = {};
        for (const mount of request.mounts) filled[mount.path] = await volumes.ensure(mount, imageId);
        if (imageSet !== null) filled[IMAGE_SET_FOLDER] = await imageSets.ensure(imageSet);
        const { campaignId, ownerId } = request.owner;
        const labels = {
          [LABEL.campaign]: campaignId,
          [LABEL.owner]: request.poolKey ?? ownerId,
          [LABEL.slot]: String(slot),
        };
        const hasWorkspace = request.workspace !== undefined;
        return { imageId, volumes: filled, limits, labels, hasEngine: imageSet !== null, hasWorkspace };
      });
      return { pooled, keyOf };
    } catch (error) {
      throw isMissingImage(error) ? images.vanished(request.image) : error;
    }
  }

  async function findImageSet(engine: ImageSet['engine'], wanted: readonly EngineImage[]): Promise<ImageSet> {
    const found = wanted.map(async ({ image, names }) => {
      const { imageId, recipeDigest } = await images.find(image);
      return { imageId, recipeDigest, names };
    });
    return { engine, images: await Promise.all(found) };
  }

  return {
    run,
    async imageDigest(image) {
      images.forget(image);
      return (await images.find(image)).recipeDigest;
    },
    close: () => pool.close(),
  };
}

/** Runs with equal keys get equal containers; null = a container nobody shares. */
function sharingKey(
  request: SandboxRun,
  limits: SandboxLimits,
  { imageId, imageSet, manifest }: { imageId: string; imageSet: ImageSet | null; manifest: string | null },
): string | null {
  const { workspace, owner } = request;
  // Of a workspace each run of its owner has its container to itself, and none begins with another than it wants.
  if (workspace === undefined ? request.poolKey === null : manifest === null) return null;
  return jsonHash({
    ...(workspace === undefined
      ? {}
      : { workspace: [owner.ownerId, manifest, limits.workspaceBytes, limits.workspaceFiles] }),
    campaign: request.owner.campaignId,
    poolKey: request.poolKey,
    imageId,
    mounts: request.mounts.map((mount) => [mount.path, contentVolume(mount)]),
    limits: containerLimits(limits),
    imageSet: imageSet === null ? null : imageSetVolume(imageSet),
    // What serves them has one environment for all.
    forkServer: request.forkServer === undefined ? null : [[...request.forkServer], request.env ?? {}],
  });
}

const workspaceOwner = ({ owner }: SandboxRun): string => `${owner.campaignId}/${owner.ownerId}`;

function isMissingImage(error: unknown): boolean {
  const { statusCode, message } = error as { statusCode?: number; message?: string };
  return statusCode === 404 && /no such image/i.test(message ?? '');
}
