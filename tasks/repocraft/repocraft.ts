import type { Json, JsonObject } from '../../src/contract/json.js';
import type { Suite } from '../../src/suite/suite.js';
import { repocraftCalibration } from './calibration/repocraft-calibration.js';
import { campaignProblems } from './campaign-problems.js';
import { BENCHMARK_PROJECTS, DATASET_PROJECTS, projectImage } from './dataset/project-settings.js';
import { repocraftDataset } from './dataset/repocraft-dataset.js';
import { repocraftExplanations } from './explanations.js';
import { missingForCandidate } from './candidate/missing-packages.js';
import { ownImages } from './generators/agent-settings.js';
import { repocraftFailures } from './failures/failure-analysis.js';
import { GENERATORS } from './generators/generators.js';
import { largeTree } from './generators/zerorepo/knowledge/tree-file.js';
import { FEATURE_TREE_RULES, readFeatureTree } from './generators/zerorepo/feature-tree.js';
import { packCandidate } from './generators/snapshot/pack-candidate.js';
import { ownVotes } from './own-votes.js';
import { repocraftReport } from './report.js';
import {
  adaptSettings,
  datasetSchema,
  hasSecondLook,
  judgeSchema,
  optionsSchema,
  voteSchema,
  voteSettings,
} from './settings.js';
import { executeTask } from './stages/execute.js';
import { generateCandidate } from './stages/generate.js';
import { explainTrial } from './stages/explain-trial.js';
import { repocraftTaskText } from './stages/load-task.js';
import { harvestTask } from './stages/harvest.js';
import { localizeTask } from './stages/localize.js';
import { prepareCandidate } from './stages/prepare.js';
import { scoreTrial } from './stages/score.js';
import { voteOnMatch } from './stages/vote.js';
import { repocraftManifest } from './suite.js';
import { candidateNotes } from './candidate-notes.js';
import { createPlayer } from './generators/zerorepo/scripted/player.js';

/** RepoCraft for the worker and the command line. */
export const repocraft: Suite = {
  manifest: repocraftManifest,
  folder: 'tasks/repocraft',
  schemas: {
    dataset: datasetSchema(DATASET_PROJECTS, BENCHMARK_PROJECTS),
    judge: judgeSchema,
    vote: voteSchema,
    options: optionsSchema,
  },
  generators: GENERATORS,
  referenceGenerator: 'gold',
  scriptedPlayer: createPlayer,
  optionFiles: {
    knowledge: {
      read: (text) => {
        const read = readFeatureTree(text);
        return 'problems' in read ? read : { value: read.tree as Json };
      },
      readLarge: largeTree,
      rules: FEATURE_TREE_RULES,
    },
  },
  starter: ({ model, tasks, projects }) => ({
    // The smallest project: its image is built in a minute.
    dataset: { projects: projects.length > 0 ? [...projects] : ['requests'], limit: tasks },
    judge: { vote: model === null ? { voter: 'heuristic' } : { voter: 'model', model } },
    systems: [
      { id: 'gold', generator: 'gold', vote: { voter: 'oracle' } },
      { id: 'null', generator: 'null' },
      ...(model === null ? [] : [{ id: 'one-shot', generator: 'single-prompt', model }]),
    ],
  }),
  campaignProblems,
  campaignWarnings: ownVotes,
  // `base` parses candidates; each project's image has its dependencies and the test harness.
  // A system may run programs in an image of its own.
  images: (spec) => [
    ...new Set(['base', ...projectsOf(spec.dataset.projects).map(projectImage), ...spec.systems.flatMap(ownImages)]),
  ],
  dataset: repocraftDataset,
  generationGraph: ({ generator: name }) => {
    const generator = GENERATORS[name];
    return generator !== undefined && 'graph' in generator ? generator.graph : undefined;
  },
  generationSettings: (_, system) => {
    const generator = GENERATORS[system.generator];
    const settings: JsonObject = {};
    if (generator === undefined) return settings;
    if ('make' in generator) return generator.stepName === undefined ? settings : { step: generator.stepName };
    if ('agent' in generator) return { agent: { ...generator.agent(system) } };
    return { workflow: generator.workflow, ...generator.settings(system) };
  },
  trialSettings: (spec, system, task) => {
    const { voter, top } = voteSettings(spec, system);
    const adapter = adaptSettings(spec);
    return {
      ...{ voter, top, project: task.group },
      ...(adapter === null ? {} : { rewrites: adapter.calls }),
      ...(hasSecondLook(spec) ? { second_look: true } : {}),
    };
  },
  stages: {
    harvest: harvestTask,
    generate: generateCandidate,
    localize: localizeTask,
    vote: voteOnMatch,
    execute: executeTask,
    score: scoreTrial,
  },
  prepare: prepareCandidate,
  packCandidate,
  missingForCandidate,
  resultColumns: [
    // Under the oracle voter none is searched, the targets are handed over.
    { id: 'localized', title: 'localized', metric: 'localized', absent: 'left-out' },
    { id: 'voted', title: 'voted', metric: 'voted', absent: 'zero' },
  ],
  explain: explainTrial,
  failures: repocraftFailures,
  taskText: repocraftTaskText,
  explanations: repocraftExplanations,
  candidateNotes,
  calibration: repocraftCalibration,
  report: repocraftReport,
};

/** A campaign that names no project takes the benchmark's. */
const projectsOf = (chosen: unknown): readonly string[] =>
  Array.isArray(chosen) && chosen.length > 0 ? (chosen as string[]) : BENCHMARK_PROJECTS;
