import type { Wait } from '../../ports/records.js';
import { messageLines } from './message-lines.js';
import { grouped } from './number-text.js';

const WHAT: Partial<Record<Wait['type'], string>> = {
  'sandbox.unavailable': 'Docker',
  'sandbox.disk-full': 'room on the disk',
  'model.unreachable': 'the model provider (unreachable)',
  'model.server-error': 'the model provider (server errors)',
  'model.rate-limited': 'the rate limit of the model provider',
  'sandbox.image-missing': 'a worker with the image',
  'suite.missing': 'a worker with the suite',
  'dataset.missing': 'a worker with the dataset',
  'blobs.missing': 'a worker with the blob store of this campaign',
  'model.key-missing': 'a worker with the key of the model',
};

/** What a campaign waits for outside: `waiting for Docker since 14:03:12 UTC (…): why`, and below it how to fix it. */
export function waitLines(waits: readonly Wait[]): string[] {
  return waits.flatMap(({ type, since, lastTriedAt, owners, ...problem }) => {
    const who = `${grouped(owners)} ${owners === 1 ? 'trial' : 'trials'}, last tried ${clock(lastTriedAt)}`;
    const [why = '', ...more] = messageLines(problem, 160);
    const line = `waiting for ${WHAT[type] ?? type} since ${clock(since)} UTC (${who}): ${why}`;
    return [line, ...more.map((each) => `  ${each}`)];
  });
}

/** The day only where it is not today's: a wait may last for days. */
function clock(at: string): string {
  const isToday = at.slice(0, 10) === new Date().toISOString().slice(0, 10);
  return isToday ? at.slice(11, 19) : at.slice(0, 19).replace('T', ' ');
}
