import { CONDITIONS } from './conditions.js';
import { CONTAINERS } from './containers.js';
import { DATA_FLOW } from './data-flow.js';
import { JOBS } from './jobs.js';
import type { Detector } from './kit/detector.js';
import { MATRICES } from './matrices.js';
import { REUSE } from './reuse.js';
import { SECURITY } from './security.js';
import { STEPS } from './steps.js';
import { STORAGE } from './storage.js';
import { BUILDS } from './tier4/builds.js';
import { OPERATIONS } from './tier4/operations.js';
import { TRIGGERS } from './triggers.js';

/** One for each feature, by its id. */
export const DETECTORS: ReadonlyMap<string, Detector> = new Map(
  [
    ...[...TRIGGERS, ...JOBS, ...STEPS, ...DATA_FLOW, ...MATRICES, ...CONDITIONS, ...STORAGE, ...CONTAINERS],
    ...[...SECURITY, ...REUSE, ...BUILDS, ...OPERATIONS],
  ]
    .map((detector): [string, Detector] => [detector.id, detector])
    .sort(([one], [other]) => (one < other ? -1 : 1)),
);
