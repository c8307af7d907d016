import type { SuitePlans } from '../src/contract/suite.js';

/** Plans of suites from packages: none here. Where a project names packages, its workflow bundle has theirs in this place. */
export const PACKAGE_PLANS: readonly SuitePlans[] = [];
