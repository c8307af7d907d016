import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { newerThanBuild } from './tests/vitest/built-code.js';
import { ClosingLine } from './tests/vitest/closing-line.js';
import { IS_WHOLE_RUN, WHOLE_RUN_ONLY } from './tests/vitest/drawn.js';
import { LongestFirst } from './tests/vitest/longest-first.js';

// The limits of tests and hooks scale with the machine: scaled-limits.ts sets them, from `idleLimitMs`.
const SETUP = ['tests/vitest/scaled-limits.ts', 'tests/vitest/fuzz-seed.ts'];

/**
 * Files at once. Those of `tests/` own real servers and containers, and wait a good part of their time: with three at once on
 * two cores 41 % of the processors were idle, with four 4 %. The same number for both projects, so that units fill what the others leave.
 */
const MAX_WORKERS = 4;

/** GHA-Bench grades each candidate in a process of its own: the built one is ready in a third of the processor time of the source. */
const BUILT_CHILD = {
  find: /^.*\/grading\/in-child\.js$/,
  replacement: join(import.meta.dirname, 'dist', 'tasks', 'gha-bench', 'grading', 'in-child.js'),
};

export default defineConfig({
  test: {
    reporters: ['default', new ClosingLine()],
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'unit',
          // Threads crash with Temporal's native worker (recipes: rule 2).
          pool: 'forks',
          include: ['{src,workflows,activities,tasks}/**/*.test.ts'],
          exclude: ['**/node_modules/**', 'tasks/*/dataset/tasks/**'],
          setupFiles: [...SETUP, 'tests/vitest/own-temporary-folder.ts'],
          // Unit tests need no build.
          alias: newerThanBuild() === undefined ? [BUILT_CHILD] : [],
          globalSetup: ['tests/vitest/yardstick-keeper.ts'],
          provide: { idleLimitMs: 60_000 },
          // One process reads many files: what they import together is loaded once. None changes what others see.
          isolate: false,
          maxWorkers: MAX_WORKERS,
        },
      },
      {
        test: {
          name: 'end-to-end',
          pool: 'forks',
          runner: 'tests/vitest/until-deadline.ts',
          include: ['tests/**/*.test.ts'],
          exclude: ['**/node_modules/**', ...(IS_WHOLE_RUN ? [] : WHOLE_RUN_ONLY)],
          setupFiles: [...SETUP, 'tests/vitest/own-ports.ts'],
          alias: [BUILT_CHILD],
          globalSetup: [
            'tests/vitest/built-code.ts',
            'tests/vitest/yardstick-keeper.ts',
            'tests/vitest/postgres-server.ts',
            'tests/vitest/install-folder.ts',
          ],
          provide: { idleLimitMs: 600_000 },
          maxWorkers: MAX_WORKERS,
        },
      },
    ],
  },
});
