import { importOf } from '../../graph/compose.js';
import type { InterfaceDesign, MethodDesign, PlanningGraph } from '../../graph/planning-graph.js';

/** An interface as prompts show it. */
export interface Brief {
  id: string;
  kind: InterfaceDesign['kind'];
  name: string;
  /** The statement that imports it. */
  import: string;
  signature: string;
  docstring: string;
  methods: MethodDesign[];
}

/** What a prompt is told of interfaces, in the order of the ids. */
export function briefsOf(graph: PlanningGraph, ids: readonly string[]): Brief[] {
  const designs = new Map(graph.interfaces.map((one) => [one.id, one]));
  return ids.flatMap((id) => {
    const design = designs.get(id);
    return design === undefined ? [] : [briefOf(graph, design)];
  });
}

/** What a prompt is told of one interface. */
function briefOf(graph: PlanningGraph, design: InterfaceDesign): Brief {
  const { id, kind, name, signature, docstring, methods } = design;
  return { id, kind, name, import: importOf(graph, design), signature, docstring, methods };
}
