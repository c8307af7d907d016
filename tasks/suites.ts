import type { Suite } from '../src/suite/suite.js';

/**
 * Every suite by its id, as the worker and the CLI know it. Loaded when asked for: a command about one starts without the others.
 * A new suite is one more entry here and one in `plans.ts`.
 */
export const SUITES: Readonly<Record<string, () => Promise<Suite>>> = {
  echo: async () => (await import('./echo/echo.js')).echoSuite,
  repocraft: async () => (await import('./repocraft/repocraft.js')).repocraft,
  'gha-bench': async () => (await import('./gha-bench/gha-bench.js')).ghaBench,
  artisan: async () => (await import('./artisan/artisan.js')).artisan,
};
