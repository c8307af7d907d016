import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DomainFailure } from '../../../../src/domain/failure/domain-failure.js';
import type { DatasetTools, ExportedFile } from '../../../../src/suite/dataset.js';
import { readTaxonomy } from '../../coverage/taxonomy.js';
import { readLock, type DatasetLock } from '../lock/dataset-lock.js';
import { readProjectSettings, type ProjectSettings } from '../project-settings.js';
import { obtainRelease } from '../reference-release.js';
import { lockedTasks } from '../task-blobs.js';

/**
 * The fetched dataset as plain files: `metadata.json`, `taxonomy.json`, `tasks/<project>/<id>.json`, and beside them
 * `licences/<project>/…`, the texts that came with the pinned release. The same locks give the same bytes.
 * @throws DomainFailure `dataset.missing` where a project was not fetched, or its release holds no licence
 */
export async function* exportedFiles(
  projects: readonly string[],
  version: string | undefined,
  tools: DatasetTools,
): AsyncGenerator<ExportedFile> {
  const locks = await Promise.all(projects.map((project) => readLock(project, tools.suiteFolder, version)));
  const settings = await Promise.all(projects.map((project) => readProjectSettings(project, tools.suiteFolder)));
  for (const [place, lock] of locks.entries()) {
    for (const task of await lockedTasks(tools.blobs, lock)) yield json(`tasks/${lock.project}/${task.id}.json`, task);
    const project = settings[place];
    if (project !== undefined) yield* licencesOf(project, tools);
  }
  yield json('taxonomy.json', await taxonomyOf(locks, tools.suiteFolder));
  yield json('metadata.json', metadataOf(locks, settings));
}

function metadataOf(locks: readonly DatasetLock[], settings: readonly ProjectSettings[]): object {
  const projects = locks.map((lock, place) => ({
    ...{ project: lock.project, tasks: lock.tasks.length, digest: lock.digest },
    reference: { ...lock.reference, licence: settings[place]?.pin.licence ?? '' },
    ...{ recipe: lock.recipe, counts: lock.counts, descriptions: lock.descriptions ?? 'by rule' },
  }));
  return {
    suite: 'repocraft',
    version: locks[0]?.version ?? null,
    tasks: locks.reduce((sum, { tasks }) => sum + tasks.length, 0),
    projects,
  };
}

/** Project → category → its tasks, and the leaves of the published taxonomy it stands for. */
async function taxonomyOf(locks: readonly DatasetLock[], suiteFolder: string): Promise<object> {
  const entries = locks.map(async (lock) => {
    const taxonomy = await readTaxonomy(suiteFolder, lock.project);
    const categories = [...new Set(lock.tasks.map(({ category }) => category))].sort();
    const described = categories.map((category) => {
      const tasks = lock.tasks.filter((task) => task.category === category).map(({ id }) => id);
      return [category, { tasks, leaves: taxonomy?.leavesOf(category) ?? [] }] as const;
    });
    return [lock.project, Object.fromEntries(described)] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

const LICENCE = /(^|\/)(LICEN[CS]E|COPYING|NOTICE)[^/]*$/i;

/** The licence texts of a release: at the top of a source release, in the metadata of a wheel. */
async function* licencesOf(project: ProjectSettings, tools: DatasetTools): AsyncGenerator<ExportedFile> {
  const { pin, project: name } = project;
  if (pin.folder !== undefined) {
    // A library of ours has the licence of this repository.
    yield { path: `licences/${name}/LICENSE`, bytes: await readFile(join(tools.suiteFolder, '../../LICENSE')) };
    return;
  }
  const texts = [...(await obtainRelease(pin, tools))].filter(
    ([path]) => LICENCE.test(path) && (!path.includes('/') || path.includes('.dist-info/')),
  );
  if (texts.length === 0)
    throw new DomainFailure('dataset.missing', {
      message: `${pin.name} ${pin.version}: the pinned release holds no licence`,
      expected: 'a LICENSE, COPYING or NOTICE at its top or in its metadata',
      fix: 'report it: tasks must not be given on without the licence of their tests',
    });
  for (const [path, bytes] of texts) yield { path: `licences/${name}/${path.replaceAll('/', '-')}`, bytes };
}

const json = (path: string, value: object): ExportedFile => ({
  path,
  bytes: Buffer.from(`${JSON.stringify(value, null, 2)}\n`),
});
