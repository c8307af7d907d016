import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readEnvironment } from '../../../../src/config/env.js';
import type { PackageIndex } from '../../../../src/ports/package-index.js';
import type { Tree } from '../../../../src/suite-kit/packed-files.js';
import { readProjectSettings } from '../../../../tasks/repocraft/dataset/project-settings.js';
import { obtainRelease } from '../../../../tasks/repocraft/dataset/reference-release.js';
import { PACKAGE_ROOT } from '../../../fixtures/package-root.js';

/** The library's own files of the pinned release of requests (`requests/…`), and the text of an exam of ours that it passes. */
export async function requestsRelease(packages: PackageIndex): Promise<{ requests: Tree; text: string }> {
  const suiteFolder = join(PACKAGE_ROOT, 'tasks', 'repocraft');
  const { cacheDir: cacheFolder } = readEnvironment();
  const { pin } = await readProjectSettings('requests', suiteFolder);
  const { signal } = new AbortController();
  const release = await obtainRelease(pin, { suiteFolder, cacheFolder, packages, onProgress: () => undefined, signal });
  const inside = [...release].filter(([path]) => path.startsWith('src/requests/') && path.endsWith('.py'));
  return {
    requests: new Map(inside.map(([path, bytes]) => [path.slice('src/'.length), bytes])),
    text: await readFile(join(import.meta.dirname, 'requests_exam.py'), 'utf8'),
  };
}
