import {
  featureChecks,
  fileChecks,
  fileOrderChecks,
  firstProblems,
  flowChecks,
  interfaceChecks,
  laidOutChecks,
  moduleChecks,
  orderChecks,
  packageChecks,
  providedChecks,
  redesignChecks,
  sortedChecks,
  type Check,
} from './graph-checks.js';
import { GRAPH_STAGES, type GraphStage, type PlanningGraph } from './planning-graph.js';

/** What each stage adds to the invariants of those before it. */
const CHECKS: Readonly<Record<GraphStage, readonly Check[]>> = {
  features: [packageChecks, featureChecks],
  modules: [moduleChecks],
  files: [fileChecks, fileOrderChecks],
  flows: [flowChecks],
  interfaces: [(graph) => [...interfaceChecks(graph), ...providedChecks(graph)], orderChecks],
};

/**
 * Every invariant that a graph breaks at a stage, each as a sentence that names the place; empty when it holds. A
 * check is only made when those before it hold, because its sentences would be noise.
 */
export function graphProblems(graph: PlanningGraph, upTo: GraphStage): string[] {
  const stages = GRAPH_STAGES.slice(0, GRAPH_STAGES.indexOf(upTo) + 1);
  return firstProblems(
    graph,
    stages.flatMap((stage) => CHECKS[stage]),
  );
}

/**
 * What is wrong with what lies beyond the stage a graph is planned to: the work that the next stage has begun has to hold
 * as far as it goes, because it is kept; whatever builds on the next stage needs the whole of it.
 */
export function begunProblems(graph: PlanningGraph, stage: GraphStage): string[] {
  const { modules, files, flows, interfaces, features } = graph;
  const isLaidOut = files.length > 0 || modules.some(({ folder }) => folder !== null);
  const isDesigned = flows.length > 0 || interfaces.length > 0;
  if (stage === 'features') {
    const isBeyond = isDesigned || isLaidOut || features.some(({ file }) => file !== null);
    return isBeyond ? graphProblems(graph, 'modules') : sortedChecks(graph);
  }
  if (stage === 'modules') return isDesigned ? graphProblems(graph, 'files') : laidOutChecks(graph);
  if (stage === 'files') return isDesigned ? graphProblems(graph, 'flows') : [];
  if (stage === 'flows') return firstProblems(graph, [interfaceChecks, redesignChecks, orderChecks]);
  return [];
}

/** A graph without what lies beyond the stage, but for the work that the next stage may have begun. */
export function plannedTo(graph: PlanningGraph, stage: GraphStage): PlanningGraph {
  if (stage === 'flows' || stage === 'interfaces') return graph;
  const laidOut = { ...graph, flows: [], interfaces: [] };
  if (stage !== 'features') return laidOut;
  const modules = graph.modules.map((module) => ({ ...module, folder: null }));
  return { ...laidOut, modules, files: [], features: graph.features.map((feature) => ({ ...feature, file: null })) };
}
