import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { UserError } from '../../domain/failure/user-error.js';
import type { ExportedFile } from '../../suite/dataset.js';
import type { Suite } from '../../suite/suite.js';
import type { Context } from '../context.js';
import { exportDataset } from './export-dataset.js';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'export-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const FILES: ExportedFile[] = [
  { path: 'tasks/tea/tea-001.json', bytes: Buffer.from('{"id":"tea-001"}\n') },
  { path: 'metadata.json', bytes: Buffer.from('{}\n') },
];

/** An export of a suite that yields what is given, and throws what it is told to after that. */
async function exported(
  out: string,
  { files = FILES, end }: { files?: ExportedFile[]; end?: () => Promise<void> } = {},
) {
  const dataset = {
    fetch: () => Promise.resolve({ tasks: 1, digest: 'd' }),
    export: async function* () {
      yield* files;
      await end?.();
    },
  };
  const suite = { dataset, manifest: { id: 'tea', needsDocker: false }, folder: root } as unknown as Suite;
  const environment = {
    ...{ stateDir: join(root, 'state'), cacheDir: join(root, 'cache'), blobsDir: join(root, 'blobs') },
    ...{ variable: () => undefined, minimumFreeBytes: 0 },
  };
  const context = {
    ...{ packageRoot: root, environment: () => environment, notify: () => undefined },
    onInterrupt: () => ({ signal: new AbortController().signal, release: () => undefined }),
  } as unknown as Context;
  return exportDataset(context, { suite, projects: ['tea'], out });
}

const refusal = async (work: Promise<unknown>): Promise<string> => {
  const error: unknown = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  return (error as UserError | null)?.message ?? 'none';
};

describe('an exported dataset', () => {
  it.each([['that is not there', false] as const, ['that is there and empty', true] as const])(
    'is written whole to a folder %s',
    async (_, isThere) => {
      const out = join(root, 'given', 'on');
      if (isThere) await mkdir(out, { recursive: true });
      expect(await exported(out)).toEqual({ tasks: 1, digest: 'd', files: 2, folder: out });
      expect((await readdir(out)).sort()).toEqual(['metadata.json', 'tasks']);
      expect(await readFile(join(out, 'tasks/tea/tea-001.json'), 'utf8')).toBe('{"id":"tea-001"}\n');
      expect(await readdir(join(root, 'given'))).toEqual(['on']);
    },
  );

  it('leaves a folder alone that holds files, and a file', async () => {
    const out = join(root, 'mine');
    await mkdir(out);
    await writeFile(join(out, 'notes.txt'), 'mine');
    expect(await refusal(exported(out))).toMatch(/mine is there and holds files[\s\S]*nothing was written/);
    expect(await refusal(exported(join(out, 'notes.txt')))).toMatch(/notes\.txt is a file/);
    expect(await readdir(out)).toEqual(['notes.txt']);
  });

  it('is not there at all where it broke off, and what a killed one left is cleared away', async () => {
    const out = join(root, 'out');
    const torn = exported(out, { end: () => Promise.reject(new Error('torn')) });
    expect(await refusal(torn)).toBe('torn');
    expect((await readdir(root)).filter((name) => name.startsWith('out'))).toEqual([]);
    await mkdir(`${out}.partial/tasks`, { recursive: true });
    await writeFile(`${out}.partial/.durabench-export`, '');
    await writeFile(`${out}.partial/tasks/old.json`, '{');
    await exported(out);
    expect(await readdir(join(out, 'tasks'))).toEqual(['tea']);
  });

  it('clears nothing away that no export wrote, and gives way where its folder was filled meanwhile', async () => {
    const out = join(root, 'out');
    await mkdir(`${out}.partial`);
    await writeFile(`${out}.partial/thesis.txt`, 'mine');
    expect(await refusal(exported(out))).toMatch(/out\.partial is in the way/);
    expect(await readFile(`${out}.partial/thesis.txt`, 'utf8')).toBe('mine');
    const filled = join(root, 'filled');
    const fill = async (): Promise<void> => {
      await mkdir(filled);
      await writeFile(join(filled, 'notes.txt'), 'mine');
    };
    expect(await refusal(exported(filled, { end: fill }))).toMatch(/filled was filled meanwhile/);
    expect(await readdir(filled)).toEqual(['notes.txt']);
  });

  it('says that the folder may not be written', async () => {
    const denied = (): Promise<void> => Promise.reject(Object.assign(new Error('denied'), { code: 'EACCES' }));
    expect(await refusal(exported(join(root, 'out'), { end: denied }))).toMatch(/out cannot be written[\s\S]*--out/);
    expect(await readdir(root)).toEqual(expect.not.arrayContaining(['out', 'out.partial']));
  });

  it('says that the disk is full', async () => {
    const full = (): Promise<void> => Promise.reject(Object.assign(new Error('no space'), { code: 'ENOSPC' }));
    expect(await refusal(exported(join(root, 'out'), { end: full }))).toMatch(
      /out cannot be written: the disk is full[\s\S]*make room/,
    );
  });
});
