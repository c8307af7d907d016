import type Docker from 'dockerode';

/**
 * What a short command of ours prints in a running container, under the user of its keeper, whom no command can signal; '' where it
 * could not be started there, or did not end in time. An engine that does not answer is thrown.
 */
export async function askContainer(container: Docker.Container, command: string[], limitMs: number): Promise<string> {
  try {
    const exec = await container.exec({ Cmd: command, AttachStdout: true });
    const stream = await exec.start({ hijack: true });
    const timer = setTimeout(() => stream.destroy(), limitMs);
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of stream) chunks.push(chunk as Buffer);
      return unframed(Buffer.concat(chunks));
    } catch {
      return '';
    } finally {
      clearTimeout(timer);
    }
  } catch (error) {
    if ((error as { statusCode?: number }).statusCode === undefined) throw error;
    return '';
  }
}

/** So many processes fewer than its limit, and it may be that the engine could start none in it. */
const SPARE_PROCESSES = 8;

/** Whether processes and threads fill a container up to its limit of them, as the engine counts. False where it does not say. */
export async function isFullOfProcesses(container: Docker.Container): Promise<boolean> {
  const stats = await container.stats({ stream: false }).catch(() => null);
  const { current = 0, limit = 0 } = stats?.pids_stats ?? {};
  return limit > 0 && current >= limit - SPARE_PROCESSES;
}

/** Output without a terminal comes in frames: a header of eight bytes, whose last four are the length, then so many bytes. */
function unframed(bytes: Buffer): string {
  let text = '';
  for (let at = 0; at + 8 <= bytes.length;) {
    const end = at + 8 + bytes.readUInt32BE(at + 4);
    text += bytes.toString('utf8', at + 8, end);
    at = end;
  }
  return text;
}
