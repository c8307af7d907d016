import { resolve } from 'node:path';

/** Absolute path of a suite's folder. */
export function suiteFolder(packageRoot: string, suite: { folder: string }): string {
  return resolve(packageRoot, suite.folder);
}
