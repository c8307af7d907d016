import { DomainFailure } from '../../../../../src/domain/failure/domain-failure.js';
import type { StageContext } from '../../../../../src/suite/stage.js';
import { addFeatures } from '../growth/grow-features.js';
import { layOut, layoutProblems, repairLayout } from '../growth/grow-files.js';
import { repairFlows } from '../growth/grow-flows.js';
import { addBaseClasses, baseClassProblems } from '../growth/grow-interfaces.js';
import { changeModules, settleModules } from '../growth/grow-modules.js';
import { graphProblems } from '../graph/graph-problems.js';
import { mergeDesigns } from '../growth/merge-designs.js';
import { moduleHints } from '../graph/module-metrics.js';
import { emptyGraph, MOST_MODULES, type GraphStage } from '../graph/planning-graph.js';
import { packageName } from '../graph/python-names.js';
import type { ModulePlan, Planned, Proposed, Sorted, Started } from '../graph/steps.js';
import { purposeOf } from '../../purposes.js';
import { askModel } from './asking/ask.js';
import { keepGraph, readGraph } from './graph-blob.js';
import { knowledgeFor } from './knowledge.js';
import { objections } from './review.js';
import { optionsOf } from '../settings.js';

/** Leaves one round may propose. */
const LEAVES_A_ROUND = 40;
/** Features sorted into modules in one round. */
const SORTED_AT_ONCE = 60;

/** Where planning begins: with the purpose alone, or with the last graph an operator put in. */
export async function startPlanning(context: StageContext): Promise<Started> {
  const { [EDIT_STEP]: edit } = (await context.earlier([EDIT_STEP])) as Record<string, GraphEdit | undefined>;
  if (edit !== undefined) {
    const graph = await readGraph(context, edit.graph);
    return { graph: edit.graph, stage: edit.stage, features: graph.features.length };
  }
  const { title, text } = purposeOf(context);
  const graph = emptyGraph({ title, purpose: text, package: packageName(title) });
  return { graph: await keepGraph(context, graph, 'features'), stage: null, features: 0 };
}

/** Step under which a graph is recorded that an operator put in. */
export const EDIT_STEP = 'edit';

/** Result of that step: the blob of the graph, and how far it is planned; null where features are still to be proposed. */
export type GraphEdit = { graph: string; stage: GraphStage | null };

/** One round: what is missing, what is finer, what lies beside; then each proposal is judged. */
export async function proposeFeatures(
  context: StageContext,
  { graph: sha256, iteration }: { graph: string; iteration: number },
): Promise<Proposed> {
  const graph = await readGraph(context, sha256);
  const options = optionsOf(context.system);
  const { title, text: purpose, dependencies } = purposeOf(context);
  const features = graph.features.map(({ path }) => path);
  const about = { title, purpose, dependencies, features };
  const room = Math.min(LEAVES_A_ROUND, options.features - features.length);
  if (room <= 0) return { graph: sha256, features: features.length, accepted: 0 };
  const mode = iteration === 1 ? 'missing' : (['missing', 'deepen', 'broaden'] as const)[iteration % 3];
  const scale = [
    `Round ${iteration} of at most ${options.iterations}: give about ${room} leaves this round, and no more.`,
    `${features.length} of ${options.features} are planned.`,
  ].join(' ');
  const shown = await knowledgeFor(context, { purpose, planned: features, round: iteration });
  if (shown !== null) await note(context, 'shown.json', shown);
  const counts = { nearest: shown?.nearest.length ?? 0, elsewhere: shown?.elsewhere.length ?? 0 };
  const asked = await askModel(context, {
    prompt: 'propose',
    input: { ...about, mode, scale, ...shown },
  });
  const fresh = addFeatures(graph, (asked.answer?.features ?? []).slice(0, room)).accepted;
  if (fresh.length === 0) return { graph: sha256, features: features.length, accepted: 0, ...counts };
  const proposed = fresh.map(({ path, description }, index) => ({ id: `p${index + 1}`, path, description }));
  const judged = await askModel(context, { prompt: 'check', input: { ...about, proposed }, ordinal: 1 });
  if (judged.answer === null)
    await note(context, 'repaired-by-rule.json', ['nobody judged the proposals: all are kept', ...judged.problems]);
  const refused = new Set((judged.answer?.verdicts ?? []).flatMap(({ id, accept }) => (accept ? [] : [id])));
  const grown = addFeatures(
    graph,
    proposed.filter(({ id }) => !refused.has(id)),
  );
  return {
    graph: await keepGraph(context, grown.graph, 'features'),
    features: grown.graph.features.length,
    accepted: grown.accepted.length,
    ...counts,
  };
}

/** One round of sorting leaves into modules; the last one settles by rule what is left. */
export async function sortFeatures(
  context: StageContext,
  { graph: sha256, isLast }: { graph: string; isLast: boolean },
): Promise<Sorted> {
  const graph = await readGraph(context, sha256);
  const { title, text: purpose } = purposeOf(context);
  const unassigned = graph.features.filter(({ module }) => module === null).slice(0, SORTED_AT_ONCE);
  const modules = graph.modules.map(({ name, description }) => ({
    name,
    description,
    features: graph.features.filter(({ module }) => module === name).length,
  }));
  const asked = await askModel(context, {
    prompt: 'refactor',
    input: {
      ...{ title, purpose, modules, hints: moduleHints(graph) },
      scale: `${graph.features.length} leaves in all, ${unassigned.length} of them to be sorted in this round; at most ${MOST_MODULES} modules.`,
      unassigned: unassigned.map(({ id, path, description }) => ({ id, path, description })),
    },
    problems: (answer) => changeModules(graph, answer).problems,
  });
  const changed = asked.answer === null ? graph : changeModules(graph, asked.answer).graph;
  const open = changed.features.filter(({ module }) => module === null).length;
  // Hints are worth one more round; nothing else is once every leaf has its module.
  const isTidy = open === 0 && (moduleHints(changed).length === 0 || unassigned.length === 0);
  const isDone = isLast || isTidy;
  const { graph: left, repaired } = isDone ? settleModules(changed) : { graph: changed, repaired: [] };
  if (repaired.length > 0) await note(context, 'assigned-by-rule.json', repaired);
  const kept = await keepGraph(context, left, isDone ? 'modules' : 'features');
  return { graph: kept, features: left.features.length, isDone, modules: left.modules.length, open };
}

