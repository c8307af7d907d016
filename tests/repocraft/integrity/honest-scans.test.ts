import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPackageIndex } from '../../../src/adapters/docker/pip/package-index.js';
import { readEnvironment } from '../../../src/config/env.js';
import type { PackageIndex } from '../../../src/ports/package-index.js';
import { mountedFiles } from '../../../src/suite-kit/packed-files.js';
import { SCAN_FILES } from '../../../tasks/repocraft/candidate/integrity-scan.js';
import { readArchive } from '../../../src/suite-kit/snapshot/read-archive.js';
import { openExamRoom, type ExamRoom } from '../../fixtures/repocraft/exam-room.js';
import { SCANNED_PACKAGES } from './honest/scanned-packages.js';

// Other people's packages hold certificates, tables, zones, libraries of others and much else that is no plain text: the
// integrity scan holds nothing of it against them.

const packageRoot = join(import.meta.dirname, '..', '..', '..');
const python = join(packageRoot, 'tasks', 'repocraft', 'python');
let room: ExamRoom;
let packages: PackageIndex;

beforeAll(async () => {
  room = await openExamRoom(2);
  const { cacheDir: cacheFolder, variable } = readEnvironment();
  packages = createPackageIndex({ packageRoot, cacheFolder, variable });
});

afterAll(async () => room?.close());

test.concurrent.each(SCANNED_PACKAGES)(
  '$name $version is scanned without a flag',
  async ({ name, version, sha256 }) => {
    const wheel = { name, version, kind: 'wheel' as const, sha256, byHand: 'connect to a package index' };
    const { files, problems } = await readArchive(`${name}.whl`, await packages.download(wheel));
    expect(problems).toEqual([]);
    const scripts = SCAN_FILES.map(async (path) => [
      path.replace(/^.*\//, ''),
      await readFile(join(python, 'candidate', path)),
    ]);
    const result = await room.sandbox.run({
      image: 'base',
      command: ['python3', '-s', '-E', '-B', '/work/integrity_scan.py', '/candidate'],
      files: Object.fromEntries(await Promise.all(scripts)) as Record<string, Uint8Array>,
      mounts: [await mountedFiles(files, '/candidate')],
      limits: { cpuSeconds: 300, wallSeconds: 1200 },
      poolKey: null,
      owner: { campaignId: 'honest', ownerId: name },
      signal: new AbortController().signal,
    });
    expect(result.stderr.bytes.toString('utf8')).toBe('');
    expect(JSON.parse(result.stdout.bytes.toString('utf8'))).toMatchObject({ flags: [] });
  },
);
