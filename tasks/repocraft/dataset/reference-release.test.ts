import { mkdir, mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import tar from 'tar-stream';
import { describe, expect, it } from 'vitest';
import { sha256Hex } from '../../../src/domain/text/content-hash.js';
import { DomainFailure } from '../../../src/domain/failure/domain-failure.js';
import type { PackageIndex } from '../../../src/ports/package-index.js';
import { packFiles } from '../../../src/suite-kit/packed-files.js';
import { obtainRelease, unpackRelease } from './reference-release.js';

const PIN = {
  name: 'tinylib',
  version: '1.0',
  kind: 'sdist' as const,
  file: 'tinylib-1.0.tar.gz',
  sha256: '',
  licence: 'MIT',
};

type Tools = Parameters<typeof obtainRelease>[1];

/** An index that must not be asked, or one that serves these bytes whatever it is asked for. */
function packagesServing(bytes?: Buffer): PackageIndex & { asked: unknown[] } {
  const asked: unknown[] = [];
  const download: PackageIndex['download'] = (wanted) => {
    asked.push(wanted);
    return bytes === undefined ? Promise.reject(new Error('not to be asked')) : Promise.resolve(bytes);
  };
  return { asked, download };
}

async function cached(bytes: Buffer | null, packages = packagesServing()): Promise<Tools> {
  const cacheFolder = await mkdtemp(join(tmpdir(), 'release-'));
  await mkdir(join(cacheFolder, 'releases'));
  if (bytes !== null) await writeFile(join(cacheFolder, 'releases', PIN.file), bytes);
  const signal = new AbortController().signal;
  return { cacheFolder, packages, onProgress: () => undefined, signal, suiteFolder: cacheFolder };
}

describe('the pinned release', () => {
  it('is unpacked from the cache when its hash is right', async () => {
    const bytes = gzipSync(await packFiles(new Map([['tinylib-1.0/src/a.py', Buffer.from('x = 1\n')]])));
    const files = await obtainRelease({ ...PIN, sha256: sha256Hex(bytes) }, await cached(bytes));
    expect([...files.keys()]).toEqual(['src/a.py']);
  });

  it('is asked of the package index once, and kept', async () => {
    const bytes = gzipSync(await packFiles(new Map([['tinylib-1.0/src/a.py', Buffer.from('x = 1\n')]])));
    const pin = { ...PIN, sha256: sha256Hex(bytes) };
    const packages = packagesServing(bytes);
    const tools = await cached(null, packages);
    const first = await obtainRelease(pin, tools);
    expect([...first.keys()]).toEqual(['src/a.py']);
    expect(await obtainRelease(pin, tools)).toEqual(first);
    const place = join(tools.cacheFolder, 'releases', PIN.file);
    expect(packages.asked).toEqual([
      {
        ...{ name: 'tinylib', version: '1.0', kind: 'sdist', sha256: pin.sha256 },
        byHand: `put ${PIN.file} (sha-256 ${pin.sha256}) at ${place}`,
      },
    ]);
    expect(await readdir(join(tools.cacheFolder, 'releases'))).toEqual([PIN.file]);
  });

  it('is refused in three parts when its hash is wrong', async () => {
    const tools = await cached(Buffer.from('something else'));
    const wanted = sha256Hex('the release');
    const failure = await obtainRelease({ ...PIN, sha256: wanted }, tools).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(DomainFailure);
    expect((failure as DomainFailure).type).toBe('dataset.hash-mismatch');
    const lines = (failure as DomainFailure).message.split('\n');
    expect(lines).toHaveLength(3);
    expect(lines[0]).toContain(sha256Hex('something else'));
    expect(lines[1]).toContain(wanted);
    expect(lines[2]).toContain('delete that file');
  });

  it('unpacks plain files only, and none outside its folder', async () => {
    const pack = tar.pack();
    pack.entry({ name: 'tinylib-1.0/a.py' }, 'x');
    pack.entry({ name: 'tinylib-1.0/../../evil.py' }, 'x');
    pack.entry({ name: 'tinylib-1.0/link.py', type: 'symlink', linkname: '/etc/passwd' });
    pack.finalize();
    const chunks: Buffer[] = [];
    for await (const chunk of pack) chunks.push(chunk as Buffer);
    expect([...(await unpackRelease(gzipSync(Buffer.concat(chunks)))).keys()]).toEqual(['a.py']);
  });
});

describe('a library of ours', () => {
  async function written(pin: { sha256: string }) {
    const suiteFolder = await mkdtemp(join(tmpdir(), 'suite-'));
    const folder = join(suiteFolder, 'projects', 'tinylib');
    await mkdir(join(folder, 'src', '__pycache__'), { recursive: true });
    await writeFile(join(folder, 'src', 'a.py'), 'x = 1\n');
    await writeFile(join(folder, 'src', '__pycache__', 'a.pyc'), 'not source');
    await writeFile(join(folder, 'README.md'), 'not source either');
    const tools = { ...(await cached(null)), suiteFolder };
    return obtainRelease({ ...PIN, file: undefined, folder: 'projects/tinylib', ...pin }, tools);
  }

  it('is read from its folder when its Python files have the pinned hash', async () => {
    const sha256 = sha256Hex(await packFiles(new Map([['src/a.py', Buffer.from('x = 1\n')]])));
    expect([...(await written({ sha256 })).keys()]).toEqual(['src/a.py']);
  });

  it('is refused, with the hash it has, when they do not', async () => {
    const failure: unknown = await written({ sha256: 'f'.repeat(64) }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(DomainFailure);
    expect((failure as DomainFailure).type).toBe('dataset.hash-mismatch');
    expect((failure as DomainFailure).message.split('\n')).toHaveLength(3);
  });
});
