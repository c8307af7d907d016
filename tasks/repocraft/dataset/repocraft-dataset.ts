import { DomainFailure } from '../../../src/domain/failure/domain-failure.js';
import { jsonHash } from '../../../src/domain/text/content-hash.js';
import type { SuiteDataset } from '../../../src/suite/dataset.js';
import { repocraftBuild } from './build-dataset.js';
import { exportedFiles } from './export/exported-files.js';
import { fetchDataset } from './fetch-dataset.js';
import { DATASET_PROJECTS } from './project-settings.js';
import { selectTasks } from './select-tasks.js';

/** RepoCraft's dataset as the engine sees it. */
export const repocraftDataset: SuiteDataset = {
  projects: DATASET_PROJECTS,

  async fetch({ projects, verify, version }, tools) {
    const digests: string[] = [];
    let tasks = 0;
    for (const project of chosen(projects)) {
      const lock = await fetchDataset(project, { verify, version }, tools);
      digests.push(lock.digest);
      tasks += lock.tasks.length;
    }
    return { tasks, digest: combined(digests) };
  },

  export: ({ projects, version }, tools) => exportedFiles(chosen(projects), version, tools),

  build: repocraftBuild,
  select: selectTasks,
};

function chosen(projects: readonly string[]): readonly string[] {
  const known: readonly string[] = DATASET_PROJECTS;
  for (const project of projects) {
    if (known.includes(project)) continue;
    throw new DomainFailure('dataset.missing', {
      message: `--project ${project}: no such project of repocraft`,
      expected: `one of ${known.join(', ')}`,
      fix: `give --project ${known[0] ?? ''}, or leave it out for all`,
    });
  }
  return projects.length > 0 ? projects : known;
}

/** One project's digest stands for itself; several are hashed together. */
function combined(digests: string[]): string {
  return digests.length === 1 ? (digests[0] ?? '') : jsonHash(digests);
}
