import type { LoosenedLimits } from '../../src/contract/sandbox-limits.js';
import type { SuiteManifest } from '../../src/contract/suite.js';

const GIB = 1024 ** 3;

/** Limits of the sandbox that Artisan-Bench loosens, by what for. */
export const ARTISAN_LIMITS = {
  // One run of a script, and one command of an agent. Its own limit is the task's (`table.yaml`), below these.
  script: { memoryBytes: 4 * GIB, cpuSeconds: 3600, wallSeconds: 3600, tmpfsBytes: GIB },
} as const satisfies LoosenedLimits;

/** Seconds that all commands of an agent may take together. */
export const WORK_SECONDS = 8 * 3600;

/** What Artisan-Bench is; pure data, read by workflows, worker and command line alike. */
export const artisanManifest: SuiteManifest = {
  id: 'artisan',
  title: 'Artisan-Bench: reproduce a published table, and show that it was computed',
  version: '1',
  stages: {
    harvest: { queue: 'light' },
    // Only what asks a model takes one of its slots, and only what runs a command one of the sandbox.
    generate: {
      queue: 'light',
      steps: {
        ask: { queue: 'model' },
        think: { queue: 'model' },
        act: { queue: 'sandbox', startToCloseSeconds: ARTISAN_LIMITS.script.wallSeconds + 600 },
        collect: { queue: 'sandbox' },
      },
    },
    localize: null,
    vote: null,
    // On a busy machine a run is done twice.
    execute: { queue: 'sandbox', startToCloseSeconds: 2 * ARTISAN_LIMITS.script.wallSeconds + 600 },
    score: { queue: 'light' },
  },
  needsDocker: true,
  sandboxLimits: ARTISAN_LIMITS,
};
