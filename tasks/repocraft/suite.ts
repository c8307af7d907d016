import type { LoosenedLimits } from '../../src/contract/sandbox-limits.js';
import type { ControlSettings, SuiteManifest } from '../../src/contract/suite.js';

const MIB = 1024 ** 2;

/** Seconds that a program or an agent may work on one candidate, at most. */
export const AGENT_SECONDS = 14_400;

/** Limits of the sandbox that RepoCraft loosens, by what for. A test itself runs within the defaults of time, memory and size. */
export const REPOCRAFT_LIMITS = {
  // ZeroRepo: a unit's tests, twice; what they print comes back as one report.
  units: { cpuSeconds: 300, wallSeconds: 1200, outputBytes: 32 * MIB },
  // ZeroRepo: all tests of a module, and a run of tests for each mutant.
  verify: { cpuSeconds: 1800, wallSeconds: 7200, outputBytes: 32 * MIB },
  // The largest reference (statsmodels, sympy) parses in under a minute; hostile trees end here and are graded as empty.
  parse: { cpuSeconds: 300, wallSeconds: 1200, outputBytes: 256 * MIB },
  // Reading and rewriting one test file takes a fraction of a second.
  adapt: { cpuSeconds: 20, wallSeconds: 80, outputBytes: 8 * MIB },
  // A program or a turn of an agent is told to end by its own clock, which stands still while a model is waited for; this ends
  // what does not heed it. What it prints is its log.
  agent: { cpuSeconds: AGENT_SECONDS, wallSeconds: 2 * AGENT_SECONDS, outputBytes: 8 * MIB },
  // A report with thousands of parametrised cases; what the tests print is cut by the runner itself.
  test: { outputBytes: 4 * MIB },
  // Reading a small release takes seconds, slicing the 18,000 tests of the largest minutes, with the syntax trees of the
  // whole library in memory; all its drafts as JSON must never be cut.
  dataset: { cpuSeconds: 1800, wallSeconds: 7200, memoryBytes: 6 * 1024 * MIB, outputBytes: 64 * MIB },
} as const satisfies LoosenedLimits;

/** What RepoCraft is; pure data, read by workflows, worker and command line alike. */
export const repocraftManifest: SuiteManifest & { negativeControls: ControlSettings } = {
  id: 'repocraft',
  title: 'RepoCraft: generate a whole Python repository, graded with tests harvested from the real one',
  version: '1',
  stages: {
    harvest: { queue: 'light' },
    // `candidate` makes one; without a step name the stage only verifies it. The others are ZeroRepo's: what asks a
    // model, and what runs generated code.
    generate: {
      queue: 'light',
      steps: {
        // `iterative`: thirty rounds of minutes, each kept when it is answered.
        candidate: { queue: 'model', startToCloseSeconds: 14_400 },
        // Labelled candidates: a library rewritten, then each of its tests run once.
        derive: { queue: 'sandbox', startToCloseSeconds: 14_400 },
        // A program of somebody's own, with its model behind a door: hours, and as long again for a provider that is down.
        program: { queue: 'sandbox', startToCloseSeconds: 2 * AGENT_SECONDS + 600 },
        'think/': { queue: 'model', startToCloseSeconds: 900 },
        'act/': { queue: 'sandbox', startToCloseSeconds: 7200 },
        collect: { queue: 'sandbox', startToCloseSeconds: 3600 },
        'plan/': { queue: 'model', startToCloseSeconds: 3600 },
        'design/': { queue: 'model', startToCloseSeconds: 3600 },
        'write/': { queue: 'model', startToCloseSeconds: 3600 },
        // Votes, twenty looks around and a repair: thirty calls of minutes, each kept when it is answered.
        'repair/': { queue: 'model', startToCloseSeconds: 14_400 },
        // Tests that wait without end, of all units of a batch: each is ended by its own clock first.
        'try/': { queue: 'sandbox', startToCloseSeconds: 14_400 },
        // Mutants: a run of tests for each.
        'check/': { queue: 'sandbox', startToCloseSeconds: 14_400 },
      },
    },
    localize: { queue: 'light' },
    vote: { queue: 'model' },
    // `adapt` asks a model, but checks what it gets in containers: a worker of the model role need not have Docker.
    execute: { queue: 'sandbox' },
    score: { queue: 'light' },
  },
  // Parses in a container, then embeds every entry: a minute or two for the largest libraries.
  prepare: { queue: 'sandbox' },
  datasetBuild: { queue: 'sandbox', steps: { describe: { queue: 'model' } } },
  needsDocker: true,
  sandboxLimits: REPOCRAFT_LIMITS,
  negativeControls: { first: 10, share: 0.1 },
};
