import { graphText, parseGraph } from '../graph/graph-format.js';
import type { GraphStage, PlanningGraph } from '../graph/planning-graph.js';
import { DomainFailure } from '../../../../../src/domain/failure/domain-failure.js';
import type { StageContext } from '../../../../../src/suite/stage.js';
import { readJsonBlob } from '../../../../../src/suite-kit/json-blobs.js';

/** Reads a graph that an earlier step left. */
export async function readGraph({ blobs }: Pick<StageContext, 'blobs'>, sha256: string): Promise<PlanningGraph> {
  return readJsonBlob<PlanningGraph>(blobs, sha256);
}

/**
 * Keeps a graph as evidence of the step, once its invariants are checked.
 * @throws DomainFailure `harness.bug`: a step left a graph that does not hold; nothing is built on it
 */
export async function keepGraph(context: StageContext, graph: PlanningGraph, upTo: GraphStage): Promise<string> {
  const text = graphText(graph);
  const checked = parseGraph(text, upTo);
  if ('problems' in checked && graph.features.length > 0) {
    throw new DomainFailure(
      'harness.bug',
      `the graph does not hold after ${context.step}: ${checked.problems[0] ?? ''}`,
    );
  }
  return (await context.attach(text, { name: 'graph.json', mediaType: 'application/json' })).sha256;
}
