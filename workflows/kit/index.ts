/**
 * `durabench/workflow-kit`: what a suite's plans and workflows may use. Everything in here runs in Temporal's sandbox: no
 * clock, no randomness, no file, no network.
 */
export type { CandidateRef } from '../../src/contract/candidate.js';
export type { Json, JsonObject } from '../../src/contract/json.js';
export type { SuiteManifest, SuitePlans } from '../../src/contract/suite.js';
export type { GenerationPlan, GenerationStages, TrialPlan, TrialStages } from '../../src/contract/trial.js';
export type { Verdict } from '../../src/contract/verdict.js';
export { runAgent } from '../../src/agents/loop/run-agent.js';
export type { AgentEnd, AgentLimits } from '../../src/agents/loop/turns.js';
export { DomainFailure } from '../../src/domain/failure/domain-failure.js';
export { startNamedChild, type ChildStart } from './children.js';
export { failureOf } from './failure-of.js';
export * from './own-workflow.js';
export { asJson } from './stages.js';
export { inWindow, pagedKeys, type NextKey } from './windows.js';
