import type { StageContext } from '../../../../../src/suite/stage.js';
import type { Missing, UnitProduct } from '../graph/compose.js';
import { fingerprints } from '../graph/fingerprints.js';
import type { PlanningGraph } from '../graph/planning-graph.js';
import { unitStep, type UnitStatus } from '../graph/steps.js';
import { readJsonBlob } from '../../../../../src/suite-kit/json-blobs.js';

/** What a unit left: blob content, JSON. */
export interface FinishedUnit {
  id: string;
  status: UnitStatus;
  /** Its patch; null unless it is done. */
  product: UnitProduct | null;
  /** Its test file; null where it has none that can be used. */
  tests: string | null;
  /** Repairs it took, of code or tests. */
  rounds: number;
  /** Why it failed; null when done. */
  message: string | null;
}

/** The finished ones of some units, by id. */
export async function finishedUnits(
  context: StageContext,
  graph: PlanningGraph,
  ids: readonly string[],
): Promise<Map<string, FinishedUnit>> {
  const prints = fingerprints(graph);
  const names = new Map(ids.map((id) => [id, unitStep(id, prints.get(id) ?? '')]));
  const steps = await context.earlier([...names.values()]);
  const found = new Map<string, FinishedUnit>();
  for (const [id, name] of names) {
    const end = steps[name] as { product: string } | undefined;
    if (end !== undefined) found.set(id, await readJsonBlob<FinishedUnit>(context.blobs, end.product));
  }
  return found;
}

/** Patches of the units that are done, and why the others are missing. */
export function patchesOf(units: ReadonlyMap<string, FinishedUnit>): {
  products: Map<string, UnitProduct>;
  missing: Map<string, Missing>;
} {
  const products = new Map<string, UnitProduct>();
  const missing = new Map<string, Missing>();
  for (const [id, { status, product }] of units) {
    if (product !== null) products.set(id, product);
    else missing.set(id, status === 'done' ? 'open' : status);
  }
  return { products, missing };
}

/** Keeps a JSON value as evidence of the step and gives its blob. */
export async function keepBlob(context: StageContext, name: string, value: unknown): Promise<string> {
  const label = { name: `${name}.json`, mediaType: 'application/json' };
  return (await context.attach(JSON.stringify(value, null, 1), label)).sha256;
}
