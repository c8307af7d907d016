import type { LoosenedLimits } from '../../src/contract/sandbox-limits.js';
import type { SuiteManifest } from '../../src/contract/suite.js';

const GIB = 1024 ** 3;

/** Limits of the sandbox that GHA-Bench loosens, by what for. */
export const GHA_LIMITS = {
  // Raw findings of three tools over twenty files. Each ends by its own processor time, long before.
  lint: { outputBytes: 64 * 1024 ** 2, wallSeconds: 900 },
  // A slot in which act runs workflows; it gives each job 2 GiB. The times are those of the driver, which ends act long before.
  runs: {
    ...{ memoryBytes: 4 * GIB, cpus: 2, pids: 2048, cpuSeconds: 1800, wallSeconds: 3600 },
    ...{ tmpfsBytes: GIB / 2, fileSizeBytes: 2 * GIB, openFiles: 8192 },
  },
} as const satisfies LoosenedLimits;

/** What GHA-Bench is; pure data, read by workflows, worker and command line alike. */
export const ghaBenchManifest: SuiteManifest = {
  id: 'gha-bench',
  title: 'GHA-Bench: write GitHub Actions workflows that are valid, safe, mean what was asked, and run',
  version: '1',
  stages: {
    harvest: { queue: 'light' },
    // Only the step that asks a model takes one of the model slots.
    generate: { queue: 'light', steps: { ask: { queue: 'model' } } },
    localize: { queue: 'light' },
    vote: null,
    // `lint` takes seconds. A scenario is of several runs, each with its own limit; on a busy machine they are run twice.
    execute: { queue: 'sandbox', startToCloseSeconds: 2 * GHA_LIMITS.runs.wallSeconds + 600 },
    score: { queue: 'light' },
  },
  needsDocker: true,
  sandboxLimits: GHA_LIMITS,
  nestedEngine: { image: 'gha-engine', without: '`judge: { execute: none }` grades without running workflows' },
};
