import type { SpendLimit } from '../../contract/campaign.js';
import type { Json } from '../../contract/json.js';
import type { GenerationRow } from '../../ports/records.js';
import type { PlanProgress, SpendForecast } from '../../suite/generation.js';
import { generationsWithGraph, type GenerationWithGraph } from '../campaigns/generation-named.js';
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
  /** Dollars. */
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
export async function generationStatuses(connection: Connection, campaign: string): Promise<GenerationStatus[]> {
  const all = await generationsWithGraph(connection, campaign);
  return Promise.all(
    all.map(async (generation) => {
      const { id, systemId: system, scope, repeat, state, failure, costMicroUsd, tokens } = generation.row;
      const { usd = null, tokens: most = null } = generation.system.limits ?? {};
      const checked = await readChecked(connection, generation);
      return {
        ...{ id, system, scope, repeat, state, failure: failure?.type ?? null },
        ...{ usd: costMicroUsd / 1_000_000, tokens, limit: { usd, tokens: most } },
        forecast: checked === undefined ? null : forecastOf(generation.graph.forecast.read(checked)),
        progress: checked === undefined || state === 'done' ? null : await progressOf(connection, generation, checked),
      };
    }),
  );
}

/** What was found when the plan of a generation was checked last. */
async function readChecked(
  connection: Connection,
  { row, graph: { forecast } }: GenerationWithGraph,
): Promise<Json | undefined> {
  return (await findSteps(connection, row.id, [forecast.step]))[forecast.step];
}

const progressOf = (
  connection: Connection,
  { row, graph }: GenerationWithGraph,
  checked: Json,
): Promise<PlanProgress> =>
  graph.progress(checked, { blobs: connection.blobs, find: (steps) => findSteps(connection, row.id, steps) });

const findSteps = ({ records }: Connection, id: string, steps: readonly string[]): Promise<Record<string, Json>> =>
  records.findSteps({ owner: { kind: 'generation', id }, stage: 'generate', steps });

function forecastOf(forecast: SpendForecast | null): GenerationStatus['forecast'] {
  if (forecast === null) return null;
  const { of, calls, tokens, microUsd } = forecast;
  return { of, calls, tokens, usd: microUsd.map((amount) => amount / 1_000_000) };
}
