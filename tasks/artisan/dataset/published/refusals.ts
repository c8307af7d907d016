import type { PublishedTask } from '../../../../src/suite/dataset.js';
import { ARTISAN_LIMITS } from '../../suite.js';
import type { ReleasedTable } from './read-release.js';
import type { ArtifactNeeds } from './released-tasks.js';

const GIB = 1024 ** 3;

/** What a run of a task may use here. */
export interface Room {
  /** Containers in the container of a run. */
  hasEngine: boolean;
  hasGpu: boolean;
  hasNetwork: boolean;
  memoryGib: number;
  /** Those that the images of the suite have an interpreter or a compiler for. */
  languages: readonly string[];
  /** Most bytes of one artifact. */
  artifactBytes: number;
  /** Of the disk of the cache, before the artifact is downloaded. */
  freeBytes: number;
}

/** Bytes of an artifact. */
export interface ArtifactBytes {
  /** As far as its service says. */
  bytes: number;
  /** Most that are still to be downloaded. */
  remaining: number;
}

/** The runs of this suite, as `suite.ts` and its images have them. */
export const roomHere = (freeBytes: number): Room => ({
  ...{ hasEngine: false, hasGpu: false, hasNetwork: false },
  memoryGib: ARTISAN_LIMITS.script.memoryBytes / GIB,
  languages: ['bash', 'python', 'r'],
  ...{ artifactBytes: 20 * GIB, freeBytes },
});

/** Why a task cannot be run in a room: everything that stands in the way. `size`: of its artifact, where it is known. */
export function refusals(
  { paper, memoryGib, mask, text }: ReleasedTable,
  { size, room }: { size: ArtifactBytes | null; room: Room },
): PublishedTask['reasons'] {
  return [
    ...needRefusals(paper, room),
    ...listed([
      memoryGib !== null &&
        memoryGib > room.memoryGib && [
          'memory',
          `it needs ${memoryGib} GiB of memory, and a run has ${room.memoryGib}`,
        ],
      size !== null && tooLarge(size, room),
      mask === null && ['table', 'the release has it in another form than a Markdown table'],
      text === null && ['paper', 'the release has no text of its paper without the hidden values'],
    ]),
  ];
}

/** Of these, what the artifact of a paper needs and a run does not have. */
export function needRefusals(needs: ArtifactNeeds, room: Room): PublishedTask['reasons'] {
  return listed([
    needs.uses_docker &&
      !room.hasEngine && ['docker', 'its artifact starts containers, and runs have no engine inside'],
    needs.uses_gpu && !room.hasGpu && ['gpu', 'its artifact computes on a GPU, and runs have none'],
    needs.uses_api && !room.hasNetwork && ['api', 'its artifact asks a service of the network, and runs have none'],
    !room.languages.includes(needs.language.toLowerCase()) && [
      'language',
      `its artifact is in ${needs.language}, and the images have ${room.languages.join(', ')}`,
    ],
  ]);
}

type Reason = [code: string, message: string];

const listed = (reasons: readonly (Reason | false)[]): PublishedTask['reasons'] =>
  reasons.filter((reason) => reason !== false).map(([code, message]) => ({ code, message }));

/** Why an artifact is not downloaded; false where it is. */
export function tooLarge({ bytes, remaining }: ArtifactBytes, { artifactBytes, freeBytes }: Room): Reason | false {
  if (bytes > artifactBytes) return ['size', `its artifact has ${gib(bytes)}, and ${gib(artifactBytes)} are the most`];
  if (remaining > freeBytes)
    return ['disk', `the download of its artifact may take ${gib(remaining)}, and the disk has ${gib(freeBytes)} free`];
  return false;
}

const gib = (bytes: number): string => `${(bytes / GIB).toFixed(1)} GiB`;
