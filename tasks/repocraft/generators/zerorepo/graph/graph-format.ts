import { z } from 'zod';
import { jsonText } from '../../../../../src/domain/text/json-text.js';
import { GRAPH_STAGES, type GraphStage, type PlanningGraph } from './planning-graph.js';
import { graphProblems } from './graph-problems.js';

const text = z.string().max(20_000);
const names = z.array(z.string().max(300));
const methodSchema = z.strictObject({ name: text, signature: text, docstring: text });

const FORMAT = 'durabench.planning-graph';
/** Raised when a file of the last one can no longer be read. */
const VERSION = 1;

const schema = z.strictObject({
  format: z.literal(FORMAT),
  version: z.literal(VERSION),
  title: text,
  purpose: z.string().max(100_000),
  package: text,
  features: z.array(
    z.strictObject({
      // Short enough to be counted on from.
      id: z.string().regex(/^f\d{1,9}$/),
      path: names.min(1),
      description: text,
      module: text.nullable(),
      file: text.nullable(),
    }),
  ),
  modules: z.array(z.strictObject({ name: text, description: text, folder: text.nullable() })),
  flows: z.array(z.strictObject({ source: text, target: text, id: text, type: text, transformation: text })),
  files: z.array(z.strictObject({ path: text, module: text, description: text, after: names })),
  interfaces: z.array(
    z.strictObject({
      id: text,
      file: text,
      kind: z.enum(['function', 'class']),
      name: text,
      signature: text,
      docstring: text,
      methods: z.array(methodSchema),
      features: names,
      invokes: names,
      inherits: names,
    }),
  ),
});

/** A graph as the text of its file; equal graphs give equal bytes. */
export function graphText(graph: PlanningGraph): string {
  // The schema gives the order of keys; a terminal it is printed on shows the text and obeys nothing in it.
  return `${jsonText(schema.parse(graph), 1)}\n`;
}

/** A graph from the text of a file, or everything that is wrong with it: its form first, then its invariants. */
export function parseGraph(bytes: string, upTo: GraphStage): { graph: PlanningGraph } | { problems: string[] } {
  let value: unknown;
  try {
    value = JSON.parse(bytes);
  } catch (error) {
    return { problems: [`not JSON: ${error instanceof Error ? error.message : String(error)}`] };
  }
  const unknown = formatProblem(value);
  if (unknown !== undefined) return { problems: [unknown] };
  const parsed = schema.safeParse(value);
  if (!parsed.success) {
    return {
      problems: parsed.error.issues
        .slice(0, 20)
        .map(({ path, message }) => `${path.join('.') || 'the file'}: ${message}`),
    };
  }
  const problems = graphProblems(parsed.data, upTo);
  return problems.length > 0 ? { problems } : { graph: parsed.data };
}

/** Why a document is no graph of this version: said before its fields are looked at, which another version has others of. */
function formatProblem(value: unknown): string | undefined {
  const { format, version } = (value ?? {}) as { format?: unknown; version?: unknown };
  const shown = (part: unknown): string => (part === undefined ? 'missing' : JSON.stringify(part).slice(0, 80));
  if (format !== FORMAT) return `format: is ${shown(format)}; a planning graph has "${FORMAT}"`;
  if (version !== VERSION) return `version: is ${shown(version)}; this Durabench reads version ${VERSION}`;
  return undefined;
}

/** The last stage whose invariants a graph holds; null when it does not even hold the first. */
export function stageOf(graph: PlanningGraph): GraphStage | null {
  return [...GRAPH_STAGES].reverse().find((stage) => graphProblems(graph, stage).length === 0) ?? null;
}
