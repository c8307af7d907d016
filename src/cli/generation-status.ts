import type { SpendLimit } from '../contract/campaign.js';
import { plainLine } from '../domain/plain-text.js';
import type { GenerationRow } from '../ports/records.js';
import type { SpendForecast } from '../ports/suite.js';
import { dollars, grouped } from '../report/words.js';
import { generationsWithGraph, type GenerationWithGraph } from './generation-named.js';
import type { Workplace } from './workplace.js';

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
}

/** The generations of a campaign that plan with a graph. */
export async function generationStatuses(place: Workplace, campaign: string): Promise<GenerationStatus[]> {
  const all = await generationsWithGraph(place, campaign);
  return Promise.all(
    all.map(async (generation) => {
      const { id, systemId: system, scope, repeat, state, failure, costMicroUsd, tokens } = generation.row;
      const { usd = null, tokens: most = null } = generation.system.limits ?? {};
      return {
        ...{ id, system, scope, repeat, state, failure: failure?.type ?? null },
        ...{ usd: costMicroUsd / 1_000_000, tokens, limit: { usd, tokens: most } },
        forecast: forecastOf(await readForecast(place, generation)),
      };
    }),
  );
}

/** For a terminal: a line for each that has begun, and one for its forecast. */
export function generationLines(all: readonly GenerationStatus[]): string[] {
  return all
    .filter(({ state }) => state !== 'planned')
    .flatMap((one) => [
      `generation   ${plainLine(one.id, 150)}: ${stateText(one)}, ${dollars(one.usd)}, ${grouped(one.tokens)} tokens${limitText(one.limit)}`,
      ...(one.forecast === null || one.state === 'done'
        ? []
        : [`forecast     ${forecastText(one.forecast, one.limit)}`]),
    ]);
}

/** What is expected of one generation, as its plan was checked last. */
async function readForecast(
  { records }: Workplace,
  { row, graph: { forecast } }: GenerationWithGraph,
): Promise<SpendForecast | null> {
  const owner = { kind: 'generation', id: row.id } as const;
  const found = await records.findSteps({ owner, stage: 'generate', steps: [forecast.step] });
  const result = found[forecast.step];
  return result === undefined ? null : forecast.read(result);
}

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

function limitText({ usd, tokens }: SpendLimit): string {
  const limits = [usd === null ? [] : [dollars(usd)], tokens === null ? [] : [`${grouped(tokens)} tokens`]].flat();
  return limits.length === 0 ? ', not limited' : ` of ${limits.join(' and ')}`;
}

const stateText = ({ state, failure }: GenerationStatus): string =>
  state === 'done' ? (failure === null ? 'made' : `ended by ${failure}`) : 'being made';
