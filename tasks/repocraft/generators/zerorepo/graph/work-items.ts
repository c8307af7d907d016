import type { PlanningGraph } from './planning-graph.js';
import { unitOrder, type PlannedUnit } from './unit-order.js';

/** Units that are written in one prompt, in the order of the plan. */
export interface WorkItem {
  units: PlannedUnit[];
  /** Places of the items it comes after, in the list they stand in. */
  after: number[];
}

/**
 * The units of a module as items of work: functions of one file that do not depend on one another go together, up to
 * `batch` of them. Derived from the graph alone, so every run of a plan asks the same.
 */
export function workItems(graph: PlanningGraph, module: string, batch: number): WorkItem[] {
  const ordered = unitOrder(graph);
  if ('cycle' in ordered) throw new Error(`the units have a cycle: ${ordered.cycle.join(' → ')}`);
  const designs = new Map(graph.interfaces.map((one) => [one.id, one]));
  const units = ordered.units.filter((unit) => unit.module === module);
  const depths = depthsOf(units);
  const items: PlannedUnit[][] = [];
  const open = new Map<string, PlannedUnit[]>();
  for (const unit of units) {
    const design = designs.get(unit.id);
    // Equal depth: neither needs the other, and items cannot come after one another in a circle.
    const key = `${design?.kind ?? ''} ${depths.get(unit.id) ?? 0} ${design?.file ?? ''}`;
    const group = open.get(key);
    if (design?.kind === 'function' && group !== undefined && group.length < batch) group.push(unit);
    else {
      const own = [unit];
      items.push(own);
      open.set(key, own);
    }
  }
  const place = new Map(items.flatMap((item, index) => item.map(({ id }) => [id, index] as const)));
  return items.map((item) => {
    const after = item.flatMap(({ after: ids }) => ids.flatMap((id) => place.get(id) ?? []));
    return { units: item, after: [...new Set(after)].sort((a, b) => a - b) };
  });
}

/** Longest way to a unit inside its module; units come in topological order. */
function depthsOf(units: readonly PlannedUnit[]): Map<string, number> {
  const depths = new Map<string, number>();
  for (const { id, after } of units) {
    depths.set(id, 1 + Math.max(-1, ...after.map((other) => depths.get(other) ?? -1)));
  }
  return depths;
}
