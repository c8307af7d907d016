import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { zipSync } from 'fflate';
import { pack, type Header } from 'tar-stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { packCandidate } from './pack-candidate.js';
import { readTarEntries } from '../../../../src/suite-kit/tar-entries.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pack-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function write(files: Record<string, string>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}

async function names(path: string): Promise<string[] | string> {
  const packed = await packCandidate(path);
  if ('problems' in packed) return packed.problems.map(({ message }) => message).join(' | ');
  const entries = await readTarEntries(packed.tar);
  expect(packed.files).toBe(entries.length);
  return entries.map(({ name }) => name);
}

type Entry = { name: string; text?: string; linkname?: string; isHard?: boolean; type?: Header['type'] };

async function tarOf(entries: Entry[]): Promise<Buffer> {
  const archive = pack();
  for (const { name, text, linkname, isHard, type } of entries) {
    if (type !== undefined) archive.entry({ name, type }, '');
    else if (linkname === undefined) archive.entry({ name }, text ?? '');
    else archive.entry({ name, type: isHard ? 'link' : 'symlink', linkname });
  }
  archive.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of archive) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** Puts a byte in the place of a name's X or Y, and the checksum of its header right. */
function renameInTar(tar: Buffer, name: string, byte: number): void {
  const header = tar.indexOf(name);
  const old = tar[header + 5] ?? 0;
  tar[header + 5] = byte;
  const sum = parseInt(tar.toString('latin1', header + 148, header + 154), 8) + byte - old;
  tar.write(`${sum.toString(8).padStart(6, '0')}\0 `, header + 148);
}

describe('a folder', () => {
  it('is packed without what is no part of it, the same way every time', async () => {
    await write({
      'tree/p/b.py': 'b',
      'tree/p/__init__.py': '',
      'tree/.git/HEAD': 'x',
      'tree/p/__pycache__/b.pyc': 'x',
    });
    expect(await names(join(folder, 'tree'))).toEqual(['p/__init__.py', 'p/b.py']);
    const [first, second] = [await packCandidate(join(folder, 'tree')), await packCandidate(join(folder, 'tree'))];
    expect(first).toEqual(second);
  });

  it('keeps links inside it as copies and ends at links that lead back up', async () => {
    await write({ 'tree/p/a.py': 'a' });
    await symlink('a.py', join(folder, 'tree/p/b.py'));
    await symlink('..', join(folder, 'tree/p/up'));
    expect(await names(join(folder, 'tree'))).toEqual(['p/a.py', 'p/b.py']);
  });

  it('is refused with links in a ring, and with links that make few folders many', async () => {
    await write({ 'ring/a.py': 'a' });
    await symlink('two', join(folder, 'ring/one'));
    await symlink('one', join(folder, 'ring/two'));
    expect(await names(join(folder, 'ring'))).toMatch(/one leads nowhere \| .*two leads nowhere/);
    await write(Object.fromEntries(Array.from({ length: 12 }, (_, level) => [`many/${level}/a.py`, 'a'])));
    for (let level = 0; level < 11; level += 1)
      for (const link of ['b', 'c', 'd']) await symlink(`../${level + 1}`, join(folder, `many/${level}/${link}`));
    expect(await names(join(folder, 'many'))).toMatch(/more than 1,000 folders/);
  });

  it('is refused with names that are no UTF-8; other odd names are taken as they are', async () => {
    await write({ 'odd/p/größe 尺寸.py': '', 'odd/p/__init__.py': '' });
    expect(await names(join(folder, 'odd'))).toEqual(['p/__init__.py', 'p/größe 尺寸.py']);
    await writeFile(Buffer.concat([Buffer.from(join(folder, 'odd/p/caf')), Buffer.from([0xe9, 0x2e, 0x70, 0x79])]), '');
    expect(await names(join(folder, 'odd'))).toMatch(/p\/caf\?\.py is not named in UTF-8/);
  });

  it('is refused where it lies deeper than a path may be long, and with more than 20,000 files', async () => {
    await write({ 'tree/a.py': 'a' });
    const descend = 'for level in $(seq 25); do mkdir $0 && cd $0; done';
    expect(spawnSync('bash', ['-c', descend, 'd'.repeat(200)], { cwd: join(folder, 'tree') }).status).toBe(0);
    const told = await names(join(folder, 'tree'));
    // Node cannot remove it either.
    spawnSync('rm', ['-rf', join(folder, 'tree')]);
    expect(told).toMatch(/: d{60}… cannot be read \(ENAMETOOLONG\)$/);
    await write(Object.fromEntries(Array.from({ length: 210 }, (_, n) => [`many/p/m${n}.py`, ''])));
    for (let n = 0; n < 100; n += 1) await symlink('p', join(folder, 'many', `again${n}`));
    expect(await names(join(folder, 'many'))).toMatch(/more than 20,000 files/);
  });

  it('is refused with a pipe in it; a pipe in its place is not waited for', async () => {
    await write({ 'tree/a.py': 'a' });
    expect(spawnSync('mkfifo', [join(folder, 'tree/pipe'), join(folder, 'pipe.tar')]).status).toBe(0);
    expect(await names(join(folder, 'tree'))).toMatch(/pipe is neither a file nor a folder/);
    expect(await names(join(folder, 'pipe.tar'))).toMatch(/pipe\.tar: is neither a file nor a folder/);
  });

  it('is refused with every link that leaves it', async () => {
    await write({ 'tree/a.py': 'a', 'secret.txt': 's' });
    await symlink('../secret.txt', join(folder, 'tree/out'));
    await symlink('/nowhere/at/all', join(folder, 'tree/gone'));
    expect(await names(join(folder, 'tree'))).toMatch(/gone leads nowhere \| .*out leaves the tree/);
  });

  it('is refused when it is missing, not Python, or too large', async () => {
    expect(await names(join(folder, 'none'))).toMatch(/no such file or folder/);
    await write({ 'docs/readme.md': 'x' });
    expect(await names(join(folder, 'docs'))).toMatch(/holds no Python file/);
    await write({ 'large/a.py': 'a' });
    const large = join(folder, 'large/data.bin');
    await writeFile(large, '');
    await truncate(large, 513 * 1024 * 1024);
    expect(await names(join(folder, 'large'))).toMatch(/larger than 512 MiB/);
  });
});

