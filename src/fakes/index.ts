/**
 * `durabench/testing`: ports in memory and a scripted model server, for tests of a suite's stages without servers, Docker or
 * a key. They pass the conformance suites that the real ones pass.
 */
export { createFakeSandbox, type FakeCall, type FakeEnd, type FakeProgram } from './fake-sandbox.js';
export { createMemoryBlobs } from './memory-blobs.js';
export type { ModelRulesInput } from './model-rules.js';
export {
  startScriptedModelServer,
  type ScriptedModelOptions,
  type ScriptedModelServer,
  type SeenRequest,
} from './scripted-model-server.js';
