import type Docker from 'dockerode';
import { createCapturedBytes } from '../../../domain/text/captured-bytes.js';
import type { TakenFiles } from '../../../contract/sandbox-result.js';
import { openExec, waitForEnd } from '../engine/exec-stream.js';
import { unpackTar } from '../engine/tar-archive.js';

/** Of all files together; a run that wants to bring back more has made a mistake, or somebody wants to fill the blobs. */
const MOST_BYTES = 32 * 1024 ** 2;

/** Those of `paths` below `/work` that are there, folders with all in them, as far as the user of the command may read them. */
export async function takeFiles(
  container: Docker.Container,
  { paths, user }: { paths: readonly string[]; user?: string },
): Promise<TakenFiles> {
  const tar = createCapturedBytes(MOST_BYTES);
  const script =
    'cd /work && for each; do [ ! -e "./$each" ] || printf "./%s\\0" "$each"; done | tar -cf - --null -T -';
  const command = ['sh', '-c', script, 'take', ...paths];
  const opened = await openExec(container, { command, env: {}, user }, { stdout: tar.push, stderr: () => undefined });
  opened.input.end();
  await waitForEnd(opened);
  const { bytes, truncated } = tar.result();
  if (truncated) return { files: {}, tooLarge: true };
  return { files: await unpackTar(bytes), tooLarge: false };
}
