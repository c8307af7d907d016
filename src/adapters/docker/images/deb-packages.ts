import { createHash, type Hash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type Docker from 'dockerode';
import tar from 'tar-stream';
import { UserError } from '../../../domain/failure/user-error.js';
import { indexVariables } from '../../../domain/program-variables.js';
import { sha256Hex } from '../../../domain/text/content-hash.js';
import { currentInstance } from '../engine/instance.js';
import { LABEL, ownerLabels } from '../engine/labels.js';
import { packTar } from '../engine/tar-archive.js';
import { COMMAND_USER } from '../sandbox/container-options.js';
import { keptFolder } from './download-folder.js';

/** One Debian package, pinned to the byte. */
export interface PinnedDeb {
  name: string;
  version: string;
  /** sha-256 of the `.deb`, hexadecimal. */
  sha256: string;
}

const LOCKED = /^([a-z0-9][a-z0-9+.-]+)=(\S+) ([0-9a-f]{64})$/;

/** Reads a `debian.lock.txt`: a line `name=version sha256` a package, and comments. @throws TypeError for any other line */
export function readDebLock(text: string): PinnedDeb[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'));
  return lines.map((line) => {
    const [, name, version = '', sha256 = ''] = LOCKED.exec(line.trim()) ?? [];
    if (name === undefined) throw new TypeError(`a lock of Debian packages has the line ${JSON.stringify(line)}`);
    return { name, version, sha256 };
  });
}

/** By apt, as somebody without any rights, in a container whose network is the engine's. */
const SCRIPT = `
mkdir -p /tmp/apt/lists/partial /tmp/apt/cache/archives/partial /tmp/debs
cat >/tmp/apt.conf <<'END'
Dir::State::Lists "/tmp/apt/lists"; Dir::Cache "/tmp/apt/cache"; Debug::NoLocking "1";
Acquire::Retries "1"; Acquire::http::Timeout "20"; Acquire::Languages "none";
END
export APT_CONFIG=/tmp/apt.conf
apt-get -qq update || exit 1
cd /tmp/debs && xargs apt-get -qq download </tmp/wanted`;

interface DebDownload {
  docker: Docker;
  /** A Debian image: of its release and machine type are the packages. */
  image: string;
  /** Proxies of the user. */
  variables: Record<string, string>;
  signal?: AbortSignal | undefined;
}

/**
 * Downloads packages into a folder, each checked against its hash.
 * @throws DebDownloadError where one cannot be had, or is another; the signal's reason when it is aborted
 */
export async function downloadDebs(wanted: readonly PinnedDeb[], to: string, from: DebDownload): Promise<void> {
  const { docker, signal } = from;
  signal?.throwIfAborted();
  const container = await docker.createContainer({
    Image: from.image,
    User: COMMAND_USER,
    WorkingDir: '/tmp',
    Entrypoint: [],
    Cmd: ['sh', '-ec', SCRIPT],
    Env: ['HOME=/tmp', ...Object.entries(from.variables).map(([name, value]) => `${name}=${value}`)],
    Tty: true,
    Labels: { ...ownerLabels(currentInstance(), null), [LABEL.owner]: 'package-download' },
    HostConfig: { Init: true, CapDrop: ['ALL'], SecurityOpt: ['no-new-privileges'] },
  });
  const remove = (): Promise<unknown> => container.remove({ force: true }).catch(() => undefined);
  const onAbort = (): void => void remove();
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    const list = wanted.map(({ name, version }) => `${name}=${version}\n`).join('');
    await container.putArchive(await packTar({ wanted: list }), { path: '/tmp' });
    await container.start();
    const { StatusCode: status } = (await container.wait()) as { StatusCode: number };
    signal?.throwIfAborted();
    if (status !== 0) {
      const log = (await container.logs({ stdout: true, stderr: true })).toString('utf8');
      const told = log.split(/[\r\n]+/).filter((line) => line.startsWith('E: '));
      throw new DebDownloadError(told.slice(0, 3).join('; ') || log.slice(-500));
    }
    await keepFiles(await container.getArchive({ path: '/tmp/debs' }), wanted, to);
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener('abort', onAbort);
    await remove();
  }
}

