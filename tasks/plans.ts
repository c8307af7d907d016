import type { SuitePlans } from '../src/contract/suite.js';
import { artisanPlans } from './artisan/plan.js';
import { echoPlans } from './echo/plan.js';
import { ghaBenchPlans } from './gha-bench/plan.js';
import { PACKAGE_PLANS } from './package-plans.js';
import { repocraftPlans } from './repocraft/plan.js';

/** Every suite, as the workflow side knows it. A new suite is one more entry here and one in `suites.ts`. */
export const PLANS: readonly SuitePlans[] = [echoPlans, repocraftPlans, ghaBenchPlans, artisanPlans, ...PACKAGE_PLANS];

/** The plans of a suite. @throws Error when it is not in the list: the worker is older than the campaign */
export function plansOf(suiteId: string): SuitePlans {
  const plans = PLANS.find(({ manifest }) => manifest.id === suiteId);
  if (!plans) throw new Error(`no plan for the suite ${suiteId} in tasks/plans.ts of this worker`);
  return plans;
}
