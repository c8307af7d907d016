import { allSuites } from '../../suite/registry.js';
import type { Context } from '../context.js';

/** A benchmark, as `durabench suites` tells it. */
export interface SuiteSummary {
  id: string;
  title: string;
  version: string;
  /** The package that brings it; null for one of this tree. */
  package: { name: string; version: string; folder: string } | null;
  /** Of its tasks; null where they are not built, and have no version of their own. */
  datasetVersion: number | null;
  needsDocker: boolean;
  /** Stages that its trials have. */
  stages: string[];
  generators: { id: string; needsModel: boolean; needsPath: boolean; description: string }[];
  /** That may be selected; empty for a suite without. */
  projects: string[];
}

/** Every benchmark there is. */
export async function suiteList(context: Context): Promise<SuiteSummary[]> {
  return (await allSuites(context.environment())).map(({ manifest, generators, dataset, from }) => ({
    ...{ id: manifest.id, title: manifest.title, version: manifest.version },
    package: from === null ? null : { name: from.name, version: from.version, folder: from.folder },
    ...{ datasetVersion: dataset.build?.version ?? null, needsDocker: manifest.needsDocker },
    stages: Object.entries(manifest.stages).flatMap(([stage, routing]) => (routing === null ? [] : [stage])),
    generators: Object.entries(generators).map(([id, { needsModel, needsPath, description }]) => {
      return { id, needsModel, needsPath, description };
    }),
    projects: [...dataset.projects],
  }));
}
