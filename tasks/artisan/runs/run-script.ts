import { randomUUID } from 'node:crypto';
import type { ContentMount, Sandbox, SandboxRun } from '../../../src/ports/sandbox.js';
import { sha256Hex } from '../../../src/domain/text/content-hash.js';
import type { Blobs } from '../../../src/ports/blobs.js';
import { ARTIFACT_PATH, type ArtisanTask } from '../dataset/artisan-task.js';
import { ARTISAN_LIMITS } from '../suite.js';
import { readTrace, tracedCommand } from './trace.js';

/** How a run of a script ended: `exit` by itself, whatever its status; `syntax` before it began; the rest at a limit. */
type ScriptEnd = 'exit' | 'syntax' | 'timeout' | 'memory' | 'output';

/** What a run of a script left. */
export interface ScriptRun {
  ended: ScriptEnd;
  exitCode: number | null;
  /** As text; what is no UTF-8 is replaced. */
  stdout: string;
  /** Its end. */
  stderr: string;
  seconds: number;
  /** Files of the artifact that it opened; null where the engine allows no tracing. */
  opened: string[] | null;
}

/** What bash says of a script that it cannot parse; nobody gains by saying it of his own. */
const NO_SCRIPT = 120;
/** Of the errors of a script: enough to see where it failed. */
const STDERR_KEPT = 4000;

/** A fresh container for each run: nothing that one of them leaves is found by the next. */
export async function runScript(
  script: Uint8Array | string,
  {
    task: { image, limits },
    artifact,
    blobs,
    sandbox,
    ...run
  }: Pick<SandboxRun, 'owner' | 'signal' | 'onProgress'> & {
    task: Pick<ArtisanTask, 'image' | 'limits'>;
    /** sha-256 of the tar that is mounted. */
    artifact: string;
    blobs: Pick<Blobs, 'open'>;
    sandbox: Pick<Sandbox, 'run'>;
  },
): Promise<ScriptRun> {
  const mark = randomUUID();
  const limited: SandboxRun = {
    ...run,
    image,
    command: ['bash', '-c', `bash -n repro.sh || exit ${NO_SCRIPT}\n${tracedCommand(mark)}`],
    files: { 'repro.sh': script },
    mounts: [artifactMount(artifact, blobs)],
    limits: {
      memoryBytes: limits.memoryMib * 1024 ** 2,
      cpuSeconds: limits.seconds,
      wallSeconds: Math.min(4 * limits.seconds, ARTISAN_LIMITS.script.wallSeconds),
    },
    poolKey: null,
  };
  const first = await sandbox.run(limited);
  // It may have waited for others only: alone it has all of the machine.
  const result = first.timeLimit === 'wall' ? await sandbox.run({ ...limited, exclusive: true }) : first;
  const { exitCode, timedOut, outOfMemory, stdout, stderr, wallSeconds } = result;
  const ended = timedOut
    ? 'timeout'
    : outOfMemory
      ? 'memory'
      : stdout.truncated
        ? 'output'
        : exitCode === NO_SCRIPT
          ? 'syntax'
          : 'exit';
  const { stderr: said, opened } = readTrace(storable(stderr.bytes.toString('utf8')), mark);
  return {
    ...{ ended, exitCode, seconds: Math.round(wallSeconds * 1000) / 1000, opened },
    stdout: stdout.truncated ? '' : storable(stdout.bytes.toString('utf8')),
    stderr: said.slice(-STDERR_KEPT),
  };
}

/** An artifact as a script finds it. */
export const artifactMount = (sha256: string, blobs: Pick<Blobs, 'open'>): ContentMount => ({
  sha256,
  load: () => blobs.open(sha256),
  path: ARTIFACT_PATH,
});

/** JSON keeps it; PostgreSQL and people need no NUL. */
const storable = (text: string): string => text.replaceAll('\0', '\ufffd');

/** Under which a run of a script is known again: whatever its output follows from. */
export const runKey = (
  script: Uint8Array | string,
  { artifact, image, limits }: { artifact: string; image: string; limits: ArtisanTask['limits'] },
): string => `artisan/run/2/${sha256Hex(script)}/${artifact}/${image}/${limits.seconds}-${limits.memoryMib}`;

/** The output of a run that came to its end without an error; null of any other. */
export const outputOf = ({ ended, exitCode, stdout }: ScriptRun): string | null =>
  ended === 'exit' && exitCode === 0 ? stdout : null;
