import type { Suite } from '../src/suite/suite.js';
import { artisan } from './artisan/artisan.js';
import { echoSuite } from './echo/echo.js';
import { ghaBench } from './gha-bench/gha-bench.js';
import { repocraft } from './repocraft/repocraft.js';

/** Every suite, as the worker and the CLI know it. A new suite is one more entry here and one in `plans.ts`. */
export const SUITES: readonly Suite[] = [echoSuite, repocraft, ghaBench, artisan];
