import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ViewSource } from '../client/view/view-source.js';
import { UserError } from '../domain/failure/user-error.js';
import { exportPages } from './export-pages.js';

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'durabench-pages-'));
});

afterEach(() => rm(root, { recursive: true, force: true }));

it('a disk that is full when some files are written: path and fix are told, and nothing is left', async () => {
  const folder = join(root, 'pages');
  let written: string[] = [];
  const campaigns = async (): Promise<never> => {
    written = await readdir(join(`${folder}.partial`, 'tree'));
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  };
  const source = { campaigns } as unknown as ViewSource;
  const error = await exportPages({ source, folder, campaigns: [] }).catch((problem: unknown) => problem);
  expect(written).toHaveLength(2);
  expect(error).toBeInstanceOf(UserError);
  const { kind, message } = error as UserError;
  expect(kind).toBe('environment');
  expect(message.split('\n')).toEqual([
    expect.stringContaining(`${folder} cannot be written: the disk is full`),
    expect.stringContaining('expected: '),
    expect.stringMatching(/fix: make room, or .*--export/),
  ]);
  expect(await readdir(root)).toEqual([]);
});
