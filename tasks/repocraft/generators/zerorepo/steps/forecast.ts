import { costMicroUsd } from '../../../../../src/domain/limits/prices.js';
import { estimateInputTokens } from '../../../../../src/domain/limits/token-estimate.js';
import type { StageContext } from '../../../../../src/suite/stage.js';
import type { InterfaceDesign, PlanningGraph } from '../graph/planning-graph.js';
import type { Forecast } from '../graph/steps.js';
import { workItems } from '../graph/work-items.js';
import { briefsOf } from './asking/brief.js';
import { optionsOf } from '../settings.js';
import { surroundings } from './write.js';

/** Rules of thumb for documented Python of ten to twenty lines: tokens of a function or method, and of its tests. */
const CODE_TOKENS = 250;
const TEST_TOKENS = 300;
/** Instructions around the input of a prompt. */
const PROMPT_TOKENS = 600;
/** A vote, or a look around. */
const WORD_TOKENS = 60;
/** Votes and looks around of one repair: three voters of one mind, two looks. */
const VOTES = 3;
const LOOKS = 2;
/** README, and a test of the whole. */
const WHOLE_TOKENS = 1200;

/** One or more calls for the same purpose. */
interface Asked {
  purpose: 'codegen' | 'repair' | 'vote';
  calls: number;
  /** Of all of them. */
  inputTokens: number;
  outputTokens: number;
}

/** What implementing a graph is expected to cost, in calls, tokens and money of the system's models. */
export function forecastUnits(context: StageContext, graph: PlanningGraph): Forecast {
  const { batch } = optionsOf(context.system);
  const items = graph.modules.flatMap(({ name }) => workItems(graph, name, batch));
  const first = items.flatMap(({ units }) => {
    const ids = units.map(({ id }) => id);
    return writing(context, graph, ids);
  });
  const least = [...first, ...whole(graph)];
  const likely = [...least, ...graph.interfaces.flatMap((design) => repairing(context, graph, design))];
  const range = (of: (asked: Asked) => number): [number, number] => [sum(least, of), sum(likely, of)];
  return {
    units: graph.interfaces.length,
    calls: range(({ calls }) => calls),
    tokens: range(({ inputTokens, outputTokens }) => inputTokens + outputTokens),
    microUsd: range((asked) => priceOf(context, asked)),
  };
}

/** Tests and code of one item of work. */
function writing(context: StageContext, graph: PlanningGraph, ids: readonly string[]): Asked[] {
  const parts = ids.reduce((count, id) => count + partsOf(graph.interfaces.find((one) => one.id === id)), 0);
  const told = tokensOf({ ...surroundings(context, graph, ids), units: briefsOf(graph, ids) });
  const tests = { purpose: 'codegen', calls: 1, inputTokens: told, outputTokens: parts * TEST_TOKENS } as const;
  const inputTokens = told + parts * TEST_TOKENS;
  return [tests, { purpose: 'codegen', calls: 1, inputTokens, outputTokens: parts * CODE_TOKENS }];
}

/** One repair of a unit: each question shows its code and tests. */
function repairing(context: StageContext, graph: PlanningGraph, design: InterfaceDesign): Asked[] {
  const parts = partsOf(design);
  const told = tokensOf({ ...surroundings(context, graph, [design.id]), units: briefsOf(graph, [design.id]) });
  const shown = told + parts * (CODE_TOKENS + TEST_TOKENS);
  const asked = (purpose: Asked['purpose'], calls: number, outputTokens: number): Asked => {
    return { purpose, calls, inputTokens: calls * shown, outputTokens: calls * outputTokens };
  };
  return [
    asked('vote', VOTES, WORD_TOKENS),
    asked('repair', LOOKS, WORD_TOKENS),
    asked('repair', 1, parts * CODE_TOKENS),
  ];
}

/** Integration tests of each module, the test of the whole, the README. */
function whole(graph: PlanningGraph): Asked[] {
  const calls = graph.modules.length + 2;
  const told = tokensOf(
    briefsOf(
      graph,
      graph.interfaces.map(({ id }) => id),
    ),
  );
  // Each module's prompt shows its own interfaces, the other two show all of them.
  return [{ purpose: 'codegen', calls, inputTokens: 3 * told, outputTokens: calls * WHOLE_TOKENS }];
}

const partsOf = (design: InterfaceDesign | undefined): number => Math.max(1, design?.methods.length ?? 0);

const tokensOf = (input: object): number =>
  PROMPT_TOKENS + estimateInputTokens([{ content: JSON.stringify(input, null, 1) }]);

function priceOf({ campaign, system }: StageContext, { purpose, inputTokens, outputTokens }: Asked): number {
  const model = campaign.spec.models[system.purposes[purpose] ?? system.model ?? ''];
  return model === undefined ? 0 : costMicroUsd(model.price, { inputTokens, cachedInputTokens: 0, outputTokens });
}

const sum = (all: readonly Asked[], of: (asked: Asked) => number): number =>
  Math.round(all.reduce((total, asked) => total + of(asked), 0));
