import { DomainFailure } from '../../../../../src/domain/failure/domain-failure.js';
import type { StageContext } from '../../../../../src/suite/stage.js';
import {
  availableTo,
  baseClassNames,
  designFile,
  interfaceProblems,
  repairInterfaces,
  openFiles,
} from '../growth/grow-interfaces.js';
import { fileOrder } from '../graph/unit-order.js';
import type { Designed } from '../graph/steps.js';
import { askModel } from './asking/ask.js';
import { briefsOf } from './asking/brief.js';
import { stubs } from './asking/document.js';
import { keepGraph, readGraph } from './graph-blob.js';
import { objections } from './review.js';

/** Interfaces of one file: the first of its module's that has a feature nothing provides. */
export async function designInterfaces(
  context: StageContext,
  { graph: sha256, module: place }: { graph: string; module: number },
): Promise<Designed> {
  const graph = await readGraph(context, sha256);
  const module = graph.modules[place];
  const order = fileOrder(graph);
  if (module === undefined || 'cycle' in order) throw new DomainFailure('harness.bug', `no order for module ${place}`);
  const own = new Map(graph.files.flatMap((one) => (one.module === module.name ? [[one.path, one] as const] : [])));
  const paths = order.order.filter((path) => own.has(path));
  const unprovided = openFiles(graph);
  const open = paths.filter((path) => unprovided.has(path));
  const target = own.get(open[0] ?? '');
  if (target === undefined) return { graph: sha256, left: 0 };
  const features = graph.features.filter((feature) => feature.file === target.path);
  const available = availableTo(graph, target.path).map(({ id }) => id);
  const about = {
    ...{ title: graph.title, package: graph.package },
    module: { name: module.name, description: module.description },
    file: { path: target.path, description: target.description },
    features: features.map(({ id, path, description }) => ({ id, path, description })),
    available: stubs(briefsOf(graph, available)),
  };
  const asked = await askModel(context, {
    prompt: 'interfaces',
    input: about,
    review: ({ interfaces }) => objections(context, 'review-interfaces', { ...about, interfaces }),
    problems: ({ interfaces }) => [
      ...interfaceProblems(graph, target.path, interfaces),
      ...interfaces.flatMap(({ name }) =>
        baseClassNames(graph, target.path).includes(name) ? [`${name} is a shared class of this file already`] : [],
      ),
    ],
  });
  const proposed = asked.answer?.interfaces ?? [];
  const holds = asked.problems.length === 0 && asked.answer !== null;
  const designed = designFile(graph, target.path, holds ? proposed : repairInterfaces(graph, target.path, proposed));
  if (!holds) {
    const label = { name: 'repaired-by-rule.json', mediaType: 'application/json' };
    await context.attach(JSON.stringify(asked.problems, null, 1), label);
  }
  return { graph: await keepGraph(context, designed, 'flows'), left: open.length - 1 };
}
