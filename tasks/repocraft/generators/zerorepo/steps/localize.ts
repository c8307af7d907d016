import type { StageContext } from '../../../../../src/suite/stage.js';
import { needsClosure } from '../graph/compose.js';
import type { PlanningGraph } from '../graph/planning-graph.js';
import { nearestInterfaces } from '../graph/search-graph.js';
import { askModel } from './asking/ask.js';
import { briefsOf, type Brief } from './asking/brief.js';
import { printed, stubs, type Fences, type Material } from './asking/document.js';
import { finishedUnits } from './products.js';

/** Tools used before an edit, at most. */
const MOST = 20;
/** Ordinals of the questions: after those of votes and fixes. */
const FIRST_ORDINAL = 20;
/** What one tool shows, in characters. */
const SHOWN = 4000;

/** What is going to be edited, and what is known about it. */
interface Edit {
  graph: PlanningGraph;
  unit: Brief;
  /** What is to be done, in one sentence. */
  task: string;
  about: Material;
}

/** One use of a tool. */
interface Seen {
  tool: string;
  argument: string;
  result: string;
}

/** What looking around has shown, as prompts show it. */
export const shownLooks = (seen: readonly Seen[]): Fences => ({
  entries: seen.map(({ tool, argument, result }) => ({ heading: `${tool} ${argument}`, block: printed(result) })),
});

/**
 * Lets the model look around in the graph until it says what to edit: before code is repaired, before it is written again,
 * and before tests are. It sees what the unit needs, and nothing later.
 */
export async function localize(context: StageContext, edit: Edit): Promise<{ seen: Seen[]; targets: string[] }> {
  const { graph, unit, task, about } = edit;
  const seen: Seen[] = [];
  for (let use = 0; use < MOST; use += 1) {
    const asked = await askModel(context, {
      prompt: 'localize',
      input: { task, unit: stubs([unit]), ...about, seen: shownLooks(seen) },
      ordinal: FIRST_ORDINAL + use,
    });
    if (asked.answer === null) break;
    const { tool, argument } = asked.answer;
    if (tool === 'stop')
      return {
        seen,
        targets: argument
          .split(',')
          .map((name) => name.trim())
          .filter((name) => name !== ''),
      };
    // Asking the same again would only give the same.
    if (seen.some((one) => one.tool === tool && one.argument === argument)) break;
    const result = await lookedUp(context, graph, { unit: unit.id, tool, argument });
    seen.push({ tool, argument, result: result.slice(0, SHOWN) });
  }
  return { seen, targets: [] };
}

async function lookedUp(
  context: StageContext,
  graph: PlanningGraph,
  { unit, tool, argument }: { unit: string; tool: string; argument: string },
): Promise<string> {
  if (tool === 'interfaces') {
    const own = graph.interfaces.filter(({ file }) => file === argument).map(({ id }) => id);
    return own.length === 0 ? `there is no file ${argument}` : JSON.stringify(briefsOf(graph, own), null, 1);
  }
  if (tool === 'feature') {
    const feature = graph.features.find(({ id }) => id === argument);
    return feature === undefined ? `there is no feature ${argument}` : JSON.stringify(feature, null, 1);
  }
  if (tool === 'search') return JSON.stringify(briefsOf(graph, nearestInterfaces(graph, argument, 5)), null, 1);
  if (!needsClosure(graph, [unit]).includes(argument)) return `${argument} is nothing that ${unit} needs`;
  const finished = (await finishedUnits(context, graph, [argument])).get(argument);
  return finished?.product?.source ?? `${argument} has no code`;
}
