import { execFileSync, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile, copyFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DOCUMENTS } from '../report/documents/documents.js';
import { DOCUMENT_VERSION } from '../report/documents/versioned.js';

const BIN = join(import.meta.dirname, '..', '..', 'bin', 'durabench.js');

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'durabench-node-'));
  await mkdir(join(folder, 'bin'));
  await mkdir(join(folder, 'dist', 'src', 'cli'), { recursive: true });
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await copyFile(BIN, join(folder, 'bin', 'durabench.js'));
  await writeFile(join(folder, 'dist', 'src', 'cli', 'main.js'), "process.stdout.write('begun');");
  await writeFile(
    join(folder, 'older.cjs'),
    "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: process.env.NODE_SAYS } });",
  );
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it.each(['18.20.4', '20.18.3'])(
  'under Node %s the command says what it needs in one line, and loads nothing',
  (version) => {
    const argv = ['--require', join(folder, 'older.cjs'), join(folder, 'bin', 'durabench.js'), 'list'];
    const { status, stdout, stderr } = spawnSync(process.execPath, argv, {
      ...{ encoding: 'utf8', env: { ...process.env, NODE_SAYS: version } },
    });
    expect([status, stdout]).toEqual([5, '']);
    expect(stderr).toBe(`error: durabench needs Node 20.19 or newer, this is ${version}: https://nodejs.org\n`);
  },
);

it('under another Node a program is answered with an error document', () => {
  const argv = ['--require', join(folder, 'older.cjs'), join(folder, 'bin', 'durabench.js'), 'list', '--json'];
  const { status, stdout } = spawnSync(process.execPath, argv, {
    ...{ encoding: 'utf8', env: { ...process.env, NODE_SAYS: '18.20.4' } },
  });
  const { version, ...body } = JSON.parse(stdout) as { version: number; error: object };
  expect([status, version]).toEqual([5, DOCUMENT_VERSION]);
  expect(DOCUMENTS.error.parse(body)).toMatchObject({ error: { code: 'environment' } });
});

it('under this one it begins', () => {
  expect(execFileSync(process.execPath, [join(folder, 'bin', 'durabench.js')], { encoding: 'utf8' })).toBe('begun');
});
