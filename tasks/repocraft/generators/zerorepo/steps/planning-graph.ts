import type { Json, JsonObject } from '../../../../../src/contract/json.js';
import type { Blobs } from '../../../../../src/ports/blobs.js';
import type { StepRow } from '../../../../../src/ports/records.js';
import type { EditedGraph, GenerationGraph, LastGraph } from '../../../../../src/suite/generation.js';
import { graphChanges } from '../graph/graph-changes.js';
import { graphText, parseGraph, stageOf } from '../graph/graph-format.js';
import { begunProblems, plannedTo } from '../graph/graph-problems.js';
import { mermaidOf, svgOf } from '../graph/graph-views.js';
import { mergeDesigns } from '../growth/merge-designs.js';
import { GRAPH_STAGES, type GraphStage, type PlanningGraph } from '../graph/planning-graph.js';
import type { Checked, UnitStatus } from '../graph/steps.js';
import { readGraph } from './graph-blob.js';
import { EDIT_STEP, type GraphEdit } from './planning.js';
import { endsOf } from './schedule.js';

/** Steps that leave the graph of the whole plan, by the beginning of their name. `plan/start` begins anew in every run. */
const WHOLE = /^(edit$|plan\/(propose-|refactor-|layout-|data-flow$|base-classes$|interfaces$)|check\/skeleton$)/;
/** Steps that leave the graph with more interfaces of one module. */
const DESIGN = /^design\/(\d+)-/;

/** The planning graph of a ZeroRepo generation, for `durabench graph`. */
export const planningGraph: GenerationGraph = {
  stages: GRAPH_STAGES,

  async last(all, blobs) {
    const steps = sinceEdited(all);
    const whole = steps.findLastIndex(({ stage, step }) => stage === 'generate' && WHOLE.test(step));
    const at = steps[whole] ?? steps.find(({ step }) => step === 'plan/start');
    if (at === undefined) return null;
    const first = await graphOf(at, blobs);
    const designs =
      whole < 0 ? [] : await Promise.all(lastDesigns(steps.slice(whole)).map((row) => graphOf(row, blobs)));
    const graph = mergeDesigns(first, designs);
    return { text: graphText(graph), stage: finishedStage(graph, steps), step: at.step };
  },

  edit(text, { before, stage: asked }) {
    const held = before === null || before.stage === null ? 'features' : (before.stage as GraphStage);
    const parsed = parseGraph(text, asked === undefined ? held : (asked as GraphStage));
    if ('problems' in parsed) return parsed;
    const graph = asked === undefined ? parsed.graph : plannedTo(parsed.graph, asked as GraphStage);
    const stage = (asked as GraphStage | undefined) ?? editedStage(graph, before);
    const problems = begunProblems(graph, stage ?? 'features');
    if (problems.length > 0) return { problems };
    const old = before === null ? null : parseGraph(before.text, 'features');
    return {
      ...{ text: graphText(graph), stage, step: EDIT_STEP },
      result: (sha256) => ({ graph: sha256, stage }) satisfies GraphEdit,
      changes: old !== null && 'graph' in old ? graphChanges(old.graph, graph) : [],
    } satisfies EditedGraph;
  },

  view(text, as) {
    const graph = JSON.parse(text) as PlanningGraph;
    return as === 'svg' ? svgOf(graph) : mermaidOf(graph);
  },

  forecast: {
    step: 'check/skeleton',
    read: (result: Json) => {
      // Skeletons checked before there were forecasts have none.
      const { forecast } = result as Partial<Checked>;
      if (forecast === undefined) return null;
      const { units, ...range } = forecast;
      return { of: `${units} units`, ...range };
    },
  },

  async progress(result, { blobs, find }) {
    const graph = await readGraph({ blobs }, (result as Checked).graph);
    const ends = [...(await endsOf({ earlier: find }, graph)).values()];
    const count = (status: UnitStatus): number => ends.filter((end) => end === status).length;
    return {
      of: `${graph.interfaces.length} units`,
      done: count('done'),
      failed: count('failed'),
      blocked: count('blocked'),
    };
  },
};

/** Without what was under way when the graph was edited: it came from the graph before, however late it ended. */
function sinceEdited(steps: readonly StepRow[]): readonly StepRow[] {
  const at = steps.findLastIndex(({ step }) => step === EDIT_STEP);
  const editedAt = Date.parse(steps[at]?.startedAt ?? '');
  return steps.filter((row, index) => index <= at || !(Date.parse(row.startedAt) < editedAt));
}

/** The last design step of each module. */
function lastDesigns(steps: readonly StepRow[]): StepRow[] {
  const found = new Map<string, StepRow>();
  for (const row of steps) {
    const module = DESIGN.exec(row.step)?.[1];
    if (module !== undefined) found.set(module, row);
  }
  return [...found.values()];
}

const graphOf = ({ result }: StepRow, blobs: Blobs): Promise<PlanningGraph> =>
  readGraph({ blobs }, (result as JsonObject & { graph: string }).graph);

/** Features alone never tell whether more are to be proposed: they are complete once they are being sorted. */
function finishedStage(graph: PlanningGraph, steps: readonly StepRow[]): GraphStage | null {
  const stage = stageOf(graph);
  const isSorting = steps.some(({ step }) => step.startsWith('plan/refactor-'));
  return stage === 'features' && !isSorting ? null : stage;
}

function editedStage(graph: PlanningGraph, before: LastGraph | null): GraphStage | null {
  const stage = stageOf(graph);
  return stage === 'features' && (before?.stage ?? null) === null ? null : stage;
}
