import type { GenerationStatus } from '../../client/inspect/generation-status.js';
import type { SpendLimit } from '../../contract/campaign.js';
import { plainLine } from '../../domain/text/plain-text.js';
import { dollars, grouped } from '../../report/text/number-text.js';
import type { PlanProgress } from '../../suite/generation.js';

/** A line for each that has begun, and one each for how far it is and its forecast. */
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
