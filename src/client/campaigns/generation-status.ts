import type { SpendLimit } from '../../contract/campaign.js';
import type { Json } from '../../contract/json.js';
import { plainLine } from '../../domain/text/plain-text.js';
import type { GenerationRow } from '../../ports/records.js';
import type { PlanProgress, SpendForecast } from '../../suite/generation.js';
import { dollars, grouped } from '../../report/words/words.js';
import { generationsWithGraph, type GenerationWithGraph } from './generation-named.js';
import type { Connection } from '../connection.js';

/** A long generation in `status`: what it has cost, may cost, and is expected to cost. */
export interface GenerationStatus {
  id: string;
  system: string;
  scope: string;
  repeat: number;
  state: GenerationRow['state'];
  /** Type of the failure it ended with. */
  failure: string | null;
  usd: number;
  tokens: number;
  /** Its own limit; null = none. */
  limit: SpendLimit;
  /** For the units of its plan; null until it is planned. */
  forecast: { of: string; calls: number[]; tokens: number[]; usd: number[] } | null;
  /** How far the plan has been carried out; null until there is one, and when the generation has ended. */
  progress: PlanProgress | null;
}

/** The generations of a campaign that plan with a graph. */
export async function generationStatuses(place: Connection, campaign: string): Promise<GenerationStatus[]> {
  const all = await generationsWithGraph(place, campaign);
  return Promise.all(
    all.map(async (generation) => {
      const { id, systemId: system, scope, repeat, state, failure, costMicroUsd, tokens } = generation.row;
      const { usd = null, tokens: most = null } = generation.system.limits ?? {};
      const checked = await readChecked(place, generation);
      return {
        ...{ id, system, scope, repeat, state, failure: failure?.type ?? null },
        ...{ usd: costMicroUsd / 1_000_000, tokens, limit: { usd, tokens: most } },
        forecast: checked === undefined ? null : forecastOf(generation.graph.forecast.read(checked)),
        progress: checked === undefined || state === 'done' ? null : await progressOf(place, generation, checked),
      };
    }),
  );
}

/** For a terminal: a line for each that has begun, and one each for how far it is and its forecast. */
export function generationLines(all: readonly GenerationStatus[]): string[] {
  return all
    .filter(({ state }) => state !== 'planned')
    .flatMap((one) => [
      `generation   ${plainLine(one.id, 150)}: ${stateText(one)}, ${dollars(one.usd)}, ${grouped(one.tokens)} tokens${limitText(one.limit)}`,
      ...(one.progress === null ? [] : [`progress     ${progressText(one.progress)}`]),
      ...(one.forecast === null || one.state === 'done'
        ? []
        : [`forecast     ${forecastText(one.forecast, one.limit)}`]),
    ]);
}

/** What was found when the plan of a generation was checked last. */
async function readChecked(
  place: Connection,
  { row, graph: { forecast } }: GenerationWithGraph,
): Promise<Json | undefined> {
  return (await findSteps(place, row.id, [forecast.step]))[forecast.step];
}

const progressOf = (place: Connection, { row, graph }: GenerationWithGraph, checked: Json): Promise<PlanProgress> =>
  graph.progress(checked, { blobs: place.blobs, find: (steps) => findSteps(place, row.id, steps) });

const findSteps = ({ records }: Connection, id: string, steps: readonly string[]): Promise<Record<string, Json>> =>
  records.findSteps({ owner: { kind: 'generation', id }, stage: 'generate', steps });

function forecastOf(forecast: SpendForecast | null): GenerationStatus['forecast'] {
  if (forecast === null) return null;
  const { of, calls, tokens, microUsd } = forecast;
  return { of, calls, tokens, usd: microUsd.map((amount) => amount / 1_000_000) };
}

function forecastText({ of, tokens, usd }: NonNullable<GenerationStatus['forecast']>, limit: SpendLimit): string {
  const range = (values: readonly number[], shown: (value: number) => string): string => values.map(shown).join(' to ');
  const isAbove = (values: readonly number[], most: number | null): boolean => most !== null && (values[1] ?? 0) > most;
  const warning =
    isAbove(usd, limit.usd) || isAbove(tokens, limit.tokens)
      ? '; that is above its limit: what is there when it is reached is graded'
      : '';
  return `${of}: ${range(tokens, grouped)} tokens, ${range(usd, dollars)}${warning}`;
}

function progressText({ of, done, failed, blocked }: PlanProgress): string {
  const others = [
    ...(failed > 0 ? [`${grouped(failed)} failed`] : []),
    ...(blocked > 0 ? [`${grouped(blocked)} blocked`] : []),
  ];
  return [`${grouped(done)} of ${of} done`, ...others].join(', ');
}

function limitText({ usd, tokens }: SpendLimit): string {
  const limits = [usd === null ? [] : [dollars(usd)], tokens === null ? [] : [`${grouped(tokens)} tokens`]].flat();
  return limits.length === 0 ? ', not limited' : ` of ${limits.join(' and ')}`;
}

function stateText({ state, failure, forecast }: GenerationStatus): string {
  if (state === 'done') return failure === null ? 'made' : `ended by ${failure}`;
  return forecast === null ? 'being planned' : 'being made';
}
