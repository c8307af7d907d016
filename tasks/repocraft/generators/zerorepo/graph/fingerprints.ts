import { jsonHash } from '../../../../../src/domain/text/content-hash.js';
import type { Json } from '../../../../../src/contract/json.js';
import type { InterfaceDesign, PlanningGraph } from './planning-graph.js';
import { needsOf, unitOrder } from './unit-order.js';

/**
 * What makes a unit the same unit: its design, its neighbours in the file, and the fingerprints of what it needs. As
 * long as it is the same, a unit is never generated again, whatever else is edited. 12 hexadecimal characters.
 */
export function fingerprints(graph: PlanningGraph): Map<string, string> {
  const ordered = unitOrder(graph);
  if ('cycle' in ordered) throw new Error(`the units have a cycle: ${ordered.cycle.join(' → ')}`);
  const designs = new Map(graph.interfaces.map((one) => [one.id, one]));
  const inFile = new Map<string, ReturnType<typeof siblingOf>[]>();
  for (const one of graph.interfaces) inFile.set(one.file, [...(inFile.get(one.file) ?? []), siblingOf(one)]);
  const found = new Map<string, string>();
  for (const { id } of ordered.units) {
    const design = designs.get(id);
    if (!design) continue;
    const { kind, signature, docstring, methods, inherits, invokes } = design;
    const about = { id, package: graph.package, kind, signature, docstring, methods, inherits, invokes };
    const siblings = inFile.get(design.file) ?? [];
    const needs = needsOf(design).map((need) => found.get(need) ?? '');
    found.set(id, jsonHash({ about, siblings, needs } as unknown as Json).slice(0, 12));
  }
  return found;
}

/** What the prompts of a unit say of the others in its file. */
export const siblingOf = ({ name, signature }: InterfaceDesign): { name: string; signature: string } => ({
  name,
  signature,
});
