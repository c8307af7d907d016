/**
 * `durabench/suite`: what a suite is to the engine, as types, and what suites share. For everything but plans and workflows:
 * those run in Temporal's sandbox and take `durabench/workflow-kit`.
 */
import '../domain/needs-node.js';
export { bashTool, type Agent, type AgentTool, type ToolEnd } from '../agents/agent-tool.js';
export type { AgentEnd, AgentLimits } from '../agents/loop/turns.js';
export { act, think } from '../agents/turn-stages.js';
export { runProgram, type Program, type ProgramEnd } from '../agents/run-program.js';
export {
  createMeteredEndpoint,
  type EndpointCounts,
  type EndpointParts,
  type MeteredEndpoint,
} from '../agents/metered-endpoint.js';
export type { CampaignSpec, SystemLimits, SystemSpec } from '../contract/campaign.js';
export type { CandidateRef } from '../contract/candidate.js';
export type { EvidenceRef } from '../contract/evidence.js';
export type { Json, JsonObject } from '../contract/json.js';
export type { Explanations, Problem } from '../contract/problem.js';
export type { StageName } from '../contract/stage.js';
export { SUITE_CONTRACT, type SuiteManifest, type SuitePlans } from '../contract/suite.js';
export type { DatasetSelection, TaskSummary } from '../contract/task.js';
export type { Verdict } from '../contract/verdict.js';
export { explanationsOf } from '../domain/failure/explanations-of.js';
export { DomainFailure } from '../domain/failure/domain-failure.js';
export { UserError } from '../domain/failure/user-error.js';
export { checkShape, inFileOrder, shapedYaml, type PlacedProblem } from '../domain/shape/shape-problems.js';
export { yamlSource, type YamlSource } from '../domain/shape/yaml-source.js';
export { jsonHash, sha256Hex } from '../domain/text/content-hash.js';
export type { Blobs } from '../ports/blobs.js';
export type { StepRow, TrialRow, VoteRecord } from '../ports/records.js';
export type { AskedAnswer, ChatBody, Question } from '../ports/model.js';
export type { Door, Sandbox, SandboxResult, SandboxRun, WorkspaceEnd, WorkspaceRef } from '../ports/sandbox.js';
export type { ScriptedPlayer } from '../ports/scripted-player.js';
export type { BuildStep, DatasetBuild, DatasetTools, SuiteDataset } from '../suite/dataset.js';
export type { GeneratorTraits } from '../suite/generation.js';
export type { Finding, ReportInput, ReportTable, ResultColumn, SuiteReport } from '../suite/report.js';
export type { StageContext, StageFunction, StageResult } from '../suite/stage.js';
export type { Suite } from '../suite/suite.js';
export { addedFiles, isPatch, type AddedFiles } from './added-files.js';
export { fileAndFolder, pathProblem, readFiles, type ReadFiles } from './answer-files.js';
export { readJson } from './answer-json.js';
export { readCommitted, type CommittedFile } from './committed-json.js';
export { fencedBlocks, type FencedBlock } from './fenced-blocks.js';
export { readJsonBlob, recallJson, rememberJson } from './json-blobs.js';
export { lineDiff } from './line-diff.js';
export { loadPrompt, type FilledPrompt } from './load-prompt.js';
export { mountedFiles, packFiles, type Tree } from './packed-files.js';
export { selectionSchema, selectTasks, type Selection } from './selection.js';
export { shortText } from './short-text.js';
export { readTarEntries, readTarFile, type ArchiveEntry } from './tar-entries.js';
export { readZipEntries } from './zip-entries.js';
