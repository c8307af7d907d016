import type * as files from 'node:fs/promises';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { ViewSource } from '../client/view/view-source.js';
import { UserError } from '../domain/failure/user-error.js';
import { exportPages } from './export-pages.js';

const disk = vi.hoisted(() => ({ room: Infinity }));

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof files>();
  const writeFile: typeof files.writeFile = async (...given) => {
    disk.room -= 1;
    if (disk.room < 0) throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    return real.writeFile(...given);
  };
  return { ...real, writeFile };
});

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'durabench-pages-'));
});

afterEach(async () => {
  disk.room = Infinity;
  await rm(root, { recursive: true, force: true });
});

/** An installation without campaigns: three files, and the one that says whose they are. */
const source = { campaigns: async () => [] } as unknown as ViewSource;

it.each([0, 1, 2, 3])(
  'a disk that is full after %i files: path and fix are told, and nothing is left',
  async (room) => {
    disk.room = room;
    const folder = join(root, 'pages');
    const error = await exportPages({ source, folder, campaigns: [] }).catch((problem: unknown) => problem);
    expect(error).toBeInstanceOf(UserError);
    const { kind, message } = error as UserError;
    expect(kind).toBe('environment');
    expect(message.split('\n')).toEqual([
      expect.stringContaining(`${folder} cannot be written: the disk is full`),
      expect.stringContaining('expected: '),
      expect.stringMatching(/fix: make room, or .*--export/),
    ]);
    expect(await readdir(root)).toEqual([]);
  },
);
