import { shortRun } from './durations.js';
import type { Criterion } from './judgement.js';
import { packaged } from './packaging.js';
import { noGpu, noPrivateApi } from './requirements.js';
import { artifactFound, badged, mainTrack } from './study-criteria.js';
import { dataThere, deterministic, ordinaryHardware, resultTable } from './table-criteria.js';

/** The questions of the funnel in their order: those to studies, then those to the tables of the studies that are left. */
export const CRITERIA: readonly Criterion[] = [
  ...[mainTrack, badged, artifactFound, packaged, noPrivateApi, noGpu, shortRun],
  ...[resultTable, dataThere, deterministic, ordinaryHardware],
];
