import type { GenerationStatus } from './generation-status.js';
import type { RunningGeneration, UnderWay } from './under-way.js';
import type { SpendLimit } from '../../contract/campaign.js';
import { plainLine } from '../../domain/text/plain-text.js';
import { counted, dollars, duration, grouped } from '../../report/text/number-text.js';
import { clock, waitLines } from '../../report/text/wait-lines.js';
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

const PHASES = { plan: 'being planned', make: 'being made', prepare: 'being prepared' } as const;

/** A line for each candidate that is being made: phase, parts, spend and time; and how many are to come. */
export function makingLines({ generations, generationsToCome: toCome }: UnderWay, now = Date.now()): string[] {
  const lines = generations.map((one) => {
    const spent = `${dollars(one.usd)}, ${grouped(one.tokens)} tokens${one.limit === null ? '' : limitText(one.limit)}`;
    const time = one.startedAt === null ? [] : [`for ${duration((now - Date.parse(one.startedAt)) / 1000)}`];
    return `making       ${makingText(one)}, ${[spent, ...time].join(', ')}`;
  });
  return toCome === 0 ? lines : [...lines, `to be made   ${counted(toCome, 'shared candidate')}`];
}

/** The same in a few words, for logs: `SYSTEM/SCOPE/1 being made (12 of 41 units done)`. */
export function makingText({ id, phase, lastStep, progress }: RunningGeneration): string {
  const step = lastStep === null ? [] : [`last step ${plainLine(lastStep, 60)}`];
  const notes = progress === null ? step : [progressText(progress)];
  const name = plainLine(id.slice(id.indexOf('/') + 1), 100);
  return `${name} ${PHASES[phase]}${notes.length === 0 ? '' : ` (${notes.join(', ')})`}`;
}

const SLOTS = { model: 'a slot for model calls', sandbox: 'a sandbox slot' } as const;

/** What is waited for and since when, a line each; what to do about it below. */
export function waitingLines({ waits, queues }: Pick<UnderWay, 'waits' | 'queues'>, now = Date.now()): string[] {
  return [
    ...waitLines(waits),
    ...queues.map(({ role, steps, oldestSeconds }) => {
      const since = clock(new Date(now - oldestSeconds * 1000).toISOString());
      return `waiting for ${SLOTS[role]} since ${since} UTC: ${counted(steps, 'step')} of all campaigns here`;
    }),
  ];
}
