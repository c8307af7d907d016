import type { CampaignSpec, SystemSpec } from '../../src/contract/campaign.js';
import type { Problem } from '../../src/contract/problem.js';
import { DERIVE_KINDS, MOVABLE_PROJECTS } from './generators/derived/derive-settings.js';
import { programProblems } from '../../src/agents/program-system.js';
import type { TaskChoice } from './dataset/select-tasks.js';
import { BENCHMARK_PROJECTS } from './dataset/project-settings.js';
import { GENERATORS } from './generators/generators.js';
import { namingOf, PROJECT_NAMES } from './generators/project-names.js';
import { treeFile } from './generators/zerorepo/knowledge/tree-file.js';
import { FEATURE_TREE_RULES, featureTreeProblems } from './generators/zerorepo/feature-tree.js';
import { adaptSettings, coverageSettings, rerankSettings, voteSettings, votingModels } from './settings.js';

/** What a schema cannot say about a RepoCraft campaign: who may vote on whom, and with what. */
export function campaignProblems(spec: CampaignSpec): Problem[] {
  const ofSystems = spec.systems.flatMap((system, index) => [
    ...oracleProblems(spec, system, index),
    ...derivedProblems(spec, system, index),
    ...modelProblems(spec, system, index),
    ...optionProblems(system, index),
    ...purposeProblems(spec, system, index),
    ...programProblems(system, index),
  ]);
  return [...judgeProblems(spec), ...ofSystems];
}

/** Models that the judge names beside its voters. */
function judgeProblems(spec: CampaignSpec): Problem[] {
  const known = Object.keys(spec.models);
  const named = Object.entries({
    adapt: adaptSettings(spec),
    rerank: rerankSettings(spec),
    coverage: coverageSettings(spec),
  });
  return named.flatMap(([key, settings]) =>
    settings === null || known.includes(settings.model)
      ? []
      : {
          path: ['judge', key, 'model'],
          message: `"${settings.model}" is not in models`,
          expected: known.length > 0 ? `one of the models of this file: ${known.join(', ')}` : NO_MODEL,
          fix: `write ${key}: { model: ${known[0] ?? 'NAME'} }, or leave ${key} out`,
        },
  );
}

const NO_MODEL = 'a key of models (there is none yet)';

/** Settings that its generator does not read, and a feature tree that is none. */
function optionProblems({ generator, options }: SystemSpec, index: number): Problem[] {
  const known = GENERATORS[generator]?.options ?? [];
  const strange = Object.keys(options).filter((key) => !known.includes(key));
  const isTree = typeof options.knowledge === 'object' && !treeFile.safeParse(options.knowledge).success;
  const tree = known.includes('knowledge') && isTree ? options.knowledge : null;
  return [
    ...strange.map((key) => ({
      path: ['systems', index, key],
      message: `the generator ${generator} has no such setting`,
      expected: known.length === 0 ? 'no setting of this kind' : `the settings ${known.join(', ')}`,
      fix: `remove "${key}"`,
    })),
    ...(tree === null ? [] : featureTreeProblems(tree)).map((problem) => ({
      ...{ path: ['systems', index, 'knowledge'], message: problem },
      ...FEATURE_TREE_RULES,
    })),
  ];
}

/** A purpose of the system's own must not give away which project it describes. */
function purposeProblems({ dataset }: CampaignSpec, { options }: SystemSpec, index: number): Problem[] {
  const { purpose } = options;
  if (typeof purpose !== 'string') return [];
  const { projects = [...BENCHMARK_PROJECTS], tasks } = (dataset ?? {}) as TaskChoice;
  // The id of a task begins with a name of its project.
  const isDescribed = (project: string): boolean =>
    tasks?.some((id) => PROJECT_NAMES[project]?.names.some((name) => id.startsWith(`${name}-`))) ?? true;
  const described = projects.filter(isDescribed);
  return described.flatMap((project) => {
    const said = namingOf(project, purpose);
    if (said === null) return [];
    return {
      path: ['systems', index, 'purpose'],
      message: `names the project it describes, ${project}, as "${said}"`,
      expected:
        'what the library is for, and never its name: a model that knows the project would write down what it remembers',
      fix: 'say what it does instead',
    };
  });
}

