import { DomainFailure } from '../../../../../src/domain/failure/domain-failure.js';
import type { StageContext } from '../../../../../src/suite/stage.js';
import { fingerprints } from '../graph/fingerprints.js';
import type { PlanningGraph } from '../graph/planning-graph.js';
import { unitStep, type ScheduledItem, type SchedulePage, type UnitEnd } from '../graph/steps.js';
import { workItems } from '../graph/work-items.js';
import { readGraph } from './graph-blob.js';
import { optionsOf } from '../settings.js';

/** Bytes of JSON a page may have: a step's result ends at 4 KiB. */
const PAGE_BYTES = 3400;

/** A page of the units of a module, in the order in which they can be done, with those that are done already. */
export async function scheduleUnits(
  context: StageContext,
  { graph: sha256, module: place, from }: { graph: string; module: number; from: number },
): Promise<SchedulePage> {
  const graph = await readGraph(context, sha256);
  const module = graph.modules[place];
  if (module === undefined) throw new DomainFailure('harness.bug', `the graph has no module ${place}`);
  const prints = fingerprints(graph);
  const ends = await endsOf(context, graph, prints);
  const all = workItems(graph, module.name, optionsOf(context.system).batch);
  const inModule = new Set(all.flatMap(({ units }) => units.map(({ id }) => id)));
  const page: SchedulePage = { items: [], ended: {}, next: null };
  for (let at = from; at < all.length; at += 1) {
    const item = all[at];
    if (item === undefined) break;
    const units = item.units.map(({ id, needs }): ScheduledItem['units'][number] => {
      // Of those upstream only the ones that failed say something: the others are there.
      const told = needs.filter((need) => inModule.has(need) || (ends.get(need) ?? 'done') !== 'done');
      return [id, prints.get(id) ?? '', told];
    });
    const ended = item.units.flatMap(({ id, needs }) => {
      const missing = needs.filter((need) => !inModule.has(need) && (ends.get(need) ?? 'done') !== 'done');
      const known = [id, ...missing].map((one) => [one, ends.get(one)] as const);
      return known.filter(([, status]) => status !== undefined);
    });
    const grown = {
      items: [...page.items, { units, after: item.after }],
      ended: { ...page.ended, ...Object.fromEntries(ended) },
    };
    if (page.items.length > 0 && JSON.stringify(grown).length > PAGE_BYTES) return { ...page, next: at };
    page.items = grown.items;
    page.ended = grown.ended as SchedulePage['ended'];
  }
  return page;
}

/** How units ended, by id; those that have not are left out. */
export async function endsOf(
  { earlier }: Pick<StageContext, 'earlier'>,
  graph: PlanningGraph,
  prints: ReadonlyMap<string, string> = fingerprints(graph),
): Promise<Map<string, UnitEnd['status']>> {
  const ids = graph.interfaces.map(({ id }) => id);
  const steps = await earlier(ids.map((id) => unitStep(id, prints.get(id) ?? '')));
  return new Map(
    ids.flatMap((id) => {
      const end = steps[unitStep(id, prints.get(id) ?? '')] as UnitEnd | undefined;
      return end === undefined ? [] : [[id, end.status] as const];
    }),
  );
}
