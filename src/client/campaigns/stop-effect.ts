import type { Connection } from '../connection.js';

/** What a campaign's trials are in the middle of, for verbs that stop it: ids of those that run, and how many do not. */
export interface StopEffect {
  running: string[];
  waiting: number;
  finished: number;
}

/** Reads where the trials of a campaign stand. */
export async function stopEffect({ records }: Connection, campaignId: string): Promise<StopEffect> {
  const trials = await records.trials(campaignId);
  const running = trials.filter(({ state }) => state === 'running').map(({ id }) => id);
  const waiting = trials.filter(({ state }) => state === 'planned').length;
  return { running, waiting, finished: trials.length - running.length - waiting };
}
