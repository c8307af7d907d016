import { DomainFailure } from '../../../../../src/domain/failure/domain-failure.js';
import type { Json } from '../../../../../src/contract/json.js';
import type { StageContext, StageFunction } from '../../../../../src/suite/stage.js';
import { designInterfaces } from './design.js';
import { freezeTree } from './freeze.js';
import {
  tryEndToEndTest,
  tryIntegrationTests,
  tryRegression,
  writeEndToEndTest,
  writeIntegrationTests,
  writeReadme,
} from './integrate.js';
import { repairUnit } from './repair.js';
import {
  bringTogether,
  layOutModule,
  planBaseClasses,
  planFlows,
  planModules,
  proposeFeatures,
  sortFeatures,
  startPlanning,
} from './planning.js';
import { scheduleUnits } from './schedule.js';
import { checkSkeleton } from './skeleton.js';
import { tryUnits } from './trying.js';
import { endUnit } from './unit-end.js';
import { writeCode, writeTests } from './write.js';

/** A step: its input is what the workflow hands over (`../graph/steps.ts`). */
type Step = (context: StageContext, input: never) => Promise<object>;

/** Steps by the beginning of their name; the first that fits. The manifest routes the same beginnings to queues. */
const STEPS: readonly (readonly [begin: string, step: Step])[] = [
  ['plan/start', startPlanning],
  ['plan/propose-', proposeFeatures],
  ['plan/refactor-', sortFeatures],
  ['plan/layout-', layOutModule],
  ['plan/data-flow', planFlows],
  ['plan/base-classes', planBaseClasses],
  ['plan/modules', planModules],
  ['plan/before-', bringTogether],
  ['plan/interfaces', bringTogether],
  ['design/', designInterfaces],
  ['schedule/', scheduleUnits],
  ['check/skeleton', checkSkeleton],
  ['check/freeze', freezeTree],
  ['write/tests/', writeTests],
  ['write/code/', writeCode],
  ['write/integration-', writeIntegrationTests],
  ['write/end-to-end', writeEndToEndTest],
  ['write/readme', writeReadme],
  ['try/integration-', tryIntegrationTests],
  ['try/regression-', tryRegression],
  ['try/end-to-end', tryEndToEndTest],
  ['try/', tryUnits],
  ['repair/', repairUnit],
  ['unit/', endUnit],
];

/** Runs one step of a ZeroRepo generation. */
export const zerorepoStep: StageFunction = async (context) => {
  const found = STEPS.find(([begin]) => context.step.startsWith(begin));
  if (found === undefined) throw new DomainFailure('harness.bug', `zerorepo has no step ${context.step}`);
  const [, step] = found;
  return { result: (await step(context, context.input as never)) as Json };
};
