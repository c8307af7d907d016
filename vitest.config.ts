import { defineConfig } from 'vitest/config';
import { ClosingLine } from './tests/vitest/closing-line.js';
import { LongestFirst } from './tests/vitest/longest-first.js';

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
          setupFiles: ['tests/fixtures/fuzz-seed.ts', 'tests/fixtures/own-temporary-folder.ts'],
          testTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'end-to-end',
          pool: 'forks',
          include: ['tests/**/*.test.ts'],
          setupFiles: ['tests/fixtures/fuzz-seed.ts', 'tests/fixtures/own-ports.ts'],
          globalSetup: ['tests/fixtures/postgres-server.ts'],
          // Each of these files owns real servers and containers, and waits a good part of its time: two at once.
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
          testTimeout: 180_000,
          hookTimeout: 300_000,
        },
      },
    ],
  },
});
