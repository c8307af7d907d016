import type { Flow, PlanningGraph } from '../graph/planning-graph.js';
import { moduleOrder } from '../graph/unit-order.js';

/**
 * Flows that hold, made of ones that do not: edges that name no modules, lead back or come twice are left out in the
 * order given; a module that then takes part in none gets one from the first module, or to the second.
 */
export function repairFlows(graph: PlanningGraph, flows: readonly Flow[]): PlanningGraph {
  const names = graph.modules.map(({ name }) => name);
  const kept: Flow[] = [];
  for (const flow of flows) {
    const { source, target } = flow;
    if (source === target || !names.includes(source) || !names.includes(target)) continue;
    if ('order' in moduleOrder({ modules: graph.modules, flows: [...kept, flow] })) kept.push(flow);
  }
  const [first, second] = names;
  for (const name of names) {
    if (second === undefined || kept.some(({ source, target }) => source === name || target === name)) continue;
    const rule = { id: `values_${kept.length + 1}`, type: 'object', transformation: '' };
    kept.push(
      name === first ? { ...rule, source: name, target: second } : { ...rule, source: first ?? '', target: name },
    );
  }
  return { ...graph, flows: kept };
}