function oracleProblems(spec: CampaignSpec, system: SystemSpec, index: number): Problem[] {
  const isReference = GENERATORS[system.generator]?.provenance === 'reference';
  if (voteSettings(spec, system).voter !== 'oracle' || isReference) return [];
  const references = Object.entries(GENERATORS).flatMap(([name, { provenance }]) =>
    provenance === 'reference' ? [name] : [],
  );
  return [
    {
      path: ['systems', index, 'vote'],
      message: `the oracle may not vote on "${system.id}" (generator ${system.generator})`,
      expected: `the oracle only votes on the reference itself (generator ${references.join(', ')}); others: heuristic, model`,
      fix: `give this system vote: { voter: heuristic }, or name the oracle only in the system with generator ${references.join(', ')}`,
    },
  ];
}

/** A derived candidate says how it is derived, for a project that can be; only on such a one the truth is known. */
function derivedProblems(spec: CampaignSpec, system: SystemSpec, index: number): Problem[] {
  if (system.generator !== 'derived') {
    if (voteSettings(spec, system).voter !== 'truth') return [];
    const message = `nobody knows the truth about "${system.id}" (generator ${system.generator})`;
    const expected = 'truth votes on candidates of the generator derived; others: heuristic, model';
    const path = ['systems', index, 'vote'];
    return [{ path, message, expected, fix: 'give this system vote: { voter: heuristic }' }];
  }
  const derive = system.options.derive as { kind?: string } | undefined;
  if (derive !== undefined) return derive.kind === 'moved' ? unmovableProblems(spec, index) : [];
  const message = 'the generator derived is not told what to derive';
  const expected = `derive: { kind, seed } with a kind out of ${DERIVE_KINDS}`;
  return [{ path: ['systems', index], message, expected, fix: 'write derive: { kind: renamed, seed: 1 }' }];
}

function unmovableProblems({ dataset }: CampaignSpec, index: number): Problem[] {
  const projects = Array.isArray(dataset.projects) ? (dataset.projects as string[]) : [];
  const strange = projects.filter((project) => !MOVABLE_PROJECTS.includes(project));
  if (strange.length === 0) return [];
  const message = `the modules of ${strange.join(', ')} cannot be moved: compiled ones hold their names`;
  return [
    {
      path: ['systems', index, 'derive'],
      message,
      expected: `the kind moved for ${MOVABLE_PROJECTS.join(', ')}; all other kinds`,
      fix: 'name another kind, or leave the project out',
    },
  ];
}

function modelProblems(spec: CampaignSpec, system: SystemSpec, index: number): Problem[] {
  const settings = voteSettings(spec, system);
  if (settings.voter !== 'model') return [];
  const isOwn =
    system.vote?.voter !== undefined || system.vote?.model !== undefined || system.vote?.models !== undefined;
  const path = isOwn ? ['systems', index, 'vote'] : ['judge', 'vote'];
  const known = Object.keys(spec.models);
  const expected = known.length > 0 ? `one of the models of this file: ${known.join(', ')}` : NO_MODEL;
  const fix = `write vote: { voter: model, model: ${known[0] ?? 'NAME'} }`;
  if (settings.model !== null && settings.models !== null)
    return [{ path, message: 'names both model and models', expected: 'one of the two', fix: 'remove model' }];
  const named = votingModels(settings);
  if (named.length === 0) return [{ path, message: 'the voter is model, and no model is named', expected, fix }];
  const key = settings.models === null ? 'model' : 'models';
  const strange = named.filter((model) => !known.includes(model));
  return strange.map((model) => ({ path: [...path, key], message: `"${model}" is not in models`, expected, fix }));
}