/** Folders and files of one module. */
export async function layOutModule(
  context: StageContext,
  { graph: sha256, module: place }: { graph: string; module: number },
): Promise<Planned & { left: number }> {
  const graph = await readGraph(context, sha256);
  const module = graph.modules[place];
  if (module === undefined) throw new DomainFailure('harness.bug', `the graph has no module ${place}`);
  const own = graph.features.filter((feature) => feature.module === module.name);
  const left = graph.modules.length - place - 1;
  // An operator's graph may bring the layout of some modules along.
  const isLaidOut = module.folder !== null && own.every(({ file }) => file !== null);
  if (isLaidOut) return { graph: sha256, features: graph.features.length, left };
  const about = {
    ...{ title: graph.title, package: graph.package },
    module: { name: module.name, description: module.description },
    scale: `${own.length} leaves in this module; files of 4 to 15 leaves are usual.`,
    features: own.map(({ id, path, description }) => ({ id, path, description })),
  };
  const asked = await askModel(context, {
    prompt: 'layout',
    input: { ...about, taken: graph.modules.flatMap(({ folder }) => folder ?? []) },
    problems: (answer) => layoutProblems(graph, module.name, answer),
    review: ({ files }) => objections(context, 'review-layout', { ...about, files }),
  });
  const holds = asked.problems.length === 0 && asked.answer !== null;
  const layout = holds && asked.answer !== null ? asked.answer : repairLayout(graph, module.name, asked.answer);
  if (!holds) await note(context, 'repaired-by-rule.json', asked.problems);
  const laid = layOut(graph, module.name, layout);
  const kept = await keepGraph(context, laid, left === 0 ? 'files' : 'modules');
  return { graph: kept, features: laid.features.length, left };
}

/** Typed edges between modules. */
export async function planFlows(context: StageContext, { graph: sha256 }: { graph: string }): Promise<Planned> {
  const graph = await readGraph(context, sha256);
  const modules = graph.modules.map(({ name, description }) => ({
    name,
    description,
    features: graph.features.flatMap(({ module, path }) => (module === name ? (path.at(-1) ?? []) : [])),
  }));
  const asked = await askModel(context, {
    prompt: 'data-flow',
    input: { title: graph.title, purpose: graph.purpose, modules },
    problems: ({ edges }) => graphProblems({ ...graph, flows: edges }, 'flows'),
  });
  const flows = asked.answer?.edges ?? [];
  const planned = asked.problems.length === 0 ? { ...graph, flows } : repairFlows(graph, flows);
  if (asked.problems.length > 0) await note(context, 'repaired-by-rule.json', asked.problems);
  return { graph: await keepGraph(context, planned, 'flows'), features: graph.features.length };
}

/** None to three shared data structures. */
export async function planBaseClasses(context: StageContext, { graph: sha256 }: { graph: string }): Promise<Planned> {
  const graph = await readGraph(context, sha256);
  // An operator's graph that has interfaces has its base classes among them.
  if (graph.interfaces.length > 0) return { graph: sha256, features: graph.features.length };
  const asked = await askModel(context, {
    prompt: 'base-classes',
    input: { title: graph.title, modules: graph.modules, edges: graph.flows },
    problems: ({ classes }) => baseClassProblems(graph, classes),
  });
  const classes = asked.problems.length === 0 ? (asked.answer?.classes ?? []) : [];
  const planned = classes.length === 0 ? graph : addBaseClasses(graph, classes);
  return { graph: await keepGraph(context, planned, 'flows'), features: graph.features.length };
}

/** Which modules are directly upstream of which. */
export async function planModules(context: StageContext, { graph: sha256 }: { graph: string }): Promise<ModulePlan> {
  const { modules, flows } = await readGraph(context, sha256);
  const places = new Map(modules.map(({ name }, index) => [name, index]));
  const upstream = modules.map(({ name }) => {
    const sources = flows.flatMap(({ source, target }) => (target === name ? (places.get(source) ?? []) : []));
    return [...new Set(sources)].sort((a, b) => a - b);
  });
  return { upstream };
}

/** Designs of several modules in one graph; the first graph is what they all began with. */
export async function bringTogether(context: StageContext, { graphs }: { graphs: string[] }): Promise<Planned> {
  const [first, ...designs] = await Promise.all(graphs.map((sha256) => readGraph(context, sha256)));
  if (first === undefined) throw new DomainFailure('harness.bug', 'no graph to bring together');
  const merged = mergeDesigns(first, designs);
  return { graph: await keepGraph(context, merged, 'flows'), features: merged.features.length };
}

async function note(context: StageContext, name: string, about: object): Promise<void> {
  await context.attach(JSON.stringify(about, null, 1), { name, mediaType: 'application/json' });
}