/** Why Debian packages could not be had. `isOther`: one was there, with other bytes. */
export class DebDownloadError extends Error {
  constructor(
    message: string,
    readonly isOther = false,
  ) {
    super(message);
  }
}

/** Files are known by their hashes; their names are apt's. */
async function keepFiles(archive: NodeJS.ReadableStream, wanted: readonly PinnedDeb[], folder: string): Promise<void> {
  const missing = new Map(wanted.map((deb) => [deb.sha256, deb]));
  const extract = tar.extract();
  archive.on('error', (error: Error) => extract.destroy(error));
  archive.pipe(extract);
  // The engine removes no container of which somebody is still to read something.
  extract.on('close', () => (archive as Readable).destroy());
  for await (const entry of extract) {
    const name = entry.header.name.split('/').at(-1) ?? '';
    if (entry.header.type !== 'file') {
      entry.resume();
      continue;
    }
    const hash = createHash('sha256');
    await pipeline(hashed(entry, hash), createWriteStream(join(folder, name)));
    const sha256 = hash.digest('hex');
    if (!missing.delete(sha256)) {
      await rm(join(folder, name));
      throw new DebDownloadError(`${name} has the sha-256 ${sha256}`, true);
    }
  }
  const [lacking] = missing.values();
  if (lacking !== undefined) throw new DebDownloadError(`${lacking.name}=${lacking.version} did not come`);
}

async function* hashed(chunks: AsyncIterable<unknown>, hash: Hash): AsyncGenerator<Buffer> {
  for await (const chunk of chunks as AsyncIterable<Buffer>) {
    hash.update(chunk);
    yield chunk;
  }
}

/** Folder with the packages of a lock, downloaded once, which appears whole or not at all. */
export async function obtainDebs(options: {
  docker: Docker;
  baseImage: string;
  imageName: string;
  lock: string;
  cacheFolder: string;
  variable: (name: string) => string | undefined;
  onProgress: (line: string) => void;
}): Promise<string> {
  const { docker, baseImage, imageName, lock, cacheFolder, variable } = options;
  const wanted = readDebLock(lock);
  const folder = join(cacheFolder, 'debs', sha256Hex(JSON.stringify(wanted)).slice(0, 24));
  return keptFolder(folder, cacheFolder, async (partial) => {
    options.onProgress(`downloading the Debian packages of ${imageName}`);
    const kept = join(partial, 'debs');
    await mkdir(kept);
    const from = { docker, image: baseImage, variables: indexVariables(variable) };
    await downloadDebs(wanted, kept, from).catch((error: unknown) => {
      if (!(error instanceof DebDownloadError)) throw error;
      throw new UserError(
        'environment',
        {
          message: `image ${imageName}: its Debian packages cannot be downloaded: ${error.message}`,
          expected: 'a Debian mirror that containers reach, with these versions of these packages',
          fix: `renew deploy/images/${imageName}/debian.lock.txt, or put the .deb files it names (snapshot.debian.org keeps every version) into ${folder} by hand`,
        },
        error,
      );
    });
    return kept;
  });
}

/**
 * Installs the packages that lie in /build/debs, without a network, so nothing comes but what was locked. What the image has
 * already, in this version or a newer one, stays.
 */
export const INSTALL_DEBS = `
cd /build/debs
set --
for each in *.deb; do
  name=$(dpkg-deb -f "$each" Package)
  version=$(dpkg-deb -f "$each" Version)
  has=$(dpkg-query -W -f '\${db:Status-Status} \${Version}' "$name" 2>/dev/null || true)
  case $has in
    'installed '*) ! dpkg --compare-versions "\${has#installed }" ge "$version" || continue ;;
  esac
  set -- "$@" "./$each"
done
[ $# -eq 0 ] || apt-get -q -y --no-install-recommends install "$@"
cd / && rm -rf /build`;
