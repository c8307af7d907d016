import { stripVTControlCharacters } from 'node:util';
import type Docker from 'dockerode';
import tar from 'tar-stream';
import { COMMAND_USER } from '../sandbox/container-options.js';
import { currentInstance } from '../engine/instance.js';
import { LABEL, ownerLabels } from '../engine/labels.js';
import { pipCommand, type PipCommand } from './pip-command.js';
import { packTar } from '../engine/tar-archive.js';

const LIST_NAME = 'requirements.txt';
const FOLDER = '/tmp/files';

/** Owner label of the containers in which pip runs. */
export const PIP_OWNER = 'package-download';

/** Where pip runs when the host has none. */
export interface PipContainer {
  docker: Docker;
  /** An image with Python and its venv module. */
  image: string;
  /** pip's and the proxies' variables of the user, e.g. `PIP_INDEX_URL`. */
  variables: Record<string, string>;
}

interface ContainerDownload extends PipContainer, PipCommand {
  signal: AbortSignal;
}

/**
 * Downloads with the pip of a throw-away virtual environment in a container that has a network and nothing else: another
 * user, no capabilities, no mounts. Returns the files, or pip's log; throws what Docker says, and the signal's reason when it is aborted.
 */
export async function downloadInContainer(wanted: ContainerDownload): Promise<Map<string, Buffer> | string> {
  const { docker, signal } = wanted;
  signal.throwIfAborted();
  const container = await docker.createContainer(containerOf(wanted));
  const remove = (): Promise<unknown> => container.remove({ force: true }).catch(() => undefined);
  const onAbort = (): void => void remove();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    await container.putArchive(await packTar({ [LIST_NAME]: wanted.requirements }), { path: '/tmp' });
    signal.throwIfAborted();
    await container.start();
    const { StatusCode: status } = (await container.wait()) as { StatusCode: number };
    signal.throwIfAborted();
    if (status !== 0) {
      // pip colours what goes to a terminal.
      const log = stripVTControlCharacters((await container.logs({ stdout: true, stderr: true })).toString('utf8'));
      return log.trim() === '' ? `pip ended with ${status}` : log.slice(-4000);
    }
    return await filesOf(await container.getArchive({ path: FOLDER }));
  } finally {
    signal.removeEventListener('abort', onAbort);
    await remove();
  }
}

function containerOf(wanted: ContainerDownload): Docker.ContainerCreateOptions {
  // One retry: with five, an index out of reach would take minutes to say so.
  const patience = ['--retries', '1', '--timeout', '20', '--no-cache-dir'];
  const pip = [...pipCommand(wanted, `/tmp/${LIST_NAME}`, FOLDER), ...patience];
  return {
    Image: wanted.image,
    User: COMMAND_USER,
    WorkingDir: '/tmp',
    Entrypoint: [],
    // "$@" keeps every option one word, whatever is in it.
    Cmd: ['sh', '-c', 'python3 -m venv /tmp/pip && exec /tmp/pip/bin/python "$@"', 'pip', ...pip],
    Env: ['HOME=/tmp', ...Object.entries(wanted.variables).map(([name, value]) => `${name}=${value}`)],
    // One stream of plain text; without it every piece of the log has a binary header.
    Tty: true,
    Labels: { ...ownerLabels(currentInstance(), null), [LABEL.owner]: PIP_OWNER },
    HostConfig: { Init: true, CapDrop: ['ALL'], SecurityOpt: ['no-new-privileges'] },
  };
}

async function filesOf(archive: NodeJS.ReadableStream): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>();
  const extract = tar.extract();
  archive.on('error', (error: Error) => extract.destroy(error));
  archive.pipe(extract);
  for await (const entry of extract) {
    const chunks: Buffer[] = [];
    for await (const chunk of entry) chunks.push(chunk as Buffer);
    const name = entry.header.name.split('/').at(-1) ?? '';
    if (entry.header.type === 'file' && name !== '') files.set(name, Buffer.concat(chunks));
  }
  return files;
}
