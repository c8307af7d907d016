/**
 * `durabench/testing`: ports in memory, a bench that runs a suite's plans on them, and a scripted model server, for tests
 * of a suite without Temporal, Postgres, Docker or a key. The ports pass the conformance suites that the real ones pass.
 */
import '../domain/needs-node.js';
export { createFakeSandbox, type FakeCall, type FakeEnd, type FakeProgram } from './fake-sandbox.js';
export { createMemoryBlobs } from './memory-blobs.js';
export type { ModelRulesInput } from './model-rules.js';
export {
  startScriptedModelServer,
  type ScriptedModelOptions,
  type ScriptedModelServer,
  type SeenRequest,
} from './scripted-model-server.js';
export {
  campaignSpec,
  createBench,
  makeCandidate,
  runTrial,
  systemSpec,
  type Bench,
  type RanStep,
} from './suite-bench.js';
