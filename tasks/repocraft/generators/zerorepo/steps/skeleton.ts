import { z } from 'zod';
import type { StageContext } from '../../../../../src/suite/stage.js';
import { fileParts, joinParts } from '../graph/compose.js';
import type { InterfaceDesign } from '../graph/planning-graph.js';
import type { Checked } from '../graph/steps.js';
import { REPOCRAFT_LIMITS } from '../../../suite.js';
import { forecastUnits } from './forecast.js';
import { keepGraph, readGraph } from './graph-blob.js';
import { runPython } from './sandbox-python.js';

const broken = z.object({
  interfaces: z.array(z.object({ id: z.string(), method: z.string().nullable(), message: z.string() })),
});

/** A signature that anything can be called with: what stands where the designed one is no Python. */
const ANY = { function: '(*args, **options)', method: '(self, *args, **options)' };

/** Compiles every signature of the design; one that is no Python is repaired by rule and noted. Says what the units will cost. */
export async function checkSkeleton(context: StageContext, { graph: sha256 }: { graph: string }): Promise<Checked> {
  const graph = await readGraph(context, sha256);
  const files = graph.files
    .map(({ path }) => fileParts(graph, path, new Map()))
    .map((parts) => [parts.path, joinParts(parts)]);
  const signatures = graph.interfaces.map(({ id, kind, signature, methods }) => ({ id, kind, signature, methods }));
  const request = { files: Object.fromEntries(files) as Record<string, string>, interfaces: signatures };
  const end = await runPython(context, 'skeleton.py', request, REPOCRAFT_LIMITS.units);
  const found = 'value' in end ? (broken.safeParse(end.value).data?.interfaces ?? []) : [];
  const repaired = (one: InterfaceDesign): InterfaceDesign => {
    const own = found.filter(({ id }) => id === one.id);
    if (own.length === 0) return one;
    const isBad = (method: string | null): boolean => own.some((bad) => bad.method === method);
    return {
      ...one,
      signature: isBad(null) ? ANY.function : one.signature,
      methods: one.methods.map((method) => (isBad(method.name) ? { ...method, signature: ANY.method } : method)),
    };
  };
  if (found.length > 0) {
    const label = { name: 'repaired-by-rule.json', mediaType: 'application/json' };
    await context.attach(JSON.stringify(found, null, 1), label);
  }
  const checked = { ...graph, interfaces: graph.interfaces.map(repaired) };
  return {
    graph: await keepGraph(context, checked, 'interfaces'),
    features: graph.features.length,
    forecast: forecastUnits(context, checked),
  };
}
