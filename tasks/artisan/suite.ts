import type { LoosenedLimits } from '../../src/contract/sandbox-limits.js';
import type { SuiteManifest } from '../../src/contract/suite.js';

const GIB = 1024 ** 3;
const MIB = 1024 ** 2;

/** Seconds that all commands of an agent, or a program, may take together. */
export const WORK_SECONDS = 8 * 3600;

/** Limits of the sandbox that Artisan-Bench loosens, by what for. */
export const ARTISAN_LIMITS = {
  // One run of a script, and one command of an agent. Its own limit is the task's (`table.yaml`), below these.
  script: { memoryBytes: 4 * GIB, cpuSeconds: 3600, wallSeconds: 3600, tmpfsBytes: GIB },
  // A program of somebody's own is told to end by its own clock, which stands still while a model is waited for; this ends what does
  // not heed it. What it prints is its log.
  program: {
    ...{ memoryBytes: 4 * GIB, cpuSeconds: WORK_SECONDS, wallSeconds: 2 * WORK_SECONDS },
    ...{ tmpfsBytes: GIB, outputBytes: 8 * MIB },
  },
} as const satisfies LoosenedLimits;

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
        // A command, or a submission with all the runs that judge it.
        act: { queue: 'sandbox', startToCloseSeconds: WORK_SECONDS },
        program: { queue: 'sandbox', startToCloseSeconds: 2 * WORK_SECONDS + 600 },
        collect: { queue: 'sandbox' },
      },
    },
    localize: null,
    vote: null,
    // On a busy machine a run is done twice.
    execute: {
      ...{ queue: 'sandbox', startToCloseSeconds: 2 * ARTISAN_LIMITS.script.wallSeconds + 600 },
      steps: { opinion: { queue: 'model' } },
    },
    score: { queue: 'light' },
  },
  needsDocker: true,
  sandboxLimits: ARTISAN_LIMITS,
};
