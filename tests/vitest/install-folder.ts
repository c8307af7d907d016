import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the first file of tests that needs the package of users packs and installs it; the others copy it. */
    installFolder: string;
  }
}

/** Vitest's global set-up: a folder for the run, empty until somebody installs into it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'durabench-install-'));
  project.provide('installFolder', folder);
  return () => rm(folder, { recursive: true, force: true });
}
