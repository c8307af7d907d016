import type { Wait } from '../../ports/records.js';
import { messageLines } from './message-lines.js';
import { counted } from './number-text.js';

const WHAT: Partial<Record<Wait['type'], string>> = {
  'sandbox.unavailable': 'Docker',
  'sandbox.disk-full': 'room on the disk',
  'model.unreachable': 'the model provider (unreachable)',
  'model.server-error': 'the model provider (server errors)',
  'model.rate-limited': 'the rate limit of the model provider',
  'model.batched': 'the Batch API of the model provider',
  'budget.contended': 'budget that calls under way have reserved',
  'sandbox.image-missing': 'a worker with the image',
  'suite.missing': 'a worker with the suite',
  'suite.changed': 'a worker that was started since files of the suite changed',
  'dataset.missing': 'a worker with the dataset',
  'blobs.missing': 'a worker with the blob store of this campaign',
  'model.key-missing': 'a worker with the key of the model',
};

/** What a campaign waits for outside: `waiting for Docker since 14:03:12 UTC (…): why`, and below it how to fix it. */
export function waitLines(waits: readonly Wait[]): string[] {
  return waits.flatMap(({ type, since, lastTriedAt, owners, generations, ...problem }) => {
    const trials = owners - generations;
    const waiting = [
      ...(generations > 0 ? [counted(generations, 'shared candidate')] : []),
      ...(trials > 0 ? [counted(trials, 'trial')] : []),
    ];
    const who = `${waiting.join(' and ')}, last tried ${clock(lastTriedAt)}`;
    const [why = '', ...more] = messageLines(problem, 160);
    const line = `waiting for ${WHAT[type] ?? type} since ${clock(since)} UTC (${who}): ${why}`;
    return [line, ...more.map((each) => `  ${each}`)];
  });
}

/** Shorter waits come and go all the time where a limit is what sets the pace. */
const LEAST_NOTED_MS = 10_000;

/** Lines for a log: of each wait once, however often it is looked up, when it has lasted; and of its end. */
export function createWaitNotes(): (waits: readonly Wait[], now?: number) => string[] {
  const told = new Map<Wait['type'], Wait>();
  return (waits, now = Date.now()) => {
    const over = [...told.values()].filter(({ type }) => waits.every((wait) => wait.type !== type));
    const fresh = waits.filter(({ type, since }) => !told.has(type) && now - Date.parse(since) >= LEAST_NOTED_MS);
    for (const { type } of over) told.delete(type);
    for (const wait of fresh) told.set(wait.type, wait);
    const ends = over.map(
      ({ type, since }) => `no longer waiting for ${WHAT[type] ?? type} (it began at ${clock(since)} UTC)`,
    );
    return [...ends, ...waitLines(fresh)];
  };
}

/** The day only where it is not today's: a wait may last for days. */
export function clock(at: string): string {
  const isToday = at.slice(0, 10) === new Date().toISOString().slice(0, 10);
  return isToday ? at.slice(11, 19) : at.slice(0, 19).replace('T', ' ');
}