describe('an archive', () => {
  const save = async (name: string, bytes: Uint8Array) => {
    await writeFile(join(folder, name), bytes);
    return join(folder, name);
  };

  it('may be a tar, gzipped or not, or a zip; a wrapping folder is taken off', async () => {
    const tar = await tarOf([{ name: 'lib-1.0/p/a.py', text: 'a' }, { name: 'lib-1.0/setup.py' }]);
    const zip = zipSync({ 'lib-1.0/p/a.py': new Uint8Array([97]), 'lib-1.0/setup.py': new Uint8Array() });
    for (const path of [await save('a.tar', tar), await save('a.tar.gz', gzipSync(tar)), await save('a.zip', zip)]) {
      expect(await names(path)).toEqual(['p/a.py', 'setup.py']);
    }
  });

  it('keeps a package that stands alone', async () => {
    const tar = await tarOf([{ name: 'p/__init__.py' }, { name: 'p/a.py' }]);
    expect(await names(await save('a.tar', tar))).toEqual(['p/__init__.py', 'p/a.py']);
  });

  it('is refused with every path and link that leaves it', async () => {
    const tar = await tarOf([
      { name: 'p/a.py' },
      { name: '../evil.py' },
      { name: 'p/link', linkname: '/etc/passwd' },
      { name: 'p/good', linkname: 'a.py' },
      { name: 'p/hard', linkname: '../../etc/passwd', isHard: true },
      { name: 'p/lost', linkname: 'p/nothing', isHard: true },
    ]);
    const told = await names(await save('a.tar', tar));
    expect(told).toMatch(/entry \.\.\/evil\.py leaves the tree/);
    expect(told).toMatch(/symbolic link p\/link leaves the tree/);
    expect(told).toMatch(/hard link p\/hard leaves the tree/);
    expect(told).toMatch(/hard link p\/lost leads nowhere/);
    expect(told).not.toMatch(/p\/good/);
  });

  it('follows links to folders inside it by the rules of a folder', async () => {
    const entries: Entry[] = [
      { name: 'setup.py' },
      { name: 'p/sub/a.py', text: 'a' },
      { name: 'p/again', linkname: 'sub' },
      { name: 'p/sub/up', linkname: '../..' },
      { name: 'p/over', linkname: 'again/a.py' },
    ];
    const wanted = ['p/again/a.py', 'p/over', 'p/sub/a.py', 'setup.py'];
    expect(await names(await save('links.tar', await tarOf(entries)))).toEqual(wanted);
    await write({ 'tree/p/sub/a.py': 'a', 'tree/setup.py': '' });
    for (const { name, linkname } of entries) if (linkname) await symlink(linkname, join(folder, 'tree', name));
    expect(await names(join(folder, 'tree'))).toEqual(wanted);
  });

  it('is refused with links in a ring, and with links that make few entries many', async () => {
    const ring = [{ name: 'a.py' }, { name: 'x', linkname: 'y' }, { name: 'y', linkname: 'x' }];
    expect(await names(await save('ring.tar', await tarOf(ring)))).toMatch(/link x leaves.*link y leaves/);
    const doubling = Array.from({ length: 40 }, (_, n) =>
      ['l', 'r'].map((side) => ({ name: `d${n}/${side}`, linkname: n === 39 ? '..' : `../d${n + 1}` })),
    );
    const tar = await tarOf([{ name: 'a.py' }, ...doubling.flat()]);
    expect(await names(await save('doubling.tar', tar))).toMatch(/more than 20,000 files/);
  });

  it('is refused where a path is a file and a folder, or no file system takes it', async () => {
    const long = `p/${'x'.repeat(300)}.py`;
    const tar = await tarOf([{ name: 'p/a' }, { name: 'p/a/b.py' }, { name: long }]);
    const told = await names(await save('clash.tar', tar));
    expect(told).toMatch(/"p\/a" is a file or link, and the folder of "p\/a\/b\.py"/);
    expect(told).toMatch(/"p\/xxxxx+…" is too long/);
  });

  it('is refused as a zip that lies about a size or a checksum', async () => {
    const honest = Buffer.from(zipSync({ 'a.py': Buffer.from('answer = 42\n'.repeat(50)) }));
    const entry = honest.indexOf('PK\x01\x02', 0, 'latin1');
    expect(await names(await save('honest.zip', honest))).toEqual(['a.py']);
    for (const [offset, value] of [
      [24, 12],
      [24, 700],
      [16, 1],
    ] as const) {
      const lie = Buffer.from(honest);
      lie.writeUInt32LE(value, entry + offset);
      expect(await names(await save('lie.zip', lie))).toMatch(/a\.py is not what its listing says/);
    }
  });

  it('is refused with devices, pipes, and files kept in a form that is not read', async () => {
    const types = ['character-device', 'block-device', 'fifo'] as const;
    for (const type of types) {
      const tar = await tarOf([{ name: 'p/a.py' }, { name: 'p/odd', type }]);
      expect(await names(await save('odd.tar', tar))).toMatch(/p\/odd is neither a file, a folder nor a link/);
    }
    // A sparse file: its content is stored as a map and pieces.
    const sparse = await tarOf([{ name: 'p/a.py' }, { name: 'p/b.py', text: 'b = 1\n' }]);
    const header = sparse.indexOf('p/b.py');
    sparse.write('S', header + 156);
    const sum = (sparse.subarray(header, header + 512) as Uint8Array).reduce(
      (total, byte, at) => total + (at >= 148 && at < 156 ? 32 : byte),
      0,
    );
    sparse.write(`${sum.toString(8).padStart(6, '0')}\0 `, header + 148);
    expect(await names(await save('sparse.tar', sparse))).toMatch(/p\/b\.py is neither a file, a folder nor a link/);
  });

  it('is refused with names that are no UTF-8, of which two could become one', async () => {
    const tar = await tarOf([{ name: 'p/cafX.py' }, { name: 'p/cafY.py' }]);
    for (const [at, name] of ['p/cafX.py', 'p/cafY.py'].entries()) renameInTar(tar, name, 0xe8 + at);
    expect(await names(await save('latin.tar', tar))).toMatch(/p\/caf\ufffd\.py is not named in UTF-8/);
    const zip = Buffer.from(zipSync({ 'cafX.py': new Uint8Array([10]) }));
    for (let at = zip.indexOf('cafX'); at !== -1; at = zip.indexOf('cafX')) zip[at + 3] = 0xe9;
    expect(await names(await save('latin.zip', zip))).toEqual(['café.py']);
    const central = zip.indexOf('PK\x01\x02', 0, 'latin1');
    zip.writeUInt16LE(0x800, central + 8);
    expect(await names(await save('utf8.zip', zip))).toMatch(/caf\ufffd\.py is not named in UTF-8/);
  });

  it('is refused unread where it is larger than any that would be taken', async () => {
    const path = await save('large.tar', new Uint8Array());
    await truncate(path, 3 * 1024 ** 3);
    expect(await names(path)).toMatch(/larger than 512 MiB/);
  });

  it('is refused when it is none', async () => {
    expect(await names(await save('a.rar', Buffer.from('Rar!\x1a\x07 and so on'.repeat(80))))).toMatch(
      /not an archive/,
    );
  });

  it('is refused with more than 20,000 files', async () => {
    const entries = Array.from({ length: 20_001 }, (_, n) => ({ name: `m${n}.py` }));
    expect(await names(await save('many.tar', await tarOf(entries)))).toMatch(/more than 20,000 files/);
  });

  it('is refused by its listing when it would unpack to too much', async () => {
    const bomb = Buffer.from(zipSync({ 'a.py': new Uint8Array(1) }));
    // The uncompressed size in the central directory.
    bomb.writeUInt32LE(513 * 1024 * 1024, bomb.indexOf('PK\x01\x02', 0, 'latin1') + 24);
    expect(await names(await save('bomb.zip', bomb))).toMatch(/larger than 512 MiB/);
  });
});
