import type { QueueBacklog } from '../../adapters/temporal/queue-backlog.js';
import type { SpendLimit } from '../../contract/campaign.js';
import type { Interval } from '../../domain/statistics/statistics.js';
import type { GenerationRow, Wait } from '../../ports/records.js';
import type { PlanProgress } from '../../suite/generation.js';
import type { DocumentBody } from '../../report/documents/documents.js';
import { withOwnCommands } from '../../report/text/own-commands.js';
import { snakeKeys } from '../../report/documents/snake-keys.js';
import type { Connection } from '../connection.js';
import type { Engine } from '../engine.js';
import { generationStatuses, type GenerationStatus } from './generation-status.js';
import { secondsLeft } from './seconds-left.js';

/** A shared candidate that is being made now. */
export interface RunningGeneration {
  id: string;
  /** `plan` until a plan by graph is whole, `make`, then `prepare`: parsed, indexed, embedded for its trials. */
  phase: 'plan' | 'make' | 'prepare';
  /** The step that ended last; null before the first. */
  lastStep: string | null;
  /** How far its plan has been carried out; null without one. */
  progress: PlanProgress | null;
  /** Dollars. */
  usd: number;
  tokens: number;
  /** Its own limit; null where none is known. */
  limit: SpendLimit | null;
  startedAt: string | null;
}

/** What an open campaign does beside grading, and what keeps it from going on. */
export interface UnderWay {
  /** In plan order. */
  generations: RunningGeneration[];
  /** Shared candidates that are not begun. */
  generationsToCome: number;
  /** What running trials and generations wait for, the longest wait first. */
  waits: Wait[];
  /** Steps of all campaigns of the installation that wait for a slot; empty where none does, or Temporal does not say. */
  queues: QueueBacklog[];
  /** Nineteen times in twenty; null where it does not run, or too little like what is left was ever run here. */
  secondsLeft: Interval | null;
  /** When all this was so, in ms. */
  at: number;
}

/** Looks at what is under way. @param parts what the caller has read already */
export async function underWay(
  connection: Connection,
  id: string,
  parts: { engine?: Engine | undefined; generations?: readonly GenerationStatus[] } = {},
): Promise<UnderWay> {
  const { records } = connection;
  const [rows, planned, waits, left, queues] = await Promise.all([
    records.generations(id),
    parts.generations ?? generationStatuses(connection, id),
    records.waits(id),
    secondsLeft(connection, id),
    parts.engine?.backlogs(),
  ]);
  return {
    generations: rows
      .filter(({ state }) => state === 'running')
      .map((row) =>
        runningGeneration(
          row,
          planned.find((each) => each.id === row.id),
        ),
      ),
    generationsToCome: rows.filter(({ state }) => state === 'planned').length,
    waits: waits.map((wait) => ({ ...wait, ...withOwnCommands(wait, id) })),
    queues: queues ?? [],
    ...{ secondsLeft: left, at: Date.now() },
  };
}

function runningGeneration(row: GenerationRow, status: GenerationStatus | undefined): RunningGeneration {
  const { id, lastStep, costMicroUsd, tokens, startedAt } = row;
  return {
    ...{ id, phase: phaseOf(row, status), usd: costMicroUsd / 1_000_000, tokens, startedAt },
    lastStep: lastStep === null ? null : lastStep.step || lastStep.stage,
    progress: status?.progress ?? null,
    limit: status?.limit ?? null,
  };
}

/** A generator of one stage has made its candidate when that stage has ended; what comes next is its preparation. */
function phaseOf({ lastStep }: GenerationRow, status: GenerationStatus | undefined): RunningGeneration['phase'] {
  if (lastStep?.stage === 'prepare' || lastStep?.step === '') return 'prepare';
  return status !== undefined && status.forecast === null ? 'plan' : 'make';
}

/** The same as documents tell it. */
export type UnderWayReport = NonNullable<DocumentBody<'status'>['under_way']>;

export const underWayReport = (now: UnderWay): UnderWayReport => ({
  generations: now.generations.map(snakeKeys),
  generations_to_come: now.generationsToCome,
  waits: now.waits.map(snakeKeys),
  queues: now.queues.map(snakeKeys),
  seconds_left: now.secondsLeft,
});
