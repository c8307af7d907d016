import type { SuiteCalibration } from '../../suite/calibration.js';
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
  /** Candidates with known outcomes, by kind, and the voters without a model that `calibrate` measures; null for a suite without. */
  calibration: { kinds: string[]; voters: string[] } | null;
}

/** Every benchmark there is. */
export async function suiteList(context: Context): Promise<SuiteSummary[]> {
  return (await allSuites(context.environment())).map(({ manifest, generators, dataset, calibration, from }) => ({
    ...{ id: manifest.id, title: manifest.title, version: manifest.version },
    package: from === null ? null : { name: from.name, version: from.version, folder: from.folder },
    ...{ datasetVersion: dataset.build?.version ?? null, needsDocker: manifest.needsDocker },
    stages: Object.entries(manifest.stages).flatMap(([stage, routing]) => (routing === null ? [] : [stage])),
    generators: Object.entries(generators).map(([id, { needsModel, needsPath, description }]) => {
      return { id, needsModel, needsPath, description };
    }),
    projects: [...dataset.projects],
    calibration:
      calibration === undefined
        ? null
        : { kinds: kindsOf(calibration), voters: Object.keys(calibration.voting?.voters ?? {}) },
  }));
}

/** Of any of its projects: one may have a kind that another lacks. */
const kindsOf = (calibration: SuiteCalibration): string[] => [
  ...new Set(calibration.projects.flatMap((project) => [...calibration.kinds([project], { executed: true })])),
];
